// Memory that betweenness takes; each sum is over the arrays that the core and the states allocate.
#include <callisto/graph/betweenness/high_diameter.hpp>
#include <callisto/graph/betweenness/memory.hpp>
#include <callisto/graph/betweenness/search.hpp>
#include <callisto/graph/csr/require_memory.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <cstdint>
#include <variant>

namespace callisto::graph {

std::uint64_t source_count(std::uint64_t vertices, const betweenness_options& options) {
  if (!options.from.empty()) return options.from.size();
  return options.samples != 0 ? options.samples : vertices;
}

std::uint64_t bytes_for(const any_graph& graph, const betweenness_options& options, loop_form how) {
  return std::visit(
      [&](const auto& g) {
        const std::uint64_t sources = source_count(g.vertices(), options);
        // A state for each batch; if there are few sources, each may get a thread.
        const std::uint64_t few = std::min<std::uint64_t>(sources, search_lanes);
        const std::uint64_t states =
            std::min(std::uint64_t{threads_at(how)}, std::max(sources / search_lanes + 1, few));
        const std::uint64_t errors = options.samples != 0 || options.error != 0 ? 8 * (states + 5) * g.vertices() : 0;
        return errors + bytes_needed(g, states,
                                     how.form == betweenness_form::flat
                                         ? search_state::bytes_alone(lanes_for(sources))
                                         : search_state::bytes_together(lanes_for(sources)));
      },
      graph);
}

template <class Vertex>
std::uint64_t sources_apart(const csr_graph<Vertex>& graph, std::uint64_t sources, const betweenness_options& options) {
  if (options.form == betweenness_form::flat) return sources;
  if (options.form == betweenness_form::inner) return 0;
  const std::uint64_t needed =
      bytes_needed(graph, std::min<std::uint64_t>(sources, threads()), high_diameter_search::bytes(1)) +
      graph.vertices() * high_diameter_search::bytes(high_diameter_search::most_threads);
  if (threads() > 1 && !has_memory(needed, options.memory)) return 0;
  const std::uint64_t rest = sources % threads();
  return rest < high_diameter_search::most_threads ? sources - rest : sources;
}

template std::uint64_t sources_apart(const csr_graph<std::uint32_t>&, std::uint64_t, const betweenness_options&);
template std::uint64_t sources_apart(const csr_graph<std::uint64_t>&, std::uint64_t, const betweenness_options&);

}  // namespace callisto::graph
