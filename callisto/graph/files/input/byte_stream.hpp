// Bytes one after the other: of a file or a pipe, of memory, and decompressed ones of those.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

namespace callisto::graph::input {

/// A sequence of bytes that is read once. For one thread at a time.
class byte_stream {
 public:
  virtual ~byte_stream() = default;
  /// Puts the next bytes at `to`: `size` of them, fewer only where the stream ends. Throws input_error (unreadable,
  /// truncated, corrupt) or cancelled.
  virtual std::size_t read(char* to, std::size_t size) = 0;
};

/// Closes the descriptor that it holds.
class file_descriptor {
 public:
  explicit file_descriptor(int fd) noexcept : fd_(fd) {}
  file_descriptor(file_descriptor&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  file_descriptor& operator=(file_descriptor&&) = delete;
  ~file_descriptor();
  int get() const noexcept { return fd_; }

 private:
  int fd_;
};

/// Receives the number of bytes that were just read from the file itself (before decompression).
using on_read = std::function<void(std::uint64_t)>;

/// The bytes of a descriptor from where it stands. `stop` ends even the wait for a silent pipe, within a tenth of a
/// second.
std::unique_ptr<byte_stream> open_descriptor(file_descriptor fd, std::string name, std::stop_token stop,
                                             on_read report);

/// The bytes of memory, which stays valid while the stream lives.
std::unique_ptr<byte_stream> open_memory(std::span<const std::byte> bytes, on_read report);

/// `front` and then what `rest` holds.
std::unique_ptr<byte_stream> prepend(std::string front, std::unique_ptr<byte_stream> rest);

/// What the first bytes of a file say about its compression.
enum class compression { none, gzip, zstd };

/// Needs four bytes, if there are as many. Throws input_error for compressions that are recognized but not read.
compression compression_of(std::string_view first_bytes, const std::string& name);

/// What `inner` holds compressed; gzip members and zstd frames follow each other, nothing else may.
std::unique_ptr<byte_stream> decompress(compression method, std::unique_ptr<byte_stream> inner, std::string name);

}  // namespace callisto::graph::input
