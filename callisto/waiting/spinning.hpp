// How a suspendable spins before it stops: for as long as it may, unless it has something better to do.
//
// Spinning to the end is spinning in vain, which the machine counts: jobs that share the machine judge each other by
// the time that they work (native::working_time()).
#pragma once

#include <callisto/machine/policy.hpp>
#include <callisto/waiting/suspendable.hpp>

#include <cstdint>

namespace callisto::waiting {

/// Waits as M::wait_while does, but for about a microsecond where that is possible: for waiters that watch more than
/// one word.
template <machine::policy M, class T, class Keep>
T glance(const machine::atomic_of<M, T>& word, Keep keep) noexcept {
  if constexpr (requires { M::relax(); }) {
    // acquire: as in wait_while.
    T value = word.load(machine::order::acquire);
    for (int turn = 0; turn < 32 && keep(value); ++turn) {
      M::relax();
      value = word.load(machine::order::acquire);
    }
    return value;
  } else {
    return M::wait_while(word, keep, machine::patience::brief);
  }
}

/// The time that a suspendable spins, from now on. A waiter looks for what it waits for, then asks is_over(), and
/// stops if that is so.
template <machine::policy M>
class spinning {
 public:
  explicit spinning(const suspendable<M>& self) noexcept : self_(self), begin_(M::ticks()) {}

  /// True if the suspendable has spun for as long as it may; it counts that as spun in vain.
  bool is_over() const noexcept {
    if (M::ticks() - begin_ < self_.spin_ticks()) return false;
    if constexpr (requires { M::spun_in_vain(0); }) M::spun_in_vain(self_.spin_ticks());
    return true;
  }

 private:
  const suspendable<M>& self_;
  const std::uint64_t begin_;
};

}  // namespace callisto::waiting
