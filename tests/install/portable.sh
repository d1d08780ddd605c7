#!/usr/bin/env bash
# The portable command: links it, sees that it needs no library, and compares its answers with the command's, of text,
# XML and an archive, in an environment without anything.
# Usage: portable.sh BUILD_DIRECTORY. Exit status 77 where the static libraries are not installed.
set -euo pipefail
build=$(realpath "$1")
source=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
grep -q '^build bin/callisto-portable:\|^build callisto_portable:' "$build/build.ninja" || { echo "skipped: no static libraries"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }

cmake --build "$build" --target callisto_portable >"$work/log" 2>&1 || { tail -n 30 "$work/log" >&2; fail "the link"; }
portable=$build/bin/callisto-portable
file=$(ldd "$portable" 2>&1 || true)
[[ $file == *"not a dynamic executable"* || $file == *"statically linked"* ]] || fail "not static: $file"
"$portable" --version | grep -q "without libraries" || fail "--version"

cp "$source/examples/karate.txt" "$work/karate.txt"
(cd "$work" && tar cJf karate.tar.xz karate.txt)
"$build/bin/callisto" convert "$work/karate.txt" "$work/karate.graphml" --quiet
for graph in karate.txt karate.graphml karate.tar.xz; do
  for program in "$portable" "$build/bin/callisto"; do
    env -i "$program" eccentricity "$work/$graph" --quiet >"$work/$(basename "$program").out" || fail "$program $graph"
  done
  test -s "$work/callisto.out" || fail "$graph: no answer"
  cmp "$work/callisto-portable.out" "$work/callisto.out" || fail "$graph: other answers"
done
env -i "$portable" machine >/dev/null || fail "machine"
echo "portable: $(stat -c %s "$portable") bytes, no libraries"
