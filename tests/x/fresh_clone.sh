#!/usr/bin/env bash
# Runs the commands that README.md shows in a fresh clone, where nothing is built: what one of them forgets to build is
# missing there. The compiler takes objects that BUILD_DIRECTORY has already (tests/install/reuse_object.sh).
# Usage: fresh_clone.sh BUILD_DIRECTORY
# Exit status 77 where there is no git repository.
set -euo pipefail
build=$1
source=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
git -C "$source" rev-parse HEAD >/dev/null 2>&1 || { echo "skipped: no git repository"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What the working tree has, committed or not, so that a developer sees a fault before the commit.
git clone --quiet --no-hardlinks "$source" "$work/clone"
git -C "$source" ls-files -co --exclude-standard -z | (cd "$source" && xargs -0 cp --parents -t "$work/clone") 2>/dev/null || true
git -C "$source" ls-files -d -z | (cd "$work/clone" && xargs -0 -r rm -f)

export CMAKE_CXX_COMPILER_LAUNCHER="$source/tests/install/reuse_object.sh;$build"
# Only programs that measure are compiled here, and none of them is run.
export CALLISTO_REUSE_ELSE=-O0
run() {
  echo "-- ./x $*" >&2
  (cd "$work/clone" && ./x "$@") </dev/null || { echo "FAILED: ./x $*" >&2; tail -n 30 "$work"/clone/build/log/*.log >&2; exit 1; }
}
check() {
  echo "-- $*" >&2
  "$@" || { echo "FAILED: $*" >&2; exit 1; }
}

# install comes first: it must build what it installs.
run install "$work/prefix"
check test -e "$work/prefix/bin/callisto" -a -e "$(find "$work/prefix" -name libgomp.so.1)"
printf '0 1\n1 2\n2 0\n' >"$work/edges.txt"
check "$work/prefix/bin/callisto" pagerank "$work/edges.txt" --quiet
check "$work/prefix/bin/callisto" run -- "$work/prefix/bin/callisto" --version
run demo "$work/edges.txt"
run build
run test 'Schedule'
run docs
