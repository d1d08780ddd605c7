#!/usr/bin/env bash
# Builds the project in subproject/ with clang and libc++, where they are installed, and runs its programs.
# Usage: libcxx.sh
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags="-stdlib=libc++ -fexperimental-library"
for cxx in clang++-19 clang++; do
  # shellcheck disable=SC2086
  echo '#include <stop_token>
  int main() { return std::stop_source().stop_requested(); }' |
    "$cxx" $flags -std=c++20 -x c++ - -o "$work/has" 2> /dev/null && break
done
[[ -x $work/has ]] || { echo "skipped: no clang++ with libc++ (libc++-19-dev)" && exit 77; }
launcher=$(command -v ccache || true)
cmake -S "$here/subproject" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$cxx" \
  -DCMAKE_CXX_COMPILER_LAUNCHER="$launcher" -DCMAKE_CXX_FLAGS="$flags -O1" -DCALLISTO_SOURCE="$here/../.." > "$work/log"
cmake --build "$work/build" > "$work/log" || { cat "$work/log" && exit 1; }
for program in consumer static_consumer static_pie_consumer; do
  CALLISTO_THREADS=4 "$work/build/$program"
done
