// Sorting by texts: by the bits of eight characters at a time, so that most comparisons need no look at a text.
//
// Each element has a key of 16 bytes, of eight characters and its place. The keys are sorted, not the elements. Keys
// with equal characters make a group: few are sorted by the texts, many by the next characters in which these differ.
// At the end each element moves twice: to its place in a second array, and back.
#pragma once

#include <callisto/export.hpp>
#include <callisto/loop/algorithms/blocks.hpp>
#include <callisto/loop/algorithms/plain_order.hpp>
#include <callisto/loop/algorithms/sort_alone.hpp>

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace callisto::loop {

/// A key: stands for an element while texts are sorted.
struct text_key {
  std::uint64_t characters;  ///< eight of the text's, the first one highest, zeros behind its end; turned round to fall
  std::uint64_t place;
};

/// Texts by place, and their order.
struct text_order {
  const void* source;
  std::string_view (*at)(const void* source, std::uint64_t place);
  bool falling;

  /// Returns the characters of the text from `from` on that a key has.
  std::uint64_t characters(std::string_view text, std::size_t from) const noexcept {
    std::uint64_t all = 0;
    if (from < text.size()) std::memcpy(&all, text.data() + from, std::min(sizeof all, text.size() - from));
    if constexpr (std::endian::native == std::endian::little) all = __builtin_bswap64(all);
    return falling ? ~all : all;
  }
};

/// Sorts keys, with the first eight characters, by their texts; equal texts by place. Throws std::bad_alloc.
CALLISTO_API void sort_text_keys(text_key* keys, std::uint64_t n, const text_order& order,
                                 const std::source_location& where);

/// True for a string or a view of characters that compare as bytes.
template <class T>
inline constexpr bool is_text = false;
template <class Allocator>
inline constexpr bool is_text<std::basic_string<char, std::char_traits<char>, Allocator>> = true;
template <>
inline constexpr bool is_text<std::string_view> = true;

/// True if `Less` of what Projection returns is the usual order of texts that stand in the elements, or that these
/// point to, and if elements can move to and fro.
template <class Iterator, class Less, class Projection>
consteval bool sorts_as_texts() {
  using T = std::iter_value_t<Iterator>;
  if constexpr (moves_surely<T> && std::is_lvalue_reference_v<std::iter_reference_t<Iterator>> &&
                std::invocable<Projection&, const T&>) {
    using of = std::invoke_result_t<Projection&, const T&>;
    using key = std::remove_cvref_t<of>;
    if constexpr (is_text<key> && (std::is_lvalue_reference_v<of> || std::same_as<key, std::string_view>))
      return is_rising_order<Less, key> || is_falling_order<Less, key>;
  }
  return false;
}

/// Moves elements to a second array by the places of keys, and back in the order of the keys. The elements are in that
/// order afterwards, also if a loop throws because it could not begin.
template <class T, class Iterator>
class text_mover {
 public:
  text_mover(Iterator first, T* room, const text_key* keys, const blocks& all)
      : first_(first), room_(room), keys_(keys), all_(all), gone_(all.count(), 0), back_(all.count(), 0) {}
  text_mover(const text_mover&) = delete;
  text_mover& operator=(const text_mover&) = delete;
  ~text_mover() {
    for (std::uint64_t b = 0; b < all_.count(); ++b) {
      if (gone_[b] == 0) take(b);
    }
    for (std::uint64_t b = 0; b < all_.count(); ++b) {
      if (back_[b] == 0) bring(b);
    }
  }

  void run(const std::source_location& where) {
    all_.each([&](std::uint64_t b) { take(b); }, where);
    all_.each([&](std::uint64_t b) { bring(b); }, where);
  }

 private:
  void take(std::uint64_t block) noexcept {
    constexpr std::uint64_t ahead = 8;  // elements are read in no order: memory is asked for some of them at once
    const std::uint64_t end = all_.end(block);
    for (std::uint64_t i = all_.begin(block); i < end; ++i) {
      if constexpr (std::contiguous_iterator<Iterator>) {
        if (i + ahead < end) __builtin_prefetch(std::to_address(at(keys_[i + ahead].place)), 1);
      }
      std::construct_at(room_ + i, std::move(*at(keys_[i].place)));
    }
    gone_[block] = 1;
  }
  void bring(std::uint64_t block) noexcept {
    for (std::uint64_t i = all_.begin(block); i < all_.end(block); ++i) {
      *at(i) = std::move(room_[i]);
      std::destroy_at(room_ + i);
    }
    back_[block] = 1;
  }
  Iterator at(std::uint64_t i) const noexcept { return first_ + static_cast<std::iter_difference_t<Iterator>>(i); }

  Iterator first_;
  T* room_;
  const text_key* keys_;
  const blocks& all_;
  std::vector<char> gone_;  ///< by block: the elements of its keys are in the second array, or were
  std::vector<char> back_;
};

/// Sorts n elements by texts, for which sorts_as_texts() is true. Equal texts keep their order.
template <class Iterator, class Less, class Projection>
void text_sort(Iterator first, std::uint64_t n, Projection& projection, const std::source_location& where) {
  using T = std::iter_value_t<Iterator>;
  struct texts {
    Iterator first;
    Projection& projection;
  } const source{first, projection};
  const auto text_at = [](const void* of, std::uint64_t place) {
    const texts& from = *static_cast<const texts*>(of);
    const T& element = from.first[static_cast<std::iter_difference_t<Iterator>>(place)];
    return std::string_view(std::invoke(from.projection, element));
  };
  using key = std::remove_cvref_t<std::invoke_result_t<Projection&, const T&>>;
  const text_order order{&source, text_at, is_falling_order<Less, key>};
  const blocks all(n, 1 << 10, 256);
  const raw_elements<text_key> keys(n);
  all.each(
      [&](std::uint64_t b) {
        for (std::uint64_t i = all.begin(b); i < all.end(b); ++i)
          std::construct_at(keys.data() + i, text_key{order.characters(text_at(&source, i), 0), i});
      },
      where);
  sort_text_keys(keys.data(), n, order, where);
  const raw_elements<T> room(n);
  text_mover<T, Iterator>(first, room.data(), keys.data(), all).run(where);
}

}  // namespace callisto::loop
