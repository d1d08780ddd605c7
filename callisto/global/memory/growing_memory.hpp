// Memory behind offsets [0, ...) that is taken from the system where it is used.
#pragma once

#include <callisto/export.hpp>

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace callisto::global {

/// One rank's part of the global heap. Offsets map to segments: the first has `first_bytes`, and each further one
/// doubles the whole. A segment is mapped at its first use, and the system gives pages where they are first touched.
/// So a part that holds little takes little. Any thread may call at().
class CALLISTO_API growing_memory {
 public:
  static constexpr unsigned first_bits = 20;
  static constexpr std::size_t first_bytes = std::size_t{1} << first_bits;
  static constexpr unsigned most_segments = 64 - first_bits;

  growing_memory() noexcept = default;
  growing_memory(const growing_memory&) = delete;
  growing_memory& operator=(const growing_memory&) = delete;
  ~growing_memory();

  /// Returns where `offset` is. Bytes read as zero until they are written. Throws callisto::error with one line if the
  /// system has no memory for the segment. Two loads and a few instructions.
  std::byte* at(std::uint64_t offset) {
    const unsigned segment = segment_of(offset);
    // acquire: sees the segment's mapping that map() released.
    std::byte* base = bases_[segment].load(std::memory_order_acquire);
    if (base == nullptr) [[unlikely]]
      base = map(segment);
    return base + (offset - begin_of(segment));
  }

  /// Returns the end of the segment of `offset`: at() is contiguous up to there.
  static std::uint64_t contiguous_end(std::uint64_t offset) noexcept {
    const unsigned segment = segment_of(offset);
    return begin_of(segment) + bytes_of(segment);
  }

  /// Empties whole pages in [begin, end) and gives them back to the system.
  void discard(std::uint64_t begin, std::uint64_t end) noexcept;

  /// The bytes of the mapped segments.
  std::uint64_t mapped() const noexcept;

 private:
  static unsigned segment_of(std::uint64_t offset) noexcept {
    return static_cast<unsigned>(std::bit_width(offset >> first_bits));
  }
  static std::uint64_t begin_of(unsigned segment) noexcept {
    return segment == 0 ? 0 : std::uint64_t{first_bytes} << (segment - 1);
  }
  static std::uint64_t bytes_of(unsigned segment) noexcept {
    return segment == 0 ? first_bytes : std::uint64_t{first_bytes} << (segment - 1);
  }
  std::byte* map(unsigned segment);

  std::array<std::atomic<std::byte*>, most_segments> bases_{};
};

}  // namespace callisto::global
