#!/usr/bin/env bash
# Where jobs meet: in /run/user/UID if it is their user's alone, else in /dev/shm. Another user can put something in the
# way in /dev/shm; a job says so once, ends as ever, and meets others in XDG_RUNTIME_DIR.
# Usage: foreign_files_test.sh LOOP_PROGRAM
set -euo pipefail
# shellcheck source=tests/cosched/outcomes.sh
source "$(dirname "$(readlink -f "$0")")/outcomes.sh"
if [[ ${2-} != inside ]]; then
  [[ $(id -u) == 0 ]] || skip "only root gives a test a /run and a /dev/shm of its own"
  unshare --mount true 2> /dev/null || skip "no mount namespace can be made here"
  exec unshare --mount --propagation private "$0" "$1" inside
fi
if ! mount -t tmpfs none /run 2> /dev/null || ! mount -t tmpfs -o mode=1777 none /dev/shm; then
  skip "nothing can be mounted here"
fi
command -v setpriv > /dev/null || skip "no setpriv (util-linux)"
work=/run/work
mkdir -m 755 "$work"
cp "$1" "$work/loops"
user=64300 other=64301

# job [VARIABLE=VALUE...]: runs the program as `user`; what it says on standard error is in $said.
job() {
  local output
  output=$(setpriv --reuid=$user --regid=$user --clear-groups env -i CALLISTO_THREADS=2 "$@" "$work/loops" return \
    2> "$work/said") || fail "the program ended with $?"
  [[ $output == "constructor 499500"*"main 499500"*"destructor 499500" ]] || fail "the program said $output"
  said=$(< "$work/said")
}
is_silent() { [[ -z $said ]] || fail "$1: $said"; }

own=/run/user/$user
mkdir -m 755 /run/user
install -d -m 700 -o $user -g $user "$own"
job
is_silent "with a folder in /run/user"
table=$(ls "$own") || fail "no table in $own"
[[ $table == callisto-* && -z $(ls /dev/shm) ]] || fail "the table is not in $own, but $(ls "$own" /dev/shm)"
rm "$own/$table"
# A folder that others can read is not this user's alone.
chmod 755 "$own"
job
[[ -z $(ls "$own") && -e /dev/shm/$table ]] || fail "not in /dev/shm, but $(ls "$own")"
rm -rf "$own" "/dev/shm/$table"

as_other() { setpriv --reuid=$other --regid=$other --clear-groups "$@"; }
for what in touch "truncate -s 1T" mkfifo mkdir "ln -s /etc/passwd"; do
  # shellcheck disable=SC2086
  as_other $what "/dev/shm/$table"
  for mode in 0600 0666; do
    [[ $what == ln* ]] || as_other chmod $mode "/dev/shm/$table"
    job
    [[ $said == "callisto: /dev/shm/$table: belongs to another user; the machine is shared with no other job" ]] ||
      fail "beside the other's $what: $said"
    install -d -m 700 -o $user -g $user "$work/runtime"
    job XDG_RUNTIME_DIR="$work/runtime"
    [[ $said == "callisto: /dev/shm/$table: belongs to another user; jobs meet in $work/runtime/$table" ]] ||
      fail "beside the other's $what, with XDG_RUNTIME_DIR: $said"
    [[ -f $work/runtime/$table ]] || fail "no table in XDG_RUNTIME_DIR"
    rm -rf "$work/runtime"
  done
  rm -rf "/dev/shm/${table:?}"
done
# A file of the user's own that has a second name is used under neither.
job
ln "/dev/shm/$table" /dev/shm/second
job CALLISTO_COSCHED=on
[[ $said == *"/dev/shm/$table: has 2 names, expected one"* ]] || fail "a table with two names: $said"
