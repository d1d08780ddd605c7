// How much of the machine programs use that do not belong to a measurement.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace callisto::app {

/// Returns the line that tells that a measurement is not to be trusted, if `used`, the contexts that other programs had
/// on average, is more than a tenth of `contexts`; else an empty text.
std::string busy_machine(const std::optional<double>& used, std::size_t contexts);

/// A point in time, and which processor time was used before it; all in nanoseconds.
struct processor_times {
  std::uint64_t now = 0;
  std::uint64_t all = 0;  ///< by all programs, on the contexts that this process may use; 0: unknown
  std::uint64_t own = 0;  ///< by this process, and its children that have ended
};

/// Returns how many contexts other programs used between two points, on average; nullopt if the system does not tell,
/// or if less than 50 ms have passed.
std::optional<double> used_by_others(const processor_times& begin, const processor_times& end);

/// Looks at other programs from its construction on.
class other_programs {
 public:
  other_programs();

  /// Returns used_by_others() since the construction.
  std::optional<double> used() const;

  /// Returns busy_machine() for used().
  std::string warning() const;

 private:
  processor_times begin_;
};

}  // namespace callisto::app
