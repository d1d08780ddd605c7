// Where a command's result goes: standard output, or a file that appears whole or not at all.
#pragma once

#include <callisto/graph/files/compress.hpp>
#include <callisto/machine/system/output_file.hpp>

#include <exception>
#include <optional>
#include <string>
#include <string_view>

namespace callisto::app {

/// Thrown if the reader of standard output has gone (`callisto ... | head`). The process then ends by SIGPIPE.
struct reader_gone : std::exception {
  const char* what() const noexcept override { return "the reader of standard output has gone"; }
};

/// Writes `text` to standard output, unbuffered. Throws output_error or reader_gone.
void print(std::string_view text);

/// The destination of --output. A file with a name that ends in .gz or .zst is compressed.
class result {
 public:
  /// Takes standard output if `path` is empty or "-". Otherwise it opens the file, before the work begins, so that a
  /// place that cannot be written costs no computation. Throws output_error.
  explicit result(const std::string& path);

  bool to_file() const noexcept { return file_.has_value(); }
  void write(std::string_view text);

  /// Gives the file its final name. Without it the file is removed.
  void commit();

 private:
  void append_compressed();

  std::optional<machine::output_file> file_;
  graph::compression method_ = graph::compression::none;
  std::string untold_;  ///< text that is not compressed yet
};

}  // namespace callisto::app
