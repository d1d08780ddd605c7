#include <callisto/global/memory/space_allocator.hpp>

#include <iterator>

namespace callisto::global {

space_allocator::space_allocator(std::uint64_t first, std::uint64_t limit, std::uint64_t grain) noexcept
    : grain_(grain), limit_(limit), end_(first) {}

std::optional<std::uint64_t> space_allocator::allocate(std::uint64_t units) {
  if (units > limit_ - limit_ % grain_) return std::nullopt;
  const std::uint64_t length = (units + grain_ - 1) / grain_ * grain_;
  std::uint64_t begin = 0;
  if (const auto fits = free_by_length_.lower_bound({length, 0}); fits != free_by_length_.end()) {
    const auto range = free_by_begin_.find(fits->second);
    begin = range->first;
    const std::uint64_t rest = range->second - length;
    erase_free(range);
    if (rest != 0) insert_free(begin + length, rest);
  } else {
    if (length > limit_ - end_) return std::nullopt;
    begin = end_;
    end_ += length;
  }
  taken_.emplace(begin, length);
  allocated_ += length;
  return begin;
}

std::optional<std::uint64_t> space_allocator::length_of(std::uint64_t begin) const {
  const auto found = taken_.find(begin);
  return found == taken_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::uint64_t> space_allocator::take(std::uint64_t begin) {
  const auto found = taken_.find(begin);
  if (found == taken_.end()) return std::nullopt;
  const std::uint64_t length = found->second;
  taken_.erase(found);
  allocated_ -= length;
  return length;
}

void space_allocator::give_back(std::uint64_t begin, std::uint64_t length) {
  const auto above = free_by_begin_.lower_bound(begin);
  if (above != free_by_begin_.end() && begin + length == above->first) {
    length += above->second;
    erase_free(above);
  }
  const auto after = free_by_begin_.lower_bound(begin);
  if (after != free_by_begin_.begin()) {
    const auto below = std::prev(after);
    if (below->first + below->second == begin) {
      begin = below->first;
      length += below->second;
      erase_free(below);
    }
  }
  if (begin + length == end_) {
    end_ = begin;
  } else {
    insert_free(begin, length);
  }
}

void space_allocator::insert_free(std::uint64_t begin, std::uint64_t length) {
  free_by_begin_.emplace(begin, length);
  free_by_length_.emplace(length, begin);
}

void space_allocator::erase_free(std::map<std::uint64_t, std::uint64_t>::iterator range) {
  free_by_length_.erase({range->second, range->first});
  free_by_begin_.erase(range);
}

}  // namespace callisto::global
