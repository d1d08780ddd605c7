// A vertex as messages call it: by its name, or its number.
#pragma once

#include <callisto/graph/csr/graph.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace callisto::graph {

/// Formats as what users call vertex `vertex` of `graph`, which must outlive this object. Costs nothing until it is
/// formatted.
template <class Vertex>
struct called {
  called(const csr_graph<Vertex>& of, std::uint64_t v) noexcept : graph(of), vertex(v) {}
  const csr_graph<Vertex>& graph;
  std::uint64_t vertex;
};

}  // namespace callisto::graph

template <class Vertex>
struct fmt::formatter<callisto::graph::called<Vertex>> : fmt::formatter<std::string> {
  auto format(const callisto::graph::called<Vertex>& it, fmt::format_context& to) const -> decltype(to.out()) {
    std::string text;
    it.graph.append_name(text, it.vertex);
    return fmt::formatter<std::string>::format(text, to);
  }
};
