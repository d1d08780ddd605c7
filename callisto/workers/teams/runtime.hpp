// The process's thread tree on the native machine: its threads, their start, their end, fork() and exit.
#pragma once

#include <callisto/distributor/absent_threads.hpp>
#include <callisto/distributor/layout.hpp>
#include <callisto/export.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/workers/teams/loop_team_choice.hpp>
#include <callisto/workers/teams/nesting.hpp>
#include <callisto/workers/teams/work_item.hpp>

#include <string>

namespace callisto {

/// The number of threads that loops use, the calling thread included: by default one for each hardware context that the
/// process may use, as far as its CPU quota goes; CALLISTO_THREADS or set_threads() say otherwise. Starts the workers
/// if they do not run yet. Throws usage_error if CALLISTO_THREADS, CALLISTO_PLACEMENT, CALLISTO_SCHEDULE,
/// CALLISTO_LEVELS, CALLISTO_COSCHED or a variable of docs/reference/environment.md make no sense. Thread-safe.
CALLISTO_API unsigned threads();

/// Lets loops use `count` threads from now on, the calling thread included; loops of other threads that are in flight
/// go on undisturbed. Throws usage_error if `count` is 0 or above 65536, or inside a loop. Thread-safe. Costs the
/// ending and starting of threads, about a tenth of a millisecond each.
CALLISTO_API void set_threads(unsigned count);

/// Which parts of the machine loops at which nesting level run on: what set_levels() or CALLISTO_LEVELS said. Throws
/// usage_error if the latter makes no sense. Thread-safe.
CALLISTO_API nesting levels();

/// Lets outer loops run so from now on; otherwise as set_threads(), also in what it costs.
CALLISTO_API void set_levels(const nesting& mapping);

/// The calling thread's number among the threads of the loop that it runs, so always below threads(); 0 for the leader,
/// and outside loops. A loop that runs on its caller alone leaves the number as it is.
CALLISTO_API unsigned this_thread() noexcept;

namespace workers {

/// For a loop at nesting level `level` started here and now. Inside a loop body: of the part of the machine whose first
/// thread the caller is, if that is an outer loop's, else the calling thread alone. Lives until the process ends.
CALLISTO_API const loop_team_choice& loop_team_here(unsigned level = 0);

/// For a loop that the calling thread had better run by itself.
CALLISTO_API const loop_team_choice& alone();

/// What a loop gets of the arrangement that it wants: of two outer loops at a time in one place, the second gets all
/// threads instead, since the parts' threads are taken.
class claim {
 public:
  /// `led`: not if the caller will run all of it itself, which takes nothing from anybody.
  claim(const loop_team_choice& wanted, bool led)
      : with(led && wanted.outer ? take(wanted) : wanted), held_(led && with.outer) {}
  claim(const claim&) = delete;
  claim& operator=(const claim&) = delete;
  ~claim() {
    if (held_) [[unlikely]]
      give_back();
  }

  const loop_team_choice& with;

 private:
  CALLISTO_API static const loop_team_choice& take(const loop_team_choice& wanted) noexcept;
  CALLISTO_API void give_back() noexcept;

  const bool held_;
};

/// The threads of `with` that are away, since other jobs have their contexts; null: that is not known. A hint.
CALLISTO_API const distributor::absent_threads<machine::native>* absent_from(const loop_team_choice& with) noexcept;

/// Runs `item` as its leader together with the followers of `with`, a claim's, that join; returns when it is complete.
CALLISTO_API void lead(work_item<machine::native>& item, const loop_team_choice& with) noexcept;

/// Whether a loop that the calling thread led now, from outside of loops, would be its own alone, since all other
/// threads wait for contexts that other jobs have. A hint: one of them may come at any time, but into a loop only. So
/// who asks this can do some ten microseconds' work as only one thread may, and ask again. Three loads.
CALLISTO_API bool others_wait() noexcept;

/// In a few words, whether the process shares the machine with other jobs (docs/explanation/co-scheduling.md): with whom, or why not.
/// Starts the workers if they do not run yet; throws as threads() does.
CALLISTO_API std::string sharing_in_words();

}  // namespace workers
}  // namespace callisto
