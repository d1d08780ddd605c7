// The graph as Python holds it: _core.Graph.
#pragma once

#include <callisto/graph.hpp>

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <variant>

namespace callisto::python {

namespace nb = nanobind;

/// An immutable graph, bound as _core.Graph. Its vertices are 0 ... n - 1; what users call them is the csr_graph's
/// names or labels, or a table that the Python class Graph keeps.
class held_graph {
 public:
  explicit held_graph(graph::any_graph graph) : graph_(std::make_shared<graph::any_graph>(std::move(graph))) {}

  const graph::any_graph& any() const noexcept { return *graph_; }
  /// For views of the graph's arrays, which keep it alive.
  const std::shared_ptr<const graph::any_graph>& shared() const noexcept { return graph_; }

  template <class F>
  decltype(auto) visit(F&& f) const {
    return std::visit(std::forward<F>(f), *graph_);
  }
  std::uint64_t vertices() const noexcept {
    return visit([](const auto& g) { return g.vertices(); });
  }

 private:
  std::shared_ptr<const graph::any_graph> graph_;
};

/// Returns the same graph with other columns of its vertices and edges; it shares the arrays.
held_graph with_attributes(const held_graph& of, std::shared_ptr<const graph::graph_attributes> attributes);
/// Returns a graph over the arrays of `of`, which it keeps alive, with its columns.
graph::any_graph shared_graph(const held_graph& of);

}  // namespace callisto::python
