#!/usr/bin/env bash
# Installs a build, moves the copy elsewhere, and builds and runs the project in this folder against it: once through
# CMake's find_package, once through pkg-config.
# Usage: run.sh BUILD_DIRECTORY static|shared CXX VERSION
# BUILD_DIRECTORY is a static build. For `shared` the library alone is linked once more, of the same objects, in a folder
# there, and the command, compiled already, with it, for which the library must export all that the command uses.
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
link_command() {
  local openmp=()
  [[ ! -e $static/bench/libcallisto_openmp_kernels.a ]] || openmp=("$static/bench/libcallisto_openmp_kernels.a" -fopenmp)
  mkdir -p "$prefix/bin"
  "$cxx" "$static/callisto/app/CMakeFiles/callisto_command.dir/main.cpp.o" "$static/callisto/app/libcallisto_app.a" \
    "$static/bench/peers/libcallisto_peer.a" "${openmp[@]}" "$static/callisto/machine/libcallisto_simulated.a" \
    "$libdir/libcallisto.so" -Wl,-rpath,"$libdir" -lfmt -o "$prefix/bin/callisto"
}
refuses_narrowing() {
  # It fails, as it must.
  echo '#include <callisto/callisto.hpp>
  int main() { return callisto::parallel_reduce(0, 9, 0, [](int) { return 0.5; }); }' |
    "$cxx" -std=c++20 -fsyntax-only -I"$prefix/include" -x c++ - >"$work/errors" 2>&1 && return 1
  grep -q "give an identity of the values' type" "$work/errors"
}
is_clean_under_tsan() {
  # A program that ThreadSanitizer checks, with a library that it does not.
  "$cxx" -std=c++20 -O1 -g -fsanitize=thread "$source/habits.cpp" -o "$work/checked" "${flags[@]}" &&
    LD_LIBRARY_PATH=$libdir CALLISTO_THREADS=4 TSAN_OPTIONS=halt_on_error=1 "$work/checked"
}
says_what_standard() {
  local header
  for header in callisto graph jobs workers; do
    # It fails, as it must.
    echo "#include <callisto/$header.hpp>" |
      "$cxx" -std=c++17 -I"$prefix/include" -fsyntax-only -x c++ - >"$work/errors" 2>&1 && return 1
    grep -qF 'Callisto needs C++20: compile with -std=c++20 or newer' "$work/errors" || return
    (($(grep -c 'error:' "$work/errors") == 1)) || return
  done
}
knows_version() { "$prefix/bin/callisto" --version | grep -F "$version"; }
# callisto_debug_ names are for the debugger (workers/activations/debugger.hpp). Weak symbols are what the C++ library's templates leave behind.
exports_only_callisto() { ! nm -DC --defined-only "$libdir/libcallisto.so" | grep ' [TDB] ' | grep -v -e ' callisto::' -e ' callisto_debug_'; }

static=$build
if [[ $kind == shared ]]; then
  build=$static/shared
  check "configure shared" cmake -S "$source/../.." -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_CXX_COMPILER_LAUNCHER="$source/reuse_object.sh;$static" \
    -DBUILD_SHARED_LIBS=ON -DCALLISTO_BUILD_APP=OFF -DCALLISTO_BUILD_TESTS=OFF -DCALLISTO_BUILD_BENCH=OFF
  check "build shared" cmake --build "$build"
fi
check "install" cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/moved"
prefix=$work/moved
pc=$(dirname "$(find "$prefix" -name callisto.pc)")
libdir=$(dirname "$pc")
[[ $kind == static ]] || check "the library exports what the command uses" link_command
check "no trace of the build tree in what consumers read" forgets_origin
check "command runs and knows its version" knows_version
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
