// How much memory kernels take: bounds that are known before they start, and the refusal of what would not fit.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/communities/communities.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/machine/system/error.hpp>

#include <cstdint>
#include <string_view>

namespace callisto::graph {

/// Work that would not fit in memory, refused before it begins; what() has the numbers.
class CALLISTO_API memory_error : public error {
 public:
  using error::error;
};

/// Throws memory_error, which says that `what` ("kcore", "building the graph") may need so many bytes, how many are
/// available and why no more, if they are fewer: `granted`, or if that is 0, machine::available_memory(). Takes a tenth
/// of a millisecond.
CALLISTO_API void require_memory(std::string_view what, std::uint64_t bytes, std::uint64_t granted = 0);

/// Bytes that each kernel takes at most beyond the graph, its result included, on the threads that there are; of sssp
/// and kcore, whose lists have no bound worth the name, what they take on all graphs tried. betweenness() checks its
/// own (betweenness_memory()).
namespace needs {

CALLISTO_API std::uint64_t bfs(const any_graph& graph) noexcept;
CALLISTO_API std::uint64_t sssp(const any_graph& graph) noexcept;
CALLISTO_API std::uint64_t pagerank(const any_graph& graph, bool seeds) noexcept;
CALLISTO_API std::uint64_t components(const any_graph& graph) noexcept;
CALLISTO_API std::uint64_t strong_components(const any_graph& graph) noexcept;
CALLISTO_API std::uint64_t kcore(const any_graph& graph) noexcept;
CALLISTO_API std::uint64_t communities(const any_graph& graph, community_method method) noexcept;
CALLISTO_API std::uint64_t clustering(const any_graph& graph);
CALLISTO_API std::uint64_t triangles(const any_graph& graph);
CALLISTO_API std::uint64_t diameter(const any_graph& graph) noexcept;
CALLISTO_API std::uint64_t distances(const any_graph& graph) noexcept;   ///< sample_distances()
CALLISTO_API std::uint64_t degrees(const any_graph& graph);              ///< count_degrees() and compute_statistics()
CALLISTO_API std::uint64_t reorder(const any_graph& graph) noexcept;     ///< hubs_first(), in_label_order()
CALLISTO_API std::uint64_t symmetrize(const any_graph& graph) noexcept;  ///< symmetrized()
CALLISTO_API std::uint64_t random_weights(const any_graph& graph) noexcept;  ///< with_random_weights()

/// build_graph() beyond its list, while it builds rows of up to `arcs` arcs; `weight_bytes`: 0, 2 or 8 for each.
CALLISTO_API std::uint64_t build(std::uint64_t vertices, std::uint64_t arcs, std::uint64_t weight_bytes) noexcept;

}  // namespace needs

}  // namespace callisto::graph
