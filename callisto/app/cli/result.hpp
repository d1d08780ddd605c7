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

/// True if an output called `path` is standard output: "-", or a name of the same file, such as /dev/stdout. /dev/null
/// is no name of it.
bool is_standard_output(const std::string& path);

/// Lets a file of this command have standard output: print() then writes to standard error. Throws usage_error, which
/// names `flag`, if another file has it.
void take_standard_output(std::string_view flag);

/// Writes `text`, for people or as the JSON object, to standard output, or to standard error if a file of this command
/// has standard output. Unbuffered. Throws output_error or reader_gone.
void print(std::string_view text);

/// The destination of --output and of other files. A file with a name that ends in .gz or .zst is compressed.
class result {
 public:
  /// If `path` is empty, the text is printed, as by print(). If it names standard output, takes it, as
  /// take_standard_output(). Otherwise it opens the file, before the work begins, so that a place that cannot be
  /// written costs no computation. Throws output_error, and usage_error as take_standard_output().
  explicit result(const std::string& path, std::string_view flag = "--output");

  /// True if the user named an output, which may be standard output.
  bool to_file() const noexcept { return file_.has_value() || takes_standard_output_; }
  void write(std::string_view text);

  /// Gives the file its final name. Without it the file is removed.
  void commit();

 private:
  void append_compressed();

  std::optional<machine::output_file> file_;
  bool takes_standard_output_ = false;
  graph::compression method_ = graph::compression::none;
  std::string untold_;  ///< text that is not compressed yet
};

}  // namespace callisto::app
