// What a distributor deals in: a request for work goes in, a range of iterations comes out.
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

/// How claims were met other than from the claiming thread's own share. Counted where that is rare anyway, so that an
/// ordinary claim pays nothing.
struct claim_counts {
  std::uint64_t steals = 0;      ///< times that the thread turned to another's share: half a range, the next stripe
  std::uint64_t given_back = 0;  ///< times that it gave back, when asked, what it had reserved but not begun
  std::uint64_t taken_back = 0;  ///< times that it took, unasked, what another had reserved but not begun
  std::uint64_t combined = 0;    ///< claims of this thread that another thread made for it

  friend bool operator==(const claim_counts&, const claim_counts&) = default;
};

/// A work distributor over iterations [0, n) of one loop instance (Callisto-RTS, ATC'15 section 3). Every iteration is
/// handed out exactly once, to whatever threads ask; threads that never ask leave nothing behind.
///   most              how many iterations it can have
///   D(n, where, stages)   for a loop of n <= most iterations that up to where.threads() threads run; `where` outlives
///                     it. `stages`, not empty, says what D is to be: its own stage first, then those upstream
///   cursor            what one thread remembers between its claims, made by cursor_of(thread number), the number being
///                     below where.threads(). A thread may leave the loop and come back with a new cursor; no two
///                     threads use one number at the same time
///   claim(c, k)       up to k iterations; empty when the thread had better leave the loop, since nothing is left that
///                     it could have
///   near(c)           about how many iterations are left where the cursor stands, for each thread that takes from
///                     there: an upper bound for sensible k
///   leave(c)          the thread leaves although no claim of its was empty: nothing may be granted to it afterwards
///   free(c)           whether the thread may leave and nothing is lost: it has run all that it was granted, and
///   nothing
///                     can be granted to it meanwhile
///   exhaust()         nothing more is handed out, but for claims that run at this moment
///   dropped()         once no thread uses it any more: whether exhaust() kept iterations from being handed out. Ranges
///                     that were handed out but not run are the caller's to know
///   c.counts          optional: the claim_counts of that cursor, written by its thread alone (loop/record/recorder.hpp reads
///                     them, after each claim and at the end, when loops are recorded)
/// claim, near, leave and exhaust may run concurrently.
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
