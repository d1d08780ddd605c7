// Moving vertices between communities: the choice of one vertex, and the table of its neighbours' communities.
#pragma once

#include <callisto/graph/communities/rows.hpp>
#include <callisto/graph/csr/counter_random.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace callisto::graph {

/// Sums of weights by community: a hash table that one thread uses again and again.
template <class Vertex>
class weight_table {
 public:
  struct slot {
    std::uint64_t weight;
    Vertex key;
  };

  /// Empties the table, then calls fill(add), which calls add(key, weight) for what is to be summed. `most`: the most
  /// different keys. Throws std::bad_alloc, unless reserve() was called for so many.
  template <class Fill>
  void collect(std::uint64_t most, Fill fill) {
    make_room(most);
    // Copies stay in registers; the compiler must assume that stores of weights change the members.
    slot* const slots = slots_.data();
    std::uint32_t* const used = used_.data();
    const std::size_t mask = mask_;
    const int shift = shift_;
    std::size_t count = 0;
    fill([&](Vertex key, std::uint64_t weight) {
      std::size_t i = home(key, shift);
      for (; slots[i].key != key; i = (i + 1) & mask) {
        if (slots[i].key != none) continue;
        slots[i] = {weight, key};
        used[count++] = static_cast<std::uint32_t>(i);
        return;
      }
      slots[i].weight += weight;
    });
    count_ = count;
  }

  /// Makes room for `most` different keys.
  void reserve(std::uint64_t most) {
    const std::uint64_t size = size_for(most);
    if (slots_.size() >= size) return;
    slots_.assign(size, {0, none});
    used_.resize(size / 2);
    count_ = 0;
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

  static std::uint64_t size_for(std::uint64_t most) noexcept {
    return std::bit_ceil(std::max<std::uint64_t>(16, 2 * most));
  }

  /// Returns the first slot of a key, by Fibonacci hashing (Knuth, volume 3, 6.4).
  static std::size_t home(Vertex key, int shift) noexcept {
    constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;
    return (key * golden) >> shift;
  }

  void make_room(std::uint64_t most) {
    for (std::size_t i = 0; i < count_; ++i) slots_[used_[i]].key = none;
    count_ = 0;
    reserve(most);
    mask_ = size_for(most) - 1;
    shift_ = 64 - static_cast<int>(std::bit_width(mask_));
  }

  std::vector<slot> slots_;
  std::vector<std::uint32_t> used_;  ///< the first count_: slots that have a key
  std::size_t count_ = 0;
  std::size_t mask_ = 0;
  int shift_ = 0;
};

/// What a vertex gains in a community, less what chance would give it there.
struct community_worth {
  double chance;             ///< factor of the masses' product; 0: label propagation
  const std::uint64_t* out;  ///< masses by vertex
  const std::uint64_t* in;   ///< null: the same as `out`
  const std::uint64_t* volume_out;
  const std::uint64_t* volume_in;

  /// Returns the worth for v of a community to which it has edges of `weight`. `own`: v is in it, and is not counted.
  double operator()(std::uint64_t v, std::uint64_t community, std::uint64_t weight, bool own) const noexcept {
    const auto mine = static_cast<double>(out[v]);
    const auto others = static_cast<double>(volume_out[community] - (own ? out[v] : 0));
    if (in == nullptr) return static_cast<double>(weight) - chance * mine * others;
    const auto mine_in = static_cast<double>(in[v]);
    const auto others_in = static_cast<double>(volume_in[community] - (own ? in[v] : 0));
    return static_cast<double>(weight) - chance * (mine * others_in + mine_in * others);
  }
};

/// The choice of a vertex's community, given those of all others.
template <class Vertex, class Weights>
struct community_choice {
  /// Moves that gain less, as a share of the weight at stake, are rounding errors and could go on for ever.
  static constexpr double least_gain = 1e-12;

  const weighted_rows<Vertex, Weights>& rows;
  const Vertex* community;  ///< by vertex
  community_worth worth;
  bool prefer_own = true;  ///< of equally good communities a vertex keeps its own

  /// Sums the weights from v to each community into `table`.
  void look(std::uint64_t v, weight_table<Vertex>& table) const {
    table.collect(std::min(rows.degree(v), rows.vertices), [&](auto add) {
      for (std::uint64_t a = rows.begins[v], end = rows.ends[v]; a != end; ++a) {
        if (rows.targets[a] != v) add(community[rows.targets[a]], rows.weight(a));
      }
    });
  }

  /// Returns the best community for v: its own unless another is better. The worths' difference, divided by half of the
  /// sum of all strengths, is the change of modularity (Blondel et al. 2008, equation 2).
  Vertex best(std::uint64_t v, weight_table<Vertex>& table) const {
    const Vertex own = community[v];
    look(v, table);
    Vertex best = own;
    double most = 0;
    std::uint64_t weight_of_own = 0;
    std::uint64_t weight_of_best = 0;
    table.for_each([&](Vertex c, std::uint64_t weight) {
      if (c == own) {
        weight_of_own = weight;
        return;
      }
      const double value = worth(v, c, weight, false);
      // Breaks ties by a hash of both, always in the same way. One winner everywhere would gather all.
      if (best == own || value > most || (value == most && prefers(v, c, best))) {
        best = c;
        most = value;
        weight_of_best = weight;
      }
    });
    if (best == own) return own;
    const double now = worth(v, own, weight_of_own, true);
    const auto stake = static_cast<double>(weight_of_best + weight_of_own);
    if (!prefer_own && most == now && weight_of_own != 0) return prefers(v, best, own) ? best : own;
    return most - now > least_gain * stake ? best : own;
  }

  static bool prefers(std::uint64_t v, Vertex a, Vertex b) noexcept {
    return mix_bits(v ^ mix_bits(a)) < mix_bits(v ^ mix_bits(b));
  }
};

}  // namespace callisto::graph
