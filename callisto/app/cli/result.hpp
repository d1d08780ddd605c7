// Where a command's result goes: standard output, or a file that appears whole or not at all.
#pragma once

#include <callisto/machine/system/output_file.hpp>

#include <exception>
#include <optional>
#include <string>
#include <string_view>

namespace callisto::app {

/// Thrown when the reader of standard output has gone (`callisto ... | head`): no error, but nothing is left to do.
struct reader_gone : std::exception {
  const char* what() const noexcept override { return "the reader of standard output has gone"; }
};

/// Writes the whole of `text` to standard output, unbuffered. Throws output_error, or reader_gone.
void print(std::string_view text);

/// The destination of --output.
class result {
 public:
  /// `path` empty or "-": standard output. Else the file is opened here, before the work begins, so that a place that
  /// cannot be written costs no computation; throws output_error.
  explicit result(const std::string& path);

  bool to_file() const noexcept { return file_.has_value(); }
  void write(std::string_view text);

  /// Puts the file in its place.
  void commit();

 private:
  std::optional<machine::output_file> file_;
};

}  // namespace callisto::app
