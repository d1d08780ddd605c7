// A program of nested loops on the simulated machine. The machine's contexts form a thread tree. Threads lead loops
// with the schedule, distributors and batches that native loops have by default.
#pragma once

#include <callisto/distributor/compose.hpp>
#include <callisto/distributor/layout.hpp>
#include <callisto/loop/loop_item.hpp>
#include <callisto/machine/simulated/machine.hpp>
#include <callisto/workers/teams/nesting.hpp>
#include <callisto/workers/teams/thread_tree.hpp>
#include <lab/names.hpp>
#include <lab/simulate/recorder.hpp>

#include <concepts>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <utility>
#include <vector>

namespace callisto::lab {

/// One run of one program. Thread t runs on contexts[t], and thread 0 runs the program.
class nested_program {
 public:
  using simulated = machine::simulated;

  nested_program(const machine::simulation::description& d, std::vector<unsigned> contexts, const nesting& levels)
      : engine_(d, {}),
        contexts_(std::move(contexts)),
        thread_on_(d.total_contexts()),
        tree_(engine_.make<workers::thread_tree<simulated>>(seats_of(d, contexts_), levels, schedule{})) {
    for (unsigned t = 0; t < contexts_.size(); ++t) thread_on_[contexts_[t]] = t;
  }

  /// Returns the running thread's number in the tree.
  unsigned thread() const { return thread_on_[engine_.self()]; }
  unsigned threads() const noexcept { return static_cast<unsigned>(contexts_.size()); }
  /// Returns the number of threads of a loop at level 0 that the running thread would lead.
  unsigned threads_here() {
    const workers::tree_node<simulated>* here = tree_.member_of(thread()).here;
    return here == nullptr ? 1 : here->threads();
  }
  machine::simulation::engine& engine() noexcept { return engine_; }

  /// Runs `program` on thread 0. May be called once. Rethrows what `program` throws.
  machine::simulation::outcome run(const std::function<void()>& program) {
    engine_.spawn(contexts_[0], [&] {
      tree_.member_of(0).here = &tree_.root();
      program();
      tree_.root().finish();
    });
    for (unsigned t = 1; t < contexts_.size(); ++t) {
      engine_.spawn(contexts_[t], [this, t] { tree_.root().follow(t); });
    }
    return engine_.run();
  }

  /// Runs a loop at nesting level `level`: calls f(i) for i in [0, n), or f(first, last) for batches of [0, n).
  /// Requires that the caller is the program or the body of one of its loops. Rethrows what f throws.
  template <class F>
  void loop(unsigned level, std::uint64_t n, F f) {
    workers::member<simulated>& me = tree_.member_of(thread());
    body<F> b{f};
    if (n > 1 && me.here != nullptr) {
      workers::node_team<simulated>* with = &me.here->at(level);
      const bool parts = with->outer && with->in.claim();
      if (with->outer && !parts) with = &with->in.at(0);
      if (with->where.threads() > 1) return lead(b, n, *with, me, parts);
    }
    typename body<F>::participant(b).work(0, n);
  }

 private:
  template <class F>
  struct body {
    struct participant {
      explicit participant(body& b) : of(b) {}
      void work(std::uint64_t first, std::uint64_t last) {
        if constexpr (std::invocable<F&, std::uint64_t>) {
          for (; first < last; ++first) of.f(first);
        } else {
          of.f(first, last);
        }
      }
      void join() {}
      body& of;
    };
    F& f;
  };

  template <class Body>
  static void lead(Body& b, std::uint64_t n, workers::node_team<simulated>& with, workers::member<simulated>& me,
                   bool parts) {
    const schedule how = schedule::best(with.where, false);
    distributor::with_distributor<simulated>(how.stages(), [&]<class Distributor>() {
      const std::stop_token never;
      loop::loop_item<simulated, Distributor> item(b, n, with.where, how.stages(), 0, never);
      with.in.lead(item, with, me);
      if (parts) with.in.give_back();
      item.result();
    });
  }

  static std::vector<distributor::seat> seats_of(const machine::simulation::description& d,
                                                 const std::vector<unsigned>& contexts) {
    std::vector<distributor::seat> seats;
    for (const unsigned c : contexts) {
      seats.push_back({d.core_of(c), d.core_of(c), d.cache_of(c), d.socket_of(c), d.socket_of(c)});
    }
    return seats;
  }

  machine::simulation::engine engine_;
  std::vector<unsigned> contexts_;   ///< the context of each thread
  std::vector<unsigned> thread_on_;  ///< the thread on each context
  workers::thread_tree<simulated>& tree_;
};

}  // namespace callisto::lab
