# The steps of ./x: one line each, full output in build/log/. Sourced by ./x.
# shellcheck shell=bash

say() { printf '%s\n' "x: $*"; }
die() {
  printf '%s\n' "x: $*" >&2
  exit 1
}
fail_usage() {
  printf '%s\n' "x: $*; see ./x help" >&2
  exit 2
}

# As many compilations at once as there are CPUs, and at most one for each gigabyte of memory.
if [[ -z ${CMAKE_BUILD_PARALLEL_LEVEL:-} ]]; then
  CMAKE_BUILD_PARALLEL_LEVEL=$(nproc)
  gigabytes=$(awk '/^MemAvailable:/ { print int($2 / 1048576) }' /proc/meminfo)
  if ((gigabytes < CMAKE_BUILD_PARALLEL_LEVEL)); then
    CMAKE_BUILD_PARALLEL_LEVEL=$((gigabytes > 0 ? gigabytes : 1))
  fi
fi
export CMAKE_BUILD_PARALLEL_LEVEL

# The compiler's output goes to a log, without colours.
unset CLICOLOR_FORCE GTEST_COLOR

ticker=
trap '[[ -z $ticker ]] || kill "$ticker" 2>/dev/null || true' EXIT

# step TITLE LOG COMMAND...: runs COMMAND without input, its output in build/log/LOG.log. Prints the result and, if
# COMMAND failed, the end of the log. Returns 0 or 1.
step() {
  local title=$1 log=build/log/$2.log start=$SECONDS status=0
  shift 2
  mkdir -p build/log
  printf 'x: %s ... ' "$title"
  if [[ -t 1 ]]; then
    show_progress "$log" &
  else
    log_progress "$log" &
  fi
  ticker=$!
  "$@" >"$log" 2>&1 </dev/null || status=$?
  if [[ -n $ticker ]]; then
    kill "$ticker" 2>/dev/null || true
    wait "$ticker" 2>/dev/null || true
    ticker=
    [[ ! -t 1 ]] || printf '\r\033[Kx: %s ... ' "$title"
  fi
  if ((status == 0)); then
    printf 'done (%d s)\n' $((SECONDS - start))
    return 0
  fi
  printf 'failed (%d s); the end of %s:\n' $((SECONDS - start)) "$log"
  # ctest and unittest report every test: those that passed or were skipped would push the failures out of sight.
  grep -vE '^ +Start +[0-9]+: |( Passed|\*\*\*Skipped) +[0-9.]+ sec$| \(Skipped\)$| \.\.\. (ok|skipped .*)$' "$log" |
    tail -n 80 | sed 's/^/  | /'
  return 1
}

# show_progress LOG: on a terminal, prints the progress of ninja or ctest after the step's title.
show_progress() {
  local shown='' now
  while sleep 0.5 && kill -0 $$ 2>/dev/null; do
    now=$(tail -n 1 "$1" 2>/dev/null | grep -oE '^(\[ *[0-9]+/[0-9]+\]| *[0-9]+/[0-9]+ Test)' || true)
    [[ $now == "$shown" ]] || printf '\033[s%s\033[K\033[u' "$now"
    shown=$now
  done
}

# Seconds after which a step that goes on says so where there is no terminal.
progress_seconds=20

# log_progress LOG: where the output is no terminal, prints the last line of the log from time to time, so that a step of
# minutes is not silent.
log_progress() {
  local shown='' now
  # The sleeping process may outlast this one: it must not hold the output open.
  while sleep "$progress_seconds" >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
    now=$(tail -n 1 "$1" 2>/dev/null | cut -c 1-100)
    [[ $now == "$shown" ]] || printf '\n  | %s ... ' "$now"
    shown=$now
  done
}

# fixed_addresses COMMAND...: runs COMMAND without address-space randomization if the system allows it. The sanitizers
# of GCC 12 and Clang 16 do not find their shadow memory if vm.mmap_rnd_bits is above 28.
fixed_addresses() {
  if setarch -R true 2>/dev/null; then
    setarch -R "$@"
  else
    "$@"
  fi
}

# has_mpi_plugin: true if the release build makes a plug-in for an MPI.
has_mpi_plugin() { grep -qs 'libcallisto_\(openmpi\|mpich\)\.so' build/release/build.ninja; }

# notice_mpi: lets the release build be configured anew if an MPI is there that it does not know: it was configured before
# that MPI came.
notice_mpi() {
  local mpi known=yes
  for mpi in openmpi mpich; do
    ! command -v "mpicc.$mpi" >/dev/null || grep -qs "libcallisto_$mpi\\.so" build/release/build.ninja || known=''
  done
  ! command -v mpicc >/dev/null || has_mpi_plugin || known=''
  [[ -n $known ]] || rm -f build/release/.configured
}

# configure PRESET: configures, unless the last configuration had the same compilers and the same presets.
configure() {
  local preset=$1 stamp=build/$1/.configured
  local identity="$PWD|${CC:-}|${CXX:-}|${CXXFLAGS:-}|${LDFLAGS:-}"
  if [[ -f build/$preset/build.ninja && -f $stamp && ! CMakePresets.json -nt $stamp && $(<"$stamp") == "$identity" ]]; then
    return 0
  fi
  rm -f "$stamp"
  # --fresh: CMake would keep the compilers and the folder of an earlier configuration.
  step "Configuring $preset" "configure-$preset" cmake --fresh --preset "$preset" || return
  printf '%s' "$identity" >"$stamp"
}

# build_preset PRESET [TARGET...]: configures the preset and builds the targets, by default all. Test programs run
# during the build, to list their cases.
build_preset() {
  local preset=$1
  shift
  configure "$preset"
  step "Building $preset" "build-$preset" fixed_addresses cmake --build --preset "$preset" --target "${@:-all}"
}

# is_room NAME: whether tests have NAME as a label (cmake/test_labels.cmake). What tests/fuzz has is run by ./x soak.
is_room() { [[ $1 == python || $1 == examples || ($1 =~ ^[a-z]+$ && $1 != fuzz && -d tests/$1) ]]; }

# build_rooms PRESET ROOMS [all]: configures the preset and builds what the tests of the rooms need, a list with `;`
# between; `all`: those with that label, too. A room may have no test in a preset.
build_rooms() {
  local preset=$1 rooms=$2 list=build/$1/room_targets targets
  configure "$preset"
  cmake -DBUILD="build/$preset" "-DROOMS=$rooms" ${3:+-DALL=ON} -P tools/room_targets.cmake >"$list" ||
    die "test: no list of the targets of $rooms"
  mapfile -t targets <"$list"
  ((${#targets[@]} == 0)) ||
    step "Building what ${rooms//;/, } needs" "build-$preset" fixed_addresses \
      cmake --build --preset "$preset" --target "${targets[@]}"
}

reset_counts() { passed=0 failed=0 skipped=0 failures=''; }

# prepare_python: makes the environment that the Python package is built and tested in, unless it is there. Where that is
# not possible, says why; the package's tests are skipped then.
prepare_python() {
  local log=build/log/python-env.log
  mkdir -p build/log
  tools/python_env.sh >"$log" 2>&1 </dev/null || say "$(tail -n 1 "$log")"
}

# run_ctest PRESET [OPTION...]: runs its tests and adds up what passed and failed.
run_ctest() {
  local preset=$1 log=build/log/ctest-$1.log total missed left_out
  # Twice as many tests as processors: in a third of their time tests wait for sleepers, sockets and time limits, and some
  # run alone.
  local at_once=$((2 * CMAKE_BUILD_PARALLEL_LEVEL))
  shift
  step "Testing $preset" "ctest-$preset" fixed_addresses ctest --preset "$preset" -j "$at_once" "$@" || true
  if ! grep -q 'tests failed out of' "$log"; then
    # Either no test matched the name in this preset, which is no error, or ctest itself failed.
    grep -q '^No tests were found' "$log" || failed=$((failed + 1))
    return 0
  fi
  sed -n '/tests passed, /,$p' "$log" | sed '/^$/d; /(Skipped)$/d; /did not run:$/d'
  read -r missed total < <(sed -nE 's/.* ([0-9]+) tests failed out of ([0-9]+)$/\1 \2/p' "$log")
  left_out=$(grep -c '(Skipped)$' "$log" || true)
  if ((missed > 0)); then
    # The names from the test programs: googletest's cases with what was expected, unittest's methods, the errors that
    # ended them, what sanitizers found, and what our scripts say failed with the output below it.
    failures+=$(awk -v preset="$preset" '
      /^FAILED: / { indented = 6 }
      { told = /^    / && indented-- > 0 }
      /^(\[  FAILED  \] |(FAIL|ERROR|FAILED): |[A-Za-z.]+(Error|Expired): |[^ ]+:[0-9]+: Failure$|Expected|SUMMARY: )/ { told = 1 }
      told && !seen[$0]++ && ++n <= 24 {
        print "  " preset ": " substr($0, 1, 200)
      }' "$log")$'\n'
  fi
  failed=$((failed + missed)) skipped=$((skipped + left_out)) passed=$((passed + total - missed - left_out))
}

# report_counts: prints what failed and, as the last line of a test run, the counts. Status 1 if a test failed or none
# ran.
report_counts() {
  printf '%s' "$failures"
  if ((skipped > 0)); then
    printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
  else
    printf '%d passed, %d failed\n' "$passed" "$failed"
  fi
  ((failed == 0 && passed > 0))
}
