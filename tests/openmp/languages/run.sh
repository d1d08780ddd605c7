#!/usr/bin/env bash
# run.sh go|java|collector|import LIBGOMP GCC: builds one program of this folder and runs it on the library.
set -euo pipefail
cd "$(dirname "$0")"
what=$1 library=$2 gcc=$3
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT

# skip PACKAGE: ends the test, which ctest counts as skipped.
skip() {
  echo "skipped: needs Debian's $1"
  exit 77
}
on_callisto() { LD_PRELOAD=$library timeout 100 "$@"; }
# good TEXT COMMAND...: what the command prints on the library must be the text.
good() {
  local wanted=$1 got
  shift
  got=$(on_callisto "$@" 2>&1) || { echo "wrong: $* ended with $?: $got"; exit 1; }
  [[ $got == "$wanted" ]] || { echo "wrong: $* printed '$got' instead of '$wanted'"; exit 1; }
}

case $what in
  go)
    PATH=$PATH:/usr/local/go/bin
    command -v go > "$made/which" || skip golang-go
    export GOCACHE=$made/cache GOFLAGS=-mod=mod GOTOOLCHAIN=local CC=$gcc
    cp main.go "$made"
    cd "$made"
    go mod init members 2> "$made/log" && go build -o go . 2>> "$made/log" || { cat "$made/log"; exit 1; }
    for threads in 2 4; do good "good" ./go $threads; done
    ;;
  java)
    command -v javac > "$made/which" || skip default-jdk-headless
    home=$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")
    [[ -f $home/include/jni.h ]] || skip default-jdk-headless
    "$gcc" -O2 -fopenmp -shared -fPIC -I"$home/include" -I"$home/include/linux" members.c -o "$made/libmembers.so"
    javac -d "$made" Members.java
    for threads in 2 4; do good "good" java -Xmx64m -cp "$made" Members "$made/libmembers.so" $threads; done
    ;;
  collector)
    "$gcc" -O2 -fopenmp collector.c -o "$made/collector" -lgc 2> "$made/log" || skip libgc-dev
    for threads in 2 4; do good "good" "$made/collector" $threads; done
    ;;
  import)
    command -v python3 > "$made/which" || skip python3
    "$gcc" -O1 -fopenmp -shared -fPIC threads_of_region.c -o "$made/libthreads.so"
    good "good" python3 import.py "$made/libthreads.so"
    ;;
  *) echo "run.sh: '$what' instead of go, java, collector or import"; exit 2 ;;
esac
