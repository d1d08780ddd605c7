// An exception on its way to the callers of a phase in other ranks: its kind and its text.
#pragma once

#include <callisto/machine/system/error.hpp>

#include <cstdint>
#include <exception>
#include <string>
#include <utility>

namespace callisto::global {

/// An exception that another rank threw, of a type that has no name here. what() begins with that type.
class remote_error : public error {
 public:
  using error::error;
};

/// The exception of the first task that failed.
struct phase_failure {
  int rank = -1;           ///< where; below 0: nothing failed
  std::uint32_t kind = 0;  ///< of the types that failure.cpp lists; 0: another one
  std::string text;
  std::exception_ptr original;  ///< in the rank that threw it

  /// Becomes `other` if nothing has failed here, or only a higher rank; returns if so.
  bool take(phase_failure other) {
    if (other.rank < 0 || (rank >= 0 && rank <= other.rank)) return false;
    *this = std::move(other);
    return true;
  }

  static phase_failure of(int rank, const std::exception_ptr& thrown);
  /// Throws the original, or a copy: of the same type if that is one of the standard library's or Callisto's, else a
  /// remote_error.
  [[noreturn]] void rethrow() const;
  /// Returns what rethrow() throws.
  std::exception_ptr made() const;
};

}  // namespace callisto::global
