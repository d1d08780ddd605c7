// A part of a content, for one of several processes that read a file together.
#pragma once

#include <cstdint>

namespace callisto::graph::input {

/// Which part of a content is read: the lines that begin in one of `count` equal ranges of its bytes.
struct content_part {
  std::uint64_t number = 0;
  std::uint64_t count = 1;

  bool is_all() const noexcept { return count == 1; }
  /// Returns where this part of `bytes` bytes begins.
  std::uint64_t begin(std::uint64_t bytes) const noexcept { return bound(bytes, number); }
  std::uint64_t end(std::uint64_t bytes) const noexcept { return bound(bytes, number + 1); }

 private:
  std::uint64_t bound(std::uint64_t bytes, std::uint64_t i) const noexcept {
    return bytes / count * i + bytes % count * i / count;
  }
};

/// Thrown if a part is asked of a content that can only be read as a whole: one that is compressed in one piece,
/// encoded or a stream, or of a format without lines of edges.
struct read_as_whole {};

}  // namespace callisto::graph::input
