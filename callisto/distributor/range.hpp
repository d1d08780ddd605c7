// What a distributor deals in: a request for work goes in, a range of iterations comes out.
#pragma once

#include <concepts>
#include <cstdint>

namespace callisto::distributor {

/// Iterations [first, last) of a loop, counted from 0.
struct range {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  /// The claim that took the loop's last iterations says so, once in a loop: its thread withdraws the work item.
  bool is_final = false;

  bool empty() const noexcept { return first >= last; }
  std::uint64_t size() const noexcept { return last - first; }
};

/// A work distributor over iterations [0, n) of one loop instance (Callisto-RTS, ATC'15 section 3). Every iteration is
/// handed out exactly once, to whatever threads ask; threads that never ask leave nothing behind.
///   D(n, threads, smallest)   for a loop of n iterations and up to that many threads, which had better not be handed
///                     fewer than `smallest` at a time
///   cursor            what one thread remembers between its claims, made by cursor_of(thread number)
///   claim(c, k)       up to k iterations; empty when none is left anywhere
///   near(c)           about how many iterations are left where the cursor stands, for each thread that takes from
///                     there: an upper bound for sensible k
///   exhaust()         nothing more is handed out; true if that dropped iterations
/// claim, near and exhaust may run concurrently.
template <class D>
concept work_distributor = std::constructible_from<D, std::uint64_t, unsigned, std::uint64_t> &&
                           requires(D& d, typename D::cursor& c, unsigned thread, std::uint64_t k) {
                             { d.cursor_of(thread) } -> std::same_as<typename D::cursor>;
                             { d.claim(c, k) } -> std::same_as<range>;
                             { d.near(c) } -> std::same_as<std::uint64_t>;
                             { d.exhaust() } -> std::same_as<bool>;
                           };

}  // namespace callisto::distributor
