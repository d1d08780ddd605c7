// Relaxing all heavy arcs once, after the light arcs can shorten no distance further.
//
// A heavy arc from u to v, of weight w > light, shortens something only if distance(u) + w < distance(v). A distance,
// the border, decides the side that looks at the arc (Chakaravarthy et al., IPDPS'14, choose so for each bucket):
// 1. If distance(u) < border, u pushes along its heavy arcs.
// 2. Otherwise v can gain only if distance(v) > border + light. v pulls along its arcs that weigh less than
//    distance(v) - border.
// The border is chosen from a histogram of the arcs by the distance of their vertex, so that the fewest arcs are read.
#pragma once

#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/sssp/kernel.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace callisto::graph {

/// How far a search has come.
struct sssp_extent {
  double farthest = 0;  ///< the largest distance
  bool all = true;      ///< every vertex has a distance

  template <class Distance>
  void look_at(const Distance* distances, std::uint64_t first, std::uint64_t last) noexcept {
    for (std::uint64_t v = first; v < last; ++v) {
      if (distances[v] == no_distance<Distance>) {
        all = false;
      } else {
        farthest = std::max(farthest, static_cast<double>(distances[v]));
      }
    }
  }

  friend sssp_extent operator+(const sssp_extent& a, const sssp_extent& b) noexcept {
    return {std::max(a.farthest, b.farthest), a.all && b.all};
  }
};

/// Arcs by the distance of the vertex at their end: `bins` bins of equal width, then one for vertices without a
/// distance.
struct sssp_arc_histogram {
  static constexpr std::size_t bins = 256;

  double width;  ///< of a bin
  std::array<std::uint64_t, bins + 1> out{};
  std::array<std::uint64_t, bins + 1> in{};

  explicit sssp_arc_histogram(double farthest) noexcept
      : width(std::max(farthest, std::numeric_limits<double>::min()) / bins) {}

  template <class Distance>
  std::size_t bin(Distance d) const noexcept {
    if (d == no_distance<Distance>) return bins;
    return std::min(static_cast<std::size_t>(static_cast<double>(d) / width), bins - 1);
  }

  template <class Vertex, class Distance>
  void count(const csr_graph<Vertex>& graph, const Distance* distances, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t v = first; v < last; ++v) {
      out[bin(distances[v])] += graph.out().degree(v);
      in[bin(distances[v])] += graph.in().degree(v);
    }
  }

  friend sssp_arc_histogram operator+(sssp_arc_histogram a, const sssp_arc_histogram& b) noexcept {
    for (std::size_t i = 0; i <= bins; ++i) {
      a.out[i] += b.out[i];
      a.in[i] += b.in[i];
    }
    return a;
  }

  /// Returns the border with the least cost, which counts an out-arc of a pushing vertex as four in-arcs of a pulling
  /// one. If pushing everything is cheapest, returns no_distance.
  template <class Distance>
  Distance cheapest_border(Distance light) const noexcept {
    Distance border = no_distance<Distance>;
    std::uint64_t pushed = 0;
    std::uint64_t pulled = 0;
    for (const std::uint64_t arcs : in) pulled += arcs;
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    const auto light_bins = static_cast<std::size_t>(std::min(static_cast<double>(light) / width, double{bins}));
    for (std::size_t k = 0; k < light_bins; ++k) pulled -= in[k];
    for (std::size_t k = 0; k <= bins; ++k) {
      if (pushed * 4 + pulled < least) {
        least = pushed * 4 + pulled;
        border = k == bins ? no_distance<Distance> : static_cast<Distance>(width * static_cast<double>(k));
      }
      if (k == bins) break;
      pushed += out[k];
      if (k + light_bins < bins) pulled -= in[k + light_bins];
      if (k + 1 == bins) pulled = 0;
    }
    return border;
  }
};

/// The body of the loop over vertices that relaxes heavy arcs.
template <class Vertex, class Distance, class Weight>
struct sssp_heavy {
  sssp_relax<Vertex, Distance, Weight> step;
  const adjacency<Vertex>& in;
  Distance light;
  Distance border;    ///< no_distance: every vertex pushes
  Distance farthest;  ///< no distance is larger

  using buckets = sssp_buckets<Vertex, Distance>;

  // Compares sums: unlike rounded differences, rounded sums keep the order of their terms.
  bool pushes(Distance d) const noexcept { return d < border && d + light < farthest; }
  bool pulls(Distance d) const noexcept { return border != no_distance<Distance> && border + light < d; }

  void operator()(std::uint64_t first, std::uint64_t last, buckets& mine) const {
    for (std::uint64_t v = first; v < last; ++v) {
      const Distance d = step.distances.load(v);
      if (pushes(d)) push(v, d, mine);
      if (pulls(d)) pull(v, d, mine);
    }
  }

 private:
  void push(std::uint64_t v, Distance d, buckets& mine) const {
    const adjacency<Vertex>& out = step.rows;
    const Weight* const weights = weights_of<Weight>(out);
    for (std::uint64_t a = out.offsets[v]; a != out.offsets[v + 1]; ++a) {
      const auto w = static_cast<Distance>(weights[a]);
      if (!(w > light && d + w < farthest)) continue;
      step.relax(out.targets[a], d + w, mine);
      ++mine.relaxations;
    }
  }

  void pull(std::uint64_t v, Distance d, buckets& mine) const {
    const Weight* const weights = weights_of<Weight>(in);
    Distance best = d;
    for (std::uint64_t a = in.offsets[v]; a != in.offsets[v + 1]; ++a) {
      const auto w = static_cast<Distance>(weights[a]);
      if (!(w > light && border + w < best)) continue;
      const Distance from = step.distances.load(in.targets[a]);
      ++mine.relaxations;
      if (from != no_distance<Distance> && from + w < best) best = from + w;
    }
    if (best < d) step.relax(v, best, mine);
  }
};

}  // namespace callisto::graph
