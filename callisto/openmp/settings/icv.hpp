// Internal control variables (OpenMP 5.1, section 2.4): a set for each task, and a set for the process.
//
// A new task or implicit task copies its set from the task that creates it. The process's set is read from the
// environment once, by environment.cpp. A few routines change members of it later; routines.cpp has them.
#pragma once

#include <callisto/openmp/settings/places.hpp>

#include <atomic>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace callisto::openmp {

/// run-sched-var. Has omp_sched_t's numbers, which compiled code also passes to loop starts.
enum class schedule_kind : unsigned { runtime = 0, fixed = 1, dynamic = 2, guided = 3, automatic = 4 };
inline constexpr unsigned monotonic_bit = 0x80000000U;

/// omp_proc_bind_t, with its numbers.
enum class proc_bind : unsigned char { none = 0, yes = 1, primary = 2, close = 3, spread = 4 };

/// The most levels of parallelism that can be active: the result of omp_get_supported_active_levels().
inline constexpr unsigned supported_active_levels = UCHAR_MAX;

/// Variables of a data environment: each task has its own.
struct task_icvs {
  unsigned threads = 1;              ///< nthreads-var: size of the next region without a num_threads clause; 0: unset
  unsigned thread_limit = UINT_MAX;  ///< most threads of the contention group; UINT_MAX: unlimited
  schedule_kind schedule = schedule_kind::dynamic;
  bool monotonic : 1 = false;          ///< the schedule has the monotonic modifier
  bool schedule_unset : 1 = true;      ///< libomp has another default than libgomp
  bool implies_monotonic : 1 = false;  ///< the modifier is libgomp's, not the user's
  bool dynamic = false;                ///< dyn-var
  proc_bind bind = proc_bind::none;
  unsigned char max_active_levels = 1;
  int chunk = 1;  ///< chunk size of the schedule; 0: none (static only)
  int default_device = 0;
  std::uintptr_t allocator = 1;  ///< def-allocator-var, an omp_allocator_handle_t; 1: omp_default_mem_alloc
};

enum class target_offload : unsigned char { by_default, mandatory, disabled };
enum class wait_policy : signed char { unset = -1, passive = 0, active = 1 };

/// How threads wait, as programs of libomp set and read it.
enum class kmp_library : unsigned char { serial = 1, turnaround = 2, throughput = 3 };

/// Variables of the process.
struct process_icvs {
  task_icvs initial;                       ///< the first values of each initial thread
  std::vector<unsigned> threads_by_level;  ///< OMP_NUM_THREADS if it is a list, else empty
  std::vector<proc_bind> bind_by_level;    ///< OMP_PROC_BIND if it is a list, else empty
  place_list places;                       ///< OMP_PLACES or GOMP_CPU_AFFINITY, restricted to usable CPUs; empty: none
  std::size_t stack_bytes = 0;             ///< stack size of OpenMP threads; 0: pthreads' default
  wait_policy waiting = wait_policy::unset;
  std::uint64_t spin_count = 300'000;  ///< GOMP_SPINCOUNT, or libgomp's value for the wait policy
  std::string allocator_text;          ///< OMP_ALLOCATOR, if it has traits
  bool cancellation = false;
  bool display_affinity = false;
  std::string affinity_format = "level %L thread %i affinity %A";
  target_offload offload = target_offload::by_default;
  int max_task_priority = 0;
  int teams = 0;               ///< OMP_NUM_TEAMS; 0: unset
  int teams_thread_limit = 0;  ///< OMP_TEAMS_THREAD_LIMIT; 0: unset
  int blocktime = 200;         ///< KMP_BLOCKTIME in ms, as programs read it; INT_MAX: for ever
  kmp_library library = kmp_library::throughput;
  unsigned available_cpus = 1;  ///< size of the process's affinity mask when the environment was read
};

/// Returns the process's variables. The first call, by any thread, reads the environment.
inline process_icvs& icvs() noexcept;

/// Returns the first values of an initial thread. If no variable says how many threads a region has, the first call
/// reads the process's limits from /proc and the control groups. Few programs that load the library ask.
task_icvs initial_icvs(const process_icvs& of) noexcept;

/// Prints the text of omp_display_env on standard error: libgomp's text (libgomp_version.hpp), word for word. `verbose`
/// adds libgomp's own variables.
void display_environment(const process_icvs& of, bool verbose);

/// True if loaded objects need libomp or libiomp5, by whichever names wheels give their copies, and none needs libgomp.
bool libomp_alone_is_needed() noexcept;

/// How variables say yes and no. libgomp knows `true` and `false`; libomp also 1 and 0, `yes` and `no`, `on` and `off`,
/// and Fortran's words.
enum class boolean_words : unsigned char { of_libgomp, of_libomp };

/// Reads OMP_* and GOMP_* from this process's environment. Reports each invalid variable by one line on standard error
/// and treats it as unset, as libgomp does: the program always starts.
process_icvs read_environment(boolean_words booleans = boolean_words::of_libgomp);

/// Null until the first call of read_icvs().
extern constinit std::atomic<process_icvs*> icvs_or_null;
process_icvs& read_icvs() noexcept;
inline process_icvs& icvs() noexcept {
  // acquire: pairs with the release in read_icvs(), after which the variables are read.
  process_icvs* const ours = icvs_or_null.load(std::memory_order_acquire);
  return ours != nullptr ? *ours : read_icvs();
}

}  // namespace callisto::openmp
