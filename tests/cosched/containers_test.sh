#!/usr/bin/env bash
# Two containers beside each other: namespaces of processes and control groups of their own, /proc and /dev/shm of their
# own or shared. Their jobs do not meet: a process number of one means nothing in the other. Each takes the other's jobs
# for programs that are no jobs, and steps aside. Jobs of one container meet.
# Usage: containers_test.sh COMMAND JOB_PROGRAM LAB
set -euo pipefail
command=$(readlink -f "$1") job=$(readlink -f "$2") lab=$(readlink -f "$3") role=${4-}
# shellcheck source=tests/cosched/outcomes.sh
source "$(dirname "$(readlink -f "$0")")/outcomes.sh"
if [[ $role == container ]]; then
  # In a container: a job that never steps aside, and one that may. Says how many jobs meet and whether the second has
  # stepped aside, waits for the word to end, and says the first once more.
  [[ $("$command" machine) == *'no other job of this container shares contexts at the moment'* ]] || exit 1
  "$job" --burst 1 > /dev/null &
  "$lab" bench program batch 600000 > /dev/null &
  see() {
    "$command" status --json | python3 -c "import json, sys
seen = json.load(sys.stdin)
print(len(seen['jobs']), 'outsiders' in [job['state'] for job in seen['jobs']], seen['table'])"
  }
  for ((i = 0; i < 600; ++i)); do
    [[ $(see) != '2 True '* ]] || break
    sleep 0.1
  done
  see
  read -r _ || true
  see
  kill %1 %2
  exit
fi

[[ $(id -u) == 0 ]] || skip "only root makes namespaces in every system"
container=(unshare --pid --fork --kill-child --mount-proc --cgroup --mount --propagation private)
"${container[@]}" true 2> /dev/null || skip "no namespaces of processes and control groups can be made here"
unset CALLISTO_COSCHED_DIR XDG_RUNTIME_DIR
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for own in shared own; do
  mkfifo "$work/go1" "$work/go2"
  for n in 1 2; do
    prepare="true"
    # /run, too: a folder of the user's there comes first.
    [[ $own == shared ]] || prepare="mount -t tmpfs none /dev/shm && mount -t tmpfs none /run"
    "${container[@]}" bash -c "$prepare && exec \"\$@\"" container "$0" "$command" "$job" "$lab" container \
      < "$work/go$n" > "$work/said$n" &
  done
  exec 3> "$work/go1" 4> "$work/go2"
  for n in 1 2; do
    for ((i = 0; i < 600; ++i)); do
      [[ -s $work/said$n ]] && break
      sleep 0.1
    done
  done
  echo >&3
  echo >&4
  exec 3>&- 4>&-
  wait
  for n in 1 2; do
    { read -r jobs aside table && read -r later _; } < "$work/said$n" || fail "container $n ended early"
    [[ $jobs == 2 && $later == 2 ]] || fail "container $n with $own /dev/shm has $jobs, then $later jobs"
    [[ $aside == True ]] || fail "a job of container $n did not step aside beside the other's"
    echo "$table" >> "$work/tables.$own"
  done
  [[ $own == own || $(sort -u "$work/tables.$own" | wc -l) == 2 ]] || fail "two containers have one table"
  # shellcheck disable=SC2046
  [[ $own == own ]] || rm -f $(cat "$work/tables.$own")
  rm "$work/go1" "$work/go2"
done
