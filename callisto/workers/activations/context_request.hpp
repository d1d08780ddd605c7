// A permit for a hardware context from other jobs, which a deputy gets for whoever of this process is to run there.
//
// What jobs agree on in their table (cosched/job.hpp) takes locks and memory. Workers and guests must not wait for
// either: an activation that was preempted may hold malloc's lock, and a tick interrupts a guest anywhere. So a thread
// beside, the context's deputy, has the seat in the table; holders and their deputy tell each other what they want by
// one word, on which both sleep: at once, for they are on the same processor as a rule, and who spins there keeps the
// other from it.
#pragma once

#include <callisto/machine/policy.hpp>

#include <cstdint>
#include <utility>

namespace callisto::workers {

template <machine::policy M>
class context_request {
  using order = machine::order;

 public:
  context_request() = default;
  context_request(const context_request&) = delete;
  context_request& operator=(const context_request&) = delete;

  /// Whoever has the context in this process, at first and when it is disturbed: returns when the job has it.
  /// `pressing`: the caller had better be elsewhere if the job has no claim to it: then, false.
  bool obtain(bool pressing) noexcept {
    const std::uint64_t asks = pressing ? pressed : asked;
    // release: the deputy sees what the last holder did. relaxed otherwise: nothing is read.
    state_.exchange(asks, order::release);
    M::unpark(state_, all);
    const auto not_yet = [asks](std::uint64_t s) { return s == asks; };
    // acquire, by wait_while: what the deputy wrote for the holder.
    std::uint64_t s = M::wait_while(state_, not_yet, machine::patience::none);
    for (; not_yet(s); s = M::wait_while(state_, not_yet, machine::patience::none)) {
      M::park(state_, static_cast<std::uint32_t>(asks));
    }
    return s != denied;
  }

  /// Whoever has the context: nobody of this process needs it. Does not wait.
  void leave() noexcept {
    // Who has none, since the process was alone, finds `none`.
    for (std::uint64_t seen = granted; seen == granted;) {
      // release: as in obtain().
      if (!state_.compare_exchange(seen, left, order::release)) continue;
      M::unpark(state_, all);
      return;
    }
  }

  /// Ends the deputy, once nobody obtains any more.
  void end() noexcept {
    state_.store(ended, order::relaxed);  // relaxed: the deputy reads nothing then
    M::unpark(state_, all);
  }

  /// The deputy's life. `seat.keep()`: whether the job keeps the context, which it has; `seat.take()`: returns when it
  /// has it; `seat.idle()`: it is not needed; `seat.sleep(word, low)`: M::park, and what there may be to look at
  /// meanwhile; `grant()`: what the holder is to find, before he goes on.
  template <class Seat, class Grant>
  void serve(Seat& seat, Grant grant) {
    const auto idle = [](std::uint64_t s) { return s == none || s == granted || s == denied; };
    for (bool has = false;;) {
      // acquire: what holders did.
      const std::uint64_t s = M::wait_while(state_, idle, machine::patience::none);
      if (idle(s)) {
        seat.sleep(state_, static_cast<std::uint32_t>(s));
      } else if (s == ended) {
        return;
      } else if (s == left) {
        if (std::exchange(has, false)) seat.idle();
        std::uint64_t found = left;
        state_.compare_exchange(found, none, order::relaxed);  // relaxed: who obtains meanwhile is served next
      } else {
        has = (has && seat.keep()) || seat.take(s == pressed);
        if (has) grant();
        std::uint64_t found = s;
        // release: the holder sees the grant. It fails if this is to end.
        while (!state_.compare_exchange(found, has ? granted : denied, order::release) && found == s) {
        }
        M::unpark(state_, all);
      }
    }
  }

 private:
  static constexpr std::uint64_t none = 0;
  static constexpr std::uint64_t asked = 1;
  static constexpr std::uint64_t granted = 2;
  static constexpr std::uint64_t left = 3;
  static constexpr std::uint64_t ended = 4;
  static constexpr std::uint64_t pressed = 5;  ///< asked, and pressing
  static constexpr std::uint64_t denied = 6;
  static constexpr unsigned all = ~0U;

  machine::atomic_of<M, std::uint64_t> state_{none};
};

}  // namespace callisto::workers
