/* A library that needs OpenMP. */
#include <omp.h>

int threads_of_region(void) {
  int threads = 0;
#pragma omp parallel
#pragma omp single
  threads = omp_get_num_threads();
  return threads;
}

int chunk_of_schedule(void) {
  omp_sched_t kind;
  int chunk = 0;
  omp_get_schedule(&kind, &chunk);
  return chunk;
}
