// Leaders and followers: how a loop is published, joined, withdrawn and completed (ATC'15 section 2.1).
//
//   leader    takes a free slot, puts the work item in it, opens the slot's gates, announces the slot on the board,
//             runs the item itself, closes the gates, waits for those inside, frees the slot;
//   follower  watches the board, enters a gate, runs the item, leaves, watches again; where jobs share the machine, it
//             has its context before it enters, and lends it before it sleeps;
//   whoever claims the last iterations takes the slot off the board.
//
// A loop needs no follower to end: in a forked child, in a static destructor after the workers ended, or when all slots
// are taken, the leader does all of it alone.
//
// A gate serves some neighbouring threads, so that a thousand followers coming and going do not meet on one line (the
// paper's per-socket counts of active threads, in smaller groups).
#pragma once

#include <callisto/distributor/absent_threads.hpp>
#include <callisto/machine/policy.hpp>
#include <callisto/workers/waiting/work_signal.hpp>
#include <callisto/workers/waiting/entry_gate.hpp>
#include <callisto/workers/teams/work_item.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace callisto::workers {

template <machine::policy M>
class team {
  using order = machine::order;

 public:
  /// Threads to a gate, at most, and gates to a slot; a checked machine makes do with fewer. With 16 and 64, simulated
  /// machines of 512 and 1,024 contexts take 5 to 13 times less time to start and end a loop than with a gate for each
  /// socket (docs/results/papers.md). Half as many to a gate shorten short loops of up to 256 contexts, since the
  /// leader
  /// has few gates to close and the others meet fewer in each; of more contexts they do not
  /// (docs/notebook/2026-11-24-short-loops-large-machines.md).
  static constexpr unsigned threads_per_gate = [] {
    if constexpr (requires { M::threads_per_gate; }) return M::threads_per_gate;
    return 16u;
  }();
  static constexpr unsigned max_gates = [] {
    if constexpr (requires { M::max_gates; }) return M::max_gates;
    return 64u;
  }();

  /// For `threads` threads, leaders included.
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

  /// Runs `item` as its leader, with what followers join; returns when every iteration has ended, but for those that
  /// followers have left behind who went away. `on`, here and below: where the calling thread stands, or null.
  void lead(work_item<M>& item, context_lease<M>* on = nullptr) noexcept {
    slot* const mine = take_slot();
    if (mine == nullptr) return item.run(0, nullptr, on);
    mine->item = &item;
    for (unsigned g = 0; g < gates_; ++g) gate_of(mine->number, g).open();
    work_signal_.announce(mine->number);
    item.run(0, mine, on);
    for (unsigned g = 0; g < gates_; ++g) gate_of(mine->number, g).close_and_drain();
    // release: the slot's next leader finds it as we leave it.
    mine->taken.store(0, order::release);
  }

  /// The life of follower number `thread` >= 1: returns after finish(). `position`, below the number of threads: where
  /// it runs, counted so that neighbours are close to each other on the machine; they share a gate.
  void follow(unsigned thread, unsigned position, context_lease<M>* on = nullptr) noexcept {
    const unsigned gate_number = position / gate_size_ % gates_;
    // From when it is away until it comes to a loop again, or ends.
    absence mine(absent_, position);
    for (;;) {
      // Without spinning where another job may run.
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
      // Start looking at a slot of one's own, so that followers spread over the loops that are open.
      slot& chosen = slots_[pick(notice.open, thread)];
      entry_gate<M>& entry = gate_of(chosen.number, gate_number);
      if (entry.try_enter()) {
        chosen.item->run(thread, &chosen, on);
        entry.leave();
      }
      // The context is somebody else's, who waits for it.
      if (on != nullptr && on->away()) continue;
      // Either nothing was left to claim, or the gate had closed: whoever claimed the last iterations is about to take
      // the notice off the board.
      work_signal_.wait_for_change(notice);
    }
  }

  /// Followers that are away, by position.
  const distributor::absent_threads<M>& absent() const noexcept { return absent_; }

  /// Ends every follower once it has left the loop that it is in. Loops may go on, and new ones start, without them.
  void finish() noexcept { work_signal_.finish(); }
  /// After finish() and the end of every follower: new ones may follow.
  void restart() noexcept { work_signal_.restart(); }

  /// In the child of a fork, where no follower and of the leaders at most the caller lives on.
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

  slot* take_slot() noexcept {
    for (slot& s : slots_) {
      std::uint32_t free = 0;
      // relaxed look, so that leaders do not fight for a slot that is taken; acquire: pairs with the store in lead().
      if (s.taken.load(order::relaxed) == 0 && s.taken.compare_exchange(free, 1, order::acquire)) return &s;
    }
    return nullptr;
  }

  entry_gate<M>& gate_of(unsigned of_slot, unsigned number) noexcept { return gate_[std::size_t{of_slot} * gates_ + number]; }

  static unsigned pick(std::uint32_t open, unsigned thread) noexcept {
    const unsigned start = thread % work_signal<M>::max_slots;
    const std::uint32_t from_start = open >> start << start;
    return static_cast<unsigned>(std::countr_zero(from_start != 0 ? from_start : open));
  }

  const unsigned gate_size_;  ///< threads to a gate
  const unsigned gates_;      ///< of each slot
  distributor::absent_threads<M> absent_;
  work_signal<M> work_signal_;
  std::array<slot, work_signal<M>::max_slots> slots_;
  const std::unique_ptr<entry_gate<M>[]> gate_;  ///< by slot; as many as there are threads for: a machine has many teams
};

}  // namespace callisto::workers
