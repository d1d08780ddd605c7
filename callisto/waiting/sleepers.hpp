// Sleepers of one word that are woken in sequence: one thread is waking at a time.
//
// The word says which threads sleep, or how many, and has one bit more, `waking`: a woken thread is on its way.
//
// 1. *Sleeper, finds no work:* registers in the word, and looks for work once more. If there is none, it sleeps.
// 2. *Publisher, has published work:* looks at the word. If a thread sleeps and none is on its way, the publisher sets
//    `waking` and wakes one or two. So publishers pay for at most one wake-up while a woken thread is on its way.
// 3. *Woken thread:* clears `waking`. If it found work and more threads sleep, it does step 2 for the next. So threads
//    wake up in sequence, as long as there is work.
//
// No wake-up is lost if one of the steps 1 and 2 sees the effect of the other step. The user of this rule sees to it,
// in one of two ways (README.md): work and sleepers stand in the same word, or a fence stands between the two halves of
// each step.
#pragma once

#include <callisto/machine/policy.hpp>

#include <cstdint>

namespace callisto::waiting {

/// The rule for words in which the bits `Asleep` are not all 0 while threads sleep.
template <machine::policy M, std::uint64_t Asleep, std::uint64_t Waking>
class sleepers {
 public:
  using word = machine::atomic_of<M, std::uint64_t>;

  static constexpr bool some(std::uint64_t seen) noexcept { return (seen & Asleep) != 0; }
  /// True if a thread that has published work must wake a sleeper: some sleep, and none is on its way.
  static constexpr bool need_wake(std::uint64_t seen) noexcept { return some(seen) && (seen & Waking) == 0; }

  /// Wakes sleepers if need be (step 2). try_wake(seen) sets `Waking` in the word by a compare-and-swap of `seen`, and
  /// then wakes; false if the word had changed. `seen` then holds what it found.
  template <class TryWake>
  static void wake(const word& of, TryWake try_wake) noexcept {
    std::uint64_t seen = of.load(machine::order::relaxed);  // relaxed: the compare-and-swap checks it
    while (need_wake(seen) && !try_wake(seen)) {
    }
  }
};

}  // namespace callisto::waiting
