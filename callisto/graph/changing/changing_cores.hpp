// Core numbers, kept up to date while the graph changes (Sariyuce et al., PVLDB 2013).
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/changing/changing_graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace callisto::graph {

/// The coreness of every vertex, as kcore() has it: directions are dropped, self-loops do not count. The graph outlives
/// it; changes of the graph and calls take turns.
///
/// An edge moves core numbers by one at most, and only those equal to the smaller one of its ends. If it comes, a
/// search from that end over vertices of this number finds which of them have enough neighbours to rise: the traversal
/// method. If it goes, the vertices that have too few neighbours left fall, each in its turn. So a change costs what
/// lies about the ends. If many edges change at once, all vertices are peeled anew. One thread does it. It takes 48
/// bytes a vertex and 8 an edge: the neighbours, without directions.
class CALLISTO_API changing_cores {
 public:
  /// Computes all core numbers. Throws std::bad_alloc; cancelled.
  explicit changing_cores(const changing_graph& graph, const run_control& control = {});

  /// Returns the coreness of v.
  std::uint32_t operator[](std::uint32_t v) const noexcept { return v < core_.size() ? core_[v] : 0; }
  /// Returns the largest coreness.
  std::uint32_t degeneracy() const noexcept;

  /// Brings all up to date after these changes, which were made since the last call. Returns the vertices with other
  /// core numbers than before, ascending.
  std::vector<std::uint32_t> update(std::span<const changing_graph::change> changes);

  /// Times that all vertices were peeled, the first included.
  std::uint64_t peelings() const noexcept { return peelings_; }

 private:
  void add_vertices();
  void peel(const run_control& control);
  std::uint32_t support_of(std::uint32_t v) const noexcept;
  std::uint32_t hope_of(std::uint32_t v) const noexcept;
  void join(std::uint32_t u, std::uint32_t v);
  void part(std::uint32_t u, std::uint32_t v);
  void note(std::uint32_t v);

  const changing_graph* graph_;
  std::vector<std::vector<std::uint32_t>> rows_;  ///< neighbours, without loops, ascending
  std::vector<std::uint32_t> core_;
  std::vector<std::uint32_t> support_;  ///< neighbours of no smaller coreness
  std::vector<std::int64_t> left_;      ///< of a search: neighbours that may rise with it; 0 between searches
  std::vector<char> state_;             ///< of a search
  std::vector<std::pair<std::uint32_t, std::uint32_t>> noted_;  ///< vertices that changed, and what they had before
  std::uint64_t edges_ = 0;
  std::uint64_t peelings_ = 0;
};

}  // namespace callisto::graph
