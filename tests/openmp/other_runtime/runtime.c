// A small OpenMP runtime with names of libiomp5, and one that Callisto's library lacks: its own omp_* tell the numbers of a region's two threads.
#include <pthread.h>
#include <stdlib.h>

static __thread int number, level;

int omp_get_thread_num(void) { return number; }
int omp_get_num_threads(void) { return level > 0 ? 2 : 1; }
int omp_get_max_threads(void) { return 1234; }
int omp_get_level(void) { return level; }
int omp_get_level_(void) { return level; }

struct work {
  void (*body)(void*);
  void* data;
};
static void* member(void* a_work) {
  const struct work* const w = a_work;
  number = 1;
  level = 1;
  w->body(w->data);
  return 0;
}
// Never called: a program that needs no more than these is Callisto's.
void __kmpc_fork_call(void) { abort(); }
void __kmpc_push_num_threads(void) { abort(); }

void __kmpc_unserved_fork(void (*body)(void*), void* data) {
  struct work w = {body, data};
  pthread_t other;
  if (pthread_create(&other, 0, member, &w) != 0) return;
  const int outer = number;
  number = 0;
  ++level;
  body(data);
  --level;
  number = outer;
  pthread_join(other, 0);
}
