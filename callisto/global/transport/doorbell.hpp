// A doorbell: a receiver sleeps on it after it found nothing, and no ring between its look and its sleep is lost.
#pragma once

#include <callisto/machine/policy.hpp>

#include <cstdint>

namespace callisto::global {

/// Counts rings and sleepers; parking on word() is the caller's, since processes may share it. Zeroed memory is a
/// silent bell. Any thread may call every member.
template <machine::policy M>
class doorbell {
  using order = machine::order;

 public:
  using word_type = machine::atomic_of<M, std::uint64_t>;

  /// Returns the number of rings so far, its low half. A receiver asks before it looks for what was sent.
  std::uint32_t rings() const noexcept {
    return static_cast<std::uint32_t>(rings_.load(order::acquire));  // acquire: pairs with ring()
  }
  /// Called after something was sent. True if a thread may sleep, so that the caller must unpark word().
  bool ring() noexcept {
    rings_.fetch_add(1, order::release);  // release: publishes what was sent to rings()
    // release: a sleeper that this does not see adds itself later, acquires from this, and then finds the ring.
    return sleepers_.fetch_add(0, order::release) != 0;
  }
  /// Called before a sleep. True if there was no ring since `seen`, so that the caller may park while word() is `seen`.
  bool lie_down(std::uint32_t seen) noexcept {
    sleepers_.fetch_add(1, order::acquire);  // acquire: pairs with ring()
    return rings() == seen;
  }
  /// Called after each lie_down().
  void get_up() noexcept { sleepers_.fetch_sub(1, order::relaxed); }  // relaxed: publishes nothing

  word_type& word() noexcept { return rings_; }

 private:
  word_type rings_{0};
  machine::atomic_of<M, std::uint32_t> sleepers_{0};
};

}  // namespace callisto::global
