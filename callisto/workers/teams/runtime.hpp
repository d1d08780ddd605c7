// The process's thread tree on the native machine: its threads, their start and end, fork() and exit.
#pragma once

#include <callisto/distributor/absent_threads.hpp>
#include <callisto/distributor/layout.hpp>
#include <callisto/export.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/workers/teams/loop_team_choice.hpp>
#include <callisto/workers/teams/nesting.hpp>
#include <callisto/workers/teams/standing_item.hpp>
#include <callisto/workers/teams/work_item.hpp>

#include <cstdint>
#include <string>

namespace callisto {

/// Returns the number of threads that loops use, the calling thread included: by default one for each hardware context
/// that the process may use, within its CPU quota; CALLISTO_THREADS or set_threads() override it. If the affinity of
/// the thread that started the workers changes, and neither overrides, the next loop after 10 ms follows it. Starts the
/// workers if they do not run yet. Throws usage_error if CALLISTO_THREADS, CALLISTO_PLACEMENT, CALLISTO_SCHEDULE,
/// CALLISTO_LEVELS, CALLISTO_COSCHED or another variable of docs/reference/environment.md is invalid. Thread-safe.
CALLISTO_API unsigned threads();

/// Lets loops use `count` threads, the calling thread included. Loops of other threads that are in flight go on
/// undisturbed. Throws usage_error if `count` is 0 or above 4096, or inside a loop. Thread-safe. Ends and starts
/// threads, which takes about 0.1 ms each.
CALLISTO_API void set_threads(unsigned count);

/// Returns the parts of the machine on which loops of each nesting level run, as set_levels() or CALLISTO_LEVELS gave
/// them. Throws usage_error if the latter is invalid. Thread-safe.
CALLISTO_API nesting levels();

/// Sets the parts of the machine on which outer loops run. Errors, thread-safety and cost as set_threads().
CALLISTO_API void set_levels(const nesting& mapping);

/// Returns the calling thread's number among the threads of the loop that it runs, always below threads(); 0 for the
/// leader, and outside loops. A loop inside of another one leaves its leader's number as it is, unless the outer one is
/// an outer_parallel_for.
CALLISTO_API unsigned this_thread() noexcept;

namespace workers {

/// Returns the threads for a loop at nesting level `level` that starts here. Inside a body of an outer loop these are
/// the threads of the part of which the caller is the first thread; inside other bodies, the calling thread alone (see
/// idle_threads()).
/// Lives until the process ends.
CALLISTO_API const loop_team_choice& loop_team_here(unsigned level = 0);

/// Returns the choice for a loop that the calling thread runs by itself.
CALLISTO_API const loop_team_choice& alone();

/// A loop's claim to the threads that it wants. If two outer loops run in one place at a time, the second gets all
/// threads instead, since the first has the threads of the parts.
class claim {
 public:
  /// Claims `wanted`. `led` is false if the caller will run the whole loop itself, which takes no thread from another
  /// loop.
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

/// Returns the threads of `with` that are away since other jobs have their contexts; null if unknown. A hint.
CALLISTO_API const distributor::absent_threads<machine::native>* absent_from(const loop_team_choice& with) noexcept;

/// Returns all threads of `with` but the leader, for loops that begin with it alone; null if unknown.
CALLISTO_API const distributor::absent_threads<machine::native>* all_but_leader(const loop_team_choice& with) noexcept;

/// Starts the threads anew on the contexts where the calling thread may run now, if its affinity mask has changed since
/// it started them. True if so: what loop_team_here() returned is outdated. Looks each 10 ms at most; `now` in ticks,
/// 0: unknown. Costs two loads otherwise. Throws as set_threads().
CALLISTO_API bool follow_affinity(std::uint64_t now);

/// True if the calling thread runs a body or a task, and the loops in it have no further threads.
CALLISTO_API bool inside_flat() noexcept;

/// Returns the threads that a loop inside of another one may have, since some of them sleep for want of work; null:
/// none do. Only if inside_flat(). Two loads.
CALLISTO_API const loop_team_choice* idle_threads() noexcept;

/// Runs `item` as its leader with the followers of `with`, a claim's, that join. Returns when the item is complete.
CALLISTO_API void lead(work_item<machine::native>& item, const loop_team_choice& with) noexcept;

/// Lets followers of the root run `item` whenever it is announced at its place. One item a process, which lives as
/// long. Starts the workers if they do not run yet; throws as threads() does. Afterwards item.place() is set, but in a
/// forked child, which calls again.
CALLISTO_API void stand(standing_item<machine::native>& item);

/// Checks in for a thread that runs something else than a loop, between two pieces: blocks while another job has the
/// thread's context. `arrives`: the thread was doing something else before.
CALLISTO_API void check_in(bool arrives) noexcept;

/// True if a loop that the calling thread led now, from outside of loops, would have no follower, since all other
/// threads wait for contexts that other jobs have. A hint: a follower may come at any time, but only into a loop. A
/// caller can therefore do about 10 us of work that only one thread may do, and ask again. Three loads.
CALLISTO_API bool others_wait() noexcept;

/// Returns in a few words whether the process shares the machine with other jobs, with which, or why not
/// (docs/how-to/share-a-machine.md). Starts the workers if they do not run yet; throws as threads() does.
CALLISTO_API std::string sharing_in_words();

}  // namespace workers
}  // namespace callisto
