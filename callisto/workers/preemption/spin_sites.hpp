// Addresses at which threads were found to wait.
#pragma once

#include <callisto/machine/policy.hpp>
#include <callisto/workers/preemption/interruption.hpp>

#include <algorithm>
#include <array>
#include <cstdint>

namespace callisto::workers {

/// The last eight addresses at which ticks found a thread that waits twice. A thread found there again counts as
/// waiting at the first tick. Thread-safe and async-signal-safe; all operations are relaxed, since the addresses are
/// hints.
template <machine::policy M>
class spin_sites {
  using order = machine::order;

 public:
  bool has(std::uintptr_t instruction) const noexcept {
    return std::any_of(sites_.begin(), sites_.end(), [instruction](const auto& site) {
      return interruption::are_near(instruction, site.load(order::relaxed));
    });
  }
  void add(std::uintptr_t instruction) noexcept {
    if (has(instruction)) return;
    sites_[oldest_.fetch_add(1, order::relaxed) % sites_.size()].store(instruction, order::relaxed);
  }

 private:
  std::array<machine::atomic_of<M, std::uintptr_t>, 8> sites_{};
  machine::atomic_of<M, unsigned> oldest_{0};
};

}  // namespace callisto::workers
