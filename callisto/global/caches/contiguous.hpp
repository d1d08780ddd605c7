// Contiguous ranges of dealt memory, moved as bytes: one request for what each rank has of them.
#pragma once

#include <callisto/export.hpp>
#include <callisto/global/arrays/array.hpp>
#include <callisto/global/memory/block_cyclic.hpp>
#include <callisto/global/memory/global_heap.hpp>

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <vector>

namespace callisto::global::detail {

/// Bytes [first, first + bytes) of an array or of the global heap.
struct dealt_bytes {
  block_cyclic dealt;                   ///< in bytes
  const array_record* array = nullptr;  ///< null: the global heap
  std::uint64_t first = 0;
  std::uint64_t bytes = 0;
};

/// Copies the range to `into`. Waits for other ranks; the transfers of a rank have at most 1 MiB under way, or a
/// message each if they are many.
CALLISTO_API void gather(const dealt_bytes& from, std::byte* into, const std::source_location& where);
/// Copies `from` to the range, and returns when all ranks have what is theirs.
CALLISTO_API void scatter(const std::byte* from, const dealt_bytes& to, const std::source_location& where);

template <class T>
dealt_bytes range_of(array<T> a, std::uint64_t first, std::uint64_t n, const std::source_location& where) {
  require_range(a.number(), a.size(), first, n, where);
  const array_record& record = array_of(a.number());
  const auto ranks = static_cast<std::uint64_t>(here().ranks);
  const std::uint64_t block = record.how().kind == distribution::kinds::block_cyclic
                                  ? record.how().block_size
                                  : std::max<std::uint64_t>(record.count_at(0), 1);
  return {block_cyclic(block * sizeof(T), ranks), &record, first * sizeof(T), n * sizeof(T)};
}

template <class T>
dealt_bytes range_of(global_address<T> a, std::uint64_t n) {
  return {rank_local<global_heap>().dealt(), nullptr, a.offset(), n * sizeof(T)};
}

}  // namespace callisto::global::detail
