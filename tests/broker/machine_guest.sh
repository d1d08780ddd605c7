#!/bin/bash
# Runs inside the machine of machine_test.sh, as root, once it has booted: from the how-to's first step to a policy in
# force, with systemd and control groups of version 2. Says "good" or "BAD" for each step, and powers the machine off.
exec > /dev/ttyS0 2>&1
bad=0
good() { echo "good: $*"; }
bad() {
  echo "BAD: $*"
  bad=1
}
# until_it SECONDS COMMAND...: waits for a command to succeed.
until_it() {
  local left=$1 n=0
  shift
  until "$@" > /dev/null 2>&1; do
    ((left-- > 0)) || return 1
    sleep 1
  done
}
try() {
  local what=$1
  shift
  if until_it 120 "$@"; then good "$what"; else bad "$what: $*"; fi
}
says() { callisto status --json | tr -d ' \n' | grep -q "$1"; }
job() { # job USER UNIT [OPTION...]
  local user=$1 unit=$2
  shift 2
  systemd-run --quiet --uid="$user" --slice="user-$(id -u "$user").slice" --unit="$unit" /usr/local/bin/job "$@"
}
pid_of() { systemctl show -p MainPID --value "$1"; }
confined() { grep -q /callisto-confined- "/proc/$(pid_of "$1")/cgroup"; }
free() { ! confined "$1"; }
on() { [[ $(taskset -cp "$(pid_of "$1")" | sed 's/.*: //') == "$2" ]]; }
ticks() { awk '{print $14+$15}' "/proc/$(pid_of "$1")/stat"; }

uname -r; PS4="+ \$SECONDS "; [[ -z ${TRACE:-} ]] || set -x
systemctl daemon-reload
systemctl enable callisto-broker
systemctl start --no-block callisto-broker
try "the service listens" says '"answers":true'
says '"enforcement":"group"' && good "grade group" || bad "grade: $(callisto status | head -4)"
systemd-analyze security callisto-broker | grep -i overall
printf '[weights.users]\nann = 3\n[limits]\njobs_per_user = 4\n' > /etc/callisto/broker.toml
callisto broker --check && good "a policy" || bad "a policy"
systemctl reload callisto-broker
job ann a1
try "ann's job joins" says '"jobs":1,'
try "ann's weight is in force" says '"jobs":1,"weight":3'
printf '[weights.users]\nann = 1\n[nonsense]\n' > /etc/callisto/broker.toml
systemctl reload callisto-broker
old_stays() { systemctl status callisto-broker | grep -q "old policy stays"; }
try "a wrong policy is told of, and the old one stays" old_stays
printf '# nothing\n' > /etc/callisto/broker.toml
systemctl reload callisto-broker
job bob fellow
try "bob's job joins" says '"jobs":2,"users":2'
job bob spinner --runaway --spin 14
try "the spinner joins" says '"jobs":3,"users":2'
try "the spinner is confined" confined spinner
cat "/proc/$(pid_of spinner)/cgroup"
group=/sys/fs/cgroup$(sed -n 's/^0:://p' "/proc/$(pid_of spinner)/cgroup")
echo "type $(cat "$group/cgroup.type"), cpus $(cat "$group/cpuset.cpus"), max $(cat "$group/cpu.max")"
for user in ann bob; do
  setpriv --reuid=$user --regid=$user --clear-groups sh -c "echo $(pid_of spinner) > $(dirname "$group")/cgroup.procs" \
    2> /dev/null && bad "$user moves it out" || good "$user cannot move it out"
done
for _ in 1 2; do
  a=$(ticks a1) f=$(ticks fellow) s=$(ticks spinner)
  sleep 5
  echo "in 5 s: ann $(($(ticks a1) - a)), fellow $(($(ticks fellow) - f)), spinner $(($(ticks spinner) - s)) ticks"
done
systemctl kill -s KILL callisto-broker
try "the next broker listens" says '"answers":true'
try "the last one's group is gone" free spinner
try "jobs come back" says '"jobs":2'
systemctl stop spinner fellow
try "bob has ended" says '"users":1'
try "ann has both contexts" says '"contexts":2,"had_seconds"'
systemctl set-property a1.service AllowedCPUs=0
try "a changed cpuset is followed" says '"contexts":1,"had_seconds"'
systemctl set-property a1.service AllowedCPUs=0-1
try "and back" says '"contexts":2,"had_seconds"'
echo 0 > /sys/devices/system/cpu/cpu1/online
try "an unplugged CPU is followed" says '"contexts":1,"had_seconds"'
echo 1 > /sys/devices/system/cpu/cpu1/online
try "and back" says '"contexts":2,"had_seconds"'
callisto status
find /sys/fs/cgroup -name 'callisto-confined-*' | grep . && bad "groups are left"
((bad == 0)) && echo "ALL GOOD"
sync
poweroff -f
