// Leaders and followers: how a loop is published, joined, withdrawn and completed (ATC 2015, section 2.1).
//
// 1. *Leader, publishes:* takes a free slot, puts the work item in it, opens the slot's gates, and announces the slot
//    in the work signal.
// 2. *Leader:* runs the item itself.
// 3. *Follower:* watches the work signal, enters a gate, runs the item, leaves, and watches again. Where jobs share the
//    machine, the follower takes its context before it enters, and lends the context before it sleeps.
// 4. *The thread that claims the last iterations:* withdraws the slot from the work signal.
// 5. *Leader, completes:* closes the gates, waits for the followers inside, and frees the slot.
//
// A loop needs no follower to end. In a forked child, in a static destructor after the workers ended, or if all slots
// are taken, the leader runs all of it alone.
//
// A gate serves some neighbouring threads, so that a thousand followers do not meet on one line (the paper's per-socket
// counts of active threads, in smaller groups).
#pragma once

#include <callisto/distributor/absent_threads.hpp>
#include <callisto/machine/policy.hpp>
#include <callisto/waiting/entry_gate.hpp>
#include <callisto/waiting/work_signal.hpp>
#include <callisto/workers/teams/standing_item.hpp>
#include <callisto/workers/teams/work_item.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace callisto::workers {

using waiting::entry_gate;

template <machine::policy M>
class team {
  using order = machine::order;

 public:
  /// The most threads of a gate and gates of a slot; a checked machine makes do with fewer. With 16 and 64, simulated
  /// machines of 512 and 1,024 contexts start and end a loop in a 5th to a 13th of the time that one gate a socket
  /// takes (docs/results/papers.md). Half as many threads a gate shorten short loops on up to 256 contexts: the leader
  /// has few gates to close, and fewer threads meet in each. On more contexts they do not
  /// (docs/notebook/2026-11-24-short-loops-large-machines.md).
  static constexpr unsigned threads_per_gate = [] {
    if constexpr (requires { M::threads_per_gate; }) return M::threads_per_gate;
    return 16u;
  }();
  static constexpr unsigned max_gates = [] {
    if constexpr (requires { M::max_gates; }) return M::max_gates;
    return 64u;
  }();

  /// Makes a team of `threads` threads, leaders included.
  explicit team(unsigned threads)
      : gate_size_(threads > most_in_small_gates ? threads_per_gate : std::max(1u, threads_per_gate / 2)),
        gates_(std::clamp((threads + gate_size_ - 1) / gate_size_, 1u, max_gates)),
        absent_(threads),
        gate_(std::make_unique<entry_gate<M>[]>(std::size_t{gates_} * work_signal<M>::max_slots)) {
    for (unsigned s = 0; s < slots_.size(); ++s) {
      slots_[s].number = s;
      slots_[s].notices = &work_signal_;
    }
  }

  /// Runs `item` as its leader, with the followers that join. Returns when every iteration has ended, except those that
  /// a follower left behind when it went away. `on`, here and below, is the lease of the calling thread's context, or
  /// null.
  void lead(work_item<M>& item, context_lease<M>* on = nullptr) noexcept {
    slot* const mine = take_slot();
    if (mine == nullptr) return item.run(0, nullptr, on);
    publish(*mine, item);
    work_signal_.announce(mine->number);
    item.run(0, mine, on);
    for (unsigned g = 0; g < gates_; ++g) gate_of(mine->number, g).close_and_drain();
    // release: pairs with take_slot(): the next leader finds the slot as this one leaves it.
    mine->taken.store(0, order::release);
  }

  /// Publishes `item` for good, in a slot for it alone, without an announcement; returns where it is announced. If all
  /// slots are taken, no follower comes there.
  standing_place<M> stand(work_item<M>& item) noexcept {
    slot* const mine = take_slot();
    if (mine == nullptr) return {};
    publish(*mine, item);
    return {work_signal_, mine->number};
  }

  /// Runs follower number `thread` >= 1; returns after finish(). `position`, below the number of threads, orders
  /// threads so that neighbours are close on the machine and share a gate.
  void follow(unsigned thread, unsigned position, context_lease<M>* on = nullptr) noexcept {
    const unsigned gate_number = position / gate_size_ % gates_;
    // Marks the follower absent from when it is away until it comes to a loop again, or ends.
    absence mine(absent_, position);
    for (;;) {
      // Without spinning if another job may run here.
      const bool away = on != nullptr && on->away();
      mine.set(away);
      const auto notice = work_signal_.wait_for_work(
          [on] {
            if (on != nullptr) on->idle();
          },
          away ? machine::patience::none : machine::patience::lasting);
      if (notice.finished) return;
      if (on != nullptr && !on->come([this] { return !work_signal_.has_work(); })) continue;
      mine.set(false);
      // Each follower begins at a slot that its number picks, so that followers spread over the open loops.
      slot& chosen = slots_[pick(notice.open, thread)];
      entry_gate<M>& entry = gate_of(chosen.number, gate_number);
      if (entry.try_enter()) {
        chosen.item->run(thread, &chosen, on);
        entry.leave();
      }
      // Another job waits for the context.
      if (on != nullptr && on->away()) continue;
      // Either nothing was left to claim, or the gate had closed: another thread is about to withdraw the slot.
      work_signal_.wait_for_change(notice);
    }
  }

  /// Returns the followers that are away, by position.
  const distributor::absent_threads<M>& absent() const noexcept { return absent_; }

  /// True if some follower sleeps for want of work; a hint.
  bool some_sleep() const noexcept { return work_signal_.some_sleep(); }

  /// Ends every follower when it has left its loop. Loops may go on, and new ones start, without followers.
  void finish() noexcept { work_signal_.finish(); }
  /// Lets followers start again, after finish() and the end of every follower.
  void restart() noexcept { work_signal_.restart(); }

  /// Forgets all other threads; called in the child of a fork, which has no follower and at most the calling leader.
  void forget_others() noexcept {
    work_signal_.reset();
    for (unsigned g = 0; g < gates_ * work_signal<M>::max_slots; ++g) gate_[g].forget_followers();
    for (slot& s : slots_) s.taken.store(0, order::relaxed);
  }

 private:
  static constexpr unsigned most_in_small_gates = 256;

  class absence {
   public:
    absence(distributor::absent_threads<M>& all, unsigned position) noexcept : all_(all), position_(position) {}
    ~absence() { set(false); }
    absence(const absence&) = delete;
    absence& operator=(const absence&) = delete;
    void set(bool is) noexcept {
      if (std::exchange(is_, is) != is) all_.set(position_, is);
    }

   private:
    distributor::absent_threads<M>& all_;
    const unsigned position_;
    bool is_ = false;
  };

  struct alignas(M::line_size) slot final : work_item<M>::publication {
    void withdraw() noexcept override { notices->withdraw(number); }

    machine::atomic_of<M, std::uint32_t> taken{0};
    unsigned number = 0;
    work_signal<M>* notices = nullptr;
    machine::plain_of<M, work_item<M>*> item{nullptr};
  };

  /// Puts an item into a slot, and lets followers in.
  void publish(slot& in, work_item<M>& item) noexcept {
    in.item = &item;
    for (unsigned g = 0; g < gates_; ++g) gate_of(in.number, g).open();
  }

  slot* take_slot() noexcept {
    for (slot& s : slots_) {
      std::uint32_t free = 0;
      // relaxed load, so that leaders do not contend for a taken slot. acquire: pairs with the store in lead().
      if (s.taken.load(order::relaxed) == 0 && s.taken.compare_exchange(free, 1, order::acquire)) return &s;
    }
    return nullptr;
  }

  entry_gate<M>& gate_of(unsigned of_slot, unsigned number) noexcept {
    return gate_[std::size_t{of_slot} * gates_ + number];
  }

  static unsigned pick(std::uint32_t open, unsigned thread) noexcept {
    const unsigned start = thread % work_signal<M>::max_slots;
    const std::uint32_t from_start = open >> start << start;
    return static_cast<unsigned>(std::countr_zero(from_start != 0 ? from_start : open));
  }

  const unsigned gate_size_;  ///< threads of a gate
  const unsigned gates_;      ///< gates of a slot
  distributor::absent_threads<M> absent_;
  work_signal<M> work_signal_;
  std::array<slot, work_signal<M>::max_slots> slots_;
  const std::unique_ptr<entry_gate<M>[]> gate_;  ///< by slot; sized by the threads, since a machine has many teams
};

}  // namespace callisto::workers
