// Vertices in order of falling degree, hubs first.
#pragma once

#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/simple_neighbours.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace callisto::graph {

/// Returns the bucket in which vertices of a degree are ranked; that of a larger degree is not lower.
inline std::uint64_t bucket_of_degree(std::uint64_t degree) noexcept {
  if (degree < 256) return degree;
  const auto dropped = static_cast<std::uint64_t>(std::bit_width(degree) - 8);
  return 128 * dropped + (degree >> dropped);
}

/// Ranks vertices by falling degree: a parallel counting sort over blocks of vertices. The number of blocks, and so the
/// order, does not depend on the number of threads.
///
/// The degree is that of the stored rows, repeats and loops included. From 256 on only its leading 8 bits count: every
/// order gives right results, and this one makes them fast because hubs, which occur in most rows, lie together.
template <class Vertex>
class degree_ranking {
 public:
  explicit degree_ranking(const csr_graph<Vertex>& graph)
      : graph_(graph),
        blocks_(std::clamp<std::uint64_t>(graph.vertices() / 16384, 1, 64)),
        buckets_(bucket_of_degree(graph.arcs() * 2) + 1),
        positions_(blocks_ * buckets_),
        rank_(graph.vertices(), machine::page_kind::used),
        order_(graph.vertices(), machine::page_kind::used) {}

  /// Ranks the vertices; call it before any other member. `over(blocks, f)` must call f(b) once for each b below
  /// `blocks`, in any order and on any threads, and return when all calls have returned. It is called twice. Throws
  /// what `over` throws.
  template <class Over>
  void rank(Over over) {
    over(blocks_, [this](std::uint64_t block) { count(block); });
    turn_counts_to_positions();
    over(blocks_, [this](std::uint64_t block) { assign(block); });
  }

  /// Returns the number of vertices that have arcs; they have the lowest ranks.
  std::uint64_t connected() const noexcept { return connected_; }

  /// Returns the vertex of rank r.
  Vertex vertex(std::uint64_t r) const noexcept { return order_[r]; }

  /// Calls f(s) for each neighbour of the vertex of rank r that has a lower rank s.
  template <class Function>
  void for_each_lower(std::uint64_t r, Function f) const {
    for_each_simple_neighbour(graph_, order_[r], [&](Vertex w) {
      if (rank_[w] < r) f(rank_[w]);
    });
  }

 private:
  void count(std::uint64_t block) noexcept {
    for (std::uint64_t v = begin(block); v < begin(block + 1); ++v) ++position(block, v);
  }

  /// Runs on one thread: it costs as much as some thousand vertices for each block.
  void turn_counts_to_positions() noexcept {
    std::uint64_t next = 0;
    for (std::uint64_t k = buckets_; k-- > 0;) {
      if (k == 0) connected_ = next;
      for (std::uint64_t block = 0; block < blocks_; ++block) {
        const std::uint64_t size = positions_[block * buckets_ + k];
        positions_[block * buckets_ + k] = next;
        next += size;
      }
    }
  }

  void assign(std::uint64_t block) noexcept {
    for (std::uint64_t v = begin(block); v < begin(block + 1); ++v) {
      const std::uint64_t r = position(block, v)++;
      rank_[v] = static_cast<Vertex>(r);
      order_[r] = static_cast<Vertex>(v);
    }
  }

  std::uint64_t begin(std::uint64_t block) const noexcept {
    return graph_.vertices() / blocks_ * block + std::min(block, graph_.vertices() % blocks_);
  }
  std::uint64_t& position(std::uint64_t block, std::uint64_t v) noexcept {
    const std::uint64_t degree = graph_.out().degree(v) + (graph_.directed() ? graph_.in().degree(v) : 0);
    return positions_[block * buckets_ + bucket_of_degree(degree)];
  }

  const csr_graph<Vertex>& graph_;
  std::uint64_t blocks_;
  std::uint64_t buckets_;
  std::uint64_t connected_ = 0;
  std::vector<std::uint64_t> positions_;  ///< by block, then bucket
  machine::page_array<Vertex> rank_;
  machine::page_array<Vertex> order_;
};

}  // namespace callisto::graph
