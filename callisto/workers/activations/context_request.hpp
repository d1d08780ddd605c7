// Requests for a hardware context from other jobs, which a proxy thread obtains for the thread of this process that is
// to run there, the holder.
//
// Agreements of jobs in their table (cosched/job.hpp) take locks and memory. Workers and attached threads must not wait
// for either: an activation that was preempted may hold malloc's lock, and a tick interrupts an attached thread
// anywhere. So each context has a proxy thread, which has the seat in the table.
//
// Holder and proxy thread exchange requests through one word and block on it without spinning: they usually share a
// CPU, and a spinner would delay its peer.
//
//   none -> asked or pressed   obtain(), by the holder; also from granted and denied
//        -> granted or denied  the proxy thread
//        -> left -> none       leave(), by the holder; then the proxy thread
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

  /// Blocks until the job has the context. By the holder, when it gets the context within the process, and again when
  /// the context is wanted by another job. `pressing`: if the job has no claim to the context, the caller had better be
  /// elsewhere; then returns false.
  bool obtain(bool pressing) noexcept {
    const std::uint64_t asks = pressing ? pressed : asked;
    // release: publishes the holder's writes to serve()'s acquire. Not acquire: nothing is read.
    state_.exchange(asks, order::release);
    M::unpark(state_, all);
    const auto not_yet = [asks](std::uint64_t s) { return s == asks; };
    // acquire, by wait_while: pairs with serve()'s release; what grant() wrote is visible.
    std::uint64_t s = M::wait_while(state_, not_yet, machine::patience::none);
    for (; not_yet(s); s = M::wait_while(state_, not_yet, machine::patience::none)) {
      M::park(state_, static_cast<std::uint32_t>(asks));
    }
    return s != denied;
  }

  /// Says that no thread of this process needs the context. By the holder. Does not block.
  void leave() noexcept {
    // If the process was alone when the holder got the context, the word is `none`.
    for (std::uint64_t seen = granted; seen == granted;) {
      // release: pairs with serve()'s acquire, as in obtain().
      if (!state_.compare_exchange(seen, left, order::release)) continue;
      M::unpark(state_, all);
      return;
    }
  }

  /// Ends the proxy thread, after the last obtain().
  void end() noexcept {
    state_.store(ended, order::relaxed);  // relaxed: serve() reads nothing then
    M::unpark(state_, all);
  }

  /// Serves requests until end(): the life of the proxy thread. It calls
  /// - `seat.keep()`: true if the job keeps the context, which it has;
  /// - `seat.take(pressing)`: blocks until the job has the context; false: it gave up;
  /// - `seat.idle()`: the context is not needed;
  /// - `seat.sleep(word, low)`: M::park, and a look at other jobs now and then;
  /// - `grant()`: writes what the holder reads once it has the context.
  template <class Seat, class Grant>
  void serve(Seat& seat, Grant grant) {
    const auto idle = [](std::uint64_t s) { return s == none || s == granted || s == denied; };
    for (bool has = false;;) {
      // acquire: pairs with obtain()'s and leave()'s releases; the holder's writes are visible.
      const std::uint64_t s = M::wait_while(state_, idle, machine::patience::none);
      if (idle(s)) {
        seat.sleep(state_, static_cast<std::uint32_t>(s));
      } else if (s == ended) {
        return;
      } else if (s == left) {
        if (std::exchange(has, false)) seat.idle();
        std::uint64_t found = left;
        state_.compare_exchange(found, none, order::relaxed);  // relaxed: an obtain() meanwhile is served next
      } else {
        has = (has && seat.keep()) || seat.take(s == pressed);
        if (has) grant();
        std::uint64_t found = s;
        // release: publishes what grant() wrote to obtain()'s acquire. Fails if this is to end.
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
  static constexpr std::uint64_t pressed = 5;  ///< asked, by a caller that is pressing
  static constexpr std::uint64_t denied = 6;
  static constexpr unsigned all = ~0U;

  machine::atomic_of<M, std::uint64_t> state_{none};
};

}  // namespace callisto::workers
