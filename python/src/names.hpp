// The words of arguments that several files of bindings take.
#pragma once

#include <callisto/graph.hpp>

#include <fmt/format.h>

#include <string_view>

namespace callisto::python {

inline graph::repeats repeats_named(std::string_view name) {
  if (name == "remove") return graph::repeats::remove;
  if (name == "keep") return graph::repeats::keep;
  if (name == "heaviest") return graph::repeats::heaviest;
  if (name == "first") return graph::repeats::first;
  if (name == "sum") return graph::repeats::sum;
  if (name == "sum_weights") return graph::repeats::sum_weights;
  throw usage_error(
      fmt::format("repeats is '{}': expected 'remove', 'keep', 'heaviest', 'first', 'sum' or 'sum_weights'", name));
}

inline graph::weight_use weight_use_named(std::string_view name) {
  if (name == "none") return graph::weight_use::none;
  if (name == "strength") return graph::weight_use::strength;
  if (name == "length") return graph::weight_use::length;
  throw usage_error(fmt::format("weights is '{}': expected 'none', 'strength' or 'length'", name));
}

}  // namespace callisto::python
