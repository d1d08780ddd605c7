#!/usr/bin/env bash
# Runs in the machine of debian_machine.sh, as root: carries out the how-to, block by block as its page has them.
set -euo pipefail
page=share-a-server-among-users.md
say() { echo "inside: $1"; }
step() { echo "inside: $SECONDS s: $1"; }
fail() {
  say "FAILED: $1"
  systemctl status callisto-broker --no-pager 2>&1 | tail -n 20 || true
  exit 1
}
[[ ! -e trace ]] || { PS4="+ \$SECONDS "; set -x; }
trap 'say "line $LINENO fails"' ERR
# block TEXT: the page's first indented block after the line with TEXT.
block() {
  awk -v text="$1" 'index($0, text) { after = 1; next } after && /^    / { print substr($0, 5); any = 1; next }
    any && !/^$/ { exit } any { print "" }' "$page"
}
# A wait has no limit: the machine has one.
until_true() { until "$@"; do sleep 0.2; done; }

status_has() { [[ $(systemctl show callisto-broker -P StatusText) == *"$1"* ]]; }

say "kernel $(uname -r), $(nproc) CPUs, $(systemctl --version | head -n 1), $(stat -fc %T /sys/fs/cgroup)"
[[ $(stat -fc %T /sys/fs/cgroup) == cgroup2fs ]] || fail "control groups are not of version 2"
useradd --create-home ann
useradd --create-home ben
as() { su -l "$1" -c "$2"; }

step "1. Start the broker"
if compgen -G './*.deb' > /dev/null; then
  # As `apt install` does with what is at hand.
  dpkg -i ./*.deb
else
  commands=$(block "Elsewhere, after")
  [[ $commands == *"enable --now callisto-broker"* ]] || fail "the page has another step 1"
  eval "$commands"
fi
[[ $(systemctl is-active callisto-broker) == active ]] || fail "the service is not active"
systemctl status callisto-broker --no-pager | grep Status: || fail "no status"
grade=$(systemctl show callisto-broker -P StatusText)
[[ $grade == *"enforcement: group" ]] || fail "the grade is not group: $grade"

step "2. Look"
[[ $(as ann "callisto status") == *"A broker divides this machine (/run/callisto/broker)"* ]] ||
  fail "status says $(as ann "callisto status")"

step "3. Write the policy"
block "Without one, each user" > /etc/callisto/broker.toml
cat /etc/callisto/broker.toml
eval "$(block "Check it, and put it in force:")"
until_true status_has "policy /etc/callisto/broker.toml"

# start USER OPTIONS...: a job of a session of that user; its process is $job.
start() {
  local user=$1
  shift
  : > "/tmp/said.$user"
  su -l "$user" -c "exec job_program $* > /tmp/said.$user" &
  until_true grep -q joined "/tmp/said.$user"
  job=$(pgrep -n -u "$user" job_program)
}
chmod 1777 /tmp
# number USER KEY: a number of the broker's report.
number() { as "$1" "callisto status --json" | tr -d ' \n' | sed "s/.*\"broker\":{[^}]*\"$2\":\([0-9.]*\).*/\1/"; }
touch /tmp/said.ann /tmp/said.ben
chmod 666 /tmp/said.*
start ann
first=$job
start ben
second=$job
[[ $(number ann own_weight) == 3 && $(number ben own_weight) == 1 ]] || fail "weights: $(callisto status)"
[[ $(number ann users) == 2 ]] || fail "users"
say "groups: $(tail -n 1 "/proc/$first/cgroup") $(tail -n 1 "/proc/$second/cgroup")"
callisto status
wrong=$(printf '[limits]\njobs = 1\n' > /tmp/wrong.toml; callisto broker --policy /tmp/wrong.toml --check 2>&1) && fail "no finding"
[[ $wrong == *"/tmp/wrong.toml:2: 'jobs': expected jobs_per_user"* ]] || fail "--check says $wrong"
cp /etc/callisto/broker.toml /tmp/good.toml
cp /tmp/wrong.toml /etc/callisto/broker.toml
systemctl reload callisto-broker
until_true status_has "the old policy stays"
[[ $(number ann own_weight) == 3 ]] || fail "a wrong policy is in force"
cp /tmp/good.toml /etc/callisto/broker.toml
systemctl reload callisto-broker
until_true status_has "policy /etc/callisto/broker.toml"

# A job of ann that never answers is confined inside of its session's group, and is no more after its end.
kill -KILL "$first"
start ann --runaway
runaway=$job
group_of() { sed -n 's/^0:://p' "/proc/$1/cgroup"; }
own=$(group_of "$runaway" | sed "s:/callisto-confined-.*::") # it may be confined by now
[[ $own == */session-*.scope ]] || fail "the job is in $own"
confined() { [[ $(group_of "$1") == */callisto-confined-* ]]; }
until_true confined "$runaway"
say "confined: $(group_of "$runaway")"
# Its threads cannot undo it. It may have its next turn meanwhile: then again.
kept() {
  local at list
  at=/sys/fs/cgroup$(group_of "$runaway")
  [[ $at == "/sys/fs/cgroup$own"/callisto-confined-* ]] || return 1
  taskset -acp 0-1023 "$runaway" > /dev/null 2>&1 || true
  list=$(taskset -cp "$runaway" | sed 's/.*: //')
  [[ -e $at/cpuset.cpus && $list == "$(cat "$at/cpuset.cpus.effective")" && $list != "0-$(($(nproc) - 1))" ]] || return 1
  say "its threads may run on $list; $(cat "$at/cpu.max"); $(cat "$at/cgroup.type")"
}
until_true kept
# New sessions and a reload of the service manager do not free it.
as ann true
as ben true
systemctl daemon-reload
systemd-run --quiet --wait --uid=ann true
as ann true
# It is confined anew with each turn that it keeps; never without a cpuset.
for _ in 1 2 3; do
  until_true confined "$runaway"
  inside=/sys/fs/cgroup$(group_of "$runaway")
  [[ -e $inside/cpuset.cpus || ! -e $inside ]] || fail "the service manager took the cpuset"
done
say "after other sessions it is confined"

# A broker that is killed: systemd starts the next, which frees what was left.
before=$(systemctl show callisto-broker -P MainPID)
systemctl kill -s KILL --kill-whom=main callisto-broker
another() { [[ $(systemctl show callisto-broker -P ActiveState) == active && $(systemctl show callisto-broker -P MainPID) != "$before" ]]; }
until_true another
say "the next broker: $(systemctl show callisto-broker -P StatusText)"
is_free() { [[ $(group_of "$runaway") == "$own" ]]; }
until_true is_free
nothing_left() { [[ -z $(find /sys/fs/cgroup -name 'callisto-confined-*') ]]; }
until_true nothing_left
ben_is_back() { [[ $(number ben own_jobs) == 1 ]]; }
until_true ben_is_back
# One that hangs: its watchdog ends it.
before=$(systemctl show callisto-broker -P MainPID)
kill -STOP "$before"
until_true another
say "started again after it hung"

# A job in a service, and one of a user's own service manager.
kill -KILL "$runaway"
systemd-run --quiet --uid=ann --unit=batch job_program --runaway
until_true pgrep -u ann job_program
job=$(pgrep -n -u ann job_program)
until_true confined "$job"
say "confined: $(group_of "$job")"
systemctl stop batch
[[ $(systemctl is-active batch) != active ]] || fail "a confined service does not stop"
! pgrep -u ann job_program > /dev/null || fail "a process of a stopped service is left"
until_true nothing_left

# Guests: a program, and a group of the service manager that is kept off the jobs' contexts.
systemd-run --quiet --unit=build sleep infinity
printf '[contexts]\nreserved = "0"\n[guests]\ncontrol_groups = ["/system.slice/build.service"]\n' > /etc/callisto/broker.toml
systemctl reload callisto-broker
sleeper=$(systemctl show build -P MainPID)
runs_on() { [[ $(taskset -cp "$1" | sed 's/.*: //') == "$2" ]]; }
until_true runs_on "$sleeper" 0
step "a named group is kept off"
as ben true
systemctl daemon-reload
systemd-run --quiet --wait --uid=ben true
until_true runs_on "$sleeper" 0
taskset -cp 0-3 "$sleeper" > /dev/null
runs_on "$sleeper" 0 || fail "a guest is not kept off"
[[ $(as ben "callisto run --guest nproc") == 1 ]] || fail "a guest has $(as ben "callisto run --guest nproc") CPUs"
cp /tmp/good.toml /etc/callisto/broker.toml
systemctl reload callisto-broker
until_true runs_on "$sleeper" "0-$(($(nproc) - 1))"
until_true nothing_left
systemctl stop build

step "4. Watch"
callisto status | tail -n +2
mkdir -p /var/lib/prometheus/node-exporter
block "Prometheus" > /tmp/units
awk '/^# \/etc/ { file = $2; next } { print > file }' /tmp/units
sed -i 's|ExecStart=callisto|ExecStart=/usr/local/bin/callisto|' /etc/systemd/system/callisto-metrics.service
systemctl daemon-reload
systemctl enable --now callisto-metrics.timer
until_true grep -qs '^callisto_broker_up 1$' /var/lib/prometheus/node-exporter/callisto.prom
grep -c . /var/lib/prometheus/node-exporter/callisto.prom

exposure=$(systemd-analyze security callisto-broker --no-pager | tail -n 1)
say "$exposure"
level=$(awk -F': ' '{ print $2 + 0 }' <<< "$exposure")
awk -v level="$level" 'BEGIN { exit !(level < 2) }' || fail "the service's exposure"

systemctl stop callisto-broker
[[ $(as ben "callisto status") != *"A broker divides"* ]] || fail "a broker after its end"
kill -0 "$second" || fail "a job ended with its broker"
say "all is as it should"
