// Other OpenMP runtimes in the process: libomp, libiomp5, libnvomp, under whatever names, and the objects that call
// them.
//
// This library has nearly all functions of libomp and libiomp5, too. If it is found first, as a preloaded library is,
// those runtimes are loaded and idle. Only an object that needs a name that this library lacks needs one of them.
//
// A library is known by what it defines: `__kmpc_fork_call`, or `omp_get_thread_num` without `GOMP_parallel`. A copy of
// libgomp is none: a preloaded library takes all of its calls.
#pragma once

#include <array>
#include <cstddef>

namespace callisto::openmp {

inline constexpr std::size_t most_other_runtimes = 4;

/// Why the process needs another OpenMP runtime.
struct other_runtime_need {
  bool is_needed = false;
  const char* name = nullptr;     ///< a function that this library lacks; null: the other runtime is found first
  const char* runtime = nullptr;  ///< the runtime's name
};
/// Looks whether a loaded object needs another runtime. Takes microseconds, and the loader's lock. The texts are valid
/// as long as the objects are loaded.
other_runtime_need find_need_of_other_runtime() noexcept;

/// Which runtime a call of a function `omp_*` is for.
struct chosen_runtime {
  enum class kind : unsigned char {
    ours,       ///< the calling object calls GOMP_*, or no object needs another runtime
    theirs,     ///< the calling object needs or is another runtime
    by_region,  ///< the calling object does not tell: that of the region in which the thread runs
  };
  struct level_and_function {
    int (*level)();  ///< omp_get_level() of a runtime to ask; null: none
    void* function;
  };
  kind of = kind::ours;
  void* function = nullptr;                                  ///< of kind::theirs; null: that runtime has none
  std::array<level_and_function, most_other_runtimes> each;  ///< of kind::by_region
};
/// Returns which runtime a call of `name` is for; `caller` is an address in the calling code. Takes the loader's lock,
/// and about 0.1 us; more after an object has been loaded or unloaded. Allocates nothing. Thread-safe.
chosen_runtime runtime_for(const char* name, const void* caller) noexcept;

/// Returns in how many regions of other runtimes the calling thread is, if objects that call these have asked
/// runtime_for() before; else 0, for the cost of a load.
int level_in_other_runtimes() noexcept;

/// Returns the function that this library exports by that name; null: none. Takes the loader's lock.
void* function_here(const char* name) noexcept;

}  // namespace callisto::openmp
