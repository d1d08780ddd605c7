// The simplest distributor: one shared counter, advanced by fetch-and-add (ATC'15 section 3, "Shared counter").
#pragma once

#include <callisto/distributor/range.hpp>
#include <callisto/machine/policy.hpp>

#include <algorithm>
#include <cstdint>

namespace callisto::distributor {

/// Hands out [begin, end) in the order of requests; end <= 2^62. What threads add beyond the end, each once at most and
/// no more than max_request, stays below 2^64 for 2^16 threads: the counter never wraps around to iterations that were
/// handed out before.
template <class M>
class alignas(M::line_size) shared_counter {
  using order = machine::order;

 public:
  static constexpr std::uint64_t max_request = std::uint64_t{1} << 45;

  struct cursor {
    std::uint64_t left;
  };

  shared_counter(std::uint64_t begin, std::uint64_t end) noexcept : next_(begin), begin_(begin), end_(end) {}

  /// Over a loop of `n` <= 2^62 iterations, as every distributor is made: one counter, however many threads.
  shared_counter(std::uint64_t n, unsigned /*threads*/, std::uint64_t /*smallest*/) noexcept : shared_counter(0, n) {}

  cursor cursor_of(unsigned) const noexcept { return {end_ - begin_}; }
  std::uint64_t near(const cursor& c) const noexcept { return c.left; }

  range claim(cursor& c, std::uint64_t k) noexcept {
    // relaxed: only the numbers matter. What the leader wrote for the loop, and what the iterations write for the
    // leader, travel through the gate that followers enter and leave (workers/gate.hpp).
    const std::uint64_t first = next_.fetch_add(std::min(k, max_request), order::relaxed);
    if (first >= end_) {
      c.left = 0;
      return {};
    }
    const std::uint64_t last = std::min<std::uint64_t>(end_, first + std::min(k, max_request));
    c.left = end_ - last;
    return {first, last, last == end_};
  }

  /// Whether a claim would come back empty; a look, without taking the line for writing.
  bool looks_empty() const noexcept { return next_.load(order::relaxed) >= end_; }

  bool exhaust() noexcept { return next_.exchange(end_, order::relaxed) < end_; }

 private:
  typename M::template atomic<std::uint64_t> next_;
  typename M::template plain<std::uint64_t> begin_;
  typename M::template plain<std::uint64_t> end_;
};

}  // namespace callisto::distributor
