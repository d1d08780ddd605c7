// How far a scan has come: all blocks before the front are scanned, so what stands before it is known.
#pragma once

#include <callisto/machine/policy.hpp>

#include <cstdint>

namespace callisto::loop {

/// The front of a scan. The thread that runs the block at the front moves it on; no other thread does meanwhile.
template <machine::policy M>
class scan_front {
  using order = machine::order;

 public:
  /// True if `block` is at the front: the value before it is then visible to the caller, which scans the block.
  /// acquire: pairs with the release in passes().
  bool is_at(std::uint64_t block) const noexcept { return front_.load(order::acquire) == block; }
  /// Moves the front behind `block`, which was at it. release: publishes the value before the next block.
  void passes(std::uint64_t block) noexcept { front_.store(block + 1, order::release); }
  /// Returns the first block that is not scanned; after the loop, which orders it.
  std::uint64_t at() const noexcept { return front_.load(order::relaxed); }

 private:
  machine::atomic_of<M, std::uint64_t> front_{0};
};

}  // namespace callisto::loop
