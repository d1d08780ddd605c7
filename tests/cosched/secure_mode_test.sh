#!/usr/bin/env bash
# Programs with the setuid bit ignore the files and folders that the environment names: a program of loops, and one of
# OpenMP on Callisto's libgomp.so.1. The same programs without the bit heed them, or the test would show nothing.
# Usage: secure_mode_test.sh LOOP_PROGRAM LIBGOMP CXX SOURCE; SOURCE prints on which OpenMP library it runs.
set -euo pipefail
loops=$1 libgomp=$(readlink -f "$2") cxx=$3 source=$4
# shellcheck source=tests/cosched/outcomes.sh
source "$(dirname "$(readlink -f "$0")")/outcomes.sh"
[[ $(id -u) == 0 ]] || skip "only root makes a program that others run as root"
command -v setpriv > /dev/null || skip "no setpriv (util-linux)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir "$work/plain" "$work/setuid" "$work/lib"
# The caller's folder.
own=$work/own
install -d -o 64300 -g 64300 "$own"
cp "$loops" "$work/plain/loops"
cp "$(command -v id)" "$work/plain/id"
# An exact folder of the program's own: the loader takes no other in secure mode.
mkdir "$work/lib/callisto"
cp "$libgomp" "$work/lib/callisto/libgomp.so.1"
"$cxx" -O1 -fopenmp "$source" -Wl,-rpath,"$work/lib/callisto" -o "$work/plain/openmp"
cp "$work/plain/"* "$work/setuid"
chmod u+s "$work/setuid/"*

# as_other PROGRAM...: runs it as another user with that user's files and folders in the environment.
as_other() {
  setpriv --reuid=64300 --regid=64300 --clear-groups env -i PATH="$PATH" CALLISTO_COSCHED=on CALLISTO_THREADS=2 \
    CALLISTO_STATS="$own/statistics" CALLISTO_TRACE="$own/trace" CALLISTO_COSCHED_DIR="$own" XDG_RUNTIME_DIR="$own" \
    CALLISTO_OPENMP_EXCLUDE_FILE="$own/list" TMPDIR="$own" "$@"
}
[[ $(as_other "$work/setuid/id" -u 2> /dev/null) == 0 ]] || skip "the setuid bit has no effect in $work"

as_other "$work/plain/loops" return > /dev/null || fail "the program of loops"
for file in statistics trace; do [[ -e $own/$file ]] || fail "the plain program of loops has not written $file"; done
compgen -G "$own/callisto-*" > /dev/null || fail "the plain program of loops has no table in its folder"
rm -f "$own"/*
as_other "$work/setuid/loops" return > /dev/null || fail "the setuid program of loops"
[[ -z $(ls -A "$own") ]] || fail "the setuid program of loops has made $(ls -A "$own")"

[[ $(as_other "$work/plain/openmp") == callisto ]] || fail "the OpenMP program does not run on Callisto's library"
compgen -G "$own/callisto-*" > /dev/null || fail "the plain OpenMP program has no table in its folder"
rm -f "$own"/*
[[ $(as_other "$work/setuid/openmp") == callisto ]] || fail "the setuid OpenMP program does not run on Callisto's library"
[[ -z $(ls -A "$own") ]] || fail "the setuid OpenMP program has made $(ls -A "$own")"
# A program that is to be left alone, but finds the library by its own path, says so.
echo openmp > "$own/list"
[[ $(as_other "$work/plain/openmp" 2>&1) == *"is to be left alone"* ]] || fail "the list does not name the plain program"
[[ $(as_other "$work/setuid/openmp" 2>&1) == callisto ]] || fail "the setuid program has read the caller's list"
