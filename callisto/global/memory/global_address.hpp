// A pointer to memory of any rank, in 64 bits.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace callisto::global {

/// The address of a T at some rank (Grappa, 2014, section 4). One of two kinds:
///  - *linear*: a byte of the global heap. The heap is dealt to ranks in blocks, so neighbours may have other owners.
///    The top bit is 0.
///  - *of a rank*: a pointer of one rank. The top bit is 1, 15 bits are the rank, 48 bits the pointer.
/// Valid in every rank. Arithmetic is in units of T, as with pointers; that of a rank's address stays with the rank.
/// The address 0 is null. A value type: any thread may use copies.
template <class T>
class global_address {
 public:
  using element_type = T;

  static constexpr unsigned pointer_bits = 48;
  static constexpr std::uint64_t rank_mark = std::uint64_t{1} << 63;
  static constexpr std::uint64_t pointer_mask = (std::uint64_t{1} << pointer_bits) - 1;
  static constexpr int most_ranks = 1 << 15;

  constexpr global_address() noexcept = default;
  constexpr global_address(std::nullptr_t) noexcept {}

  /// Makes the address of byte `offset` of the global heap.
  static constexpr global_address linear(std::uint64_t offset) noexcept { return global_address(offset); }

  /// Makes the address of `pointer` at `rank`.
  static global_address at(int rank, T* pointer) noexcept {
    return global_address(rank_mark | (static_cast<std::uint64_t>(rank) << pointer_bits) |
                          (reinterpret_cast<std::uint64_t>(pointer) & pointer_mask));
  }

  static constexpr global_address from_bits(std::uint64_t bits) noexcept { return global_address(bits); }
  constexpr std::uint64_t bits() const noexcept { return bits_; }

  constexpr bool is_linear() const noexcept { return (bits_ & rank_mark) == 0; }
  /// Returns the byte of the global heap, for a linear address.
  constexpr std::uint64_t offset() const noexcept { return bits_; }
  /// Returns the rank, for an address of a rank. owner() (global_heap.hpp) answers for both kinds.
  constexpr int rank() const noexcept { return static_cast<int>((bits_ & ~rank_mark) >> pointer_bits); }
  /// Returns the pointer, for an address of a rank; meaningful at that rank alone.
  T* pointer() const noexcept {
    // The upper bits of an address of a process are copies of bit 47.
    const auto shifted = static_cast<std::int64_t>(bits_ << (64 - pointer_bits));
    return reinterpret_cast<T*>(shifted >> (64 - pointer_bits));
  }

  /// Returns the address of a member of the object here.
  template <class Member, class Object>
    requires std::is_same_v<std::remove_cv_t<T>, Object>
  global_address<Member> member(Member Object::* which) const noexcept {
    alignas(Object) static constexpr std::byte nothing[sizeof(Object)]{};
    const auto* object = reinterpret_cast<const Object*>(nothing);
    const auto distance = reinterpret_cast<const std::byte*>(&(object->*which)) - nothing;
    return global_address<Member>::from_bits(moved(distance));
  }
  /// Returns the same place as the address of a U.
  template <class U>
  constexpr global_address<U> as() const noexcept {
    return global_address<U>::from_bits(bits_);
  }

  constexpr explicit operator bool() const noexcept { return bits_ != 0; }
  constexpr auto operator<=>(const global_address&) const noexcept = default;

  constexpr global_address& operator+=(std::int64_t n) noexcept {
    bits_ = moved(n * static_cast<std::int64_t>(sizeof(T)));
    return *this;
  }
  constexpr global_address& operator-=(std::int64_t n) noexcept { return *this += -n; }
  constexpr global_address& operator++() noexcept { return *this += 1; }
  constexpr global_address& operator--() noexcept { return *this += -1; }
  constexpr global_address operator++(int) noexcept {
    const global_address before = *this;
    ++*this;
    return before;
  }
  friend constexpr global_address operator+(global_address a, std::int64_t n) noexcept { return a += n; }
  friend constexpr global_address operator+(std::int64_t n, global_address a) noexcept { return a += n; }
  friend constexpr global_address operator-(global_address a, std::int64_t n) noexcept { return a -= n; }
  /// Returns the distance in units of T, of addresses of one kind and, if they are of ranks, of one rank.
  friend constexpr std::int64_t operator-(global_address a, global_address b) noexcept {
    return static_cast<std::int64_t>(a.bits_ - b.bits_) / static_cast<std::int64_t>(sizeof(T));
  }
  constexpr global_address operator[](std::int64_t n) const noexcept { return *this + n; }

 private:
  constexpr explicit global_address(std::uint64_t bits) noexcept : bits_(bits) {}

  constexpr std::uint64_t moved(std::int64_t bytes) const noexcept {
    const std::uint64_t sum = bits_ + static_cast<std::uint64_t>(bytes);
    return is_linear() ? sum : (bits_ & ~pointer_mask) | (sum & pointer_mask);
  }

  std::uint64_t bits_ = 0;
};

static_assert(sizeof(global_address<int>) == 8 && std::is_trivially_copyable_v<global_address<int>>);

}  // namespace callisto::global
