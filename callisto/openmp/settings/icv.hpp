// Internal control variables (OpenMP 5.1, section 2.4): those that each task has, and those of the process.
//
// A task's are copied when a task or an implicit task is made from another. The process's are read from the
// environment once, before main() (environment.cpp); a few are written later, by the routines that say so.
#pragma once

#include <callisto/openmp/settings/places.hpp>

#include <climits>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace callisto::openmp {

/// run-sched-var. The numbers are omp_sched_t's, which compiled code hands to loop starts as well.
enum class schedule_kind : unsigned { runtime = 0, fixed = 1, dynamic = 2, guided = 3, automatic = 4 };
inline constexpr unsigned monotonic_bit = 0x80000000U;

/// omp_proc_bind_t.
enum class proc_bind : unsigned char { none = 0, yes = 1, primary = 2, close = 3, spread = 4 };

/// Levels of parallelism that may be active: what omp_get_supported_active_levels() says.
inline constexpr unsigned supported_active_levels = UCHAR_MAX;

/// The data environment's variables: each task has a set of its own.
struct task_icvs {
  unsigned threads = 1;              ///< nthreads-var: of the next region, unless its directive says
  unsigned thread_limit = UINT_MAX;  ///< of the contention group; UINT_MAX: none
  schedule_kind schedule = schedule_kind::dynamic;
  bool monotonic = false;  ///< the schedule's modifier
  bool dynamic = false;    ///< dyn-var
  proc_bind bind = proc_bind::none;
  unsigned char max_active_levels = 1;
  int chunk = 1;  ///< of the schedule; 0: none (static only)
  int default_device = 0;
  std::uintptr_t allocator = 1;  ///< def-allocator-var: omp_allocator_handle_t; omp_default_mem_alloc
};

enum class target_offload : unsigned char { by_default, mandatory, disabled };
enum class wait_policy : signed char { unset = -1, passive = 0, active = 1 };

/// The process's.
struct process_icvs {
  task_icvs initial;                       ///< what every initial thread begins with
  std::vector<unsigned> threads_by_level;  ///< OMP_NUM_THREADS if it is a list, else empty
  std::vector<proc_bind> bind_by_level;    ///< OMP_PROC_BIND if it is a list, else empty
  place_list places;                       ///< OMP_PLACES or GOMP_CPU_AFFINITY, as far as they may be used; empty: none
  std::size_t stack_bytes = 0;             ///< of OpenMP threads; 0: as large as pthreads'
  wait_policy waiting = wait_policy::unset;
  std::uint64_t spin_count = 300'000;  ///< GOMP_SPINCOUNT, or what libgomp takes for the wait policy
  std::string allocator_text;          ///< OMP_ALLOCATOR, if it has traits
  bool cancellation = false;
  bool display_affinity = false;
  std::string affinity_format = "level %L thread %i affinity %A";
  target_offload offload = target_offload::by_default;
  int max_task_priority = 0;
  int teams = 0;                ///< OMP_NUM_TEAMS; 0: unset
  int teams_thread_limit = 0;   ///< 0: unset
  unsigned available_cpus = 1;  ///< that this process might run on when it began
};

/// Those of this process. The environment has been read when this returns, whoever calls it first.
inline process_icvs& icvs() noexcept;

/// omp_display_env: libgomp's text (libgomp_version.hpp), word for word, on standard error. `verbose` adds libgomp's
/// own variables.
void display_environment(const process_icvs& of, bool verbose);

/// Reads OMP_* and GOMP_* from this process's environment. What is not valid is reported on standard error by one line
/// for each variable, which then counts as not set, as in libgomp: an OpenMP program starts all the same.
process_icvs read_environment();

/// Null until the first call of read_icvs(), which the library makes when it is loaded.
extern constinit process_icvs* icvs_or_null;
process_icvs& read_icvs() noexcept;
inline process_icvs& icvs() noexcept {
  process_icvs* const ours = icvs_or_null;
  return ours != nullptr ? *ours : read_icvs();
}

}  // namespace callisto::openmp
