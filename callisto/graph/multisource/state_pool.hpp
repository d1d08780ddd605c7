// The states of searches that run at once: a thread takes one, and gives it back for other threads.
#pragma once

#include <callisto/graph/csr/progress.hpp>
#include <callisto/loop/parallel_for.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <source_location>
#include <utility>
#include <vector>

namespace callisto::graph {

/// Makes states on demand and keeps them. Any thread may call take() and give_back().
template <class State>
class shared_states {
 public:
  explicit shared_states(std::function<std::unique_ptr<State>()> make) : make_(std::move(make)) {}

  State* take() {
    const std::scoped_lock held(mutex_);
    if (!free_.empty()) {
      State* const state = free_.back();
      free_.pop_back();
      return state;
    }
    all_.push_back(make_());
    free_.reserve(all_.size());  // give_back() then allocates nothing
    return all_.back().get();
  }
  void give_back(State* state) {
    const std::scoped_lock held(mutex_);
    free_.push_back(state);
  }

  /// Returns all states; no thread may have one.
  const std::vector<std::unique_ptr<State>>& all() const noexcept { return all_; }

 private:
  std::function<std::unique_ptr<State>()> make_;
  std::mutex mutex_;  // guards the lists
  std::vector<std::unique_ptr<State>> all_;
  std::vector<State*> free_;
};

/// Calls work(state, i) for each i below `count` on all threads; each thread has its own state. `where` names the loop
/// in statistics. Throws cancelled.
template <class State, class Work>
void over_states(shared_states<State>& states, std::uint64_t count, const run_control& control, const Work& work,
                 std::source_location where = std::source_location::current()) {
  struct loop {
    shared_states<State>& states;
    const Work& work_on;
    void fork(State*& mine) { mine = states.take(); }
    void work(State*& mine, std::uint64_t i) { work_on(*mine, i); }
    void join(State*& mine) { states.give_back(mine); }
  };
  loop body{states, work};
  parallel_for<loop, State*, std::uint64_t>(body, 0, count, {.batch = 1, .stop = control.stop}, where);
  control.check();
}

}  // namespace callisto::graph
