// The blocks of memory that a thread's loops take and give back: a loop's distributor gets those of the last one.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <new>
#include <utility>

namespace callisto::machine {

/// Keeps the blocks that a thread has given back, as many as a loop has; nested loops have separate blocks. A block is
/// aligned to `line` bytes. Its first line, before what the user sees, holds its size.
class spare_room {
 public:
  /// The longest line of any machine policy.
  static constexpr std::size_t line = 128;

  spare_room() = default;
  spare_room(const spare_room&) = delete;
  spare_room& operator=(const spare_room&) = delete;
  ~spare_room() {
    for (std::byte* const block : blocks_) free(block);
  }

  /// Returns at least `bytes` bytes. Throws std::bad_alloc.
  [[nodiscard]] std::byte* take(std::size_t bytes) {
    // The smallest block that is large enough.
    std::byte** best = nullptr;
    for (std::byte*& block : blocks_) {
      if (block == nullptr || size_of(block) < bytes) continue;
      if (best == nullptr || size_of(block) < size_of(*best)) best = &block;
    }
    return best != nullptr ? std::exchange(*best, nullptr) + line : take_new(bytes);
  }

  /// Returns a new block, without a look at those given back.
  [[nodiscard]] static std::byte* take_new(std::size_t bytes) {
    // Rounded up, so that loops of different sizes soon find a block that fits.
    const std::size_t size = std::bit_ceil(bytes);
    auto* const block = static_cast<std::byte*>(::operator new(line + size, std::align_val_t{line}));
    ::new (block) std::size_t(size);
    return block + line;
  }

  /// Takes back what any spare_room's take() returned.
  void give(std::byte* room) noexcept {
    std::byte* block = room - line;
    // If there are too many, the smallest goes.
    for (std::byte*& kept : blocks_) {
      if (block != nullptr && (kept == nullptr || size_of(kept) < size_of(block))) std::swap(kept, block);
    }
    free(block);
  }

  /// Gives a block back to the system.
  static void drop(std::byte* room) noexcept { free(room - line); }

 private:
  static std::size_t size_of(const std::byte* block) noexcept {
    return *std::launder(reinterpret_cast<const std::size_t*>(block));
  }
  static void free(std::byte* block) noexcept { ::operator delete(block, std::align_val_t{line}); }

  std::array<std::byte*, 8> blocks_{};  ///< null: none
};

}  // namespace callisto::machine
