// The sources of searches: one vertex that the user names, or several drawn from a seed, as the GAP benchmark does.
#pragma once

#include <callisto/app/cli/parser.hpp>
#include <callisto/app/graph/command.hpp>
#include <callisto/graph/csr/graph.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace callisto::app {

/// The options --source, --sources and --seed.
struct source_options {
  std::optional<std::string> source;     ///< label of the one source, as the user wrote it
  std::optional<std::uint64_t> sources;  ///< number of sources to draw
  std::uint64_t seed = 1;

  /// Adds --source, --sources and --seed to `parser`. This object must outlive `parser`.
  void add_to(const command_parser& parser);

  /// True if the sources are drawn. The result is a table of trials then, else one value a vertex.
  bool drawn() const noexcept { return sources.has_value(); }

  /// Throws usage_error unless exactly one of --source and --sources is given.
  void check() const;

  /// Returns the vertices to search from. Drawn vertices have out-arcs and depend only on the graph and the seed.
  /// Throws usage_error if there is no such vertex.
  std::vector<std::uint64_t> pick(const graph::any_graph& graph) const;
};

/// Throws usage_error if a kernel cannot take --samples and --error so: if there are more samples than vertices, or
/// both are given. The library throws, too, but its messages name the options without dashes.
void check_sampling(std::uint64_t samples, double error, const graph::any_graph& graph);

/// Adds the searches to `found`; search i began at picked[i] and took seconds[i]. If the user named the source, adds
/// the source and the time. Else adds the median and the range of the times, and the trials as `top`: a row of the
/// source, the time, and the cells of more(i) under `keys`.
void tell_trials(analysis& found, const graph::any_graph& graph, const source_options& from,
                 const std::vector<std::uint64_t>& picked, const std::vector<double>& seconds,
                 const std::vector<std::string>& keys,
                 const std::function<std::vector<ranking::cell>(std::size_t)>& more);

}  // namespace callisto::app
