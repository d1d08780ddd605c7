// A lock of four bytes, for omp_lock_t, critical sections and what is made of them.
//
// A quick word over the wait table (workers/waiting/asymmetric_lock_word.hpp). Who waits spins first, as all waiting does here, and looks
// less and less often (Anderson, "The Performance of Spin Lock Alternatives", IEEE TPDS 1990). The lock goes to whoever
// takes it, not to who waits longest, so that no thread that is suspended has a lock that others could use.
#pragma once

#include <callisto/openmp/locks/parking_lot.hpp>
#include <callisto/workers/waiting/asymmetric_lock_word.hpp>

namespace callisto::openmp {

/// Of all locks of the process.
extern workers::waiter_flag<native> lock_alert;

/// Zeroed memory is a free lock.
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

  workers::asymmetric_lock_word<native> word_;
};
static_assert(sizeof(word_lock) == 4);

/// The child of fork(): nobody waits.
void forget_lock_alert() noexcept;

}  // namespace callisto::openmp
