// The simplest distributor: one shared counter, advanced by fetch-and-add (ATC 2015, section 3, "Shared counter").
#pragma once

#include <callisto/distributor/range.hpp>
#include <callisto/machine/policy.hpp>

#include <algorithm>
#include <cstdint>

namespace callisto::distributor {

/// Hands out [begin, end) in the order of requests; end <= 2^62. A thread goes beyond the end at most once, by at most
/// max_request. So the counter stays below 2^64 for 2^16 threads and never wraps around to iterations that were handed
/// out. It is a stripe of distributed_counters, which with one stripe is a distributor itself.
template <machine::policy M>
class alignas(M::line_size) shared_counter {
  using order = machine::order;

 public:
  static constexpr std::uint64_t max_request = std::uint64_t{1} << 45;

  shared_counter(std::uint64_t begin, std::uint64_t end) noexcept : next_(begin), end_(end) {}

  /// Returns up to k iterations; sets `left` to the number that follows them.
  range claim(std::uint64_t k, std::uint64_t& left) noexcept {
    // relaxed: only the numbers matter. The leader's writes for the loop, and the iterations' writes for the leader,
    // travel through the gate that followers enter and leave (waiting/entry_gate.hpp).
    const std::uint64_t first = next_.fetch_add(std::min(k, max_request), order::relaxed);
    if (first >= end_) {
      left = 0;
      return {};
    }
    const std::uint64_t last = std::min<std::uint64_t>(end_, first + std::min(k, max_request));
    left = end_ - last;
    return {first, last};
  }

  /// Returns the number of iterations that no thread has claimed. A load; it leaves the line shared.
  std::uint64_t left() const noexcept {
    const std::uint64_t next = next_.load(order::relaxed);
    return next < end_ ? end_ - next : 0;
  }

  /// Ends the handing out; true if that dropped iterations.
  bool exhaust() noexcept { return next_.exchange(end_, order::relaxed) < end_; }

 private:
  machine::atomic_of<M, std::uint64_t> next_;
  machine::plain_of<M, std::uint64_t> end_;
};

}  // namespace callisto::distributor
