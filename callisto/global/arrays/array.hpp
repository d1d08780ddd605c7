// Arrays over all ranks: handles of 16 bytes that mean the same everywhere.
#pragma once

#include <callisto/export.hpp>
#include <callisto/global/memory/delegates.hpp>
#include <callisto/global/memory/global_address.hpp>
#include <callisto/global/memory/invariant_divisor.hpp>
#include <callisto/global/synchronization/collectives.hpp>
#include <callisto/global/transport/here.hpp>
#include <callisto/machine/system/page_array.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <concepts>
#include <cstdint>
#include <memory>
#include <mutex>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace callisto::global {

/// How the elements of an array are dealt to the ranks.
struct distribution {
  enum class kinds : std::uint8_t {
    block,         ///< rank 0 has the first n / ranks elements, and so on: neighbours are together
    block_cyclic,  ///< blocks of some elements go to the ranks in turn: any part of the array is spread
    symmetric,     ///< n elements at each rank
  };
  kinds kind = kinds::block;
  std::uint64_t block_size = 0;  ///< elements, for block_cyclic
};

/// Elements together, one part a rank.
inline constexpr distribution by_block{};
/// Blocks of `elements` elements in turn.
constexpr distribution cyclic(std::uint64_t elements = 1) noexcept {
  return {distribution::kinds::block_cyclic, elements};
}
/// Each rank has all elements for itself.
inline constexpr distribution symmetric{distribution::kinds::symmetric, 0};

namespace detail {

/// An array as one rank knows it: where all its parts are.
class array_record {
 public:
  array_record(std::uint64_t n, std::size_t element_bytes, distribution how, int ranks);

  std::uint64_t size() const noexcept { return n_; }
  const distribution& how() const noexcept { return how_; }

  /// Returns the rank of element i and its number there.
  dealt_place place(std::uint64_t i) const noexcept {
    if (how_.kind != distribution::kinds::block_cyclic) [[likely]] {
      const std::uint64_t rank = part_.quotient(i);
      return {rank, i - rank * part_.divisor()};
    }
    return dealt_.place(i);
  }
  std::uint64_t index_at(dealt_place p) const noexcept {
    return how_.kind == distribution::kinds::block_cyclic ? dealt_.unit_at(p) : p.rank * part_.divisor() + p.local;
  }
  /// Calls f(rank, first of its elements, number) for each rank that has elements of [first, last): those of a rank are
  /// contiguous there. Of a symmetric array, `here` has all.
  template <class F>
  void for_each_part(std::uint64_t first, std::uint64_t last, int here, F f) const {
    if (first >= last) return;
    if (how_.kind == distribution::kinds::symmetric) return f(here, first, last - first);
    const dealt_place begin = place(first);
    const bool is_cyclic = how_.kind == distribution::kinds::block_cyclic;
    const std::uint64_t in_block =
        is_cyclic ? dealt_.left_in_block(begin.local) : part_.divisor() - begin.local;  // of elements together
    if (last - first <= in_block) [[likely]]
      return f(static_cast<int>(begin.rank), begin.local, last - first);
    if (!is_cyclic) {
      f(static_cast<int>(begin.rank), begin.local, in_block);
      return for_each_part(first + in_block, last, here, f);
    }
    // Blocks go to the ranks in turn, so the ranks behind the first one have the next blocks.
    const std::uint64_t ranks = dealt_.ranks();
    const std::uint64_t taking = std::min(ranks, 1 + (last - first - in_block + dealt_.block() - 1) / dealt_.block());
    for (std::uint64_t i = 0; i != taking; ++i) {
      const std::uint64_t rank = begin.rank + i < ranks ? begin.rank + i : begin.rank + i - ranks;
      const std::uint64_t local = dealt_.owned_before(first, rank);
      f(static_cast<int>(rank), local, dealt_.owned_before(last, rank) - local);
    }
  }
  /// Returns how many elements `rank` has.
  std::uint64_t count_at(std::uint64_t rank) const noexcept {
    switch (how_.kind) {
      case distribution::kinds::symmetric:
        return n_;
      case distribution::kinds::block_cyclic:
        return dealt_.owned_before(n_, rank);
      case distribution::kinds::block:
        break;
    }
    return std::min(n_, (rank + 1) * part_.divisor()) - std::min(n_, rank * part_.divisor());
  }

  std::byte* part_of(std::uint64_t rank) const noexcept { return parts_[rank]; }
  void set_parts(std::vector<std::byte*> parts) noexcept { parts_ = std::move(parts); }
  machine::page_array<std::byte>& own() noexcept { return own_; }

 private:
  std::uint64_t n_;
  distribution how_;
  invariant_divisor part_;  ///< elements of a rank's part, for block and symmetric
  block_cyclic dealt_;
  std::vector<std::byte*> parts_;
  machine::page_array<std::byte> own_;
};

/// The arrays of a rank by number. Numbers are the same at all ranks, as all make the same arrays in the same order.
class CALLISTO_API array_table {
 public:
  static constexpr std::uint32_t most_arrays = 1 << 20;

  /// Returns the record of an array that exists. Any thread.
  const array_record& operator[](std::uint32_t number) const noexcept {
    // relaxed: a handle reaches a thread after add() has returned, by what ordered the two.
    if (number < chunk) [[likely]]
      return *first_[number].load(std::memory_order_relaxed);
    // acquire: sees the chunk that add() released.
    return *chunks_[number / chunk].load(std::memory_order_acquire)[number % chunk].load(std::memory_order_relaxed);
  }
  array_record* find(std::uint32_t number) noexcept;
  std::uint32_t add(std::unique_ptr<array_record> record);
  void remove(std::uint32_t number) noexcept;

  array_table() noexcept = default;
  ~array_table();

 private:
  static constexpr std::uint32_t chunk = 1024;
  std::mutex lock_;
  std::uint32_t count_ = 0;
  using entry = std::atomic<array_record*>;
  entry& entry_of(std::uint32_t number) noexcept;
  std::array<entry, chunk> first_{};
  std::array<std::atomic<entry*>, most_arrays / chunk> chunks_{};  ///< of the numbers behind
};

CALLISTO_API std::uint32_t make_array(std::uint64_t n, std::size_t element_bytes, distribution how,
                                      const std::source_location& where);
CALLISTO_API void free_array(std::uint32_t number, const std::source_location& where);

/// Throws usage_error that names the array, the index, and the place of the call.
[[noreturn]] CALLISTO_API void no_element(std::uint32_t number, std::uint64_t i, std::uint64_t size,
                                          const std::source_location& where);
[[noreturn]] CALLISTO_API void no_element_of_rank(std::uint32_t number, int rank, std::uint64_t i,
                                                  const std::source_location& where);
/// Throws usage_error unless [first, first + n) lies in an array of `size` elements.
inline void require_range(std::uint32_t number, std::uint64_t size, std::uint64_t first, std::uint64_t n,
                          const std::source_location& where) {
  if (first > size || n > size - first) [[unlikely]]
    no_element(number, first > size ? first : first + n - 1, size, where);
}

/// An index with the place of its use, which messages about it name.
struct placed_index {
  template <std::convertible_to<std::uint64_t> I>
  constexpr placed_index(I index, std::source_location place = std::source_location::current()) noexcept  // NOLINT
      : i(static_cast<std::uint64_t>(index)), where(place) {}
  std::uint64_t i;
  std::source_location where;
};

/// Returns the record of array `number` at this rank.
inline const array_record& array_of(std::uint32_t number) { return rank_local<array_table>()[number]; }

}  // namespace detail

/// The handle of an array of T over all ranks. Copies are the same array, in every rank and inside delegates; free()
/// ends it. Thread-safe as an array: elements are memory, used by delegates or, where they live, through local().
template <class T>
class array {
 public:
  using value_type = T;

  array() noexcept = default;

  std::uint64_t size() const noexcept { return size_; }

  /// Returns the address of element i < size(); of a symmetric array, that of this rank. Throws usage_error with the
  /// place of the call for another index. A few nanoseconds.
  global_address<T> operator[](detail::placed_index at_index) const {
    const std::uint64_t i = at_index.i;
    if (i >= size_) [[unlikely]]
      detail::no_element(number(), i, size_, at_index.where);
    const detail::array_record& record = detail::array_of(number());
    if (record.how().kind == distribution::kinds::symmetric) [[unlikely]]
      return at_place(record, {static_cast<std::uint64_t>(here().rank), i});
    return at_place(record, record.place(i));
  }
  /// Returns the address of element `i` of `rank`'s part. Throws usage_error if there is none.
  global_address<T> at(int rank, std::uint64_t i, std::source_location where = std::source_location::current()) const {
    if (size_ == 0) detail::no_element(number(), i, size_, where);
    const detail::array_record& record = detail::array_of(number());
    const bool is_rank = rank >= 0 && rank < here().ranks;
    if (!is_rank || i >= record.count_at(static_cast<std::uint64_t>(rank))) [[unlikely]]
      detail::no_element_of_rank(number(), rank, i, where);
    return at_place(record, {static_cast<std::uint64_t>(rank), i});
  }

  /// Returns the rank that has element i. Throws usage_error for i >= size().
  int owner(std::uint64_t i, std::source_location where = std::source_location::current()) const {
    if (i >= size_) [[unlikely]]
      detail::no_element(number(), i, size_, where);
    return static_cast<int>(detail::array_of(number()).place(i).rank);
  }

  /// Returns this rank's elements, which are contiguous here.
  std::span<T> local() const {
    const detail::array_record& record = detail::array_of(number());
    const auto rank = static_cast<std::uint64_t>(here().rank);
    return {reinterpret_cast<T*>(record.part_of(rank)), record.count_at(rank)};
  }
  /// Returns the index in the array of this rank's element number `i`.
  std::uint64_t index_of(std::uint64_t i) const {
    const detail::array_record& record = detail::array_of(number());
    if (record.how().kind == distribution::kinds::symmetric) return i;
    return record.index_at({static_cast<std::uint64_t>(here().rank), i});
  }
  distribution how() const { return detail::array_of(number()).how(); }
  std::uint32_t number() const noexcept { return static_cast<std::uint32_t>(number_); }

 private:
  template <class U>
  friend array<U> make_array_as(std::uint64_t, distribution, const std::source_location&);

  array(std::uint32_t number, std::uint64_t size) noexcept : size_(size), number_(number) {}

  static global_address<T> at_place(const detail::array_record& record, dealt_place p) {
    return global_address<T>::at(static_cast<int>(p.rank), reinterpret_cast<T*>(record.part_of(p.rank)) + p.local);
  }

  std::uint64_t size_ = 0;
  std::uint64_t number_ = 0;  ///< without padding, handles of one array have equal bytes
};

static_assert(sizeof(array<int>) == 16 && std::is_trivially_copyable_v<array<int>>);

template <class T>
array<T> make_array_as(std::uint64_t n, distribution how, const std::source_location& where) {
  return array<T>(detail::make_array(n, sizeof(T), how, where), n);
}

/// Makes an array of `n` elements T{}, dealt as `how` says. Called by main of all ranks, with the same arguments. Each
/// rank takes memory for its own part; pages are given where they are first touched. Throws usage_error.
template <class T>
array<T> make_array(std::uint64_t n, distribution how = by_block,
                    std::source_location where = std::source_location::current()) {
  static_assert(std::is_trivially_destructible_v<T>, "the elements of a global array have no destructor to run");
  static_assert(alignof(T) <= 4096);
  const array<T> made = make_array_as<T>(n, how, where);
  // Pages come as zeros, which is T{} for numbers, pointers and plain structs of them.
  if constexpr (!std::is_trivially_default_constructible_v<T>)
    std::uninitialized_value_construct(made.local().begin(), made.local().end());
  barrier(where);  // no rank uses an element before its owner has made it
  return made;
}

/// Frees the array. Called by main of all ranks, after all operations on it have ended.
template <class T>
void free(array<T> a, std::source_location where = std::source_location::current()) {
  detail::free_array(a.number(), where);
}

}  // namespace callisto::global
