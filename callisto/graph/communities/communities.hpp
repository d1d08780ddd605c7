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
  leiden,   ///< maximize a quality; communities that refinement keeps connected (Traag et al. 2019)
  louvain,  ///< maximize a quality (Blondel et al. 2008)
  labels,   ///< label propagation (Raghavan, Albert and Kumara 2007)
};

/// The quality that leiden and louvain maximize.
enum class community_quality {
  modularity,  ///< the share of weight inside, less what chance would put there (Newman and Girvan 2004)
  cpm,         ///< weight inside, less the resolution for each pair of members (Traag et al. 2011); also of negative
               ///< weights
};

/// Meaning of the direction of arcs to modularity.
enum class community_directions {
  follow,  ///< chance has out- and in-strengths (Leicht and Newman 2008)
  ignore,  ///< an arc is an edge; opposite arcs add up
};

/// Returns the name of a method, "leiden", or of a quality, "modularity".
CALLISTO_API std::string_view name_of(community_method method) noexcept;
CALLISTO_API std::string_view name_of(community_quality quality) noexcept;

/// Returns the resolution that finds communities denser than the graph: 1 for modularity; for CPM the weight of all
/// edges by the number of pairs of vertices, at which the graph as one community is worth nothing; 0 if it is negative.
/// Throws cancelled.
CALLISTO_API double usual_resolution(const any_graph& graph, community_quality quality,
                                     const run_control& control = {});

struct communities_options {
  community_method method = community_method::leiden;
  community_quality quality = community_quality::modularity;
  community_directions directions = community_directions::follow;
  double resolution = 1;    ///< higher values find smaller communities; finite, at least 0
  unsigned iterations = 1;  ///< of leiden and louvain: each begins with the communities of the one before; at least 1
  std::uint64_t seed = 1;   ///< chooses the order in which vertices move
  bool hierarchy = false;   ///< of louvain: finds communities of communities, and keeps all levels
};

/// One level's moves, in the order of work: down to the coarsest graph, then up again.
struct community_level {
  std::uint64_t vertices = 0;  ///< of the level
  unsigned rounds = 0;         ///< passes over the vertices near the last moves
  std::uint64_t moves = 0;     ///< of vertices between communities
};

struct communities_result {
  machine::page_array<std::uint64_t> of;  ///< by vertex: the smallest vertex of its community
  std::uint64_t communities = 0;
  double quality = 0;      ///< see quality()
  bool converged = false;  ///< true: no joining of two communities, or no other label, is better
  std::vector<community_level> levels;

  /// One division of a hierarchy.
  struct division {
    machine::page_array<std::uint64_t> of;  ///< by vertex: the smallest vertex of its community
    std::uint64_t communities = 0;
    double quality = 0;
  };
  /// With options.hierarchy: each division joins communities of the one before; the last is `of`. All are connected.
  std::vector<division> hierarchy;
};

/// Finds the communities of `graph`. Each is connected, whatever the direction of arcs. Weights count as strengths of
/// ties; repeated and opposite arcs add up. The result depends on the graph and the options alone, never on the number
/// of threads.
///
/// Louvain (Blondel, Guillaume, Lambiotte and Lefebvre 2008): vertices move to the neighbouring community that raises
/// the quality most, until few want to. Then each community becomes a vertex, and the same begins again. Leiden (Traag,
/// Waltman and van Eck 2019): the parts of a refinement become the vertices instead, so that a community can still come
/// apart. On the way back vertices move once more on each level (Rotta and Noack 2011). At the end whole communities
/// move until no joining of two raises the quality.
///
/// Only vertices near a move decide again (Ozaki, Tezuka and Inaba 2016). Parallel and deterministic by sub-rounds, as
/// in Mt-KaHyPar (Gottesbueren, Heuer, Sanders and Schlag 2022): a random part of the vertices decides on what it sees,
/// then all of the part move. Weights are rounded to whole multiples of about 2^-52 of their sum, so that sums do not
/// depend on their order.
///
/// Label propagation (Raghavan et al. 2007): vertices take the label with the largest weight among their neighbours,
/// until none changes, in the same sub-rounds. Of equal labels a vertex keeps its own, or else takes one by a hash of
/// both.
///
/// A hierarchy is that of Louvain's method as it was published: the communities of a level are the vertices of the
/// next, and none comes apart again, so that its quality is often below that of the search without levels.
///
/// Cost: some twenty passes over the arcs, most of them over few arcs. Memory: needs::communities(). Reports rounds as
/// progress. Throws usage_error for options out of range, or a weight that is negative or no number; cancelled;
/// std::bad_alloc. With quality cpm and leiden or louvain, weights may be negative: then vertices also leave for
/// empty communities, and moves run on one thread.
CALLISTO_API communities_result communities(const any_graph& graph, const communities_options& options = {},
                                            const run_control& control = {});

/// Returns the quality of a partition. `of`: by vertex, a vertex that names its group, for instance the smallest.
///
/// Modularity: the share of the weight inside of groups, less the resolution times what chance would put there (Newman
/// and Girvan 2004; Reichardt and Bornholdt 2006; Leicht and Newman 2008 for directed graphs). A self-loop of an
/// undirected graph counts twice, because an edge has two ends. Without edges it is 0. Labels have modularity, too.
///
/// CPM: the weight inside of groups, less the resolution for each pair of members (Traag, Van Dooren and Nesterov
/// 2011); in a directed graph for each ordered pair.
///
/// Takes 16 bytes a vertex, 32 of a directed graph. Throws as communities() does.
CALLISTO_API double quality(const any_graph& graph, const machine::page_array<std::uint64_t>& of,
                            const communities_options& options = {}, const run_control& control = {});

namespace needs {
/// Returns the bytes that communities() takes at most beyond the graph, its result included, if each level has at most
/// half of the vertices of the one before, and all coarse graphs three times the first's arcs.
CALLISTO_API std::uint64_t communities(const any_graph& graph, const communities_options& options) noexcept;
}  // namespace needs

}  // namespace callisto::graph
