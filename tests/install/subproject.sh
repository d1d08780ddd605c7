#!/usr/bin/env bash
# Builds and installs the project in subproject/, which has Callisto's source as a part: only the loops are built, no
# package is looked for, and nothing of Callisto is installed. Its programs do without exceptions, and two are linked
# statically. Then the program with sanitizers of its own, which the library has not, must have no report.
# Usage: subproject.sh BUILD_DIRECTORY CXX
# Objects are taken from BUILD_DIRECTORY, a static build (reuse_object.sh).
set -euo pipefail
build=$1 cxx=$2
here=$(dirname "$(readlink -f "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "FAILED: $1" >&2
  exit 1
}

cmake -S "$here/subproject" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$cxx" \
  -DCMAKE_CXX_COMPILER_LAUNCHER="$here/reuse_object.sh;$build" -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
  -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON -DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON -DCMAKE_DISABLE_FIND_PACKAGE_ZLIB=ON \
  -DCALLISTO_SOURCE="$here/../.." >"$work/log" 2>&1 || { cat "$work/log" && fail "configure"; }
ninja -C "$work/build" -t targets all | grep -E "libgomp|/graph/|/app/|fmt" && fail "more than loops would be built"
cmake --build "$work/build" >"$work/log" || { cat "$work/log" && fail "build"; }
for program in consumer static_consumer static_pie_consumer; do
  CALLISTO_THREADS=4 "$work/build/$program" || fail "$program"
done
for program in static_consumer static_pie_consumer; do
  file=$(LC_ALL=C ldd "$work/build/$program" 2>&1 || true)
  [[ $file == *"not a dynamic executable"* || $file == *"statically linked"* ]] || fail "$program is not static: $file"
done
if ldd "$work/build/consumer" | grep -E "hwloc|libz|fmt"; then fail "a program of loops needs another library"; fi
cmake --install "$work/build" --prefix "$work/prefix" >"$work/log" || { cat "$work/log" && fail "install"; }
[[ $(find "$work/prefix" -type f -printf '%P\n') == bin/consumer ]] || fail "installed more than the project's own"
for sanitizers in thread address,undefined; do
  "$cxx" -std=c++20 -O1 -g -fsanitize=$sanitizers -fno-sanitize-recover=undefined -I"$here/../.." "$here/habits.cpp" \
    "$work/build/within/callisto/libcallisto.a" -pthread -o "$work/checked" || fail "build with -fsanitize=$sanitizers"
  CALLISTO_THREADS=4 TSAN_OPTIONS=halt_on_error=1 "$work/checked" || fail "reports of -fsanitize=$sanitizers"
done
