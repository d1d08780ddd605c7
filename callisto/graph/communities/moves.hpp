// Moving vertices between communities: the choice of one vertex, and the rows of weights that it is made from.
#pragma once

#include <callisto/graph/csr/counter_random.hpp>
#include <callisto/graph/csr/weight_array.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace callisto::graph {

/// Weights as whole numbers, whose sums do not depend on the order of the terms. In all three, of arc number a:
/// 1, where the graph has none;
struct unit_weights {
  std::uint64_t operator()(std::uint64_t) const noexcept { return 1; }
};
/// those of a graph, brought by powers of two to where their sum fits in 53 bits, so that it is exact as a double too;
struct rounded_weights {
  const weight_array* values;
  double scale;
  double scale_again;  ///< one factor alone might not fit in a double

  std::uint64_t operator()(std::uint64_t a) const noexcept {
    // Without a call; that the number before one half becomes one, too, is as good as any rounding.
    constexpr double half = 0.5;
    return static_cast<std::uint64_t>((*values)[a] * scale * scale_again + half);
  }
};
/// and those that are whole already.
struct whole_weights {
  const std::uint64_t* values;
  std::uint64_t operator()(std::uint64_t a) const noexcept { return values[a]; }
};

/// `values` to be rounded, `count` of them of which `most` is the largest, where each counts up to twice.
inline rounded_weights round_weights(const weight_array& values, std::uint64_t count, double most) noexcept {
  constexpr int bits = 53;
  const int exponent = most > 0 ? bits - (std::ilogb(most) + 1) - static_cast<int>(std::bit_width(2 * count)) : 0;
  const int half = exponent / 2;
  return {&values, std::ldexp(1.0, half), std::ldexp(1.0, exponent - half)};
}

/// Rows of weighted neighbours, row v from begins[v] to ends[v]; a loop stands once, and counts for nothing here.
template <class Vertex, class Weights>
struct weighted_rows {
  std::uint64_t vertices;
  const std::uint64_t* begins;
  const std::uint64_t* ends;
  const Vertex* targets;
  Weights weight;

  std::uint64_t degree(std::uint64_t v) const noexcept { return ends[v] - begins[v]; }
};

/// Sums of weights by community: a hash table that is used over and over, by one thread.
template <class Vertex>
class weight_table {
 public:
  struct slot {
    std::uint64_t weight;
    Vertex key;
  };

  /// Empties it and adds up what `fill` gives to the function that it is called with: keys, `most` different ones at
  /// most, and weights.
  template <class Fill>
  void collect(std::uint64_t most, Fill fill) {
    make_room(most);
    // In registers: the compiler must take it that sums of weights lie on top of them.
    slot* const slots = slots_.data();
    std::size_t* const used = used_.data();
    const std::size_t mask = mask_;
    const int shift = shift_;
    std::size_t count = 0;
    fill([&](Vertex key, std::uint64_t weight) {
      std::size_t i = home(key, shift);
      for (; slots[i].key != key; i = (i + 1) & mask) {
        if (slots[i].key != none) continue;
        slots[i] = {weight, key};
        used[count++] = i;
        return;
      }
      slots[i].weight += weight;
    });
    count_ = count;
  }

  /// 0 for a key that was not added.
  std::uint64_t of(Vertex key) const noexcept {
    for (std::size_t i = home(key, shift_);; i = (i + 1) & mask_) {
      if (slots_[i].key == key) return slots_[i].weight;
      if (slots_[i].key == none) return 0;
    }
  }

  /// Calls f(key, weight) for each key, in no order that means anything.
  template <class Function>
  void for_each(Function f) const {
    for (std::size_t i = 0; i < count_; ++i) f(slots_[used_[i]].key, slots_[used_[i]].weight);
  }

 private:
  static constexpr Vertex none = std::numeric_limits<Vertex>::max();

  /// Fibonacci hashing (Knuth, volume 3, 6.4).
  static std::size_t home(Vertex key, int shift) noexcept {
    constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;
    return (key * golden) >> shift;
  }

  void make_room(std::uint64_t most) {
    for (std::size_t i = 0; i < count_; ++i) slots_[used_[i]].key = none;
    count_ = 0;
    const std::uint64_t size = std::bit_ceil(std::max<std::uint64_t>(16, 2 * most));
    if (slots_.size() < size) {
      slots_.assign(size, {0, none});
      used_.resize(size / 2);
    }
    mask_ = size - 1;
    shift_ = 64 - static_cast<int>(std::bit_width(mask_));
  }

  std::vector<slot> slots_;
  std::vector<std::size_t> used_;  ///< slots that have a key, the first count_
  std::size_t count_ = 0;
  std::size_t mask_ = 0;
  int shift_ = 0;
};

/// Where a vertex would like to be, given where all others are.
template <class Vertex, class Weights>
struct community_choice {
  /// Moves that gain less than this share of a vertex's weight are rounding errors, which could go on for ever.
  static constexpr double least_gain = 1e-12;

  const weighted_rows<Vertex, Weights>& rows;
  const Vertex* community;        ///< by vertex: a vertex that names it
  const std::uint64_t* strength;  ///< by vertex: the weight of its edges, twice that of a loop
  const std::uint64_t* volume;    ///< by community: the strengths of its vertices
  double chance;                  ///< the resolution by the sum of all strengths; 0: labels

  /// The best community for v: its own unless another is better. Modularity changes by the difference of what the two
  /// are worth, by half of the sum of all strengths (Blondel et al. 2008, equation 2).
  Vertex best(std::uint64_t v, weight_table<Vertex>& table) const {
    const Vertex own = community[v];
    table.collect(std::min(rows.degree(v), rows.vertices), [&](auto add) {
      for (std::uint64_t a = rows.begins[v], end = rows.ends[v]; a != end; ++a) {
        if (rows.targets[a] != v) add(community[rows.targets[a]], rows.weight(a));
      }
    });
    const auto mine = static_cast<double>(strength[v]);
    const auto worth = [&](std::uint64_t weight, std::uint64_t others) {
      return static_cast<double>(weight) - chance * mine * static_cast<double>(others);
    };
    Vertex best = own;
    double most = 0;
    table.for_each([&](Vertex c, std::uint64_t weight) {
      if (c == own) return;
      const double value = worth(weight, volume[c]);
      // Of equal ones any, but always the same; not the smallest, which would win everywhere.
      if (best == own || value > most || (value == most && mix_bits(c) < mix_bits(best))) {
        best = c;
        most = value;
      }
    });
    if (best == own) return own;
    const double now = worth(table.of(own), volume[own] - strength[v]);
    return most - now > least_gain * mine ? best : own;
  }

  /// Whether v is all of the community that its own name stands for.
  bool alone(Vertex v) const noexcept { return community[v] == v && volume[v] == strength[v]; }
};

}  // namespace callisto::graph
