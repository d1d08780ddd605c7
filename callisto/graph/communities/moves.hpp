// Moving vertices between communities: the choice of one vertex, and the weighted rows that it is made from.
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

/// Weights as whole numbers: sums do not depend on the order of terms. Each of three classes returns that of arc `a`.
/// This one: 1, if the graph has no weights.
struct unit_weights {
  std::uint64_t operator()(std::uint64_t) const noexcept { return 1; }
};
/// Weights of a graph, scaled by powers of two so that their sum fits in 53 bits, and so is exact as a double too.
struct rounded_weights {
  const weight_array* values;
  double scale;
  double scale_again;  ///< two factors, because one might not fit in a double

  std::uint64_t operator()(std::uint64_t a) const noexcept {
    // Rounds without a call. That the number just below one half becomes 1 does no harm.
    constexpr double half = 0.5;
    return static_cast<std::uint64_t>((*values)[a] * scale * scale_again + half);
  }
};
/// Weights that are whole already.
struct whole_weights {
  const std::uint64_t* values;
  std::uint64_t operator()(std::uint64_t a) const noexcept { return values[a]; }
};

/// Returns `values` rounded. `count`: how many there are, each of which may count twice. `most`: the largest.
inline rounded_weights round_weights(const weight_array& values, std::uint64_t count, double most) noexcept {
  constexpr int bits = 53;
  const int exponent = most > 0 ? bits - (std::ilogb(most) + 1) - static_cast<int>(std::bit_width(2 * count)) : 0;
  const int half = exponent / 2;
  return {&values, std::ldexp(1.0, half), std::ldexp(1.0, exponent - half)};
}

/// Rows of weighted neighbours: row v is [begins[v], ends[v]). A self-loop is stored once, and counts for no move.
template <class Vertex, class Weights>
struct weighted_rows {
  std::uint64_t vertices;
  const std::uint64_t* begins;
  const std::uint64_t* ends;
  const Vertex* targets;
  Weights weight;

  std::uint64_t degree(std::uint64_t v) const noexcept { return ends[v] - begins[v]; }
};

/// Sums of weights by community: a hash table that one thread uses again and again.
template <class Vertex>
class weight_table {
 public:
  struct slot {
    std::uint64_t weight;
    Vertex key;
  };

  /// Empties the table, then calls fill(add), which calls add(key, weight) for what is to be summed. `most`: the most
  /// different keys.
  template <class Fill>
  void collect(std::uint64_t most, Fill fill) {
    make_room(most);
    // Copies stay in registers; the compiler must assume that stores of weights change the members.
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

  /// Returns the sum of a key; 0 if it was not added.
  std::uint64_t of(Vertex key) const noexcept {
    for (std::size_t i = home(key, shift_);; i = (i + 1) & mask_) {
      if (slots_[i].key == key) return slots_[i].weight;
      if (slots_[i].key == none) return 0;
    }
  }

  /// Calls f(key, weight) for each key, in no defined order.
  template <class Function>
  void for_each(Function f) const {
    for (std::size_t i = 0; i < count_; ++i) f(slots_[used_[i]].key, slots_[used_[i]].weight);
  }

 private:
  static constexpr Vertex none = std::numeric_limits<Vertex>::max();

  /// Returns the first slot of a key, by Fibonacci hashing (Knuth, volume 3, 6.4).
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
  std::vector<std::size_t> used_;  ///< the first count_: slots that have a key
  std::size_t count_ = 0;
  std::size_t mask_ = 0;
  int shift_ = 0;
};

/// The choice of a vertex's community, given those of all others.
template <class Vertex, class Weights>
struct community_choice {
  /// Moves that gain less, as a share of the vertex's weight, are rounding errors and could go on for ever.
  static constexpr double least_gain = 1e-12;

  const weighted_rows<Vertex, Weights>& rows;
  const Vertex* community;        ///< by vertex: a vertex that names its community
  const std::uint64_t* strength;  ///< by vertex: the weight of its edges, self-loops twice
  const std::uint64_t* volume;    ///< by community: the sum of its vertices' strengths
  double chance;                  ///< resolution / sum of all strengths; 0: label propagation

  /// Returns the best community for v: its own unless another is better. The worths' difference, divided by half of the
  /// sum of all strengths, is the change of modularity (Blondel et al. 2008, equation 2).
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
      // Breaks ties by a hash, always in the same way. The smallest name would win everywhere.
      if (best == own || value > most || (value == most && mix_bits(c) < mix_bits(best))) {
        best = c;
        most = value;
      }
    });
    if (best == own) return own;
    const double now = worth(table.of(own), volume[own] - strength[v]);
    return most - now > least_gain * mine ? best : own;
  }

  /// True if v is the only vertex of the community named v.
  bool alone(Vertex v) const noexcept { return community[v] == v && volume[v] == strength[v]; }
};

}  // namespace callisto::graph
