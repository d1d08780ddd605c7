// Statistics of loops: the activity of each site's loops, summed up.
//
// Off by default; switched on by count_loops(), by the environment variable CALLISTO_STATS, or by `callisto COMMAND
// --stats`. CALLISTO_STATS=1 prints a table on standard error when the process ends; any other value but 0 names a file
// that then gets the table as JSON (loop/record/report.hpp).
#pragma once

#include <callisto/export.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace callisto {

/// Activity of threads in loops. Times are in ticks of the processor's constant-rate clock, of which there are
/// machine::native::ticks_per_second() a second.
struct loop_activity {
  std::uint64_t visits = 0;      ///< how often a thread took part in a loop
  std::uint64_t iterations = 0;  ///< iterations of batches that ended; not of a batch in which a body threw
  std::uint64_t batches = 0;     ///< batches: pieces of a loop that a thread ran in one go
  std::uint64_t steals = 0;      ///< how often a thread turned to another thread's share: half of a range, or a stripe
  std::uint64_t given_back = 0;  ///< how often a thread gave back, on request, what it had reserved but not begun
  std::uint64_t taken_back = 0;  ///< how often a thread took by force what another thread had reserved but not begun
  std::uint64_t combined = 0;    ///< batches that another thread claimed for it
  std::uint64_t work = 0;        ///< time in loop bodies
  std::uint64_t claiming = 0;    ///< time between bodies: claiming iterations, and finding that none are left
  std::uint64_t idle = 0;        ///< time outside while the loop lasted: coming late, waiting for other threads, busy
                                 ///< elsewhere

  loop_activity& operator+=(const loop_activity& other) noexcept;
  friend bool operator==(const loop_activity&, const loop_activity&) = default;
};

/// The loops of one site: a place in the source, in one instantiation of its function template, if it is in one.
struct loop_statistics_of_site {
  std::string file;  ///< the name that the compiler was given
  unsigned line = 0;
  unsigned column = 0;
  std::string function;  ///< with its template arguments, as the compiler prints them

  std::uint64_t loops = 0;             ///< loops that have ended
  std::uint64_t threw = 0;             ///< loops that an exception ended
  std::uint64_t stopped = 0;           ///< loops that a stop cut short
  std::uint64_t duration = 0;          ///< ticks from beginning to end, summed over the loops
  std::uint64_t busiest = 0;           ///< work of the busiest thread, summed over the loops
  double mean = 0;                     ///< mean work of a thread, idle threads included, summed over the loops
  std::vector<loop_activity> threads;  ///< by this_thread(); work + claiming + idle is the thread's time in these loops

  /// Returns the sum of `threads`.
  loop_activity total() const noexcept;
  /// Returns how much longer the busiest thread worked than if all had worked equally long: from 1, which is perfect,
  /// to the number of threads. 1 if there was no work.
  double imbalance() const noexcept { return mean > 0 ? static_cast<double>(busiest) / mean : 1; }
};

/// Switches the counting of loops on or off. Loops in flight are counted as it was when they began. While it is on, a
/// loop costs about 0.5 us more, and a batch two readings of the clock. Thread-safe.
CALLISTO_API void count_loops(bool on);

/// Returns the statistics of the loops that have ended, by site, the site with the most work first. In the child of a
/// fork: loops that ended there. A loop inside the body of an outer loop counts for itself, and its time also counts as
/// the outer loop's work. Thread-safe.
CALLISTO_API std::vector<loop_statistics_of_site> loop_statistics();

/// Sets all sums to 0. Thread-safe.
CALLISTO_API void reset_loop_statistics() noexcept;

namespace loop {

/// Returns a table for people, a line a site; begins with a heading line.
CALLISTO_API std::string to_table(std::span<const loop_statistics_of_site> sites);

/// Returns a JSON array of objects, one a site; docs/how-to/profile-loops.md explains the keys.
CALLISTO_API std::string to_json(std::span<const loop_statistics_of_site> sites);

/// Returns "pagerank_of" from "callisto::graph::pagerank_result callisto::graph::pagerank_of(const T&) [with T = ...]".
CALLISTO_API std::string short_function(const std::string& function);

}  // namespace loop
}  // namespace callisto
