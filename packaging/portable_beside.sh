#!/usr/bin/env bash
# Runs a portable command of another processor under qemu-user, and this machine's beside it: their answers are the same.
# Usage: portable_beside.sh FOREIGN NATIVE
set -euo pipefail
die() {
  echo "portable: $*" >&2
  exit 1
}
foreign=$(realpath "$1") native=$(realpath "$2")
source=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
machine=$(LC_ALL=C readelf -h "$foreign" | sed -n 's/^ *Machine: *//p')
case $machine in
  AArch64) names=(qemu-aarch64-static qemu-aarch64) ;;
  *X86-64) names=(qemu-x86_64-static qemu-x86_64) ;;
  *) die "no emulator is known for '$machine'" ;;
esac
emulator=$(type -P "${names[@]}" | head -n 1 || true)
[[ -n $emulator ]] || die "no ${names[0]}: install qemu-user-static"
! LC_ALL=C readelf -l "$foreign" | grep -q INTERP || die "$foreign is not static"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/foreign" "$work/native"
# run SIDE ARGUMENT...: in the folder of the side, in an environment without anything.
run() {
  local side=$1 command=("$native")
  shift
  [[ $side == native ]] || command=("$emulator" "$foreign")
  (cd "$work/$side" && env -i TERM=dumb "${command[@]}" "$@")
}
# same ARGUMENT...: both sides print the same.
same() {
  local side
  for side in native foreign; do
    run "$side" "$@" >"$work/$side.out" 2>"$work/$side.err" || {
      cat "$work/$side.err" >&2
      die "$side: callisto $* failed"
    }
  done
  [[ -s $work/native.out ]] || die "callisto $*: no answer"
  diff "$work/native.out" "$work/foreign.out" >&2 || die "callisto $*: other answers under $machine"
}

run foreign --version | tee "$work/version"
grep -q 'without libraries' "$work/version" || die "--version names other features"
for side in native foreign; do cp "$source/examples/karate.txt" "$work/$side/"; done
# 1,024 vertices of which some have hundreds of neighbours: enough for every thread.
run native generate kronecker web.cg --scale 10 --quiet
cp "$work/native/web.cg" "$work/foreign/"
compared=0
for graph in karate.txt web.cg; do
  for command in pagerank components communities triangles betweenness eccentricity; do
    # On one thread the order is one, and sums of real numbers depend on it.
    same "$command" "$graph" --threads 1 --quiet
    compared=$((compared + 1))
  done
done
# Each reader, also those of libraries that are linked in.
(cd "$work/native" && tar cJf karate.tar.xz karate.txt)
for suffix in graphml txt.zst txt.gz; do run native convert karate.txt "karate.$suffix" --quiet; done
cp "$work"/native/karate.* "$work/foreign/"
for command in components eccentricity triangles; do
  same "$command" web.cg --threads 4 --quiet
  compared=$((compared + 1))
done
for graph in karate.graphml karate.tar.xz karate.txt.zst karate.txt.gz; do
  same components "$graph" --quiet
  compared=$((compared + 1))
done
# A page, all of it but the times that the steps took.
for side in native foreign; do
  run "$side" analyze karate.txt --quiet --threads 1 >"$work/$side.out" || die "$side: analyze"
  sed -E 's/[0-9.]+ (ns|us|ms|s)\b/TIME/g' "$work/$side/karate-analysis.html" >"$work/$side.page"
  [[ -s $work/$side.page ]] || die "$side: analyze wrote no page"
done
diff "$work/native.page" "$work/foreign.page" >&2 || die "callisto analyze: another page under $machine"
run foreign status >/dev/null || die "status"
echo "portable: under $(basename "$emulator"), $compared answers as those of the $(uname -m) command, and a page"
