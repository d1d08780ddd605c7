#!/usr/bin/env bash
# Programs of several ranks under the launcher of one MPI: results, failures with their one line, and no process left.
# Usage: mpi_test.sh openmpi|mpich PROGRAM OTHER_PROGRAM [results|failures|mistakes|namespaces] [TESTS] [OTHER_CONSTANT].
# Exit status 77: skipped. TESTS: the program of the suites, which run on 1, 2 and 4 ranks as they do in one process.
# OTHER_CONSTANT: PROGRAM, compiled with another constant.
set -euo pipefail
mpi=$1 program=$2 other=$3 part=${4:-results} tests=${5:-} other_constant=${6:-}
launcher=$(command -v "mpirun.$mpi" || true)
[[ -n $launcher ]] || { echo "skipped: no mpirun.$mpi"; exit 77; }
export CALLISTO_GLOBAL_THREADS=1
case $mpi in
  openmpi)
    run=("$launcher" --oversubscribe)
    ((EUID != 0)) || run+=(--allow-run-as-root)
    ;;
  mpich) run=("$launcher") ;;
esac
work=$(mktemp -d)
# Copies of programs find the plugins as the programs do.
mkdir "$work/bin"
ln -s "$(realpath "$(dirname "$program")/../lib")" "$work/lib"
trap 'rm -rf "$work"' EXIT
failed=0
fail() {
  echo "FAILED: $*"
  sed 's/^/    /' "$work/output" | head -30
  failed=1
}

results() {
  local n
  for n in 1 2 4; do
    timeout 120 "${run[@]}" -n "$n" "$program" well >"$work/output" 2>&1 || fail "$n ranks: exit status $?"
    grep -qx "sum $((3 * n * 49995000)) of $n ranks" "$work/output" || fail "$n ranks: no sum"
    suites "suites" "$n" "${run[@]}"
  done
  report
}

# suites NAME RANKS LAUNCHER...: the suites that run on any ranks, on so many.
suites() {
  local name=$1 ranks=$2 number status=0
  shift 2
  [[ -n $tests ]] || return 0
  # A suite's number is the place of its count of ranks among 1, 2, 4, 7 and 64.
  case $ranks in 1) number=0 ;; 2) number=1 ;; 4) number=2 ;; esac
  # Tests that are for two ranks.
  local of_two=''
  ((ranks != 2)) || of_two=:Delegates.LargePartsOfTheHeapGoBack:Delegates.ManyWorkersReadAtOnce
  # One test restores a file with other numbers of ranks than the launcher has started. Each rank writes a file of its
  # own: where they share one, their lines mix.
  rm -f "$work"/rank.*
  timeout 200 "$@" -n "$ranks" bash -c 'exec "$@" >"$0.$$" 2>&1' "$work/rank" "$tests" --gtest_brief=1 --gtest_color=no \
    --gtest_filter="Ranks/*/$number$of_two-*AnyNumberOfRanks*" >"$work/launcher" 2>&1 || status=$?
  cat "$work/launcher" "$work"/rank.* >"$work/output"
  ((status == 0)) || fail "$name, $ranks ranks: exit status $status"
  [[ $(grep -c '^\[  PASSED  \] [1-9][0-9]* tests' "$work/output") == "$ranks" ]] || fail "$name, $ranks ranks: not all passed"
}

# A rank that gets SIGUSR1 says what it waits for, and goes on.
report() {
  local pid tries=0
  timeout 120 "${run[@]}" -n 2 "$program" reports "$work/go_on" >"$work/output" 2>&1 &
  pid=$!
  until grep -Eq "^callisto: rank 1 of 2 at host [^ ]+: core 0: " "$work/output" || ((++tries > 600)); do sleep 0.1; done
  touch "$work/go_on"
  wait "$pid" || fail "report: exit status $?"
  ((tries <= 600)) || fail "report: no line of a core"
  grep -Eq "^callisto: rank 1 of 2 at host [^ ]+: main (runs|waits)" "$work/output" || fail "report: no line of main"
  grep -qx "sum $((3 * 2 * 49995000)) of 2 ranks" "$work/output" || fail "report: no sum"
}

# expect_failure HOW PATTERN: the job ends within 40 s (10, and what launchers take beside other tests), with one line, and
# leaves no process.
expect_failure() {
  local how=$1 pattern=$2 begin=$SECONDS status=0
  cp "$program" "$work/bin/failing_$how"
  timeout 60 "${run[@]}" -n 3 "$work/bin/failing_$how" "$how" >"$work/output" 2>&1 || status=$?
  ((status != 0)) || fail "$how: exit status 0"
  ((SECONDS - begin <= 40)) || fail "$how: took $((SECONDS - begin)) s"
  # MPICH's launcher kills the other ranks as soon as one is gone. Its own line may be the only one.
  if [[ $mpi != mpich || $how != killed ]] || ! grep -q "EXIT CODE: 9" "$work/output"; then
    [[ $(grep -c '^callisto: rank' "$work/output") == 1 ]] || fail "$how: not one line"
    grep -Eq "^callisto: rank 2 of 3 at host [^ ]+: $pattern" "$work/output" || fail "$how: no line that names the cause"
  fi
  sleep 1
  pgrep -f "$work/bin/failing_$how" >"$work/output" && fail "$how: processes are left"
  return 0
}

failures() {
  expect_failure killed "its process has ended before the job"
  expect_failure exits "the program called exit\(\) before its session ended"
  expect_failure segv "invalid memory access"
  expect_failure throws "no more beans"
  expect_failure allocates "cannot allocate memory"
  expect_failure stopped "does not answer"
  expect_failure handler "does not answer"
  # Another program in the same job.
  timeout 60 "${run[@]}" -n 1 "$program" well : -n 1 "$other" well >"$work/output" 2>&1 && fail "other program: status 0"
  grep -q "^callisto::global: rank 1 at host .* runs another program than rank 0" "$work/output" ||
    fail "other program: no line"
  # No plugin for the launcher.
  CALLISTO_MPI=/nowhere/libcallisto_$mpi.so timeout 60 "${run[@]}" -n 1 "$program" well >"$work/output" 2>&1 &&
    fail "no plugin: status 0"
  grep -q "cannot load the MPI plugin: /nowhere/libcallisto_$mpi.so" "$work/output" || fail "no plugin: no line"
}

# expect_line RANKS STATUS PATTERN HOW [ARGUMENT...]: the job ends with this exit status and one line of Callisto's, which
# matches.
expect_line() {
  local ranks=$1 expected=$2 pattern=$3 status=0
  shift 3
  timeout 120 "${run[@]}" -n "$ranks" "$program" "$@" >"$work/output" 2>&1 || status=$?
  ((status == expected)) || fail "$1: exit status $status, not $expected"
  [[ $(grep -c '^callisto' "$work/output") == 1 ]] || fail "$1: not one line"
  grep -Eq "^callisto.*$pattern" "$work/output" || fail "$1: no line that matches $pattern"
}

# What a program does wrong, or asks of the library while main works: told with one line, and the same under a launcher.
mistakes() {
  local place="[^ ]*failing_program\.cpp:[0-9]+"
  expect_line 3 2 "rank 2 of 3 .*main has ended, after 0 collective operations; main of rank 0 calls parallel_for over \[0, 100\) at $place" early
  expect_line 3 2 "rank 2 of 3 .*main calls a reduction or barrier at $place.*main of rank 0 has ended" one_barrier_more
  expect_line 3 2 "rank 2 of 3 .*parallel_for over \[0, 20\) at $place.*parallel_for over \[0, 10\) at $place" bounds
  expect_line 2 2 "deadlock: .*rank 0: .*1 task waits for a mutex at $place; rank 1: .*1 task waits for a mutex at $place" mutexes
  expect_line 2 2 "deadlock: .*rank 1: .*1 task waits for a mutex at $place" twice_locked
  expect_line 2 2 "deadlock: .*rank 0: main waits for a reduction or barrier at $place; rank 1: main waits for a full variable at $place" never_full
  # The launcher of Open MPI tells a signal as a shell does, that of MPICH as itself.
  expect_line 2 "$([[ $mpi == openmpi ]] && echo 134 || echo 6)" "rank 1 of 2 .*a task needs more than the 32768 bytes of a worker's stack; set CALLISTO_GLOBAL_STACK" stack
  expect_line 2 2 "$place: a function that may run at another rank has captured the address of a variable" reference
  expect_line 2 2 "$place: index 1099511627776 of array number 0, which has 10 elements; expected 0 to 9" index
  expect_line 2 2 "$place: unlock of a mutex that is not locked" unlock
  expect_line 2 2 "MPI has ended in this process" second
  CALLISTO_GLOBAL_STACK=1 expect_line 2 2 "CALLISTO_GLOBAL_STACK=1: expected a number from 16384" well
  CALLISTO_MPI=$work expect_line 2 2 "there is no libcallisto_$mpi.so in $work; install this MPI" well
  timeout 120 "${run[@]}" -n 1 "$program" well : -n 1 "$other_constant" well >"$work/output" 2>&1 && fail "constant: status 0"
  grep -q "^callisto::global: rank 1 at host .* runs another program than rank 0" "$work/output" || fail "constant: no line"
  timeout 120 "${run[@]}" -n 2 "$program" call >"$work/output" 2>&1 || fail "call: exit status $?"
  grep -qx caught "$work/output" || fail "call: not caught"
  timeout 120 "${run[@]}" -n 3 "$program" leaves "$work/left" >"$work/output" 2>&1 || fail "leaves: exit status $?"
  grep -qx left "$work/output" || fail "leaves: not left"
  # A link stays a link, a mode a mode, a device a device; a pipe gets all bytes.
  touch "$work/target" "$work/link.restored" && chmod 640 "$work/target" && ln -s target "$work/link"
  timeout 120 "${run[@]}" -n 3 "$program" saves "$work/link" >"$work/output" 2>&1 || fail "saves: exit status $?"
  [[ -L $work/link && $(stat -c %a "$work/target") == 640 ]] || fail "saves: the link or the mode is gone"
  mkfifo "$work/pipe"
  cat "$work/pipe" >"$work/piped" &
  timeout 120 "${run[@]}" -n 3 "$program" saves "$work/pipe" >"$work/output" 2>&1 || fail "pipe: exit status $?"
  wait $!
  cmp "$work/piped" "$work/target" >"$work/output" || fail "pipe: other bytes"
  [[ -z $(find "$work" -name '.*.??????' -o -name '*.unfinished') ]] || fail "saves: a temporary is left"
  if ((EUID == 0)) && mknod "$work/full" c 1 7; then
    expect_line 2 4 "$work/full: an array cannot be saved: rank 0: .*No space left on device" saves "$work/full"
    [[ -c $work/full ]] || fail "full: the device is gone"
  fi
  timeout 120 "${run[@]}" -n 2 "$program" copies >"$work/output" 2>&1 || fail "copies: exit status $?"
}

# The same on two nodes.
namespaces() {
  local n status
  for n in 2 4; do
    local nodes=("$(dirname "$0")/../../tools/two_nodes.sh" "$mpi")
    [[ $mpi == openmpi ]] && nodes+=(--map-by node)
    [[ $mpi == mpich && $n == 2 ]] && nodes+=(-ppn 1)
    status=0
    timeout 120 "${nodes[@]}" -n "$n" "$program" well >"$work/output" 2>&1 || status=$?
    ((status != 77)) || { cat "$work/output"; exit 77; }
    ((status == 0)) || fail "namespaces, $n ranks: exit status $status"
    grep -qx "sum $((3 * n * 49995000)) of $n ranks" "$work/output" || fail "namespaces, $n ranks: no sum"
    suites "suites in namespaces" "$n" "${nodes[@]}"
  done
}

"$part"
((failed == 0)) && echo "passed"
exit "$failed"
