#!/usr/bin/env bash
# beside_preloads.sh WHAT LIBGOMP PROGRAM COMPILER: PROGRAM, an OpenMP program that prints "good", with LIBGOMP preloaded
# beside another library or below another program that people combine it with, in either order. Exit status 77: that one
# is not installed, or does not work here without LIBGOMP.
set -euo pipefail
what=$1 library=$2 program=$3 compiler=${4:-}
unset LD_PRELOAD
export OMP_CANCELLATION=true

missing() { echo "$1"; exit 77; }
# expect LABEL COMMAND...: it must print "good", and run on LIBGOMP.
expect() {
  local label=$1 said
  shift
  said=$(timeout 240 "$@" 2>&1) || { echo "wrong: $label ended with $?: $said"; exit 1; }
  # A profiler has its own last words.
  [[ ${said##*$'\n'} == good ]] || { echo "wrong: $label printed '$said'"; exit 1; }
}
# find_library NAME...: the first of these files in the loader's folders.
find_library() {
  local name folder
  for name in "$@"; do
    for folder in /usr/lib/*-linux-gnu /usr/lib64 /usr/lib; do
      [[ -e $folder/$name ]] && { echo "$folder/$name"; return; }
    done
  done
  return 1
}
both_orders() {
  LD_PRELOAD=$1 "$program" 4 none > /dev/null 2>&1 || missing "$what does not work here by itself"
  expect "before $1" env LD_PRELOAD="$library:$1" "$program" 4 none
  expect "behind $1" env LD_PRELOAD="$1:$library" "$program" 4 none
}

case $what in
  libfaketime)
    export FAKETIME=+2d
    both_orders "$(find_library faketime/libfaketimeMT.so.1)" || missing "no libfaketime"
    ;;
  jemalloc) both_orders "$(find_library libjemalloc.so.2)" || missing "no libjemalloc2" ;;
  tcmalloc) both_orders "$(find_library libtcmalloc_minimal.so.4)" || missing "no libtcmalloc-minimal4" ;;
  gperftools)
    CPUPROFILE=$(mktemp)
    export CPUPROFILE
    trap 'rm -f "$CPUPROFILE" "${CPUPROFILE}_"*' EXIT
    both_orders "$(find_library libprofiler.so.0)" || missing "no libgoogle-perftools4"
    ;;
  libeatmydata) both_orders "$(find_library libeatmydata.so)" || missing "no libeatmydata1" ;;
  asan)
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    runtime=$("$compiler" -print-file-name=libasan.so)
    [[ -e $runtime ]] || missing "no libasan"
    cat > "$work/p.cpp" <<'P'
#include <cstdio>
#include <vector>
int main() {
  long sum = 0;
  for (int region = 0; region < 20; ++region) {
#pragma omp parallel num_threads(4) reduction(+ : sum)
    {
      std::vector<int> own(100, 1);
      try {
        if (region % 3 == 0) throw 1;
      } catch (int) { sum += 1; }
#pragma omp for
      for (int i = 0; i < 100; ++i) sum += own[i];
#pragma omp task firstprivate(own) shared(sum)
#pragma omp atomic
      sum += own[5] - 1;
    }
  }
  std::puts(sum == 20 * 100 + 7 * 4 ? "good" : "wrong sum");
}
P
    "$compiler" -O1 -g -fopenmp -fsanitize=address "$work/p.cpp" -o "$work/p" 2> /dev/null || missing "no -fsanitize=address"
    export ASAN_OPTIONS=detect_leaks=0
    program=$work/p
    "$program" > /dev/null 2>&1 || missing "AddressSanitizer does not work here"
    expect "behind ASan" env LD_PRELOAD="$runtime:$library" "$program"
    expect "before ASan" env ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0 LD_PRELOAD="$library" "$program"
    ;;
  fakeroot)
    fakeroot true > /dev/null 2>&1 || missing "no fakeroot that works here"
    expect "fakeroot, then the library" fakeroot env "$BASH" -c "LD_PRELOAD=\"\$LD_PRELOAD:$library\" exec $program 4 none"
    expect "the library, then fakeroot" fakeroot env "$BASH" -c "LD_PRELOAD=\"$library:\$LD_PRELOAD\" exec $program 4 none"
    expect "the library around fakeroot" env LD_PRELOAD="$library" fakeroot "$program" 4 none
    ;;
  proot)
    proot -r / true > /dev/null 2>&1 || missing "no proot that works here"
    proot -r / "$program" 4 none > /dev/null 2>&1 || missing "proot does not run the program here by itself"
    expect "the library in proot" proot -r / env LD_PRELOAD="$library" "$program" 4 none
    expect "the library around proot" env LD_PRELOAD="$library" proot -r / "$program" 4 none
    ;;
  bubblewrap)
    inside=(bwrap --bind / / --dev /dev --proc /proc)
    "${inside[@]}" true > /dev/null 2>&1 || missing "no bwrap that works here"
    expect "the library in bwrap" "${inside[@]}" env LD_PRELOAD="$library" "$program" 4 none
    expect "the library around bwrap" env LD_PRELOAD="$library" "${inside[@]}" "$program" 4 none
    ;;
  *) echo "unknown: $what"; exit 2 ;;
esac
