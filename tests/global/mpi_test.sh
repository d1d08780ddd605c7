#!/usr/bin/env bash
# Programs of several ranks under the launcher of one MPI: results, failures with their one line, and no process left.
# Usage: mpi_test.sh openmpi|mpich PROGRAM OTHER_PROGRAM [results|failures|namespaces] [TESTS]. Exit status 77: skipped.
# TESTS: the program of the suites, which run on 1, 2 and 4 ranks as they do in one process.
set -euo pipefail
mpi=$1 program=$2 other=$3 part=${4:-results} tests=${5:-}
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
  # One test restores a file with other numbers of ranks than the launcher has started. Each rank writes a file of its
  # own: where they share one, their lines mix.
  rm -f "$work"/rank.*
  timeout 200 "$@" -n "$ranks" bash -c 'exec "$@" >"$0.$$" 2>&1' "$work/rank" "$tests" --gtest_brief=1 --gtest_color=no \
    --gtest_filter="Ranks/*/$number-*AnyNumberOfRanks*" >"$work/launcher" 2>&1 || status=$?
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

# expect_failure HOW PATTERN: the job ends within 20 s (10 and the launcher's own), with one line, and leaves no process.
expect_failure() {
  local how=$1 pattern=$2 begin=$SECONDS status=0
  cp "$program" "$work/bin/failing_$how"
  timeout 60 "${run[@]}" -n 3 "$work/bin/failing_$how" "$how" >"$work/output" 2>&1 || status=$?
  ((status != 0)) || fail "$how: exit status 0"
  ((SECONDS - begin <= 20)) || fail "$how: took $((SECONDS - begin)) s"
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

# Two network namespaces joined by a pair of interfaces, each with a private /dev/shm: two nodes on one machine.
namespaces() {
  ((EUID == 0)) || { echo "skipped: namespaces of the network need root"; exit 77; }
  local id=$$ side
  ip netns add "ca$id" 2>"$work/output" && ip netns add "cb$id" 2>>"$work/output" ||
    { ip netns del "ca$id" 2>/dev/null; echo "skipped: $(head -1 "$work/output")"; exit 77; }
  trap 'ip netns del "ca'"$id"'"; ip netns del "cb'"$id"'"; rm -rf "$work"' EXIT
  ip link add "va$id" netns "ca$id" type veth peer name "vb$id" netns "cb$id"
  for side in a b; do
    ip -n "c$side$id" link set lo up
    ip -n "c$side$id" link set "v$side$id" up
  done
  ip -n "ca$id" addr add 10.77.0.1/24 dev "va$id"
  ip -n "cb$id" addr add 10.77.0.2/24 dev "vb$id"
  # What a launcher takes for ssh: runs the command in the other namespace, on a host of its own.
  cat >"$work/shell" <<SHELL
#!/usr/bin/env bash
while [[ \$1 == -* ]]; do shift; done
[[ \$1 == 10.77.0.1 ]] && side=a || side=b
shift
exec ip netns exec c\${side}$id unshare -m -u bash -c 'mount -t tmpfs none /dev/shm; hostname node\$0; eval "\$@"' \$side "\$*"
SHELL
  chmod +x "$work/shell"
  local inside=(ip netns exec "ca$id" unshare -m -u bash -c 'mount -t tmpfs none /dev/shm; hostname nodea; exec "$@"' x)
  local there=()
  case $mpi in
    openmpi) there=(--host "10.77.0.1:2,10.77.0.2:2" --mca plm_rsh_agent "$work/shell" --mca btl_tcp_if_include 10.77.0.0/24
      --mca oob_tcp_if_include 10.77.0.0/24 --mca btl "tcp,self,vader" --mca orte_keep_fqdn_hostnames 1) ;;
    mpich) there=(-hosts "10.77.0.1:2,10.77.0.2:2" -launcher ssh -launcher-exec "$work/shell" -localhost 10.77.0.1) ;;
  esac
  local n
  for n in 2 4; do
    local map=()
    [[ $mpi == openmpi ]] && map=(--map-by node)
    [[ $mpi == mpich && $n == 2 ]] && map=(-ppn 1)
    timeout 120 "${inside[@]}" "${run[@]}" "${there[@]}" "${map[@]}" -n "$n" "$program" well >"$work/output" 2>&1 ||
      fail "namespaces, $n ranks: exit status $?"
    grep -qx "sum $((3 * n * 49995000)) of $n ranks" "$work/output" || fail "namespaces, $n ranks: no sum"
    suites "suites in namespaces" "$n" "${inside[@]}" "${run[@]}" "${there[@]}" "${map[@]}"
  done
}

"$part"
((failed == 0)) && echo "passed"
exit "$failed"
