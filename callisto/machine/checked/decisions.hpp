// Decides each fork of an execution: which thread runs next, and which of several values an operation reads. One class
// implements all strategies, so that one replay string reproduces a failure that any strategy finds.
//
// Exhaustive exploration is a depth-first search. It replays the earlier decisions for each execution. Two reductions:
// - sleep sets (Godefroid, LNCS 1032, chapter 5): once a thread's next operation is explored at a state, the search
//   does not try that thread again behind independent operations: only the order of the two would differ;
// - a cache of states: executions with the same events in the same happens-before order reach the same state, and the
//   search continues only one of them. If both reductions are on, each cached state keeps its sleep set (chapter 5.3).
//
// Bounded preemptions are incompatible with sleep sets. With a bound, a state is known if the search has reached it
// with at most as many preemptions.
#pragma once

#include <callisto/machine/checked/explore.hpp>
#include <callisto/machine/checked/state_cache.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace callisto::machine::checking {

/// A set of threads.
using thread_set = std::uint32_t;

constexpr thread_set only(unsigned thread) noexcept { return thread_set{1} << thread; }

/// A state as the cache knows it. Symmetric threads (program::first_alike) are interchangeable: states that differ only
/// in which of them did what have the same hash. `position` maps each thread to its place in the common order.
struct state_name {
  fingerprint hash;
  std::array<std::uint8_t, max_threads> position{};
};

/// A scheduling point: the threads of which one runs next.
struct crossroads {
  thread_set enabled;  ///< not empty
  thread_set idle;     ///< the enabled threads that can only return early from a wait
  bool forced;         ///< no thread can run except by an early return or by exhausted patience
  unsigned current;    ///< the thread that ran last
};

class decisions {
 public:
  /// Result of thread(): cuts the execution short. The state is known, or other executions explore every continuation.
  static constexpr unsigned no_thread = ~0u;
  /// Result of thread() and value(): the recorded decisions do not fit the execution.
  static constexpr unsigned misfit = ~0u - 1;

  explicit decisions(const options&);

  /// Forgets all decisions and states, so that the exploration starts over.
  void clear();
  void begin_execution();
  /// Prepares the next execution, after one of `steps` steps. False if none is left to explore.
  bool next(std::uint64_t steps);

  /// True if the next call of thread() reads `state`.
  bool wants_state() const noexcept { return caches() && position_ == forks_.size(); }
  /// Returns the thread that runs next: one of road.enabled, `no_thread` or `misfit`.
  unsigned thread(const crossroads& road, const state_name& state);
  /// Returns which of `n` >= 1 values the operation reads, 0 being the newest, or `misfit`.
  unsigned value(unsigned n);

  /// The sleep set after thread(): threads that need not run until a dependent operation executes. The execution
  /// removes a thread if its next operation depends on the chosen one.
  thread_set asleep() const noexcept { return asleep_; }
  void set_asleep(thread_set s) noexcept { asleep_ = s; }

  std::uint64_t states() const noexcept { return cache_.size(); }

  /// Returns the decisions of this execution, for a replay string.
  std::vector<unsigned> taken() const;

 private:
  struct fork {
    bool of_threads;
    thread_set options;  ///< threads: the enabled ones; values: their number
    thread_set todo;     ///< threads: those still to explore
    thread_set asleep;
    unsigned chosen;
  };

  bool searches() const noexcept { return how_ == strategy::exhaustive || how_ == strategy::preemptions; }
  bool caches() const noexcept { return searches(); }
  unsigned search_thread(const crossroads& road, const state_name& state);
  unsigned draw_thread(const crossroads& road);
  std::uint64_t draw() noexcept;
  void plan_priorities();

  strategy how_;
  unsigned bound_;
  std::vector<unsigned> script_;
  std::vector<fork> forks_;
  std::size_t position_ = 0;
  thread_set asleep_ = 0;
  unsigned preemptions_ = 0;
  state_cache cache_;
  std::vector<unsigned> taken_;  ///< random strategies and replay: the decisions of this execution
  std::uint64_t random_;
  std::vector<std::uint64_t> priorities_;
  std::vector<std::uint64_t> changes_;  ///< PCT: the thread decisions at which a priority changes
  std::uint64_t threads_drawn_ = 0;
  std::uint64_t longest_ = 16;
};

}  // namespace callisto::machine::checking
