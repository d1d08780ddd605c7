#!/usr/bin/env bash
# openmp_memory.sh LIBRARY: resident memory in MB of a program without data, with the stock libgomp and with LIBRARY,
# before any region and after regions of 2, 16 and 1,000 threads. docs/results/openmp-start.md has the figures.
set -euo pipefail
[[ $# -eq 1 && -f $1 ]] || { echo "usage: openmp_memory.sh PREFIX/lib/callisto/libgomp.so.1" >&2; exit 2; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/idle.c" << 'TEXT'
#include <stdio.h>
#include <stdlib.h>
int main(int count, char** arguments) {
  int threads = atoi(arguments[1]), sum = 0;
  if (threads > 0) {
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    sum += count;
  }
  char line[200];
  for (FILE* status = fopen("/proc/self/status", "r"); fgets(line, sizeof line, status) != 0;)
    if (sscanf(line, "VmRSS: %d", &sum) == 1) printf("%.1f", sum / 1024.0);
}
TEXT
gcc -O1 -fopenmp -o "$folder/idle" "$folder/idle.c"
echo "threads libgomp callisto"
for threads in 0 2 16 1000; do
  echo "$threads $("$folder/idle" $threads) $(LD_PRELOAD=$(realpath "$1") "$folder/idle" $threads)"
done
