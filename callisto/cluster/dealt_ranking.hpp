// Vertices in order of falling degree, hubs first, of which a process has some.
#pragma once

#include <callisto/graph/csr/degree_ranking.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/partners.hpp>
#include <callisto/graph/csr/simple_neighbours.hpp>
#include <callisto/machine/system/page_array.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace callisto::cluster {

/// Ranks of which a process has the rows; these have places in ascending order. It has a bit and a count for each 64
/// ranks, so that the rows of other processes take no memory.
class some_ranks {
 public:
  /// `some`: ascending, below `ranks`.
  template <class Vertex>
  some_ranks(std::uint64_t ranks, std::span<const Vertex> some)
      : ranks_(ranks), rows_(some.size()), words_(ranks / 64 + 1) {
    for (const Vertex r : some) words_[r / 64].bits |= std::uint64_t{1} << (r % 64);
    std::uint64_t before = 0;
    for (word& w : words_) {
      w.before = before;
      before += static_cast<std::uint64_t>(std::popcount(w.bits));
    }
  }

  std::uint64_t ranks() const noexcept { return ranks_; }
  std::uint64_t rows() const noexcept { return rows_; }
  bool has(std::uint64_t r) const noexcept { return (words_[r / 64].bits >> (r % 64) & 1) != 0; }
  /// `r`: one of the ranks.
  std::uint64_t place(std::uint64_t r) const noexcept {
    const word& w = words_[r / 64];
    return w.before + static_cast<std::uint64_t>(std::popcount(w.bits & ((std::uint64_t{1} << (r % 64)) - 1)));
  }

 private:
  struct word {
    std::uint64_t bits;
    std::uint64_t before;  ///< ranks in the words before
  };

  std::uint64_t ranks_;
  std::uint64_t rows_;
  machine::page_array<word> words_;
};

/// Ranks vertices as graph::degree_ranking does: by falling degree, and by number. Processes look at the degrees of
/// own vertices, and share the ranks.
template <class Vertex>
class dealt_ranking {
 public:
  dealt_ranking(const graph::csr_graph<Vertex>& graph, graph::partners& among)
      : graph_(graph), first_(among.first()), rank_(graph.vertices(), machine::page_kind::used) {
    // One arc makes no triangle: the vertices that have one or none come last, without a place.
    std::vector<std::uint64_t> counts(graph::bucket_of_degree(graph.arcs() * 2) + 1);
    for (std::uint64_t v = first_; v != among.last(); ++v) ++counts[bucket(v)];
    const std::vector<std::uint64_t> of_all = among.lists_of_all(counts);
    std::vector<std::uint64_t> next(counts.size());    // the rank of the next own vertex of a bucket
    std::vector<std::uint64_t> places(counts.size());  // its place
    std::uint64_t ranks = 0;
    std::uint64_t place = 0;
    for (std::size_t k = counts.size(); k-- > 0;) {
      if (k == first_bucket - 1) {
        ranked_ = ranks;
        own_.resize(place);
        vertices_.resize(place);
      }
      places[k] = place;
      place += counts[k];
      for (std::size_t p = 0; p != among.count(); ++p) {
        if (p == among.number()) next[k] = ranks;
        ranks += of_all[p * counts.size() + k];
      }
    }
    for (std::uint64_t v = first_; v != among.last(); ++v) {
      const std::uint64_t k = bucket(v);
      const std::uint64_t r = next[k]++;
      rank_[v] = static_cast<Vertex>(r);
      if (k < first_bucket) continue;
      own_[places[k]] = static_cast<Vertex>(r);
      vertices_[places[k]++] = static_cast<Vertex>(v);
    }
    among.share(rank_.data(), among.bounds());
  }

  /// Returns how many vertices may have triangles; they have the lowest ranks.
  std::uint64_t ranked() const noexcept { return ranked_; }
  /// Returns the ranks of own vertices below ranked(), ascending.
  const std::vector<Vertex>& own() const noexcept { return own_; }
  std::uint64_t rank(std::uint64_t v) const noexcept { return rank_[v]; }

  /// Calls f(s) for each neighbour of the own vertex of rank r that has a lower rank s.
  template <class Function>
  void for_each_lower(std::uint64_t r, Function f) const {
    const auto at = std::lower_bound(own_.begin(), own_.end(), static_cast<Vertex>(r)) - own_.begin();
    graph::for_each_simple_neighbour(graph_, vertices_[static_cast<std::size_t>(at)], [&](Vertex w) {
      if (rank_[w] < r) f(rank_[w]);
    });
  }

 private:
  static constexpr std::uint64_t first_bucket = 2;

  std::uint64_t bucket(std::uint64_t v) const noexcept {
    return graph::bucket_of_degree(graph_.out().degree(v) + (graph_.directed() ? graph_.in().degree(v) : 0));
  }

  const graph::csr_graph<Vertex>& graph_;
  std::uint64_t first_;
  std::uint64_t ranked_ = 0;
  machine::page_array<Vertex> rank_;  ///< by vertex
  std::vector<Vertex> own_;
  std::vector<Vertex> vertices_;  ///< by place in own_
};

}  // namespace callisto::cluster
