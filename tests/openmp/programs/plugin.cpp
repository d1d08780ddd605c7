// A shared library with regions, which loads.cpp opens and closes.
#include <omp.h>

static int kept;
#pragma omp threadprivate(kept)

extern "C" int sum_to(int last, int threads) {
  int sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
  {
    ++kept;
#pragma omp for schedule(dynamic)
    for (int i = 0; i <= last; ++i) sum += i;
#pragma omp single
    sum += omp_get_num_threads() == threads ? 0 : 1'000'000;
  }
  return sum;
}
