// The errors that Callisto reports: one exception type for each thing that a user can put right.
//
// what() is one complete line for a person: it names the file and line, the flag or the environment variable, and says
// what was found and what was expected.
#pragma once

#include <callisto/export.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace callisto {

/// The base of every exception that Callisto itself throws.
class CALLISTO_API error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An invalid flag, environment variable or argument of an API call.
class CALLISTO_API usage_error : public error {
 public:
  using error::error;
};

/// A file that cannot be read or does not hold what its format promises.
class CALLISTO_API input_error : public error {
 public:
  /// Takes `file` as the user named it; `line` counts from 1, and is 0 if the fault has no line (binary files, whole
  /// files).
  input_error(std::string file, std::uint64_t line, const std::string& message)
      : error(line == 0 ? file + ": " + message : file + ":" + std::to_string(line) + ": " + message),
        file_(std::move(file)),
        line_(line) {}

  const std::string& file() const noexcept { return file_; }
  std::uint64_t line() const noexcept { return line_; }

 private:
  std::string file_;
  std::uint64_t line_;
};

/// A result that cannot be written (no space, no permission); nothing partial is left behind.
class CALLISTO_API output_error : public error {
 public:
  using error::error;
};

/// Thrown by an operation that returns a value, or nothing but its effect, if a stop was requested before it had ended:
/// a reduction, or a long operation on graphs, which then has changed and written nothing.
class CALLISTO_API cancelled : public std::runtime_error {
 public:
  cancelled() : std::runtime_error("cancelled") {}
};

}  // namespace callisto
