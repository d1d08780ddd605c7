// How long jobs wait for each other: the delays of the temporal policy (EuroSys'14 section 2.1).
#pragma once

#include <callisto/export.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace callisto::cosched {

/// All in nanoseconds; the defaults are the paper's.
struct timing {
  std::uint64_t h_high = 10'000'000;   ///< how long an idle job keeps a context on which it has high priority
  std::uint64_t h_low = 10'000'000;    ///< how long an idle job keeps a context that it has borrowed
  std::uint64_t p_high = 100'000'000;  ///< how often a job looks for changes that no message told it
  std::uint64_t p_low = 1'000'000;     ///< how soon a borrower is expected to answer; how often it is asked again

  /// Returns the time without an answer after which the context is taken: the holder is stopped, or does not cooperate.
  std::uint64_t grace() const noexcept { return std::max<std::uint64_t>(10'000'000, 4 * p_low); }

  /// Returns the delays that CALLISTO_H_HIGH, CALLISTO_H_LOW, CALLISTO_P_HIGH and CALLISTO_P_LOW give: a number and
  /// `us`, `ms` or `s`, from 10us to 1s. Unset or empty: the default. Throws usage_error.
  CALLISTO_API static timing from_environment();

  friend bool operator==(const timing&, const timing&) = default;
};

/// Returns CALLISTO_WEIGHT, this job's share relative to other jobs' shares: 1 to max_weight; nullopt if unset. Throws
/// usage_error.
CALLISTO_API std::optional<unsigned> weight_if_set();
/// Returns CALLISTO_WEIGHT, 1 if unset. Throws usage_error.
inline unsigned weight_from_environment() { return weight_if_set().value_or(1); }
inline constexpr unsigned max_weight = 1000;

}  // namespace callisto::cosched
