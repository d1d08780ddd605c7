// Settings in the environment for sharing the machine with other jobs (docs/reference/environment.md).
#pragma once

#include <callisto/cosched/timing.hpp>
#include <callisto/export.hpp>

#include <optional>
#include <string>

namespace callisto::cosched {

/// How this process takes part.
struct settings {
  bool wanted = true;        ///< CALLISTO_COSCHED is not `off`
  bool told_if_not = false;  ///< CALLISTO_COSCHED=on: a refusal is printed on standard error
  timing delays{};
  std::optional<unsigned> weight;  ///< CALLISTO_WEIGHT; if none, the job's share follows its process's priority

  /// Reads the environment. Throws usage_error for a bad CALLISTO_COSCHED, and for what timing::from_environment() and
  /// weight_from_environment() refuse, but see forgive().
  CALLISTO_API static settings from_environment();
  /// From now on a value that from_environment() would refuse counts as unset, and `tell` gets one line about the first
  /// such. For a library that a site preloads into all programs: there a wrong variable ends none. Call it before any
  /// other thread reads the settings.
  CALLISTO_API static void forgive(void (*tell)(const char* line) noexcept) noexcept;
  /// Prints on standard error that the process runs alone, and why, if CALLISTO_COSCHED=on.
  void tell_if_wanted(const std::string& why) const;
};

}  // namespace callisto::cosched
