// Constructs that all threads of a team meet, as both interfaces use them: single, ordered, cancel.
#pragma once

#include <callisto/openmp/region/team.hpp>

#include <cstdint>

namespace callisto::openmp {

/// Returns true if the caller runs the single construct. All threads meet their singles in one order, so one number
/// says which of them have begun: that of the latest.
inline bool begin_single(omp_thread& self) noexcept {
  const std::uint64_t mine = self.at.singles++;
  team& t = self.in();
  std::uint64_t found = mine;
  // relaxed: barriers order what comes before and after a single construct.
  while (found == mine && t.singles.load(order::relaxed) == mine)
    if (t.singles.compare_exchange(found, mine + 1, order::relaxed)) return true;
  return false;
}

/// Returns when the caller's range may run its ordered regions.
void begin_ordered(omp_thread& self) noexcept;

/// Cancels the innermost construct of a kind: 1 the region, 2 a loop, 4 sections, 8 a taskgroup, as in GCC's compiled
/// code. Returns false if cancellation is off.
bool cancel(omp_thread& self, int which) noexcept;
/// Tells a tool that the caller has cancelled a construct, or has seen that it is cancelled.
void tell_of_cancel(omp_thread& self, int which, bool activated) noexcept;
/// True if that construct is cancelled.
bool is_cancelled(const omp_thread& self, int which) noexcept;

}  // namespace callisto::openmp
