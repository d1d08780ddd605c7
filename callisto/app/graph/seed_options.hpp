// The vertices where random walks begin again, as a user names them.
#pragma once

#include <callisto/app/cli/parser.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/pagerank/pagerank.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace callisto::app {

struct named_seed {
  std::uint64_t label;
  double weight;
};

struct seed_options {
  std::optional<std::string> list;  ///< of --seeds
  std::optional<std::string> file;  ///< of --seeds-file

  /// Adds --seeds and --seeds-file to `parser`; *this must outlive it.
  void add_to(const command_parser& parser);

  /// What they say, in that order; nothing if neither is given. Throws usage_error and input_error.
  std::vector<named_seed> read() const;

  /// The same as vertices of `graph`; throws usage_error, which names the flag, for labels that it does not have and
  /// those named twice.
  std::vector<graph::pagerank_seed> find(const std::vector<named_seed>& seeds, const graph::any_graph& graph) const;
};

}  // namespace callisto::app
