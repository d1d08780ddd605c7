// Ranges: a thread requests work of a distributor and gets a range of iterations.
#pragma once

#include <callisto/distributor/layout.hpp>
#include <callisto/distributor/schedule.hpp>

#include <concepts>
#include <cstdint>
#include <span>

namespace callisto::distributor {

/// Iterations [first, last) of a loop, counted from 0.
struct range {
  std::uint64_t first = 0;
  std::uint64_t last = 0;

  bool empty() const noexcept { return first >= last; }
  std::uint64_t size() const noexcept { return last - first; }
};

/// Counts claims that were met from other threads' shares. Such claims are rare, so an ordinary claim pays nothing.
struct claim_counts {
  std::uint64_t steals = 0;      ///< how often the thread turned to another's share: half a range, the next stripe
  std::uint64_t given_back = 0;  ///< how often it gave back, on request, what it had reserved but not begun
  std::uint64_t taken_back = 0;  ///< how often it took by force what another had reserved but not begun
  std::uint64_t combined = 0;    ///< claims of this thread that another thread made for it

  friend bool operator==(const claim_counts&, const claim_counts&) = default;
};

// clang-format off: the table below
/// A work distributor over iterations [0, n) of one loop (Callisto-RTS, ATC 2015, section 3). It hands out every
/// iteration exactly once, to whatever threads ask. A thread that never asks keeps nothing from other threads.
///   most                  how many iterations it can have
///   D(n, where, stages)   for a loop of n <= most iterations that up to where.threads() threads run. `where` outlives it.
///                         `stages`, not empty, says what D is to be: first its own stage, then those upstream
///   cursor                what one thread remembers between its claims, made by cursor_of(thread number); the number is
///                         below where.threads(). A thread may leave the loop and come back with a new cursor. No two
///                         threads use one number at the same time
///   claim(c, k)           up to k iterations; empty if nothing is left for the thread, which then leaves the loop
///   near(c)               about how many iterations are left at the cursor for each thread that takes from there: an
///                         upper bound for sensible k
///   leave(c)              the thread leaves although its last claim was not empty: it is granted nothing afterwards
///   free(c)               true if the thread may leave and nothing is lost: it has run all that it was granted, and
///                         nothing can be granted to it meanwhile
///   exhaust()             nothing more is handed out, but for claims that run at this moment
///   dropped()             after the last thread has left: true if exhaust() kept iterations from being handed out. The
///                         caller itself knows of ranges that were handed out and not run
///   c.counts              optional: the claim_counts of that cursor, written by its thread alone (the recorder reads
///                         them after each claim and at the end, when loops are recorded: loop/record/recorder.hpp)
/// claim, near, leave and exhaust may run concurrently.
// clang-format on
template <class D>
concept work_distributor = std::constructible_from<D, std::uint64_t, const layout&, std::span<const stage>> &&
                           requires(D& d, typename D::cursor& c, unsigned thread, std::uint64_t k) {
                             { d.cursor_of(thread) } -> std::same_as<typename D::cursor>;
                             { d.claim(c, k) } -> std::same_as<range>;
                             { d.near(c) } -> std::same_as<std::uint64_t>;
                             d.leave(c);
                             { d.free(c) } -> std::same_as<bool>;
                             d.exhaust();
                             { d.dropped() } -> std::same_as<bool>;
                             { D::most } -> std::convertible_to<std::uint64_t>;
                           };

}  // namespace callisto::distributor
