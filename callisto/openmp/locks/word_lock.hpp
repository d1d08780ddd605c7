// A lock of four bytes, for omp_lock_t and critical sections.
//
// It is an asymmetric lock word (waiting/asymmetric_lock_word.hpp) over the parking lot. A waiting thread first
// spins, and looks less and less often (Anderson, "The Performance of Spin Lock Alternatives", IEEE TPDS 1990). The
// lock goes to the thread that takes it first, not to the one that waits longest: so no suspended thread holds a lock
// that a running one could use.
#pragma once

#include <callisto/openmp/locks/parking_lot.hpp>
#include <callisto/waiting/asymmetric_lock_word.hpp>

namespace callisto::openmp {

/// The alert of all locks of the process.
extern waiting::waiter_flag<native> lock_alert;

/// A word_lock; zeroed memory is a free one.
class word_lock {
 public:
  bool try_lock() noexcept { return word_.try_take(); }

  void lock() noexcept {
    if (!try_lock()) wait_and_lock(*this_thread().self);
  }

  void unlock() noexcept {
    if (lock_alert.is_raised()) return unlock_carefully();
    if (word_.give_up(lock_alert)) wake(&word_, 1);
  }

 private:
  void wait_and_lock(suspendable& self) noexcept;
  void unlock_carefully() noexcept;

  waiting::asymmetric_lock_word<native> word_;
};
static_assert(sizeof(word_lock) == 4);

/// Resets the alert, in the child of fork(): no thread waits there.
void forget_lock_alert() noexcept;

}  // namespace callisto::openmp
