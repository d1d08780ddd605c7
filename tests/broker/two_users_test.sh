#!/usr/bin/env bash
# A broker of root and jobs of two users: one user's job beside three of another's has half of the contexts. A job that
# never answers is told of. A killed job leaves nothing, a false broker is passed over, and a second broker is refused.
# Usage: two_users_test.sh CALLISTO JOB_PROGRAM
set -euo pipefail
# shellcheck source=tests/cosched/outcomes.sh
source "$(dirname "$(readlink -f "$0")")/../cosched/outcomes.sh"
[[ $(id -u) == 0 ]] || skip "only root can be two users"
command -v setpriv > /dev/null || skip "no setpriv (util-linux)"
work=$(mktemp -d)
chmod 755 "$work"
pids=()
finish() {
  kill -KILL "${pids[@]}" 2> /dev/null || true
  wait 2> /dev/null || true
  rm -rf "$work"
}
trap finish EXIT
cp "$1" "$work/callisto"
cp "$2" "$work/job"
export CALLISTO_COSCHED_DIR=$work
one=64300 other=64301

# Each user's folder leads to root's socket.
for user in $one $other; do
  mkdir "$work/$user"
  ln -s ../broker "$work/$user/broker"
  chown "$user:$user" "$work/$user"
done
as() {
  local user=$1
  shift
  CALLISTO_COSCHED_DIR=$work/$user setpriv --reuid="$user" --regid="$user" --clear-groups "$@"
}
# start USER [OPTION]: starts a job of that user, and waits until it has joined; its process is $job.
start() {
  local user=$1
  shift
  : > "$work/said"
  CALLISTO_COSCHED_DIR=$work/$user setpriv --reuid="$user" --regid="$user" --clear-groups "$work/job" "$@" > "$work/said" &
  job=$!
  pids+=("$job")
  until grep -q joined "$work/said"; do kill -0 "$job" || fail "the job ended"; done
}
# says USER KEY: a number of `callisto status` under the broker.
says() { as "$1" "$work/callisto" status --json | tr -d ' \n' | sed "s/.*\"broker\":{[^}]*\"$2\":\([0-9.]*\).*/\1/"; }
until_it_is() { until [[ $(says "$1" "$2") == "$3" ]]; do sleep 0.05; done; }

# Another user's socket is no broker, also if all may write it.
CALLISTO_COSCHED_DIR=$work/$other setpriv --reuid=$other --regid=$other --clear-groups \
  "$work/callisto" broker --socket "$work/$other/own" > "$work/said" &
false=$!
pids+=("$false")
until grep -q divides "$work/said"; do kill -0 $false || fail "no broker of the other user"; done
chmod 666 "$work/$other/own"
for user in $one $other; do ln -sfn "../$other/own" "$work/$user/broker"; done
text=$(as $other "$work/callisto" status)
[[ $text == *"A broker"* ]] || fail "a user's own broker does not count: $text"
text=$(as $one "$work/callisto" status)
[[ $text != *"A broker"* ]] || fail "a socket of another user counts as a broker: $text"
for user in $one $other; do ln -sfn ../broker "$work/$user/broker"; done

"$work/callisto" broker --quiet &
broker=$!
pids+=("$broker")
until [[ -S $work/broker ]]; do kill -0 $broker || fail "no broker"; done
second=$("$work/callisto" broker 2>&1) && fail "a second broker"
[[ $second == *"another broker listens there"* ]] || fail "the second broker said $second"
contexts=$(nproc)
((contexts >= 2)) || skip "one context"
start $one
alone=$job
for _ in 1 2 3; do start $other; done
until_it_is $one jobs 4
[[ $(says $one users) == 2 && $(says $one own_jobs) == 1 && $(says $other own_jobs) == 3 ]] || fail "users and jobs"
# Half of the contexts each, at ten looks one after the other. With a quarter, a job would have now fewer, now more.
half=$((contexts / 2))
good=0
while ((good < 10)); do
  mine=$(says $one own_contexts)
  good=$((mine >= half && mine <= half + contexts % 2 ? good + 1 : 0))
done
[[ $(as $one "$work/callisto" status) == *"A broker divides this machine"*"4 jobs of 2 users"*"enforcement: "* ]] ||
  fail "status does not say what is in force"
# A job that never answers: its contexts are taken, and its user has debt. The other user's half stays.
kill -KILL "$alone"
until_it_is $other jobs 3
start $one --runaway
until [[ $(says $one forced) != 0 || $(says $one own_contexts) == 0 ]]; do sleep 0.05; done
# A broker that is late answers nothing: each question is repeated.
# Root sees all users' jobs, a user its own until the policy says more.
seen() { as "$1" "$work/callisto" status --json | tr -d ' \n' | grep -o '"broker_jobs":\[.*\],"broker_users"' | grep -o '"uid":[0-9]*' | sort -u; }
until [[ $(seen $other) == "\"uid\":$other" ]]; do sleep 0.05; done
until [[ $("$work/callisto" status --json | grep -o '"uid": [0-9]*' | sort -u | wc -l) == 2 ]]; do sleep 0.05; done
until [[ $(as $one "$work/callisto" status) == *"lent"*"forced"*$one*job* ]]; do sleep 0.05; done
until [[ $(as $one "$work/callisto" top --interval 0.05) == *"4 jobs of 2 users under a broker"*"your jobs"*job* ]]; do sleep 0.05; done
until "$work/callisto" status --metrics "$work/metrics" && grep -q ^callisto_job "$work/metrics"; do sleep 0.05; done
for name in callisto_broker_up "callisto_user_context_seconds_total{user=\"$other\"" callisto_job_forced_total; do
  grep -q "^$name" "$work/metrics" || fail "no $name: $(cat "$work/metrics")"
done
kill -KILL "$broker"
wait "$broker" 2> /dev/null || true
# Without their broker jobs go on, and find the next one.
printf 'visibility = { users = [%s], groups = [%s] }\n' 1 "$other" > "$work/policy.toml"
"$work/callisto" broker --quiet --policy "$work/policy.toml" &
broker=$!
pids+=("$broker")
until_it_is $other own_jobs 3
# The job that never looks does not come back.
start $one
until [[ $(seen $other | wc -l) == 2 ]]; do sleep 0.05; done
until [[ $(seen $one) == "\"uid\":$one" ]]; do sleep 0.05; done

# A container: other users', processes' and mounts' numbers. Its job counts as its user's outside, and finds the socket
# if that is there. In a folder that others can write a socket of an unknown user is none of a broker's.
contained() {
  env CALLISTO_COSCHED_DIR="$work/$other" setpriv --reuid=$other --regid=$other --clear-groups "$@"
}
if contained unshare -Urpfm --kill-child --mount-proc true 2> "$work/said"; then
  until_it_is $other own_jobs 3
  # Its process is the one that is killed at the end, and its children with it.
  (CALLISTO_COSCHED_DIR=$work/$other exec setpriv --reuid=$other --regid=$other --clear-groups \
    unshare -Urpfm --kill-child --mount-proc "$work/job") > "$work/said" &
  pids+=($!)
  until grep -q joined "$work/said"; do kill -0 $! || fail "the job in a container ended"; done
  until_it_is $other own_jobs 4
  chmod 777 "$work"
  [[ $(contained unshare -Urpfm --kill-child --mount-proc "$work/callisto" status) != *"A broker"* ]] ||
    fail "a socket that another user may have put there counts as a broker's"
  chmod 755 "$work"
  bubble=(bwrap --unshare-all --ro-bind / / --bind "$work/$other" "$work/$other" --proc /proc --dev /dev)
  if contained "${bubble[@]}" true 2> "$work/said"; then
    [[ $(contained "${bubble[@]}" "$work/callisto" status) == *"A broker"* ]] ||
      fail "no broker in bubblewrap's container"
  fi
fi
