// Plain keys: numbers in their usual order, which sort by their bits and without a comparison.
#pragma once

#include <callisto/export.hpp>

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <source_location>
#include <type_traits>

namespace callisto::loop {

enum class plain_kind : std::uint8_t { natural, integer, real };

/// How elements of plain bytes are sorted: by a number of `key_bytes` that stands `key_at` bytes behind the beginning
/// of each.
struct plain_order {
  std::uint32_t element_bytes;  ///< 1, 2, 4, 8 for bare keys, which have no other bytes; 8, 16, 24 or 32 for records
  std::uint32_t key_bytes;      ///< 1, 2, 4 or 8
  std::uint32_t key_at;
  plain_kind kind;
  bool falling;
};

/// True if sort_plain() sorts elements of this size that are more than a key.
constexpr bool is_plain_record_size(std::size_t bytes) noexcept {
  return std::endian::native == std::endian::little && bytes % 8 == 0 && bytes >= 8 && bytes <= 32;
}

/// Sorts n elements, keeps the order of equal keys, and has NaNs behind all numbers. Among bare keys, which look alike
/// if they are equal, -0.0 comes before 0.0 in rising order, and NaNs come in any order. Takes a second array; throws
/// std::bad_alloc, with the elements as they were. `where` names its loops in statistics.
CALLISTO_API void sort_plain(void* first, std::uint64_t n, const plain_order& order, const std::source_location& where);

/// Sorts as sort_plain() on the calling thread, and needs no other: starts no threads and no loop.
CALLISTO_API void sort_plain_here(void* first, std::uint64_t n, const plain_order& order);

/// A number that sorts by its bits.
template <class T>
concept plain_number = (std::integral<T> && sizeof(T) <= 8) || (std::same_as<T, float> && sizeof(T) == 4) ||
                       (std::same_as<T, double> && sizeof(T) == 8);

/// True if Less compares numbers of type T by < or by >.
template <class Less, class T>
inline constexpr bool is_rising_order =
    std::same_as<Less, std::less<>> || std::same_as<Less, std::less<T>> || std::same_as<Less, std::ranges::less>;
template <class Less, class T>
inline constexpr bool is_falling_order = std::same_as<Less, std::greater<>> || std::same_as<Less, std::greater<T>> ||
                                         std::same_as<Less, std::ranges::greater>;

/// True if `Less` of what Projection returns is the usual order of a plain number that stands in the element itself.
template <class T, class Less, class Projection>
consteval bool sorts_plainly() {
  if constexpr (std::same_as<Projection, std::identity>) {
    if constexpr (plain_number<T>) return is_rising_order<Less, T> || is_falling_order<Less, T>;
  } else if constexpr (std::is_member_object_pointer_v<Projection> && std::is_trivially_copyable_v<T> &&
                       is_plain_record_size(sizeof(T))) {
    using key = std::remove_cvref_t<std::invoke_result_t<Projection&, T&>>;
    if constexpr (plain_number<key> && alignof(key) == sizeof(key))
      return is_rising_order<Less, key> || is_falling_order<Less, key>;
  }
  return false;
}

/// Returns the order of elements like `element`, for which sorts_plainly() is true.
template <class Less, class T, class Projection>
plain_order plain_order_of(const T& element, Projection projection) noexcept {
  const auto& key = std::invoke(projection, element);
  using number = std::remove_cvref_t<decltype(key)>;
  constexpr plain_kind kind = std::is_floating_point_v<number> ? plain_kind::real
                              : std::is_signed_v<number>       ? plain_kind::integer
                                                               : plain_kind::natural;
  return {sizeof(T), sizeof(number),
          static_cast<std::uint32_t>(reinterpret_cast<const char*>(&key) - reinterpret_cast<const char*>(&element)),
          kind, is_falling_order<Less, number>};
}

}  // namespace callisto::loop
