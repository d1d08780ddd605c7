// Which parts of a line of units are taken: the book of the global heap, without the memory itself.
#pragma once

#include <callisto/export.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace callisto::global {

/// Hands out ranges of [first, limit) in multiples of a grain. A request takes the smallest free range that is large
/// enough; neighbours that are free become one. The end moves up when no free range fits, and down when the last range
/// is freed. Logarithmic time. Not thread-safe.
class CALLISTO_API space_allocator {
 public:
  /// `first` and `limit` are multiples of `grain`.
  space_allocator(std::uint64_t first, std::uint64_t limit, std::uint64_t grain) noexcept;

  /// Returns the begin of `units` free units, which are at least 1; nothing if the line is full.
  std::optional<std::uint64_t> allocate(std::uint64_t units);
  /// Returns the length of the allocated range that begins at `begin`; nothing if none does.
  std::optional<std::uint64_t> length_of(std::uint64_t begin) const;
  /// Takes an allocated range from the book of allocated ones; it is not free until give_back().
  std::optional<std::uint64_t> take(std::uint64_t begin);
  /// Frees what take() took.
  void give_back(std::uint64_t begin, std::uint64_t length);

  /// The end of the highest range in use.
  std::uint64_t end() const noexcept { return end_; }
  /// The units in allocated ranges.
  std::uint64_t allocated() const noexcept { return allocated_; }
  /// The number of free ranges below end(), for tests of coalescing.
  std::size_t holes() const noexcept { return free_by_begin_.size(); }

 private:
  void insert_free(std::uint64_t begin, std::uint64_t length);
  void erase_free(std::map<std::uint64_t, std::uint64_t>::iterator range);

  std::uint64_t grain_;
  std::uint64_t limit_;
  std::uint64_t end_;
  std::uint64_t allocated_ = 0;
  std::map<std::uint64_t, std::uint64_t> taken_;                      ///< begin -> length
  std::map<std::uint64_t, std::uint64_t> free_by_begin_;              ///< begin -> length
  std::set<std::pair<std::uint64_t, std::uint64_t>> free_by_length_;  ///< (length, begin)
};

}  // namespace callisto::global
