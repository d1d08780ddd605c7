// Who decides at each fork of an execution: which thread goes on, and which of several values an operation sees. One
// class for all strategies, so that a failure found by any of them replays from the same string.
//
// Exhaustive exploration is a depth-first search that replays the decisions so far for each execution. Two reductions:
// - sleep sets (Godefroid, LNCS 1032, chapter 5): a thread whose next operation has been explored at a state is not
//   tried again after operations that are independent of it, since that only changes the order of the two;
// - a cache of states: executions that consist of the same events in the same happens-before order are in the same
//   state, of which only one is continued. Together they need the sleep set to be kept with the state (chapter 5.3).
// Bounding preemptions is not compatible with sleep sets; there, a state counts as known if it was reached with no more
// preemptions.
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

/// A state as the cache knows it. Threads that do the same are interchangeable: states that differ only in which of
/// them did what have the same hash, and `position` tells where each thread went.
struct state_name {
  fingerprint hash;
  std::array<std::uint8_t, max_threads> position{};
};

/// A point at which one of several threads may go on.
struct crossroads {
  thread_set enabled;  ///< not empty
  thread_set idle;     ///< of them, those that can only return early from a wait
  bool forced;         ///< nobody can run but by returning early, or because patience runs out
  unsigned current;    ///< who ran last
};

class decisions {
 public:
  /// Nobody can go on usefully: the state is known, or every continuation is explored from elsewhere.
  static constexpr unsigned no_thread = ~0u;
  /// The decisions at hand do not fit the execution.
  static constexpr unsigned misfit = ~0u - 1;

  explicit decisions(const options&);

  /// Before the first execution, and to start over.
  void clear();
  void begin_execution();
  /// After an execution of so many steps: whether there is another one to explore.
  bool next(std::uint64_t steps);

  /// Whether thread() will look at `state`.
  bool wants_state() const noexcept { return caches() && position_ == forks_.size(); }
  /// Which thread goes on: one of road.enabled, `no_thread` or `misfit`.
  unsigned thread(const crossroads& road, const state_name& state);
  /// Which of `n` >= 1 values, 0 being the newest; or `misfit`.
  unsigned value(unsigned n);

  /// After thread(): threads that need not go on until something happens that concerns them. The execution takes out
  /// those that the chosen operation concerns.
  thread_set asleep() const noexcept { return asleep_; }
  void set_asleep(thread_set s) noexcept { asleep_ = s; }

  std::uint64_t states() const noexcept { return cache_.size(); }

  /// The decisions of this execution.
  std::vector<unsigned> taken() const;

 private:
  struct fork {
    bool of_threads;
    thread_set options;  ///< of threads: those enabled; of values: how many
    thread_set todo;     ///< of threads: still to explore
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
  std::vector<unsigned> taken_;  ///< what was drawn
  std::uint64_t random_;
  std::vector<std::uint64_t> priorities_;
  std::vector<std::uint64_t> changes_;  ///< of priorities, at these forks
  std::uint64_t threads_drawn_ = 0;
  std::uint64_t longest_ = 16;
};

}  // namespace callisto::machine::checking
