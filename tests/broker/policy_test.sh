#!/usr/bin/env bash
# The policy file of `callisto broker`: a good one holds, also after SIGHUP; a bad one is refused with its line, and a
# running broker keeps the old policy.
# Usage: policy_test.sh CALLISTO JOB_PROGRAM
set -euo pipefail
# shellcheck source=tests/cosched/outcomes.sh
source "$(dirname "$(readlink -f "$0")")/../cosched/outcomes.sh"
callisto=$1 job_program=$2
work=$(mktemp -d)
pids=()
finish() {
  kill -KILL "${pids[@]}" 2> /dev/null || true
  wait 2> /dev/null || true
  rm -rf "$work"
}
trap finish EXIT
export CALLISTO_COSCHED_DIR=$work
file=$work/policy.toml

check() { "$callisto" broker --policy "$file" --check 2>&1; }
# refused LINE EXPECTED TEXT: TEXT is no policy, because of that line.
refused() {
  printf '%s\n' "$3" > "$file"
  local said
  said=$(check) && fail "this is a policy: $3"
  [[ $said == *"$file"*"$1: $2"* ]] || fail "expected line $1: $2, got: $said"
}
refused 2 "'limit': expected limits, weights, contexts, guests or visibility" $'# one\n[limit]\njobs_per_user = 3'
refused 2 "'jobs': expected jobs_per_user, contexts_per_user or messages_per_second" $'[limits]\njobs = 3'
refused 2 "'jobs_per_user': expected a whole number from 1 to 255" $'[limits]\njobs_per_user = 0'
refused 2 "'jobs_per_user': expected a whole number" $'[limits]\njobs_per_user = "3"'
refused 1 "'limits': expected a table" 'limits = 3'
# left_out LINE TEXT: the rule of that line has an unknown name; the rest of TEXT is a policy.
left_out() {
  printf '%s\n' "$2" > "$file"
  local said
  said=$(check) || fail "no policy: $2: $said"
  [[ $said == *"$file:$1: 'nobody-of-this-name': no user has this name here; the rule is left out"*"in order, but for 1 warning"* ]] ||
    fail "no word of a user who is not there: $said"
}
left_out 3 $'[weights.users]\nroot = 2\nnobody-of-this-name = 2'
left_out 3 $'[visibility]\nusers = ["root",\n"nobody-of-this-name"]'
printf '[contexts]\nreserved = "1023"\n' > "$file"
[[ $(check) == *"$file:2: 'reserved': this machine has no CPU 1023"* ]] || fail "no word of a CPU that is not there"
said=$("$callisto" broker --weight ann=3 --check 2>&1) && fail "a weight of a name"
[[ $said == *"expected UID=W"* ]] || fail "$said"
refused 2 "'4294967296': no group has this number" $'[weights.groups]\n4294967296 = 2'
refused 2 "'root': expected a whole number from 1 to 1000" $'[weights.users]\nroot = 1001'
refused 4 "a group's weight is below the default, 3" $'[weights]\ndefault = 3\n[weights.groups]\nroot = 2'
refused 4 "a control group's weight is below the default, 3" $'[weights]\ndefault = 3\n[weights.control_groups]\n"/a" = 2'
refused 2 "'user.slice': expected a control group" $'[weights.control_groups]\n"user.slice" = 2'
refused 2 "'/a': expected a whole number from 1 to 1000" $'[weights.control_groups]\n"/a" = 0'
refused 2 "'contexts_per_user': expected a whole number" $'[limits]\ncontexts_per_user = -1'
refused 2 "'reserved': expected a list of CPUs" $'[contexts]\nreserved = "1-"'
refused 2 "'reserved': expected a list of CPUs" $'[contexts]\nreserved = [1]'
refused 2 "'open': expected reserved" $'[contexts]\nopen = "1"'
refused 2 "'contexts': expected a list of CPUs" $'[guests]\ncontexts = "x"'
refused 2 "'all': expected contexts or control_groups" $'[guests]\nall = 1'
refused 2 "'control_groups': expected an array" $'[guests]\ncontrol_groups = "/a"'
refused 3 "'a': expected a control group" $'[guests]\ncontrol_groups = [\n"a"]'
refused 2 "'/a/../b': expected a control group" $'[guests]\ncontrol_groups = ["/a/../b"]'
refused 2 "'/': expected a control group" $'[guests]\ncontrol_groups = ["/"]'
refused 2 "guests have no contexts" $'[guests]\ncontrol_groups = ["/a"]'
refused 2 "'all': expected everyone, users or groups" $'[visibility]\nall = true'
refused 2 "'everyone': expected true or false" $'[visibility]\neveryone = 1'
refused 2 "'users': expected an array" $'[visibility]\nusers = "root"'
refused 2 "expected names and numbers of groups" $'[visibility]\ngroups = [-1]'
refused 3 "" $'[limits]\n\njobs_per_user = = 3'
printf '[contexts]\nreserved = "0-1023"\n' > "$file"
said=$(check) && fail "a policy reserves all contexts"
[[ $said == *"all contexts of this machine are reserved"* ]] || fail "$said"
rm "$file"
check > /dev/null && fail "a policy that is not there"
"$callisto" broker --policy "$file" 2> /dev/null && fail "a broker without its policy"

printf '# nothing\n' > "$file"
[[ $(check) == "$file is in order" ]] || fail "an empty policy: $(check)"
"$callisto" broker --policy "$file" > "$work/listens" 2> "$work/said" &
broker=$!
pids+=("$broker")
until grep -q "policy $file" "$work/listens"; do kill -0 $broker || fail "no broker: $(cat "$work/said")"; done
"$job_program" > "$work/job" &
pids+=($!)
says() { "$callisto" status --json | tr -d ' \n' | sed "s/.*\"broker\":{[^}]*\"$1\":\([0-9.]*\).*/\1/"; }
until_it_is() { until [[ $(says "$1") == "$2" ]]; do kill -0 $broker || fail "the broker ended"; done; }
# follow TEXT: the broker reads TEXT as its policy.
read_so_far=0
follow() {
  printf '%s\n' "$1" > "$file"
  read_so_far=$((read_so_far + 1))
  kill -HUP $broker
  until [[ $(grep -c "$file.*\(in force\|old policy stays\)" "$work/said") == "$read_so_far" ]]; do kill -0 $broker || fail "SIGHUP ended it"; done
}
until_it_is own_jobs 1
[[ $(says own_weight) == 1 ]] || fail "the default weight"
follow $'[weights]\ndefault = 2'
[[ $(says own_weight) == 2 ]] || fail "a default weight"
follow "weights = { default = 2, groups = { $(id -g) = 7 } }"
[[ $(says own_weight) == 7 ]] || fail "a group's weight"
follow "weights = { users = { $(id -u) = 4 }, groups = { $(id -g) = 7 } }"
[[ $(says own_weight) == 4 ]] || fail "a user's weight"
follow $'[weights]\ndefault = 2\n[weights.control_groups]\n"/" = 5\n"/no/such/group" = 9'
[[ $(says own_weight) == 5 ]] || fail "a control group's weight"
follow "weights = { users = { $(id -u) = 4 } }"
follow $'[weights]\ndefault = 0'
grep -q "policy.toml:2: 'default': expected a whole number from 1 to 1000; the old policy stays" "$work/said" ||
  fail "no word of a bad file: $(cat "$work/said")"
[[ $(says own_weight) == 4 ]] || fail "a bad file changed the policy"
# A limit below what runs: the job stays, the next one is refused.
follow $'[limits]\njobs_per_user = 1'
until_it_is own_jobs 1
said=$("$job_program" 2>&1) && fail "a second job of a user with one"
[[ $said == *"this user has as many jobs as it allows"* ]] || fail "$said"
# The watcher writes by itself: the pipe ends when it has.
said=$({ "$callisto" run -- "$job_program" || true; } 2>&1 | cat)
[[ $said == *"was refused by the broker"*"(jobs_per_user)"* ]] || fail "run does not say that the broker refuses: $said"
# Its number is the broker's alone: no job of a table is changed.
said=$("$callisto" set 0 --weight 4 2>&1) && fail "the weight of a broker's job"
[[ $said == *"of the broker"* ]] || fail "$said"
contexts=$(nproc)
if ((contexts >= 2)); then
  # A job on all contexts, alone: it has all but the reserved one, and then all.
  first=$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')
  until_it_is own_contexts "$contexts"
  follow "contexts.reserved = \"$first\""
  until_it_is own_contexts $((contexts - 1))
  follow '# nothing'
  until_it_is own_contexts "$contexts"
  # A guest runs where the policy lets guests run, else where no job does, else anywhere.
  [[ $("$callisto" run --guest nproc 2> "$work/told") == "$contexts" ]] || fail "a guest without a place"
  grep -q "has no contexts for guests" "$work/told" || fail "no word that guests have no contexts"
  follow "contexts.reserved = \"$first\""
  [[ $("$callisto" run --guest nproc) == 1 ]] || fail "a guest runs on more than the reserved context"
  follow "contexts.reserved = \"$first\"
guests.contexts = \"0-1023\""
  [[ $("$callisto" run --guest nproc) == "$contexts" ]] || fail "a guest's own contexts"
  follow "guests.contexts = \"1023\""
  said=$("$callisto" run --guest nproc 2>&1) && fail "a guest without a context: $said"
  [[ $said == *"no context for guests"* ]] || fail "$said"
  follow $'[limits]\ncontexts_per_user = 1'
  until_it_is own_contexts 1
  follow '# nothing'
  until_it_is own_contexts "$contexts"
fi
kill -TERM $broker
wait $broker || true
[[ ! -e $work/broker ]] || fail "the socket is left"
[[ $("$callisto" run --guest nproc 2>&1) == *"no broker answers"*"$contexts" ]] || fail "a guest without a broker"
said=$("$callisto" run --guest --weight 2 true 2>&1) && fail "a guest with a weight"
[[ $said == *"a guest is no job"* ]] || fail "$said"
# A killed broker leaves its socket: `status` says that its jobs run without it.
"$callisto" broker --policy "$file" --quiet &
broker=$!
pids+=("$broker")
until [[ -S $work/broker && $("$callisto" status) == *"A broker divides"* ]]; do kill -0 $broker || fail "no broker"; done
kill -KILL $broker
wait $broker || true
[[ $("$callisto" status) == *"$work/broker has ended without a farewell"* ]] || fail "status is silent about a killed broker"
