// Subjects: nested loops through the production thread tree, its nodes and their teams.
//
// Three threads: 0 and 1 on one core, 2 alone on another. Level 1 is the core's, so an outer loop runs on 0 and 2, and
// 1 helps with the loops that 0 meets in it, and only with those. Items count iterations themselves: subjects_loops.cpp
// has loop items and distributors.
#include "schedules.hpp"

#include <callisto/workers/teams/nesting.hpp>
#include <callisto/workers/teams/thread_tree.hpp>
#include <callisto/workers/teams/tree_node.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <new>

namespace callisto::check {
namespace {

/// A loop with iterations that are claimed from one counter, in memory of the subject that later items use again.
template <class Machine, unsigned N>
class counted_item : public workers::work_item<Machine> {
 public:
  void run(unsigned thread, typename workers::work_item<Machine>::publication* published,
           workers::context_lease<Machine>*) noexcept override {
    for (;;) {
      const unsigned i = next_.fetch_add(1, order::relaxed);
      if (i >= N) break;
      require(alive_, "no iteration runs before the loop begins or after it has ended");
      iteration(thread, i);
      runs_[i] = runs_[i] + 1;
    }
    if (published != nullptr) published->withdraw();
  }

  /// Its leader, after it.
  void ended() {
    alive_ = false;  // a follower that still worked would race with this
    for (const auto& r : runs_) require(r == 1, "every iteration runs once");
  }

 protected:
  ~counted_item() = default;
  virtual void iteration(unsigned thread, unsigned i) noexcept = 0;

 private:
  atomic<unsigned> next_{0};
  plain<bool> alive_{true};
  std::array<plain<unsigned>, N> runs_{};
};

/// `Leaders` threads (0, and 3 if there are two) that lead `Loops` outer loops of N iterations, each with an inner loop
/// of M iterations; or leader 3 has flat loops of M.
template <class Machine, unsigned N, unsigned M, unsigned Loops = 1, unsigned Leaders = 1, bool SecondFlat = false>
class nested {
 public:
  static constexpr unsigned threads = 2 + Leaders;

  void run(unsigned thread) {
    if (thread != 1 && thread != 2) {
      workers::member<Machine> me;
      for (unsigned l = 0; l < Loops; ++l) {
        if (SecondFlat && thread == 3) {
          inner& flat = *::new (static_cast<void*>(inner_rooms_[2].bytes.data())) inner(*this, anybody);
          tree_.root().lead(flat, tree_.root().at(0), me);
          flat.ended();
          std::destroy_at(&flat);
        } else {
          lead_outer(me, rooms_[thread == 0 ? 0 : 1]);
        }
        require(me.here == nullptr && me.number == 0, "a leader is afterwards what it was before");
      }
      done_.fetch_add(1, order::acq_rel);
      if (thread != 0) return;
      if (Leaders > 1) machine::checked::wait_while(done_, [](unsigned d) { return d < Leaders; }, patience_);
      tree_.root().finish();
      return;
    }
    tree_.root().follow(thread);
    const workers::member<Machine>& me = tree_.member_of(thread);
    require(me.here == nullptr && me.number == thread, "a follower is afterwards what it was before");
  }

 private:
  static constexpr unsigned anybody = ~0u;
  static constexpr machine::patience patience_ = machine::patience::brief;

  /// Runs on the threads of one core.
  class inner final : public counted_item<Machine, M> {
   public:
    inner(nested& of, unsigned core) : of_(of), core_(core) {}

   private:
    void iteration(unsigned thread, unsigned) noexcept override {
      if (core_ == anybody) return require(thread < 3, "a number below the number of threads");
      require(thread < (core_ == 0 ? 2u : 1u), "an inner loop runs on threads of its own core alone");
      // Of another core's threads, none has this number to itself.
      const unsigned in_tree = core_ == 1 ? 2 : thread;
      of_.busy_[in_tree] = of_.busy_[in_tree] + 1;
    }
    nested& of_;
    const unsigned core_;
  };

  /// Runs on the first thread of each core.
  class outer final : public counted_item<Machine, N> {
   public:
    outer(nested& of, workers::member<Machine>& leader, bool parts) : of_(of), leader_(leader), parts_(parts) {}

   private:
    void iteration(unsigned thread, unsigned) noexcept override {
      if (!parts_) return require(leader_.here == nullptr, "without parts, inner loops run alone");
      require(thread < 2, "an outer loop runs on the first threads alone");
      workers::member<Machine>& me = thread == 0 ? leader_ : of_.tree_.member_of(2);
      require(me.number == thread, "a thread knows its number in the loop");
      require(me.here == of_.tree_.root().at(1).parts[thread], "a thread leads in its own part");
      inner& loop = *::new (static_cast<void*>(of_.inner_rooms_[thread].bytes.data())) inner(of_, thread);
      auto& with = me.here->at(0);
      if (with.where.threads() == 1) {
        loop.run(0, nullptr, nullptr);
      } else {
        me.here->lead(loop, with, me);
      }
      loop.ended();
      std::destroy_at(&loop);
    }
    nested& of_;
    workers::member<Machine>& leader_;
    const bool parts_;
  };

  template <class Item>
  struct alignas(Item) room {
    std::array<std::byte, sizeof(Item)> bytes;
  };

  void lead_outer(workers::member<Machine>& me, room<outer>& memory) {
    workers::tree_node<Machine>& root = tree_.root();
    const bool parts = root.claim();
    require(parts || Leaders > 1, "the parts are free when no leader has them");
    outer* const loop = ::new (static_cast<void*>(memory.bytes.data())) outer(*this, me, parts);
    root.lead(*loop, root.at(parts ? 1 : 0), me);
    loop->ended();
    std::destroy_at(loop);
    if (parts) root.give_back();
  }

  static constexpr std::array<distributor::seat, 3> seats_{{{0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}, {1, 1, 0, 0, 0}}};
  workers::thread_tree<Machine> tree_{seats_, nesting::parse("1:core", "subject"), {}};
  std::array<room<outer>, 2> rooms_;
  std::array<room<inner>, 3> inner_rooms_;  ///< by core, and for leader 3's
  std::array<plain<unsigned>, 3> busy_{};
  atomic<unsigned> done_{0};
};

constexpr const char* complete = "every iteration once, on its own part's threads; the leader returns; all end";

const registered<nested<one_slot, 1, 2>> one("nest.1x2", complete, preemptions(1, {0, 0}), preemptions(2, {0, 0}));
const registered<nested<one_slot, 2, 1>> two("nest.2x1", complete, preemptions(1, {0, 0}), preemptions(2, {0, 0}));
const registered<nested<one_slot, 1, 1, 2>> again("nest.in_turn", complete, nearly_fresh(1), preemptions(2, {0, 0}));
const registered<nested<two_slots, 1, 1, 1, 2>> leaders("nest.two_leaders", complete, pct(4, 20'000, {1, 0}),
                                                        nearly_fresh(1));
const registered<nested<two_slots, 1, 1, 1, 2, true>> beside("nest.beside_flat", complete, pct(4, 20'000, {1, 0}),
                                                             nearly_fresh(1));
const registered<nested<one_slot, 2, 2, 2>> deep("nest.random", complete, pct(4, 20'000, {1, 0}),
                                                 pct(5, 1'000'000, {2, 1}));

}  // namespace
}  // namespace callisto::check
