// A library that says nothing of its runtime: it belongs to that of the region that it is called in.
int omp_get_thread_num(void);
int helper_number(void) { return omp_get_thread_num(); }
