// Streams of bytes: of a file, a pipe or memory, and their decompression.
#pragma once

#include <callisto/machine/system/descriptor.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

namespace callisto::graph::input {

/// A sequence of bytes that is read once. Thread-safety: one thread at a time.
class byte_stream {
 public:
  virtual ~byte_stream() = default;
  /// Copies the next `size` bytes to `to`, fewer only at the end of the stream; returns their number. Throws
  /// input_error (unreadable, truncated, corrupt) and cancelled.
  virtual std::size_t read(char* to, std::size_t size) = 0;
};

/// Called with the number of bytes just read from the file, before decompression.
using on_read = std::function<void(std::uint64_t)>;

/// Returns the bytes of a descriptor from its current position. A request of `stop` ends a wait for a silent pipe
/// within 0.1 s.
std::unique_ptr<byte_stream> open_descriptor(machine::descriptor fd, std::string name, std::stop_token stop,
                                             on_read report);

/// Returns the bytes of memory, which must stay valid while the stream lives.
std::unique_ptr<byte_stream> open_memory(std::span<const std::byte> bytes, on_read report);

/// Returns `front` followed by the bytes of `rest`.
std::unique_ptr<byte_stream> prepend(std::string front, std::unique_ptr<byte_stream> rest);

/// The compressions that need no further library.
enum class compression { gzip, zstd };

/// Returns the decompressed bytes of `inner`: a sequence of gzip members or of zstd frames, and nothing else.
std::unique_ptr<byte_stream> decompress(compression method, std::unique_ptr<byte_stream> inner, std::string name);

}  // namespace callisto::graph::input
