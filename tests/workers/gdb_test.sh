#!/usr/bin/env bash
# gdb_test.sh PROGRAM SCRIPT: gdb with SCRIPT lists the activations of PROGRAM and shows their stacks, and the program ends
# well afterwards. Skipped (77) without gdb, or where it may not trace.
set -euo pipefail
program=$1 script=$2
command -v gdb >/dev/null || exit 77
gdb -nx -batch -ex 'python print(1)' 2>/dev/null | grep -qx 1 || exit 77
# A file for the program, so that gdb does not write into its line.
told=$(mktemp)
trap 'rm -f "$told"' EXIT
output=$(gdb -nx -batch -ex 'set disable-randomization off' -ex 'set confirm off' -ex "source $script" \
  -ex 'break gdb_stops_here' -ex "run >'$told'" -ex 'callisto activations' -ex 'callisto backtrace all' \
  -ex 'callisto backtrace 999' -ex continue "$program" 2>&1) || true
output+=$'\n'$(<"$told")
if grep -qiE 'operation not permitted|could not trace' <<<"$output"; then
  echo "gdb may not trace here"
  exit 77
fi

# expect COUNT PATTERN: lines of gdb's output that match.
expect() {
  local found
  found=$(grep -cE "$2" <<<"$output" || true)
  if [[ $found != "$1" ]]; then
    printf 'expected %s lines like: %s\nfound %s in:\n%s\n' "$1" "$2" "$found" "$output"
    exit 1
  fi
}
expect 3 '^ +0 +[0-9]+ +suspended +0 '
expect 1 '^[0-9]+ activations, 3 stopped$'
expect 3 '^Activation [0-9]+ of set 0, suspended, last on worker 0:$'
expect 3 '^#[0-9]+ .* in activation_waits_here '
expect 3 '^#[0-9]+ .* in callisto_fiber_start '
expect 1 '^Error while executing Python code|^callisto backtrace: no activation 999$'
expect 1 '^ended well$'
expect 1 'exited normally'
