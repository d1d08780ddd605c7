// Waiting for a word_lock, and giving it up while other threads wait.
#include <callisto/openmp/locks/word_lock.hpp>

#include <cstdint>
#include <memory>

namespace callisto::openmp {
namespace {

constexpr unsigned longest_pause = 16;  // about the time that a line takes to another context and back

/// The alert is calmed when no thread has waited for 1 / calm_per_second seconds. The fence that follows is then rare.
constexpr std::uint64_t calm_per_second = 100;
/// Number of a thread's unlocks, while the alert is raised, for each of its looks at the clock.
constexpr unsigned looks = 64;

/// The latest time at which a thread waited, in native::ticks(); a hint.
atomic<std::uint64_t> last_wait{0};
constinit thread_local unsigned unlocked [[gnu::tls_model("initial-exec")]] = 0;

}  // namespace

waiting::waiter_flag<native> lock_alert;

void word_lock::wait_and_lock(suspendable& self) noexcept {
  // Each look takes the word's line from the holder, which may use the lock again and again meanwhile.
  unsigned pause = 1;
  if (spin_until(self, [this, &pause] {
        if (word_.is_free() && try_lock()) return true;
        for (unsigned i = 1; i < pause; ++i) native::relax();
        if (pause < longest_pause) pause *= 2;
        return false;
      }))
    return;
  lock_alert.raise();
  while (!word_.take_or_say()) wait_at(&word_, self, [this] { return word_.is_waited_for(); });
  last_wait.store(native::ticks(), order::relaxed);  // relaxed: a hint
  lock_alert.lower();
}

void word_lock::unlock_carefully() noexcept {
  if (word_.give_up_and_ask()) {
    wake(&word_, 1);
  } else if (++unlocked % looks == 0 &&
             native::ticks() - last_wait.load(order::relaxed) > native::ticks_per_second() / calm_per_second) {
    lock_alert.calm();  // relaxed: a hint
  }
}

void forget_lock_alert() noexcept { std::construct_at(&lock_alert); }

}  // namespace callisto::openmp
