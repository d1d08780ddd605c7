// A NetworkX graph as rows of numbers: a walk of its dictionaries, and what kernels need of them.
#pragma once

#include <callisto/graph.hpp>

#include <nanobind/nanobind.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace callisto::python::networkx {

namespace nb = nanobind;

using vertex = std::uint32_t;
using csr = graph::csr_graph<vertex>;

/// Marks the absence of a vertex.
inline constexpr vertex no_vertex = std::numeric_limits<vertex>::max();

/// Rows of neighbours in the order of the dictionaries: row v is targets[offsets[v] ... offsets[v + 1]).
struct ordered_rows {
  std::vector<std::uint64_t> offsets{0};
  machine::page_array<vertex> targets;

  vertex vertices() const noexcept { return static_cast<vertex>(offsets.size() - 1); }
  std::uint64_t arcs() const noexcept { return offsets.back(); }
  std::span<const vertex> row(std::uint64_t v) const noexcept {
    return {targets.data() + offsets[v], static_cast<std::size_t>(offsets[v + 1] - offsets[v])};
  }
};

class walked_graph;

/// The values of one attribute of all edges, by arc in the order of the rows. Edges without the attribute have 1, or
/// what the reader says. Parallel edges of a multigraph have their least value and their sum.
class edge_values {
 public:
  /// Reads the attribute, or counts parallel edges if it is None. Throws Python's NotImplementedError for a value that
  /// is not exactly an int below 2^53 or a finite float, and RuntimeError if the dictionaries changed since the walk.
  edge_values(const walked_graph& graph, nb::handle adjacency, nb::handle attribute, double missing = 1);

  /// Makes capacities of the values: negative ones become 0, infinite ones larger than all others together. Returns the
  /// sum of the others.
  double bound_capacities() noexcept;

  std::span<const double> least() const noexcept { return least_; }
  /// Returns the sums of parallel edges; least() if there are none.
  std::span<const double> sums() const noexcept { return sums_.empty() ? least() : std::span<const double>(sums_); }

  bool whole() const noexcept { return !real_; }          ///< no value is a float
  bool real() const noexcept { return !whole_; }          ///< all values are floats
  double smallest() const noexcept { return smallest_; }  ///< 1 without edges
  double largest() const noexcept { return largest_; }    ///< 1 without edges
  bool unit() const noexcept { return smallest_ == 1 && largest_ == 1 && sums_.empty(); }

  /// True if calls that use the other values would answer as with these.
  bool same(const edge_values& other) const noexcept;

  /// Returns the graph with these values as weights: of parallel edges the least, or their sum.
  graph::any_graph weighted(const walked_graph& graph, bool sum) const;

 private:
  void read(nb::handle value, double& number);

  machine::page_array<double> least_;
  machine::page_array<double> sums_;
  bool whole_ = false;
  bool real_ = false;
  double smallest_ = 1;
  double largest_ = 1;
};

/// A NetworkX graph: its nodes, numbered in their order, and the rows of their neighbours.
class walked_graph {
 public:
  /// Walks a dictionary of dictionaries, `G._adj`. Throws Python's NotImplementedError if it or a row is no dict.
  walked_graph(nb::handle adjacency, bool directed, bool multigraph);

  bool directed() const noexcept { return directed_; }
  bool multigraph() const noexcept { return multigraph_; }
  std::uint64_t loops() const noexcept { return loops_; }
  const nb::list& nodes() const noexcept { return nodes_; }
  PyObject* node(std::uint64_t v) const noexcept { return PyList_GetItem(nodes_.ptr(), static_cast<Py_ssize_t>(v)); }
  const ordered_rows& out() const noexcept { return out_; }

  /// Returns the rows of predecessors, in the order of `G._pred` if walk_predecessors() was called, else ascending.
  const ordered_rows& in() const;
  void walk_predecessors(nb::handle predecessors);

  /// Returns the number of a node, or no_vertex; also for objects that have no hash, as `in` does.
  vertex find(nb::handle node) const;

  /// Returns the graph without weights and parallel edges.
  graph::any_graph plain() const;

 private:
  class numbering;

  void take_nodes(nb::handle adjacency);
  ordered_rows walk(nb::handle adjacency) const;

  bool directed_;
  bool multigraph_;
  std::uint64_t loops_ = 0;
  nb::list nodes_;
  std::shared_ptr<numbering> numbers_;
  ordered_rows out_;
  mutable std::optional<ordered_rows> in_;
};

/// Returns the rows turned round: row v holds the u with an arc (u, v), ascending. `values`: by arc, or empty; the
/// result's are in the order of its rows.
std::pair<ordered_rows, machine::page_array<double>> transposed(const ordered_rows& rows,
                                                                std::span<const double> values = {});

}  // namespace callisto::python::networkx
