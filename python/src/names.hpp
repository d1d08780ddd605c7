// The words of arguments that several files of bindings take.
#pragma once

#include <callisto/graph.hpp>

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

/// How a file is read, in the words of read(): what one process and ranks take alike.
struct reading_words {
  std::string format;
  bool undirected = false;
  bool directed = false;
  std::vector<std::string> columns;
  std::optional<std::string> weights_column;
  std::optional<std::string> separator;
  std::optional<bool> header;
  std::string ids;
  std::optional<std::string> repeats;
  bool drop_loops = false;
};

/// Throws usage_error.
graph::load_options load_options_of(const reading_words& words);

graph::communities_options communities_options_of(std::string_view method, std::string_view quality,
                                                  std::string_view directions, std::optional<double> resolution,
                                                  unsigned iterations, std::uint64_t seed);

}  // namespace callisto::python
