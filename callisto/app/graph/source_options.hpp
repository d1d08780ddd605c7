// Where searches begin: one vertex that the user names, or several drawn from a seed, as the GAP benchmark does.
#pragma once

#include <callisto/app/graph/command.hpp>
#include <callisto/app/cli/parser.hpp>
#include <callisto/graph/csr/graph.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace callisto::app {

struct source_options {
  std::optional<std::uint64_t> source;   ///< a label
  std::optional<std::uint64_t> sources;  ///< how many to draw
  std::uint64_t seed = 1;

  /// Adds --source, --sources and --seed to `parser`; *this must outlive it.
  void add_to(const command_parser& parser);

  /// Whether the sources are drawn, so that the result is a table of trials rather than values of vertices.
  bool drawn() const noexcept { return sources.has_value(); }

  /// Throws usage_error unless exactly one of the two ways is asked for.
  void check() const;

  /// The vertices to search from: those drawn have out-arcs, the same ones for the same graph and seed. Throws
  /// usage_error if there is no such vertex.
  std::vector<std::uint64_t> pick(const graph::any_graph& graph) const;
};

/// Tells `found` about the searches from `picked`, of which number i took seconds[i]: the source if it was named, else
/// the median and the spread, and the trials as `top`: rows of the source, the time, and what more(i) says under
/// `keys`.
void tell_trials(analysis& found, const graph::any_graph& graph, const source_options& from,
                 const std::vector<std::uint64_t>& picked, const std::vector<double>& seconds,
                 const std::vector<std::string>& keys,
                 const std::function<std::vector<ranking::cell>(std::size_t)>& more);

}  // namespace callisto::app
