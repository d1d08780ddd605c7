#!/usr/bin/env bash
# Installs a build, moves the copy elsewhere, and builds and runs the project in this folder against it: once through
# CMake's find_package, once through pkg-config.
# Usage: run.sh BUILD_DIRECTORY static|shared CXX VERSION
# BUILD_DIRECTORY is a static build. For `shared` everything is linked once more, of the same objects, in a folder there;
# for the command the library must export all that it uses, and libfmt is linked as the static build's objects need. The
# folder of libraries is Debian's: joints.py makes packages of that build.
set -euo pipefail
build=$1 kind=$2 cxx=$3 version=$4
source=$(dirname "$(readlink -f "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PKG_CONFIG_PATH PKG_CONFIG_LIBDIR CMAKE_PREFIX_PATH LD_LIBRARY_PATH DESTDIR

# check DESCRIPTION COMMAND...: fails the test unless the command succeeds.
check() {
  local description=$1
  shift
  echo "-- $description" >&2
  "$@" || {
    echo "FAILED: $description" >&2
    exit 1
  }
}

forgets_origin() {
  ! grep -rlF -e "$build" -e "$source" -e "$work/first" "$prefix/include" "$libdir/cmake" "$libdir/pkgconfig"
}
refuses_narrowing() {
  # It fails, as it must.
  echo '#include <callisto/callisto.hpp>
  int main() { return callisto::parallel_reduce(0, 9, 0, [](int) { return 0.5; }); }' |
    "$cxx" -std=c++20 -fsyntax-only -I"$prefix/include" -x c++ - >"$work/errors" 2>&1 && return 1
  grep -q "give one of the values' type" "$work/errors"
}
is_clean_under_tsan() {
  # A program that ThreadSanitizer checks, with a library that it does not.
  "$cxx" -std=c++20 -O1 -g -fsanitize=thread "$source/habits.cpp" -o "$work/checked" "${flags[@]}" &&
    LD_LIBRARY_PATH=$libdir CALLISTO_THREADS=4 TSAN_OPTIONS=halt_on_error=1 "$work/checked"
}
# After is_clean_under_tsan.
finds_a_race() {
  # It fails, as it must.
  LD_LIBRARY_PATH=$libdir CALLISTO_THREADS=4 TSAN_OPTIONS=halt_on_error=1 "$work/checked" race >"$work/race" 2>&1 && return 1
  grep -q 'WARNING: ThreadSanitizer: data race' "$work/race"
}
says_what_standard() {
  local header
  for header in callisto graph jobs workers cluster; do
    # It fails, as it must.
    echo "#include <callisto/$header.hpp>" |
      "$cxx" -std=c++17 -I"$prefix/include" -fsyntax-only -x c++ - >"$work/errors" 2>&1 && return 1
    grep -qF 'Callisto needs C++20: compile with -std=c++20 or newer' "$work/errors" || return
    (($(grep -c 'error:' "$work/errors") == 1)) || return
  done
}
has_laboratory() {
  "$prefix/bin/callisto-lab" --version | grep -F "$version" &&
    test -e "$prefix/share/man/man1/callisto-lab.1" -a -e "$prefix/share/callisto/machines/x4-2.txt" &&
    "$prefix/bin/callisto-lab" simulate "$prefix/share/callisto/machines/x4-2.txt" --show >"$work/shown"
}
knows_version() { "$prefix/bin/callisto" --version | grep -F "$version"; }
# callisto_debug_ names are for the debugger (workers/activations/debugger.hpp). Weak symbols are what the C++ library's templates leave behind.
exports_only_callisto() { ! nm -DC --defined-only "$libdir/libcallisto.so" | grep ' [TDB] ' | grep -v -e ' callisto::' -e ' callisto_debug_'; }

static=$build
if [[ $kind == shared ]]; then
  build=$static/shared
  multiarch=$("$cxx" -print-multiarch)
  check "configure shared" cmake -S "$source/../.." -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_CXX_COMPILER_LAUNCHER="$source/reuse_object.sh;$static" \
    -DBUILD_SHARED_LIBS=ON -DCALLISTO_BUILD_TESTS=OFF -DCALLISTO_BUILD_LAB=ON -DCMAKE_CXX_STANDARD_LIBRARIES=-lfmt \
    -DCMAKE_INSTALL_LIBDIR="lib${multiarch:+/$multiarch}"
  check "build shared" cmake --build "$build"
fi
check "install" cmake --install "$build" --prefix "$work/first" >/dev/null
check "the laboratory is installed only where it is asked for" test ! -e "$work/first/bin/callisto-lab"
check "install the laboratory" cmake --install "$build" --component lab --prefix "$work/first" >/dev/null
mv "$work/first" "$work/moved"
prefix=$work/moved
pc=$(dirname "$(find "$prefix" -name callisto.pc)")
libdir=$(dirname "$pc")
check "no trace of the build tree in what consumers read" forgets_origin
check "command runs and knows its version" knows_version
check "laboratory runs, and has its page and its machines" has_laboratory
check "one plain sentence below C++20" says_what_standard
check "a reduction that would cut its values off does not compile" refuses_narrowing
if [[ $kind == shared ]]; then
  check "library is shared" test -e "$libdir/libcallisto.so"
  check "only callisto:: is exported" exports_only_callisto
else
  check "library is static" test -e "$libdir/libcallisto.a"
fi

check "configure with find_package" env CXX="$cxx" cmake -S "$source" -B "$work/cmake" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_BUILD_TYPE=Release
check "build with find_package" cmake --build "$work/cmake"
check "run what find_package built" "$work/cmake/consumer"

export PKG_CONFIG_PATH=$pc
check "version that pkg-config sees" test "$(pkg-config --modversion callisto)" = "$version"
# A static library brings its own libraries along, without --static.
read -ra flags < <(pkg-config --cflags --libs callisto)
check "build with pkg-config" "$cxx" -std=c++20 "$source/main.cpp" -o "$work/consumer" "${flags[@]}"
check "run what pkg-config built" env LD_LIBRARY_PATH="$libdir" "$work/consumer"
check "no false report in a user's own ThreadSanitizer build" is_clean_under_tsan
check "a race of the program's own is found there" finds_a_race

# Programs over ranks: linked through pkg-config, started by each MPI's launcher. The plug-in lies in the copy that was
# moved, which neither the program nor its folder knows of.
read -ra flags < <(pkg-config --cflags --libs callisto_global)
check "version of callisto_global" test "$(pkg-config --modversion callisto_global)" = "$version"
mkdir "$work/elsewhere"
check "build ranks with pkg-config" "$cxx" -std=c++20 "$source/ranks.cpp" -o "$work/elsewhere/ranks" "${flags[@]}"
prints_sum() {
  local status=0 said
  said=$(LD_LIBRARY_PATH="$libdir" CALLISTO_GLOBAL_THREADS=1 "${@:2}" 2>&1) || status=$?
  [[ $said == "$1" && $status -eq 0 ]] || { echo "exit status $status, and it said: $said" >&2; return 1; }
}
check "ranks run alone" prints_sum "1 ranks, sum 1" "$work/elsewhere/ranks"
read -ra flags < <(pkg-config --cflags --libs callisto_cluster)
check "build a graph over ranks" "$cxx" -std=c++20 "$source/ranked_graph.cpp" -o "$work/elsewhere/ranked_graph" "${flags[@]}"
found="34 vertices, 4 communities, 45 triangles, 34 reached, score 0.096997"
check "a graph of one rank" prints_sum "$found" "$work/elsewhere/ranked_graph" "$source/../../examples/karate.txt"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
for mpi in openmpi mpich; do
  if [[ -e $libdir/callisto/libcallisto_$mpi.so ]] && command -v "mpirun.$mpi" >/dev/null; then
    over=()
    [[ $mpi == mpich ]] || over=(--oversubscribe)
    check "ranks run under $mpi" prints_sum "2 ranks, sum 3" "mpirun.$mpi" "${over[@]}" -n 2 "$work/elsewhere/ranks"
    check "a graph over ranks under $mpi" prints_sum "$found" "mpirun.$mpi" "${over[@]}" -n 3 "$work/elsewhere/ranked_graph" \
      "$source/../../examples/karate.txt"
  fi
done
