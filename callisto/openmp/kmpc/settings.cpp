// Settings and memory: kmp_*, kmpc_*, ompc_*, and the functions of the allocate clause. Fortran's forms of kmp_* take
// addresses.
#include <callisto/openmp/abi/omp.hpp>
#include <callisto/openmp/kmpc/kmpc.hpp>
#include <callisto/openmp/region/engine.hpp>
#include <callisto/openmp/region/tool.hpp>
#include <callisto/openmp/settings/icv.hpp>

#include <sched.h>

#include <cstdlib>
#include <limits>

using namespace callisto::openmp::kmpc;

extern "C" {
void* omp_alloc(std::size_t, std::uintptr_t);
void* omp_aligned_alloc(std::size_t, std::size_t, std::uintptr_t);
void* omp_calloc(std::size_t, std::size_t, std::uintptr_t);
void* omp_realloc(void*, std::size_t, std::uintptr_t, std::uintptr_t);
void omp_free(void*, std::uintptr_t);
i32 kmp_get_cancellation_status(i32);
}

namespace {

using callisto::openmp::icvs;
using callisto::openmp::kmp_library;

std::size_t stack_size = 0;

/// A serial library gives each region one thread.
void set_library(kmp_library to) {
  icvs().library = to;
  callisto::openmp::task_icvs& own = callisto::openmp::this_thread().icv();
  if (to == kmp_library::serial) {
    own.threads = 1;
  } else {
    own.threads = callisto::openmp::initial_icvs(icvs()).threads;
  }
}

std::size_t stack_bytes() { return stack_size != 0 ? stack_size : callisto::openmp::stack_bytes(); }
int narrow(std::size_t n) {
  constexpr auto most = std::size_t{std::numeric_limits<int>::max()};
  return static_cast<int>(n < most ? n : most);
}

}  // namespace

// Memory. The allocate clause's functions get the caller's number.
CALLISTO_OPENMP_ABI void* __kmpc_alloc(i32, std::size_t bytes, std::uintptr_t from) { return omp_alloc(bytes, from); }
CALLISTO_OPENMP_ABI void* __kmpc_aligned_alloc(i32, std::size_t alignment, std::size_t bytes, std::uintptr_t from) {
  return omp_aligned_alloc(alignment, bytes, from);
}
CALLISTO_OPENMP_ABI void* __kmpc_calloc(i32, std::size_t count, std::size_t bytes, std::uintptr_t from) {
  return omp_calloc(count, bytes, from);
}
CALLISTO_OPENMP_ABI void* __kmpc_realloc(i32, void* piece, std::size_t bytes, std::uintptr_t from,
                                         std::uintptr_t piece_from) {
  return omp_realloc(piece, bytes, from, piece_from);
}
CALLISTO_OPENMP_ABI void __kmpc_free(i32, void* piece, std::uintptr_t from) { omp_free(piece, from); }
CALLISTO_OPENMP_ABI std::uintptr_t __kmpc_init_allocator(i32, std::uintptr_t space, i32 traits,
                                                         const omp_alloctrait* which) {
  return omp_init_allocator(space, traits, which);
}
CALLISTO_OPENMP_ABI void __kmpc_destroy_allocator(i32, std::uintptr_t of) { omp_destroy_allocator(of); }
CALLISTO_OPENMP_ABI void __kmpc_set_default_allocator(i32, std::uintptr_t of) { omp_set_default_allocator(of); }
CALLISTO_OPENMP_ABI std::uintptr_t __kmpc_get_default_allocator(i32) { return omp_get_default_allocator(); }

CALLISTO_OPENMP_ABI void* kmp_malloc(std::size_t bytes) { return std::malloc(bytes); }
CALLISTO_OPENMP_ABI void* kmp_aligned_malloc(std::size_t bytes, std::size_t alignment) {
  void* piece = nullptr;
  return posix_memalign(&piece, alignment < sizeof(void*) ? sizeof(void*) : alignment, bytes) == 0 ? piece : nullptr;
}
CALLISTO_OPENMP_ABI void* kmp_calloc(std::size_t count, std::size_t bytes) { return std::calloc(count, bytes); }
CALLISTO_OPENMP_ABI void* kmp_realloc(void* piece, std::size_t bytes) { return std::realloc(piece, bytes); }
CALLISTO_OPENMP_ABI void kmp_free(void* piece) { std::free(piece); }
CALLISTO_OPENMP_ABI void* kmp_malloc_(const std::size_t* bytes) { return kmp_malloc(*bytes); }
CALLISTO_OPENMP_ABI void* kmp_aligned_malloc_(const std::size_t* bytes, const std::size_t* alignment) {
  return kmp_aligned_malloc(*bytes, *alignment);
}
CALLISTO_OPENMP_ABI void* kmp_calloc_(const std::size_t* count, const std::size_t* bytes) {
  return kmp_calloc(*count, *bytes);
}
CALLISTO_OPENMP_ABI void* kmp_realloc_(void* const* piece, const std::size_t* bytes) {
  return kmp_realloc(*piece, *bytes);
}
CALLISTO_OPENMP_ABI void kmp_free_(void* const* piece) { kmp_free(*piece); }

// Settings.
#define CALLISTO_SET(name, T) \
  CALLISTO_OPENMP_ABI void name##_(const T* n) { name(*n); }
#define CALLISTO_GET(T, name) \
  CALLISTO_OPENMP_ABI T name##_() { return name(); }
/// How long waiting threads spin, in ms. Programs read what they set; threads spin as the environment says.
CALLISTO_OPENMP_ABI void kmp_set_blocktime(int ms) { icvs().blocktime = ms < 0 ? 0 : ms; }
CALLISTO_OPENMP_ABI int kmp_get_blocktime() { return icvs().blocktime; }
CALLISTO_OPENMP_ABI void kmp_set_stacksize_s(std::size_t bytes) { stack_size = bytes; }
CALLISTO_OPENMP_ABI std::size_t kmp_get_stacksize_s() { return stack_bytes(); }
CALLISTO_OPENMP_ABI void kmp_set_stacksize(int bytes) { kmp_set_stacksize_s(bytes > 0 ? std::size_t(bytes) : 0); }
CALLISTO_OPENMP_ABI int kmp_get_stacksize() { return narrow(stack_bytes()); }
CALLISTO_OPENMP_ABI void kmp_set_library(int mode) {
  if (mode >= 1 && mode <= 3) set_library(static_cast<kmp_library>(mode));
}
CALLISTO_OPENMP_ABI int kmp_get_library() { return static_cast<int>(icvs().library); }
CALLISTO_OPENMP_ABI void kmp_set_library_serial() { set_library(kmp_library::serial); }
CALLISTO_OPENMP_ABI void kmp_set_library_turnaround() { set_library(kmp_library::turnaround); }
CALLISTO_OPENMP_ABI void kmp_set_library_throughput() { set_library(kmp_library::throughput); }
CALLISTO_OPENMP_ABI void kmp_set_disp_num_buffers(int /*count*/) {}
CALLISTO_OPENMP_ABI void kmp_set_defaults(const char* /*text*/) {}
CALLISTO_OPENMP_ABI void kmp_set_warnings_on() {}
CALLISTO_OPENMP_ABI void kmp_set_warnings_off() {}
CALLISTO_OPENMP_ABI int kmp_get_num_known_threads() { return static_cast<int>(callisto::openmp::threads_in_process()); }
CALLISTO_SET(kmp_set_blocktime, int)
CALLISTO_SET(kmp_set_stacksize, int)
CALLISTO_SET(kmp_set_stacksize_s, std::size_t)
CALLISTO_SET(kmp_set_library, int)
CALLISTO_SET(kmp_set_disp_num_buffers, int)
CALLISTO_GET(int, kmp_get_blocktime)
CALLISTO_GET(int, kmp_get_stacksize)
CALLISTO_GET(std::size_t, kmp_get_stacksize_s)
CALLISTO_GET(int, kmp_get_library)
CALLISTO_GET(int, kmp_get_num_known_threads)
CALLISTO_GET(void, kmp_set_library_serial)
CALLISTO_GET(void, kmp_set_library_turnaround)
CALLISTO_GET(void, kmp_set_library_throughput)
CALLISTO_GET(void, kmp_set_warnings_on)
CALLISTO_GET(void, kmp_set_warnings_off)
CALLISTO_OPENMP_ABI void kmp_set_defaults_(const char* text, int /*length*/) { kmp_set_defaults(text); }
CALLISTO_OPENMP_ABI int kmp_get_cancellation_status_(const int* kind) { return kmp_get_cancellation_status(*kind); }

// Affinity masks: a handle is a cpu_set_t of this library. Threads are not bound; a mask that a program sets is that of
// the calling thread, as by sched_setaffinity().
CALLISTO_OPENMP_ABI int kmp_get_affinity_max_proc() { return CPU_SETSIZE; }
CALLISTO_OPENMP_ABI void kmp_create_affinity_mask(void** mask) { *mask = std::calloc(1, sizeof(cpu_set_t)); }
CALLISTO_OPENMP_ABI void kmp_destroy_affinity_mask(void** mask) {
  std::free(*mask);
  *mask = nullptr;
}
namespace {
bool is_in_range(int processor) { return processor >= 0 && processor < CPU_SETSIZE; }
cpu_set_t* set_in(void** mask) { return static_cast<cpu_set_t*>(*mask); }
}  // namespace
CALLISTO_OPENMP_ABI int kmp_set_affinity_mask_proc(int processor, void** mask) {
  if (!is_in_range(processor)) return -1;
  CPU_SET(static_cast<std::size_t>(processor), set_in(mask));
  return 0;
}
CALLISTO_OPENMP_ABI int kmp_unset_affinity_mask_proc(int processor, void** mask) {
  if (!is_in_range(processor)) return -1;
  CPU_CLR(static_cast<std::size_t>(processor), set_in(mask));
  return 0;
}
CALLISTO_OPENMP_ABI int kmp_get_affinity_mask_proc(int processor, void** mask) {
  if (!is_in_range(processor)) return -1;
  return CPU_ISSET(static_cast<std::size_t>(processor), set_in(mask)) ? 1 : 0;
}
CALLISTO_OPENMP_ABI int kmp_set_affinity(void** mask) { return sched_setaffinity(0, sizeof(cpu_set_t), set_in(mask)); }
CALLISTO_OPENMP_ABI int kmp_get_affinity(void** mask) { return sched_getaffinity(0, sizeof(cpu_set_t), set_in(mask)); }
CALLISTO_OPENMP_ABI int kmp_get_affinity_max_proc_() { return kmp_get_affinity_max_proc(); }
CALLISTO_OPENMP_ABI void kmp_create_affinity_mask_(void** mask) { kmp_create_affinity_mask(mask); }
CALLISTO_OPENMP_ABI void kmp_destroy_affinity_mask_(void** mask) { kmp_destroy_affinity_mask(mask); }
CALLISTO_OPENMP_ABI int kmp_set_affinity_mask_proc_(const int* processor, void** mask) {
  return kmp_set_affinity_mask_proc(*processor, mask);
}
CALLISTO_OPENMP_ABI int kmp_unset_affinity_mask_proc_(const int* processor, void** mask) {
  return kmp_unset_affinity_mask_proc(*processor, mask);
}
CALLISTO_OPENMP_ABI int kmp_get_affinity_mask_proc_(const int* processor, void** mask) {
  return kmp_get_affinity_mask_proc(*processor, mask);
}
CALLISTO_OPENMP_ABI int kmp_set_affinity_(void** mask) { return kmp_set_affinity(mask); }
CALLISTO_OPENMP_ABI int kmp_get_affinity_(void** mask) { return kmp_get_affinity(mask); }

CALLISTO_OPENMP_ABI int __kmpc_pause_resource(int kind) { return omp_pause_resource_all(kind); }
CALLISTO_OPENMP_ABI int omp_control_tool(int command, int modifier, void* argument) {
  CALLISTO_ENTERED(callisto::openmp::this_thread());  // which starts the tool
  return callisto::openmp::tool::control(static_cast<u64>(command), static_cast<u64>(modifier), argument,
                                         __builtin_return_address(0));
}
CALLISTO_OPENMP_ABI int omp_control_tool_(const int* command, const int* modifier, void* argument) {
  return omp_control_tool(*command, *modifier, argument);
}
