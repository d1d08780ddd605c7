#!/usr/bin/env bash
# Compares the library's binary interface with that of the last release, or writes it down for the next one.
# Usage: abi.sh check|write BUILD [SOURCE]. BUILD: a build of the static library, its objects position-independent.
# check: exit status 0 if programs that were linked with the release go on to work with this library; 1 and abidiff's
# report if not; 77 and one line if there is nothing to compare with, or no tool. It sees symbols that are gone, and public
# types of another layout; not what a function does.
set -euo pipefail
verb=$1 build=$2
source=$(realpath "${3:-$(dirname "$(readlink -f "$0")")/../..}")

skip() {
  echo "abi: skipped: $*"
  exit 77
}
command -v abidiff >/dev/null || skip "no abidiff (Debian: abigail-tools)"
[[ $(uname -m) == x86_64 ]] || skip "the release's interface was written down on x86_64"
version=$(sed -n 's/^project(callisto VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
soname=libcallisto.so.${version%.*}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Into $work/now.abi: the symbols of all objects, and the public types as one file sees them that includes each header.
write_interface() {
  mkdir "$work/headers"
  (cd "$source" && xargs -a cmake/public_headers.txt cp --parents -t "$work/headers")
  "${CXX:-g++}" -std=c++20 -g -fno-eliminate-unused-debug-types -fvisibility=hidden -fvisibility-inlines-hidden -fPIC \
    -I"$work/headers" -c "$source/packaging/abi/interface.cpp" -o "$work/interface.o"
  # Symbols of the C++ library's templates come and go with the compiler.
  echo '{ global: _ZN8callisto*; _ZNK8callisto*; _ZZN8callisto*; _ZT?N8callisto*; callisto_debug_*; local: *; };' >"$work/ours.map"
  "${CXX:-g++}" -shared -Wl,-soname,"$soname" -Wl,--version-script="$work/ours.map" -o "$work/library.so" "$work/interface.o" \
    -Wl,--whole-archive "$build/callisto/libcallisto.a" -Wl,--no-whole-archive
  abidw --headers-dir "$work/headers" --load-all-types --drop-private-types --no-corpus-path --no-comp-dir-path \
    --no-show-locs --no-architecture --out-file "$work/now.abi" "$work/library.so"
}

if [[ $verb == write ]]; then
  write_interface
  rm -f "$source"/packaging/abi/libcallisto-*.abi.xz
  xz -9 <"$work/now.abi" >"$source/packaging/abi/libcallisto-$version.abi.xz"
  echo "abi: wrote packaging/abi/libcallisto-$version.abi.xz"
  exit 0
fi
[[ $verb == check ]] || { echo "abi: '$verb' is neither check nor write" >&2 && exit 2; }

written=$(find "$source/packaging/abi" -name 'libcallisto-*.abi.xz')
[[ -n $written ]] || skip "no release has its interface in packaging/abi yet"
released=${written##*/libcallisto-}
released=${released%.abi.xz}
# A version is released once it has its tag, or the changelog goes on above it.
latest=$(sed -n 's/^## \[\([^]]*\)\].*/\1/p' "$source/CHANGELOG.md" | head -n 1)
[[ $latest != "$released" ]] || git -C "$source" rev-parse -q --verify "refs/tags/v$released" >/dev/null 2>&1 ||
  skip "$released is not released, its interface may change"
[[ ${released%.*} == "${version%.*}" ]] || skip "$version has another name, $soname, than $released: it may have another interface"

xz -dc "$written" >"$work/released.abi"
write_interface
abidiff --suppressions "$source/packaging/abi/ignored.ini" --no-added-syms --non-reachable-types \
  "$work/released.abi" "$work/now.abi" &&
  "$source/packaging/abi/layouts.py" "$work/released.abi" "$work/now.abi" && { echo "abi: $soname is still what $released was"; exit 0; }
echo "abi: $soname is no longer what $released was (above): keep the interface, or raise the minor version"
exit 1
