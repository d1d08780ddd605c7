// The errors that Callisto reports: one exception type for each thing that a user can put right.
//
// what() is one complete line fit to be shown to a person: it names the file and line, the flag or the environment
// variable, says what was found there and what was expected.
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

/// A flag, an environment variable or an argument of an API call that cannot be what the caller meant.
class CALLISTO_API usage_error : public error {
 public:
  using error::error;
};

/// A file that cannot be read or does not hold what its format promises.
class CALLISTO_API input_error : public error {
 public:
  /// `file` as the user named it; `line` counts from 1, 0 when the fault has no line (binary files, whole files).
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

}  // namespace callisto
