// The lines of a file, a pipe or standard input, as they come, until a stop is requested.
#pragma once

#include <callisto/machine/system/descriptor.hpp>

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>

namespace callisto::app {

/// Reads lines; '-' stands for standard input. A line ends with '\n', "\r\n" or the end of the stream. A UTF-8 byte
/// order mark at the beginning is skipped.
class line_stream {
 public:
  static constexpr std::size_t longest = std::size_t{1} << 20;  ///< bytes of a line

  /// Opens the file; for a named pipe it does not wait for a writer. Throws input_error.
  line_stream(const std::string& path, std::stop_token stop);

  /// Waits for a line. Returns false at the end, or once a stop has been requested. Throws input_error if the stream
  /// cannot be read, or has a line above `longest`.
  bool next(std::string& line);

  const std::string& name() const noexcept { return name_; }  ///< for messages
  std::uint64_t number() const noexcept { return number_; }   ///< of the line, from 1

 private:
  bool read_more();

  std::string name_;
  std::stop_token stop_;
  machine::descriptor file_;  ///< none: standard input
  int from_;
  machine::descriptor wake_;  ///< readable once a stop has been requested
  std::string text_;          ///< text that was read and not yet returned begins at next_
  std::size_t next_ = 0;
  bool ended_ = false;
  std::uint64_t number_ = 0;
};

}  // namespace callisto::app
