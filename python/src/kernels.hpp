// What the bindings of kernels share.
#pragma once

#include "arrays.hpp"
#include "graph.hpp"
#include "run.hpp"

#include <callisto/graph.hpp>

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace callisto::python {

/// Runs kernel(csr_graph, control) on a graph; see run().
template <class F>
auto run_on(const held_graph& of, nb::handle progress, bool brief, F&& kernel) {
  return run(progress, brief, [&](const graph::run_control& control) {
    return of.visit([&](const auto& g) { return kernel(g, control); });
  });
}

inline graph::weight_use weight_use_named(std::string_view name) {
  if (name == "none") return graph::weight_use::none;
  if (name == "strength") return graph::weight_use::strength;
  if (name == "length") return graph::weight_use::length;
  throw usage_error(fmt::format("weights is '{}': expected 'none', 'strength' or 'length'", name));
}

}  // namespace callisto::python
