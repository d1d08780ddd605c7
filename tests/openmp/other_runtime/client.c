// A library of that runtime, with references to omp_* that have no version, as MKL's. It needs a function that Callisto's
// library lacks, or with -DSERVED only functions that it has.
#ifdef SERVED
void __kmpc_fork_call(void* where, int arguments, void (*body)(int*, int*, void*), ...);
void __kmpc_push_num_threads(void* where, int number, int threads);
#else
void __kmpc_unserved_fork(void (*body)(void*), void* data);
#endif
int omp_get_thread_num(void);
int omp_get_num_threads(void);
int omp_get_max_threads(void);
int omp_get_level(void);
int omp_get_level_(void);
int helper_number(void);  // in a library that calls omp_get_thread_num() alone

#ifdef SERVED
#define IS_THEIRS 0
#else
#define IS_THEIRS 1
#endif

static void body(void* data) {
  int* const counts = data;
  const int number = omp_get_thread_num();
  if (number < 0 || number > 1 || omp_get_num_threads() != 2 || omp_get_level() != 1 || omp_get_level_() != 1) return;
  if (helper_number() != number) return;
  __atomic_fetch_add(&counts[number], 1, __ATOMIC_RELAXED);
}

#ifdef SERVED
static void body_of_two(int* first, int* number, void* data) {
  (void)first;
  if (*number == omp_get_thread_num()) body(data);
}
#endif

// Returns 1 if a region of two threads has the numbers 0 and 1, and all else is that runtime's.
int client_is_right(void) {
  int counts[2] = {0, 0};
  if ((omp_get_max_threads() == 1234) != IS_THEIRS || omp_get_level() != 0) return 0;
#ifdef SERVED
  __kmpc_push_num_threads(0, 0, 2);
  __kmpc_fork_call(0, 1, body_of_two, counts);
#else
  __kmpc_unserved_fork(body, counts);
#endif
  return counts[0] == 1 && counts[1] == 1;
}
