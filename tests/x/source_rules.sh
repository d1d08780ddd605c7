#!/usr/bin/env bash
# Checks on the source text that no compiler makes. Prints each finding; exit status 1 when there is one.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
found=0

# report MESSAGE: one finding for each line of standard input.
report() {
  local line
  while IFS= read -r line; do
    echo "$line: $1"
    found=1
  done
}

# A room includes itself and the rooms before it.
rooms=(machine cosched distributor workers openmp loop graph app)
lower=
for room in "${rooms[@]}"; do
  lower=${lower:+$lower|}$room
  report "room $room may include only ${lower//|/, }" < <(
    grep -rnE '#include +[<"]callisto/[a-z_]+/' "callisto/$room" | grep -vE "callisto/($lower)/[a-z0-9_/]+\.hpp[>\"]" || true)
done

# The templates between machine/ and graph/ reach atomics, waiting, time and the processor through the machine policy
# only, so that the same code runs on a simulated and on a checked machine.
report "use the machine policy instead" < <(
  grep -nE '\b(_mm_pause|sched_yield|nanosleep|usleep|syscall|__rdtsc|__builtin_ia32_[a-z]+|pthread_[a-z]+_np)\b|std::this_thread::(yield|sleep)|\basm\b|std::atomic\b|std::mutex\b|std::condition_variable\b|std::chrono::[a-z]+_clock' \
    -r --include='*.hpp' callisto/cosched callisto/distributor callisto/workers callisto/loop || true)

# Work that was left undone, and paths that exist on one machine only.
report "unfinished work" < <(grep -rnE '\b(TODO|FIXME|XXX|HACK)\b' callisto tests bench tools x docs 2>/dev/null |
  grep -v '^tests/x/source_rules\.sh' || true)
report "path of one machine" < <(grep -rnIE '(^|[^A-Za-z0-9_.])/(home|work|Users)/[a-z]' callisto tests bench tools cmake docs x \
  ./*.md ./*.txt ./*.json 2>/dev/null | grep -v '^tests/x/source_rules\.sh' || true)

exit "$found"
