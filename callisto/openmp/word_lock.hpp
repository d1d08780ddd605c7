// A lock of four bytes, for omp_lock_t, critical sections and what is made of them.
//
// Drepper's third mutex ("Futexes Are Tricky", 2011) over the wait table: 0 free, 1 held, 2 held and maybe waited for.
// Who waits spins first, as all waiting does here, and looks less and less often (Anderson, "The Performance of Spin
// Lock Alternatives", IEEE TPDS 1990). The lock goes to whoever takes it, not to who waits longest, so that no thread
// that is suspended has a lock that others could use.
#pragma once

#include <callisto/openmp/wait_table.hpp>

#include <cstdint>

namespace callisto::openmp {

/// Zeroed memory is a free lock.
class word_lock {
 public:
  bool try_lock() noexcept {
    std::uint32_t found = 0;
    // acquire: what the last holder wrote. Weak: again, if it was free and fails all the same.
    while (found == 0)
      if (word_.compare_exchange(found, held, order::acquire)) return true;
    return false;
  }

  void lock() noexcept {
    if (!try_lock()) wait_and_lock(*this_thread().self);
  }

  void unlock() noexcept {
    // release: for the next holder.
    if (word_.exchange(0, order::release) == contended) wake(&word_, 1);
  }

 private:
  static constexpr std::uint32_t held = 1;
  static constexpr std::uint32_t contended = 2;
  static constexpr unsigned longest_pause = 16;  // about as long as a line takes to another context and back

  [[gnu::noinline]] void wait_and_lock(party& self) noexcept {
    // relaxed: a look. It takes the word's line from the holder, who may use the lock again and again meanwhile.
    unsigned pause = 1;
    if (spin_until(self, [this, &pause] {
          if (word_.load(order::relaxed) == 0 && try_lock()) return true;
          for (unsigned i = 1; i < pause; ++i) native::relax();
          if (pause < longest_pause) pause *= 2;
          return false;
        }))
      return;
    // acquire: as in try_lock(). It may claim to be waited for when it is not any more: one vain wake().
    while (word_.exchange(contended, order::acquire) != 0)
      wait_at(&word_, self, [this] { return word_.load(order::relaxed) == contended; });  // relaxed: under the latch
  }

  atomic<std::uint32_t> word_{0};
};
static_assert(sizeof(word_lock) == 4);

}  // namespace callisto::openmp
