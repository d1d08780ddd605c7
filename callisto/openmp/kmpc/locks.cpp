// Locks with a source location: the functions of omp_*_lock and omp_*_nest_lock (openmp/locks/). A lock lies in the
// first word of clang's pointer, a nestable one behind it.
#include <callisto/openmp/kmpc/kmpc.hpp>

using namespace callisto::openmp::kmpc;

extern "C" {
void callisto_init_lock(void**);
void callisto_destroy_lock(void**);
void callisto_set_lock(void**);
void callisto_unset_lock(void**);
i32 callisto_test_lock(void**);
void callisto_init_nest_lock_f(void**);
void callisto_destroy_nest_lock_f(void**);
void callisto_set_nest_lock_f(void**);
void callisto_unset_nest_lock_f(void**);
i32 callisto_test_nest_lock_f(void**);
}

#define CALLISTO_LOCK(type, kind, function) \
  CALLISTO_OPENMP_ABI type __kmpc_##kind(compiled_at, i32, void** lock) { return callisto_##function(lock); }
CALLISTO_LOCK(void, init_lock, init_lock)
CALLISTO_LOCK(void, destroy_lock, destroy_lock)
CALLISTO_LOCK(void, set_lock, set_lock)
CALLISTO_LOCK(void, unset_lock, unset_lock)
CALLISTO_LOCK(i32, test_lock, test_lock)
CALLISTO_LOCK(void, init_nest_lock, init_nest_lock_f)
CALLISTO_LOCK(void, destroy_nest_lock, destroy_nest_lock_f)
CALLISTO_LOCK(void, set_nest_lock, set_nest_lock_f)
CALLISTO_LOCK(void, unset_nest_lock, unset_nest_lock_f)
CALLISTO_LOCK(i32, test_nest_lock, test_nest_lock_f)

CALLISTO_OPENMP_ABI void __kmpc_init_lock_with_hint(compiled_at, i32, void** lock, std::uintptr_t /*hint*/) {
  callisto_init_lock(lock);
}
CALLISTO_OPENMP_ABI void __kmpc_init_nest_lock_with_hint(compiled_at, i32, void** lock, std::uintptr_t /*hint*/) {
  callisto_init_nest_lock_f(lock);
}
// The routines of OpenMP 4.5 that libgomp lacks. For C the hint is a value, for Fortran an address.
CALLISTO_OPENMP_ABI void omp_init_lock_with_hint(void** lock, std::uintptr_t /*hint*/) { callisto_init_lock(lock); }
CALLISTO_OPENMP_ABI void omp_init_nest_lock_with_hint(void** lock, std::uintptr_t /*hint*/) {
  callisto_init_nest_lock_f(lock);
}
CALLISTO_OPENMP_ABI void omp_init_lock_with_hint_(void** lock, void* /*hint*/) { callisto_init_lock(lock); }
CALLISTO_OPENMP_ABI void omp_init_nest_lock_with_hint_(void** lock, void* /*hint*/) { callisto_init_nest_lock_f(lock); }
