#!/usr/bin/env bash
# openmp_constructs.sh LIBRARY [THREADS [ROUNDS]]: what each construct costs, in microseconds, by GCC on the stock
# libgomp and on LIBRARY, and by clang on its libomp and on LIBRARY: medians of the best of ROUNDS processes each, in turns. With
# THREADS=instructions, the instructions of one thread by callgrind instead, which no load disturbs.
# docs/results/openmp-llvm.md has figures.
set -euo pipefail
[[ $# -ge 1 && -f $1 ]] || { echo "usage: openmp_constructs.sh PREFIX/lib/callisto/libgomp.so.1 [THREADS [ROUNDS]]" >&2; exit 2; }
library=$(realpath "$1") threads=${2:-2} rounds=${3:-5}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/constructs.c" << 'TEXT'
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int threads, repeats;
static volatile int sink;
static omp_lock_t lock;
static void work(void) { for (int i = 0; i < 20; ++i) sink = i; }
#define IN_REGION(construct) _Pragma("omp parallel num_threads(threads)") { for (int r = 0; r < repeats; ++r) { construct } }
static void of_nothing(void) { for (int r = 0; r < repeats; ++r) work(); }
static void of_parallel(void) { for (int r = 0; r < repeats; ++r) { _Pragma("omp parallel num_threads(threads)") work(); } }
static void of_parallel_for(void) { for (int r = 0; r < repeats; ++r) { _Pragma("omp parallel for num_threads(threads)") for (int i = 0; i < threads; ++i) work(); } }
static void of_reduction(void) { long sum = 0; for (int r = 0; r < repeats; ++r) { _Pragma("omp parallel num_threads(threads) reduction(+ : sum)") { work(); sum += 1; } } sink = sum; }
static void of_for(void) { IN_REGION(_Pragma("omp for") for (int i = 0; i < threads; ++i) work();) }
static void of_barrier(void) { IN_REGION(work(); _Pragma("omp barrier")) }
static void of_single(void) { IN_REGION(_Pragma("omp single") work();) }
static void of_critical(void) { IN_REGION(_Pragma("omp critical") work();) }
static void of_lock(void) { IN_REGION(omp_set_lock(&lock); work(); omp_unset_lock(&lock);) }
static void of_atomic(void) { long sum = 0; IN_REGION(_Pragma("omp atomic") sum += 1; work();) sink = sum; }
static void of_ordered(void) { _Pragma("omp parallel for ordered schedule(static, 1) num_threads(threads)") for (int i = 0; i < repeats * threads; ++i) { _Pragma("omp ordered") work(); } }
static void of_dynamic(void) { _Pragma("omp parallel for schedule(dynamic, 1) num_threads(threads)") for (int i = 0; i < repeats * threads; ++i) work(); }
static void of_guided(void) { _Pragma("omp parallel for schedule(guided, 1) num_threads(threads)") for (int i = 0; i < repeats * threads; ++i) work(); }
static void of_static_1(void) { _Pragma("omp parallel for schedule(static, 1) num_threads(threads)") for (int i = 0; i < repeats * threads; ++i) work(); }
static void of_sections(void) { IN_REGION(_Pragma("omp sections") { _Pragma("omp section") work(); _Pragma("omp section") work(); }) }
static void of_task(void) { IN_REGION(_Pragma("omp task") work();) }
static void of_taskwait(void) { IN_REGION(_Pragma("omp task") work(); _Pragma("omp taskwait")) }
static void of_depend(void) {
  static int word;
  _Pragma("omp parallel num_threads(threads)") _Pragma("omp single")
  for (int r = 0; r < repeats; ++r) { _Pragma("omp task depend(inout : word)") work(); }
}
static void of_depend_8(void) {
  static int words[8];
  _Pragma("omp parallel num_threads(threads)") _Pragma("omp single")
  for (int r = 0; r < repeats; ++r) { _Pragma("omp task depend(inout : words[r % 8])") work(); }
}
static void of_taskloop(void) {
  _Pragma("omp parallel num_threads(threads)") _Pragma("omp single") _Pragma("omp taskloop grainsize(1)")
  for (int r = 0; r < repeats; ++r) work();
}
static void of_taskgroup(void) { IN_REGION(_Pragma("omp taskgroup") { _Pragma("omp task") work(); }) }
static const struct { const char* name; void (*run)(void); int less, parts; } all[] = {
  {"parallel", of_parallel, 20, 0}, {"parallel for", of_parallel_for, 20, 0}, {"reduction", of_reduction, 20, 0},
  {"for", of_for, 10, 0}, {"barrier", of_barrier, 10, 0}, {"single", of_single, 10, 0}, {"sections", of_sections, 10, 0},
  {"critical", of_critical, 1, 1}, {"lock", of_lock, 1, 1}, {"atomic", of_atomic, 1, 0}, {"ordered", of_ordered, 2, 1},
  {"static, 1", of_static_1, 1, 0}, {"dynamic, 1", of_dynamic, 1, 0}, {"guided, 1", of_guided, 1, 0},
  {"task", of_task, 2, 0}, {"task, taskwait", of_taskwait, 2, 0}, {"taskgroup", of_taskgroup, 2, 0},
  {"depend(inout)", of_depend, 4, 2}, {"depend, 8 words", of_depend_8, 4, 2}, {"taskloop", of_taskloop, 2, 2},
};
int main(int count, char** arguments) {
  threads = atoi(arguments[1]);
  const int most = atoi(arguments[2]);
  omp_init_lock(&lock);
  _Pragma("omp parallel num_threads(threads)") work();
  for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
    if (count > 3 && strcmp(arguments[3], all[n].name) != 0) continue;
    repeats = count > 3 ? most : most / all[n].less;
    double best = 1e9;
    for (int round = 0; round < (count > 3 ? 1 : 20); ++round) {
      const double begin = omp_get_wtime();
      all[n].run();
      const double seconds = omp_get_wtime() - begin;
      if (seconds < best) best = seconds;
    }
    printf("%s;%.4f\n", all[n].name, best * 1e6 / repeats);
  }
  if (count > 3 && strcmp(arguments[3], "list") == 0)
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) puts(all[n].name);
}
TEXT
gcc -O2 -fopenmp -o "$folder/gcc" "$folder/constructs.c"
compilers=(gcc)
if command -v clang-19 > "$folder/which"; then
  clang-19 -O2 -fopenmp -Wno-source-uses-openmp -o "$folder/clang" "$folder/constructs.c"
  compilers+=(clang)
fi
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-active}
if [[ $threads == instructions ]]; then
  counted() {  # NAME REPEATS COMPILER LIBRARY
    LD_PRELOAD=$4 valgrind --tool=callgrind --callgrind-out-file=/dev/null "$folder/$3" 1 "$2" "$1" 2>&1 |
      sed -n 's/.*Collected : //p'
  }
  echo "construct;$(printf '%s stock;%s callisto;' gcc gcc clang clang)"
  "$folder/gcc" 1 0 list | grep -v '[;]' | while read -r name; do
    line="$name"
    for compiler in "${compilers[@]}"; do
      for with in "" "$library"; do
        few=$(counted "$name" 200 "$compiler" "$with") many=$(counted "$name" 2200 "$compiler" "$with")
        line+=";$(((many - few) / 2000))"
      done
    done
    echo "$line"
  done
  exit
fi
for ((round = 0; round < rounds; ++round)); do
  for compiler in "${compilers[@]}"; do
    "$folder/$compiler" "$threads" 4000 | sed "s/^/$compiler stock;/" >> "$folder/figures"
    LD_PRELOAD=$library "$folder/$compiler" "$threads" 4000 | sed "s/^/$compiler callisto;/" >> "$folder/figures"
  done
done
awk -F';' -v OFS=';' '
  { key = $1 ";" $2; of[key] = of[key] " " $3; if (!($2 in seen)) { seen[$2] = 1; order[++names] = $2 } }
  function median(text,   n, i, j, v, t) {
    n = split(text, v, " ");
    for (i = 2; i <= n; ++i) for (j = i; j > 1 && v[j] + 0 < v[j - 1] + 0; --j) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
    return n == 0 ? "-" : v[int((n + 1) / 2)]
  }
  END {
    print "construct", "libgomp", "callisto", "ratio", "libomp", "callisto", "ratio"
    for (i = 1; i <= names; ++i) {
      line = order[i]
      for (c = 1; c <= 2; ++c) {
        stock = median(of[(c == 1 ? "gcc" : "clang") " stock;" order[i]])
        ours = median(of[(c == 1 ? "gcc" : "clang") " callisto;" order[i]])
        if (stock == "-") continue
        line = line OFS stock OFS ours OFS sprintf("%.2f", ours / stock)
        product[c] += log(ours / stock); counted[c]++
      }
      print line
    }
    line = "geometric mean"
    for (c = 1; c <= 2; ++c) if (counted[c]) line = line ";;;" sprintf("%.2f", exp(product[c] / counted[c]))
    print line
  }' "$folder/figures"
