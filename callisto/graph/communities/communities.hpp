// Communities: groups of vertices with more edges inside than chance would put there.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace callisto::graph {

enum class community_method {
  louvain,  ///< maximize modularity (Blondel et al. 2008)
  labels,   ///< label propagation (Raghavan, Albert and Kumara 2007)
};

/// Returns "louvain" or "labels".
CALLISTO_API std::string_view name_of(community_method method) noexcept;

struct communities_options {
  community_method method = community_method::louvain;
  double resolution = 1;  ///< of modularity: higher values find smaller communities; finite, at least 0
};

/// One level of the Louvain method, or the one level of label propagation.
struct community_level {
  std::uint64_t vertices = 0;  ///< of the level: of the graph, then the communities of the level before
  unsigned rounds = 0;         ///< passes over the vertices near the last moves
  std::uint64_t moves = 0;     ///< of vertices from one community to another
};

struct communities_result {
  machine::page_array<std::uint64_t> of;  ///< by vertex: the smallest vertex of its community
  std::uint64_t communities = 0;
  double modularity = 0;   ///< with the resolution of the options; see modularity()
  bool converged = false;  ///< true: no single move improves the last level; false: rounds ran out
  std::vector<community_level> levels;
};

/// Finds the communities of `graph`. A directed graph is taken in its undirected form (symmetrized()): an edge for each
/// arc, and of two opposite arcs the lighter one's weight. Weights count as strengths of ties; repeated edges add up.
/// The result depends on the graph and the options alone, never on the number of threads.
///
/// Louvain (Blondel, Guillaume, Lambiotte and Lefebvre 2008): vertices move to the neighbouring community that raises
/// modularity most, until none does. Then each community becomes a vertex, and the same begins again, until no move
/// raises modularity. Parallel as in PLM (Staudt and Meyerhenke 2016), but deterministic, by sub-rounds as in
/// Mt-KaHyPar (Gottesbueren, Heuer, Sanders and Schlag 2022): all vertices of a random part of the graph decide on what
/// they see, then all move. Two single vertices of one part do not swap places: the one of lower number is joined (Lu,
/// Halappanavar and Kalyanaraman 2015). Only vertices near a move decide again (Ozaki, Tezuka and Inaba 2016). Weights
/// are rounded to whole multiples of about 2^-52 of their sum, so that sums do not depend on their order.
///
/// Label propagation: vertices take the label with the largest weight among their neighbours, until none changes, in
/// the same sub-rounds. Of equal labels a vertex keeps its own, or else takes one by a hash.
///
/// Cost: about ten passes over the arcs, most of them over few arcs. Memory: up to 86 bytes a vertex and 12 an arc (110
/// and 16 with 64-bit vertices); for labels 62 a vertex (86) alone; for each thread about 32 bytes for each neighbour
/// of one vertex; for a directed graph its undirected form. Reports rounds as progress. Throws usage_error for a
/// resolution out of range, or a weight that is negative or no number; memory_error if the undirected form does not
/// fit; cancelled; std::bad_alloc.
CALLISTO_API communities_result communities(const any_graph& graph, const communities_options& options = {},
                                            const run_control& control = {});

/// Returns the modularity of a partition of an undirected graph: the share of the weight inside of groups, less
/// `resolution` times what chance would put there (Newman and Girvan 2004; Reichardt and Bornholdt 2006). A self-loop
/// counts twice, because an edge has two ends. Without edges it is 0. `of`: by vertex, a vertex that names its group,
/// for instance the smallest. Takes 8 bytes a vertex. Throws as communities() does, and usage_error for a directed
/// graph.
CALLISTO_API double modularity(const any_graph& graph, const machine::page_array<std::uint64_t>& of,
                               double resolution = 1, const run_control& control = {});

namespace needs {
/// Returns the bytes that communities() takes at most beyond the graph, its result included.
CALLISTO_API std::uint64_t communities(const any_graph& graph, community_method method) noexcept;
}  // namespace needs

}  // namespace callisto::graph
