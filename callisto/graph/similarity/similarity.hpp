// How alike two vertices are by the neighbours that they share.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace callisto::graph {

/// How common neighbours are counted. The first three measures divide their number and are from 0 to 1; the last four
/// have no upper bound, and predict links. Preferential attachment asks for no common neighbours.
enum class similarity_measure {
  jaccard,                  ///< by the neighbours that one of the two has (Jaccard 1901)
  overlap,                  ///< by the neighbours of the one that has fewer (Szymkiewicz, Simpson)
  cosine,                   ///< by the root of the product of both numbers of neighbours (Salton and McGill 1983)
  common,                   ///< their number
  adamic_adar,              ///< each by the logarithm of its degree (Adamic and Adar 2003)
  resource_allocation,      ///< each by its degree (Zhou, Lu and Zhang 2009)
  preferential_attachment,  ///< the product of both numbers of neighbours (Barabasi and Albert 1999)
};

/// Returns the name of a measure as the command and Python take it: "jaccard", "resource-allocation".
CALLISTO_API std::string_view name_of(similarity_measure measure) noexcept;

/// Returns the measure of this name, hyphens or not. Throws usage_error that lists the names.
CALLISTO_API similarity_measure similarity_measure_of(std::string_view name);

/// True if the measure is from 0 to 1.
CALLISTO_API bool is_share(similarity_measure measure) noexcept;

/// Two vertices, and how alike they are.
struct similar_pair {
  std::uint64_t from;
  std::uint64_t to;
  double value;

  friend bool operator==(const similar_pair&, const similar_pair&) noexcept = default;
};

struct similarity_options {
  similarity_measure measure = similarity_measure::jaccard;
  std::uint64_t least_common = 1;  ///< pairs with fewer common neighbours are left out; at least 1
};

// All four functions look at the simple undirected graph underlying `graph`: directions are dropped, repeats count
// once, loops not at all. Each throws usage_error for a directed graph without the rows of its in-edges; cancelled;
// std::bad_alloc.

/// Returns how alike the two vertices of each pair are; 0 if they share no neighbour. Time: the two rows of each pair.
/// Throws usage_error if a pair names what is not a vertex.
template <class Vertex>
CALLISTO_API std::vector<double> similarities(const csr_graph<Vertex>& graph,
                                              std::span<const std::pair<std::uint64_t, std::uint64_t>> pairs,
                                              similarity_measure measure = similarity_measure::jaccard,
                                              const run_control& control = {});

/// Returns all pairs that are at least as alike as `threshold`, above 0: the smaller vertex first, ascending by
/// vertices.
///
/// Method: prefix and length filters (Chaudhuri et al., ICDE'06; Bayardo, Ma and Srikant, WWW'07). Two vertices so
/// alike have similar degrees, and share one of their first neighbours, neighbours of small degree first. Vertices that
/// share one are candidates; the other neighbours are counted for these alone. Of measures without an upper bound only
/// `common` has such a filter.
///
/// Memory: 16 bytes an edge and 24 a vertex, 12 a vertex and thread, and 24 a pair found. Throws memory_error if pairs
/// do not fit.
template <class Vertex>
CALLISTO_API std::vector<similar_pair> similar_pairs(const csr_graph<Vertex>& graph, double threshold,
                                                     const similarity_options& options = {},
                                                     const run_control& control = {});

/// Returns, for each vertex in turn, the up to `count` vertices most alike to it: the most alike first, equal ones by
/// vertex; none that shares no neighbour with it.
///
/// Method: that of similar_pairs() with falling thresholds, until there are enough. Memory: as similar_pairs().
template <class Vertex>
CALLISTO_API std::vector<similar_pair> most_similar(const csr_graph<Vertex>& graph, std::uint64_t count,
                                                    const similarity_options& options = {},
                                                    const run_control& control = {});

/// Returns the `count` pairs of vertices without an edge between them that are most alike: the links that a measure
/// predicts (Liben-Nowell and Kleinberg 2003). The best pair first, equal ones by vertices, of preferential attachment
/// by the numbers of neighbours first; the smaller vertex first. Pairs need a common neighbour, but for preferential
/// attachment.
///
/// Method: that of similar_pairs(), with the least value of a thread's best pairs as the threshold; of preferential
/// attachment, pairs by falling products. Memory: as similar_pairs(), and 24 bytes a pair and thread.
template <class Vertex>
CALLISTO_API std::vector<similar_pair> predicted_links(const csr_graph<Vertex>& graph, std::uint64_t count,
                                                       const similarity_options& options = {},
                                                       const run_control& control = {});

namespace needs {
/// Returns the bytes that these functions take at most beyond the graph and the pairs that they return.
CALLISTO_API std::uint64_t similarity(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
