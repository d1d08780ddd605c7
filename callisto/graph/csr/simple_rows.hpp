// The rows of the simple undirected graph underlying a graph, in memory.
#pragma once

#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/csr/simple_neighbours.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/machine/system/error.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace callisto::graph {

/// Rows of distinct neighbours, ascending, without loops; arcs count in both directions. They are the graph's own rows
/// if these are simple, as after reading they often are; else copies. The graph must outlive them.
template <class Vertex>
class simple_rows {
 public:
  /// Cost: one or two looks at each arc. Memory: none, or 8 bytes a vertex and 4 (8 with 64-bit vertices) an arc in
  /// either direction. Throws usage_error for a directed graph without the rows of its in-edges; cancelled;
  /// std::bad_alloc.
  simple_rows(const csr_graph<Vertex>& graph, const run_control& control) : vertices_(graph.vertices()) {
    if (!graph.has_in()) throw usage_error("the graph was built without in-edges, which this needs");
    if (!graph.directed() && is_simple(graph, control)) {
      offsets_ = graph.out().offsets.data();
      targets_ = graph.out().targets.data();
      return;
    }
    own_offsets_ = machine::page_array<std::uint64_t>(vertices_ + 1);
    const auto over_vertices = [&](auto f) {
      if (!parallel_for(std::uint64_t{0}, vertices_, f, {.stop = control.stop})) throw cancelled();
    };
    over_vertices([&](std::uint64_t v) {
      std::uint64_t count = 0;
      for_each_simple_neighbour(graph, v, [&](Vertex) { ++count; });
      own_offsets_[v + 1] = count;
    });
    for (std::uint64_t v = 0; v < vertices_; ++v) own_offsets_[v + 1] += own_offsets_[v];
    own_targets_ = machine::page_array<Vertex>(own_offsets_[vertices_]);
    over_vertices([&](std::uint64_t v) {
      Vertex* next = own_targets_.data() + own_offsets_[v];
      for_each_simple_neighbour(graph, v, [&](Vertex w) { *next++ = w; });
    });
    offsets_ = own_offsets_.data();
    targets_ = own_targets_.data();
  }

  std::uint64_t vertices() const noexcept { return vertices_; }
  std::uint64_t edges() const noexcept { return arcs() / 2; }
  /// Returns the entries of all rows: each edge twice.
  std::uint64_t arcs() const noexcept { return vertices_ == 0 ? 0 : offsets_[vertices_]; }
  std::uint64_t degree(std::uint64_t v) const noexcept { return offsets_[v + 1] - offsets_[v]; }
  /// Returns the index of the first entry of row v among the entries of all rows; v may be the number of vertices.
  std::uint64_t begin(std::uint64_t v) const noexcept { return offsets_[v]; }
  std::span<const Vertex> row(std::uint64_t v) const noexcept {
    return {targets_ + offsets_[v], static_cast<std::size_t>(degree(v))};
  }

 private:
  static bool is_simple(const csr_graph<Vertex>& graph, const run_control& control) {
    const bool simple = parallel_reduce(
        std::uint64_t{0}, graph.vertices(), true,
        [&](std::uint64_t v) {
          std::uint64_t last = v;
          bool fine = true;
          for (const Vertex w : graph.out().row(v)) {
            fine = fine && w != last && w != v;
            last = w;
          }
          return fine;
        },
        std::logical_and<>(), loop_options{.stop = control.stop});
    control.check();
    return simple;
  }

  std::uint64_t vertices_;
  const std::uint64_t* offsets_ = nullptr;
  const Vertex* targets_ = nullptr;
  machine::page_array<std::uint64_t> own_offsets_;
  machine::page_array<Vertex> own_targets_;
};

/// Returns the bytes that simple_rows take at most, given the sizes of a graph.
constexpr std::uint64_t bytes_of_simple_rows(std::uint64_t vertices, std::uint64_t edges,
                                             std::uint64_t bytes_of_vertex) noexcept {
  return 8 * vertices + 2 * edges * bytes_of_vertex;
}

}  // namespace callisto::graph
