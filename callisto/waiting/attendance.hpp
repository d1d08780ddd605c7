// A watcher that rests while no thread is there that it watches for.
//
// One word holds the number of threads that are present, and whether the watcher rests:
//
// 1. *Thread, arrives:* adds itself to the count. If the watcher rests, the thread wakes it.
// 2. *Watcher, has seen no thread for long:* sets `resting` if the count is 0, and sleeps while the word stays so.
//
// No wake-up is lost: a thread that arrives before step 2 makes the count other than 0, so that the watcher does not
// rest; a thread that arrives after it finds `resting` in its own fetch_add.
#pragma once

#include <callisto/machine/policy.hpp>

#include <cstdint>

namespace callisto::waiting {

template <machine::policy M>
class attendance {
  using order = machine::order;

 public:
  /// Says that the calling thread is present. From any thread; once until depart().
  void arrive() noexcept {
    // relaxed, all: the word is all the news; what the watcher then looks at it looks at again and again.
    if ((word_.fetch_add(1, order::relaxed) & resting) != 0) M::unpark(word_, 1);
  }

  /// Says that a thread that has arrived is present no more.
  void depart() noexcept { word_.fetch_sub(1, order::relaxed); }

  /// If no thread is present, calls sleep(word, low), which sleeps like M::park(), until a thread arrives. May return
  /// early. Called by the watcher.
  template <class Sleep>
  void rest(Sleep sleep) noexcept {
    std::uint64_t none = 0;
    if (!word_.compare_exchange(none, resting, order::relaxed)) return;
    sleep(word_, static_cast<std::uint32_t>(resting));
    word_.fetch_and(~resting, order::relaxed);
  }

  /// True if a thread is present; a hint.
  bool any() const noexcept { return (word_.load(order::relaxed) & ~resting) != 0; }

 private:
  static constexpr std::uint64_t resting = std::uint64_t{1} << 31;  ///< in the low half, which park() compares

  alignas(M::line_size) machine::atomic_of<M, std::uint64_t> word_{0};
};

}  // namespace callisto::waiting
