// Locks by which the threads of one rank take turns at its memory.
#pragma once

#include <callisto/machine/native.hpp>
#include <callisto/waiting/spin_lock.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace callisto::global {

/// Locks of one rank, chosen by the address. Used where a rank has several threads; one thread needs none.
class owner_locks {
 public:
  using lock = waiting::spin_lock<machine::native>;

  lock& of(const void* object) noexcept {
    // The multiplier is 2^64 over the golden ratio: neighbours get other locks.
    const std::uint64_t hash = (reinterpret_cast<std::uint64_t>(object) >> 4) * 0x9E3779B97F4A7C15U;
    return locks_[hash >> (64 - bits)].word;
  }

 private:
  static constexpr unsigned bits = 8;
  struct alignas(64) on_own_line {
    lock word;
  };
  std::array<on_own_line, std::size_t{1} << bits> locks_;
};

}  // namespace callisto::global
