#!/usr/bin/env bash
# Tests of ./x with stand-ins for apt, cmake and the rest: what it asks of them, what it prints, how it exits.
set -euo pipefail
source=$(dirname "$(readlink -f "$0")")/../..
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
failed=0

fail() {
  echo "FAILED: $1"
  sed 's/^/  | /' "$work/out"
  failed=1
}
# runs STATUS ARGUMENT...: runs x, expects that exit status, keeps the output.
runs() {
  local expected=$1 status=0
  shift
  "${x[@]}" "$@" >"$work/out" 2>&1 </dev/null || status=$?
  ((status == expected)) || fail "x $*: exit status $status instead of $expected"
}
prints() { grep -qF -e "$1" "$work/out" || fail "no '$1' in the output"; }
lines() { (($(wc -l <"$work/out") == $1)) || fail "not $1 line(s)"; }
calls() { grep -qxF -e "$1" "$work/calls" || fail "not called: $1; but: $(cat "$work/calls")"; }
never_calls() { ! grep -q -e "^$1" "$work/calls" || fail "called: $(grep -e "^$1" "$work/calls")"; }
real_cmake=$(type -P cmake)
# stub NAME BODY: a program that records how it is called and does BODY.
stub() {
  printf '#!/bin/bash\necho "%s $*" >>"%s"\n%s\n' "$1" "$work/calls" "$2" >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}
# fresh: an empty tree with ./x in it, and a system where only cmake is installed and apt can install everything else.
fresh() {
  rm -rf "${work:?}"/{tree,bin,state}
  mkdir -p "$work/tree" "$work/bin" "$work/state"
  : >"$work/calls"
  cp -r "$source/x" "$source/tools" "$source/CMakePresets.json" "$work/tree"
  local program
  for program in bash basename dirname readlink mkdir rm cat grep sed tail awk nproc env setarch true cp; do
    ln -s "$(type -P "$program")" "$work/bin/$program"
  done
  # shellcheck disable=SC2016 # the stub's own $
  stub dpkg-query 'test -e '"$work/state"'/"${@: -1}" && echo -n installed'
  # shellcheck disable=SC2016
  stub apt-get 'case " $* " in *" install "*) for p in "$@"; do : >'"$work/state"'/"$p"; done ;; esac'
  # shellcheck disable=SC2016
  stub cmake 'case "$*" in --fresh*) mkdir -p build/release build/aarch64; : >build/release/build.ninja ;;
    --build*) mkdir -p build/release/bin; cp '"$work"'/bin/stub_callisto build/release/bin/callisto ;; esac'
  stub stub_callisto 'true'
  stub uname 'echo x86_64'
}

as_user=(env)
((EUID != 0)) || as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
fresh
x=(env -u CC -u CXX PATH="$work/bin" "$work/tree/x")

# The list of commands, and mistakes.
runs 0
for command in demo global-demo build test check bench lab lint soak docs words install wheel deb portable release; do
  grep -qE "^  $command " "$work/out" || fail "$command is not listed"
done
for command in demo global-demo build test check bench lab lint soak docs words install wheel deb portable release; do
  runs 0 help "$command"
  prints "Usage: ./x $command"
  runs 0 "$command" --help
  prints "Usage: ./x $command"
done
for mistake in nonsense "help nonsense" "test --nonsense" "test a b" "build nonsense" "build release debug" "bench fast" \
  "check soon" "check 0" "check 5 6" "lint now" "soak soon" "soak 0" "docs now" "lab now" "words now" "install a b" "wheel now" "deb now" "portable now" "portable --arch" "portable --arch sparc" "release now"; do
  read -ra words <<<"$mistake"
  runs 2 "${words[@]}"
  lines 1
done
[[ ! -e $work/tree/build ]] || fail "a mistake left build/ behind"
never_calls apt-get

# A step of minutes says how far it is, where there is no terminal: the stand-in goes on until that is seen.
for program in sleep cut; do ln -s "$(type -P "$program")" "$work/bin/$program"; done
sed -i 's/^progress_seconds=.*/progress_seconds=0.1/' "$work/tree/tools/steps.sh"
# shellcheck disable=SC2016
stub cmake 'case "$*" in
  --fresh*) mkdir -p build/release; : >build/release/build.ninja ;;
  --build*) echo "[1/2] Building CXX object forest.cpp"
    for ((i = 0; i < 3000; ++i)); do ! grep -qF "| [1/2] Building" "'"$work"'/out" || break; sleep 0.02; done ;; esac'
((EUID != 0)) || runs 0 build release
((EUID != 0)) || prints "  | [1/2] Building CXX object forest.cpp ... "
((EUID != 0)) || prints "... done ("
fresh

# A bare machine: the missing packages, no others, and then the demo, in the caller's directory.
cd "$work"
if ((EUID == 0)); then
  runs 0 demo graph.txt
  grep -q '^apt-get .*update' "$work/calls" || fail "no apt-get update"
  grep -q '^apt-get .*install -y --no-install-recommends g++ ninja-build ' "$work/calls" || fail "no apt-get install"
  ! grep '^apt-get' "$work/calls" | grep -qE 'clang|doxygen|shellcheck|scipy' || fail "demo installs more than it needs"
  calls "stub_callisto demo --cache $work/tree/cache graph.txt"

  # A second run has nothing to install and nothing to configure.
  : >"$work/calls"
  runs 0 demo
  never_calls apt-get
  never_calls 'cmake --fresh'
  calls "stub_callisto demo --cache $work/tree/cache"

  # Another compiler is another configuration.
  : >"$work/calls"
  x=(env CXX=true PATH="$work/bin" "$work/tree/x")
  runs 0 demo
  calls "cmake --fresh --preset release"
  x=(env -u CC -u CXX PATH="$work/bin" "$work/tree/x")

  # One package missing: that one only.
  rm "$work/state/libfmt-dev"
  : >"$work/calls"
  runs 0 demo
  calls "apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends libfmt-dev"
  calls "cmake --fresh --preset release"

  # apt cannot install: the list, the command and exit status 1.
  fresh
  stub apt-get 'exit 100'
  runs 1 demo
  prints "apt-get update && apt-get install --no-install-recommends g++ ninja-build"
fi

# Neither root nor sudo: the same, without trying.
fresh
chmod -R a+rwX "$work/tree" "$work/calls"
x=("${as_user[@]}" env -u CC -u CXX PATH="$work/bin" "$work/tree/x")
runs 1 demo
prints "  libhwloc-dev"
prints "apt-get update && apt-get install --no-install-recommends g++ ninja-build"
never_calls apt-get

# sudo that needs no password.
# shellcheck disable=SC2016
stub sudo '[[ $1 == -n ]] && shift; exec "$@"'
chmod -R a+rwX "$work/state"
runs 0 demo
calls "sudo apt-get -o DPkg::Lock::Timeout=300 update"

# No apt at all: say what is needed and go on.
fresh
rm "$work/bin/apt-get" "$work/bin/dpkg-query"
chmod -R a+rwX "$work/tree" "$work/calls"
runs 0 demo
prints "No apt here"
calls "cmake --fresh --preset release"

# The portable command for another processor: a preset of its own, arm64 packages of the same names; to try it, this
# machine's, too.
mkdir -p "$work/tree/packaging"
for script in arm64_root.sh portable.sh; do
  stub "$script" 'true'
  mv "$work/bin/$script" "$work/tree/packaging/"
done
: >"$work/calls"
runs 0 portable --arch aarch64
calls "cmake --fresh --preset aarch64"
calls "cmake --build --preset aarch64"
calls "portable.sh --arch aarch64"
grep -q '^arm64_root.sh libhwloc-dev .* liblz4-dev$' "$work/calls" || fail "no arm64 packages"
! grep '^arm64_root.sh' "$work/calls" | grep -qE 'g\+\+|cmake|gtest' || fail "more arm64 packages than libraries"
never_calls 'cmake --build --preset release'
runs 0 portable --try --arch=aarch64
calls "cmake --build --preset release --target callisto_portable"
calls "portable.sh --arch aarch64 --try"
: >"$work/calls"
runs 0 portable
calls "portable.sh --arch x86_64"
never_calls arm64_root.sh

# A step that fails shows the end of its log.
fresh
stub cmake 'echo the reason; exit 1'
rm "$work/bin/apt-get"
chmod -R a+rwX "$work/tree" "$work/calls"
runs 1 demo
prints "the reason"
prints "build/log/configure-release.log"

# Tests that fail are named at the end, however much their presets printed; the last line counts.
fresh
# shellcheck disable=SC2016 # the stub's own $
stub cmake 'mkdir -p build/release build/tsan build/asan'
stub ctest 'case $2 in
  release) printf "%s\n" "[  FAILED  ] Loop.Ends" "[  FAILED  ] Loop.Ends" ;;
  asan) printf "%s\n" "FAIL: test_status (__main__.Sharing.test_status)" "AssertionError: 1 != 2" ;;
  *) echo; echo "100% tests passed, 0 tests failed out of 3"; exit 0 ;;
esac
printf "%s\n" "" "50% tests passed, 1 tests failed out of 2" "	1 - it (Failed)"; exit 8'
rm "$work/bin/apt-get"
chmod -R a+rwX "$work/tree" "$work/calls"
runs 1 test --all
{
  echo "  release: [  FAILED  ] Loop.Ends"
  echo "  asan: FAIL: test_status (__main__.Sharing.test_status)"
  echo "  asan: AssertionError: 1 != 2"
  echo "5 passed, 2 failed"
} >"$work/expected"
tail -n 4 "$work/out" | diff - "$work/expected" >&2 || fail "the end of x test --all is another"

# shellcheck disable=SC2016
# Without --all, only the release preset, without what only --all runs.
: >"$work/calls"
runs 1 test Loop
prints "1 passed, 1 failed"
# Tests at once: twice as many as processors.
at_once=$((2 * $(nproc)))
calls "ctest --preset release -j $at_once -LE ^all\$ -R Loop"
never_calls "ctest --preset tsan"

# A room: only what its tests name is built; a folder stands for what is built into it.
build=$work/tree/build/release
mkdir -p "$work/tree/tests/loop" "$work/tree/tests/fuzz"
cat >"$build/CTestTestfile.cmake" <<END
add_test(loop.stress "$build/bin/stress_loops" "--seconds" "3")
set_tests_properties(loop.stress PROPERTIES  LABELS "loop" TIMEOUT "300")
add_test([=[loop.a]=] "sh")
set_tests_properties([=[loop.a]=] PROPERTIES  ENVIRONMENT "A=1;P=$build/made:/usr" LABELS "loop")
add_test(loop.slow "sh" "$build")
set_tests_properties(loop.slow PROPERTIES  LABELS "all;loop")
add_test(loops.a "$build/bin/test_workers")
subdirs("more")
END
mkdir "$build/more"
echo "add_test(loop.more \"sh\" \"-p=$build/bin/more\")" >"$build/more/CTestTestfile.cmake"
stub ninja 'printf "%s\n" "bin/stress_loops: CXX_LINKER__x" "bin/test_workers: CXX_LINKER__x" "bin/more: CXX_LINKER__x" \
  "test_loop: phony" "loop_programs: phony" "made/CMakeFiles/it.o: CXX" "made/library: CXX_LINKER__x" "made/all: phony"'
# shellcheck disable=SC2016
stub cmake '[[ $* != *room_targets* ]] || exec '"$real_cmake"' "$@"'
stub ctest 'echo; echo "100% tests passed, 0 tests failed out of 3"'
chmod -R a+rwX "$work/tree" "$work/calls"
: >"$work/calls"
runs 0 test loop
prints "3 passed, 0 failed"
calls "cmake --build --preset release --target test_loop loop_programs bin/stress_loops made/library bin/more"
calls "ctest --preset release -j $at_once -LE ^all\$ -L ^loop\$"
# With --all the slow test counts, too, which needs the whole build.
: >"$work/calls"
for preset in tsan asan; do
  mkdir -p "$work/tree/build/$preset"
  : >"$work/tree/build/$preset/CTestTestfile.cmake"
done
chmod -R a+rwX "$work/tree"
runs 0 test --all loop
calls "cmake --build --preset release --target all"
calls "ctest --preset release -j $at_once -L ^loop\$"
# Not a room: a regular expression.
: >"$work/calls"
runs 0 test fuzz
calls "cmake --build --preset release --target all"
calls "ctest --preset release -j $at_once -LE ^all\$ -R fuzz"

exit "$failed"
