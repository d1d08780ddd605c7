// The vertices where random walks begin again, as the user names them.
#pragma once

#include <callisto/app/cli/parser.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/pagerank/pagerank.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace callisto::app {

/// A seed as the user names it.
struct named_seed {
  std::string label;
  double weight;
  std::string whole = {};  ///< what stands in the line, which may be a name
  std::uint64_t line = 0;  ///< of --seeds-file, from 1
};

/// The options --seeds and --seeds-file, of which at most one is given.
struct seed_options {
  std::optional<std::string> list;  ///< value of --seeds
  std::optional<std::string> file;  ///< value of --seeds-file

  /// Adds --seeds and --seeds-file to `parser`. This object must outlive `parser`.
  void add_to(const command_parser& parser);

  /// Returns the seeds that the options name, in that order; none if neither option is given. Throws usage_error and
  /// input_error.
  std::vector<named_seed> read() const;

  /// Returns `seeds` as vertices of `graph`. Throws usage_error, which names the flag, for a label that the graph does
  /// not have, and for a label that is named twice.
  std::vector<graph::pagerank_seed> find(const std::vector<named_seed>& seeds, const graph::any_graph& graph) const;
};

}  // namespace callisto::app
