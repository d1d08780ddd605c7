// The vertices that a search has met, in the order of their meeting: time and memory for these only.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace callisto::graph {

/// A hash table with open addressing: vertices, each with a Value, numbered in the order in which they came. Move-only
/// use by one thread.
template <class Vertex, class Value>
class met_vertices {
 public:
  static constexpr std::size_t none = ~std::size_t{0};

  struct entry {
    Vertex vertex;
    Value value;
  };

  met_vertices() : slots_(std::size_t{1} << least_bits) {}

  /// Returns the number of `v`, or `none`.
  std::size_t find(Vertex v) const noexcept {
    for (std::size_t i = first_of(v);; i = (i + 1) & (slots_.size() - 1)) {
      if (slots_[i].number == 0) return none;
      if (slots_[i].vertex == v) return static_cast<std::size_t>(slots_[i].number) - 1;
    }
  }

  /// Returns the number of `v`, with `value` if it is new, and whether it is.
  std::pair<std::size_t, bool> add(Vertex v, const Value& value) {
    std::size_t i = first_of(v);
    for (; slots_[i].number != 0; i = (i + 1) & (slots_.size() - 1)) {
      if (slots_[i].vertex == v) return {static_cast<std::size_t>(slots_[i].number) - 1, false};
    }
    entries_.push_back({v, value});
    slots_[i] = {v, static_cast<Vertex>(entries_.size())};
    if (2 * entries_.size() > slots_.size()) grow();
    return {entries_.size() - 1, true};
  }

  std::size_t size() const noexcept { return entries_.size(); }
  entry& operator[](std::size_t i) noexcept { return entries_[i]; }
  const entry& operator[](std::size_t i) const noexcept { return entries_[i]; }

 private:
  static constexpr int least_bits = 6;

  struct slot {
    Vertex vertex = 0;
    Vertex number = 0;  ///< 0: the slot is empty
  };

  std::size_t first_of(Vertex v) const noexcept {
    // Fibonacci hashing: neighbouring numbers, which meet often, go to slots far apart.
    return static_cast<std::size_t>((std::uint64_t{v} * 0x9E3779B97F4A7C15) >> shift_);
  }

  void grow() {
    slots_ = std::vector<slot>(2 * slots_.size());
    shift_ = 64 - std::countr_zero(slots_.size());
    for (std::size_t e = 0; e < entries_.size(); ++e) {
      std::size_t i = first_of(entries_[e].vertex);
      while (slots_[i].number != 0) i = (i + 1) & (slots_.size() - 1);
      slots_[i] = {entries_[e].vertex, static_cast<Vertex>(e + 1)};
    }
  }

  std::vector<slot> slots_;
  std::vector<entry> entries_;
  int shift_ = 64 - least_bits;
};

}  // namespace callisto::graph
