// Moving vertices between communities: the choice of one vertex, and the table of its neighbours' communities.
#pragma once

#include <callisto/graph/communities/rows.hpp>
#include <callisto/graph/csr/counter_random.hpp>
#include <callisto/machine/system/page_array.hpp>

#include <cmath>
#include <cstdint>
#include <limits>

namespace callisto::graph {

/// Sums of weights by community: an array that one thread uses again and again, so that a term takes one step without a
/// search (Sahu, "GVE-Leiden", 2024).
template <class Vertex>
class weight_table {
 public:
  /// Makes room for keys below `keys`.
  void reserve(std::uint64_t keys) {
    if (sums_.size() >= keys) return;
    sums_ = machine::page_array<std::uint64_t>(keys);
    used_ = machine::page_array<Vertex>(keys + 1);
    count_ = 0;
  }

  /// Empties the table, then calls fill(add), which calls add(key, weight) for what is to be summed. A weight of 0 has
  /// no effect. have_sign: weights may be negative, and keys may have the sum 0.
  template <bool have_sign = false, class Fill>
  void collect(Fill fill) {
    // Copies stay in registers; the compiler must assume that stores change the members.
    std::uint64_t* const sums = sums_.data();
    Vertex* const used = used_.data();
    for (std::uint64_t i = 0; i < count_; ++i) sums[used[i]] = 0;
    std::uint64_t count = 0;
    fill([&](Vertex key, std::uint64_t weight) {
      const std::uint64_t sum = sums[key];
      used[count] = key;  // without a branch: whether a key is new cannot be predicted
      count += sum == 0 && weight != 0 ? 1 : 0;
      // A sum that has come back to 0 must not look like a new key.
      sums[key] = sum + weight + (have_sign && sum == 0 && weight != 0 ? lift : 0);
    });
    count_ = count;
  }

  /// Fetches the sum of a key.
  void fetch(Vertex key) const noexcept { __builtin_prefetch(sums_.data() + key, 1); }

  /// Returns the sum of a key.
  template <bool have_sign = false>
  std::uint64_t of(Vertex key) const noexcept {
    return sums_[key] - (have_sign && sums_[key] != 0 ? lift : 0);
  }

  /// Calls f(key, weight) for each key with a sum above 0, or that any weight had, in the order in which they came.
  template <bool have_sign = false, class Function>
  void for_each(Function f) const {
    const std::uint64_t* const sums = sums_.data();
    const Vertex* const used = used_.data();
    for (std::uint64_t i = 0, count = count_; i < count; ++i) f(used[i], sums[used[i]] - (have_sign ? lift : 0));
  }

 private:
  /// More than any sum: a lifted sum is never 0.
  static constexpr std::uint64_t lift = std::uint64_t{1} << 62;

  machine::page_array<std::uint64_t> sums_;
  machine::page_array<Vertex> used_;  ///< the first count_: keys with a sum above 0; one more is written than kept
  std::uint64_t count_ = 0;
};

/// Gain of a vertex in a community, less the gain that chance would give it there.
struct community_worth {
  double chance;             ///< factor of the masses' product; 0: label propagation
  const std::uint64_t* out;  ///< masses by vertex
  const std::uint64_t* in;   ///< null: the same as `out`
  const std::uint64_t* volume_out;
  const std::uint64_t* volume_in;

  /// The worths of communities for one vertex.
  struct of_vertex {
    const std::uint64_t* volume;
    std::uint64_t mass;
    double expected;  ///< chance times `mass`

    /// Returns the worth of a community to which the vertex has edges of `weight`.
    double operator()(std::uint64_t community, std::uint64_t weight) const noexcept {
      return as_double(weight) - expected * as_double(volume[community]);
    }
    /// Returns that of the community that it is in itself, without itself.
    double own(std::uint64_t community, std::uint64_t weight) const noexcept {
      return as_double(weight) - expected * as_double(volume[community] - mass);
    }
  };
  /// Has the worths if chance depends on the direction of arcs.
  struct of_directed_vertex {
    of_vertex in;   ///< its mass of out-arcs meets the community's in-arcs
    of_vertex out;  ///< the other way round

    double operator()(std::uint64_t community, std::uint64_t weight) const noexcept {
      return in(community, weight) + out(community, 0);
    }
    double own(std::uint64_t community, std::uint64_t weight) const noexcept {
      return as_double(weight) - in.expected * as_double(in.volume[community] - out.mass) -
             out.expected * as_double(out.volume[community] - in.mass);
    }
  };

  /// Returns the worths for v if `in` is null.
  of_vertex of(std::uint64_t v) const noexcept { return {volume_out, out[v], chance * as_double(out[v])}; }
  /// Returns them if it is not.
  of_directed_vertex of_directed(std::uint64_t v) const noexcept {
    return {{volume_in, out[v], chance * as_double(out[v])}, {volume_out, in[v], chance * as_double(in[v])}};
  }
};

/// The choice of a vertex's community, given the communities of all other vertices.
template <class Vertex, class Weights>
struct community_choice {
  /// Moves that gain less, as a share of the weight at stake, are rounding errors and could go on for ever.
  static constexpr double least_gain = 1e-12;
  static constexpr bool have_sign = Weights::have_sign;
  /// Stands in best() for an empty community, which negative ties may make the best.
  static constexpr Vertex alone = std::numeric_limits<Vertex>::max();

  const weighted_rows<Vertex, Weights>& rows;
  const Vertex* community;  ///< by vertex
  community_worth worth;
  bool prefer_own = true;  ///< of equally good communities a vertex keeps its own

  /// Sums the weights from v to each community into `table`.
  void look(std::uint64_t v, weight_table<Vertex>& table) const {
    table.template collect<have_sign>([&](auto add) {
      std::uint64_t a = rows.begins[v];
      const std::uint64_t end = rows.ends[v];
      // Of long rows, communities come in time for their sums to be fetched, too. The distances are measured ones.
      constexpr std::uint64_t near = 12;
      constexpr std::uint64_t far = 28;
      for (; a + far < end; ++a) {
        __builtin_prefetch(community + rows.targets[a + far]);
        table.fetch(community[rows.targets[a + near]]);
        if (rows.targets[a] != v) add(community[rows.targets[a]], rows.weight(a));
      }
      for (; a != end; ++a) {
        if (rows.targets[a] != v) add(community[rows.targets[a]], rows.weight(a));
      }
    });
  }

  /// Returns the best community for v: its own unless another community is better. The worths' difference, divided by
  /// half of the sum of all strengths, is the change of modularity (Blondel et al. 2008, equation 2).
  Vertex best(std::uint64_t v, weight_table<Vertex>& table) const {
    look(v, table);
    return worth.in == nullptr ? best_of(v, table, worth.of(v)) : best_of(v, table, worth.of_directed(v));
  }

  template <class Worths>
  Vertex best_of(std::uint64_t v, const weight_table<Vertex>& table, const Worths& worths) const {
    const Vertex own = community[v];
    Vertex best = own;
    double most = -std::numeric_limits<double>::infinity();
    table.template for_each<have_sign>([&](Vertex c, std::uint64_t weight) {
      const double value = worths(c, weight);
      // Breaks ties by a hash of both, always in the same way. One winner everywhere would gather all.
      if (value >= most && c != own && (value > most || prefers(v, c, best))) {
        best = c;
        most = value;
      }
    });
    if constexpr (have_sign) {
      // To be alone is worth nothing.
      const double as_now = worths.own(own, table.template of<true>(own));
      const double least = least_gain * (std::fabs(as_double(table.template of<true>(own))) + std::fabs(as_now));
      if (best == own || most < 0) return as_now < -least ? alone : own;
      return most - as_now > least + least_gain * (as_double(table.template of<true>(best)) + most) ? best : own;
    }
    if (best == own) return own;
    const std::uint64_t weight_of_own = table.of(own);
    const double now = worths.own(own, weight_of_own);
    const auto stake = static_cast<double>(table.of(best) + weight_of_own);
    if (!prefer_own && most == now && weight_of_own != 0) return prefers(v, best, own) ? best : own;
    return most - now > least_gain * stake ? best : own;
  }

  static bool prefers(std::uint64_t v, Vertex a, Vertex b) noexcept {
    return mix_bits(v ^ mix_bits(a)) < mix_bits(v ^ mix_bits(b));
  }
};

}  // namespace callisto::graph
