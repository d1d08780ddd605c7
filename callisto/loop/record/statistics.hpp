// Statistics of loops: what the loops of each site did, summed up.
//
// Off unless asked for: by count_loops(), by the environment variable CALLISTO_STATS, or by `callisto COMMAND --stats`.
// CALLISTO_STATS=1 prints a table on standard error when the process ends; any other value but 0 names a file that then
// gets the same as JSON (loop/record/report.hpp).
#pragma once

#include <callisto/export.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace callisto {

/// What threads did in loops. Times are in ticks of the processor's constant-rate clock, of which there are
/// machine::native::ticks_per_second().
struct loop_activity {
  std::uint64_t visits = 0;      ///< times that a thread took part in a loop
  std::uint64_t iterations = 0;  ///< of batches that ended; not of one in which a body threw
  std::uint64_t batches = 0;     ///< pieces of a loop that a thread ran in one go
  std::uint64_t steals = 0;      ///< times that a thread turned to another's share: half of a range, another stripe
  std::uint64_t given_back = 0;  ///< times that one gave back, when asked, what it had reserved but not begun
  std::uint64_t taken_back = 0;  ///< times that one took, unasked, what another had reserved but not begun
  std::uint64_t combined = 0;    ///< batches that another thread had claimed for it
  std::uint64_t work = 0;        ///< in loop bodies
  std::uint64_t claiming = 0;    ///< between bodies: asking for iterations, and finding that none are left
  std::uint64_t idle = 0;        ///< while the loop lasted, not in it: coming late, waiting for others, busy elsewhere

  loop_activity& operator+=(const loop_activity& other) noexcept;
  friend bool operator==(const loop_activity&, const loop_activity&) = default;
};

/// The loops of one site: a place in the source, in one instantiation of the function template that it may be in.
struct loop_statistics_of_site {
  std::string file;  ///< as the compiler was given it
  unsigned line = 0;
  unsigned column = 0;
  std::string function;  ///< with its template arguments, as the compiler prints them

  std::uint64_t loops = 0;             ///< that have ended
  std::uint64_t threw = 0;             ///< of those: ended by an exception
  std::uint64_t stopped = 0;           ///< of those: cut short by a stop
  std::uint64_t duration = 0;          ///< ticks from beginning to end, all loops together
  std::uint64_t busiest = 0;           ///< work of the thread that worked longest, summed over the loops
  double mean = 0;                     ///< work of a thread on average, threads that did none included, summed likewise
  std::vector<loop_activity> threads;  ///< by this_thread(); work + claiming + idle is the time it had in these loops

  /// The sum of `threads`.
  loop_activity total() const noexcept;
  /// How much longer the busiest thread worked than it would have, had all worked equally long; from 1, which is
  /// perfect, to the number of threads. 1 if there was no work.
  double imbalance() const noexcept { return mean > 0 ? static_cast<double>(busiest) / mean : 1; }
};

/// Counts what loops do from now on, or no more. Loops that have begun are counted as it was when they began. While it
/// is on, a loop costs about half a microsecond more, and a batch two readings of the clock. Thread-safe.
CALLISTO_API void count_loops(bool on);

/// What the loops that have ended did, by site, the one with the most work first. In the child of a fork: those that
/// ended there. Loops inside the bodies of others count for themselves, and their time counts as the others' work, too.
/// Thread-safe.
CALLISTO_API std::vector<loop_statistics_of_site> loop_statistics();

/// Begins all sums anew. Thread-safe.
CALLISTO_API void reset_loop_statistics() noexcept;

namespace loop {

/// A table for people, a line a site; begins with a heading line.
CALLISTO_API std::string to_table(std::span<const loop_statistics_of_site> sites);

/// A JSON array of objects, one a site; docs/how-to/profile-loops.md explains the keys.
CALLISTO_API std::string to_json(std::span<const loop_statistics_of_site> sites);

/// "pagerank_of" from "callisto::graph::pagerank_result callisto::graph::pagerank_of(const T&) [with T = ...]".
CALLISTO_API std::string short_function(const std::string& function);

}  // namespace loop
}  // namespace callisto
