// The arithmetic of memory; each line is the sum of the arrays that its kernel allocates.
#include <callisto/graph/csr/memory_needs.hpp>

#include <callisto/graph/bfs/kernel.hpp>
#include <callisto/graph/pagerank/rows.hpp>
#include <callisto/graph/csr/statistics.hpp>
#include <callisto/machine/host/memory.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <fmt/format.h>

#include <limits>
#include <variant>

namespace callisto::graph {

void require_memory(std::string_view what, std::uint64_t bytes, std::uint64_t granted) {
  const machine::memory_left left =
      granted != 0 ? machine::memory_left{granted, "as granted"} : machine::available_memory();
  if (bytes <= left.bytes) return;
  throw memory_error(fmt::format("{} may need {} MiB of memory, {} MiB are available ({})", what, (bytes >> 20) + 1,
                                 left.bytes >> 20, left.limit));
}

namespace needs {
namespace {

/// Tables of a thread's own that do not grow with the graph.
constexpr std::uint64_t bytes_of_thread = std::uint64_t{1} << 20;

/// What the sums below are made of.
struct size {
  std::uint64_t n;      ///< vertices
  std::uint64_t m;      ///< stored arcs
  std::uint64_t v;      ///< bytes of a vertex's number
  std::uint64_t w;      ///< bytes of a weight, 0 if there are none
  std::uint64_t edges;  ///< of the undirected form, at most
  bool directed;
};

size size_of(const any_graph& graph) noexcept {
  return std::visit(
      []<class Vertex>(const csr_graph<Vertex>& g) {
        const std::uint64_t weight_bytes =
            g.weighted() ? (g.has_short_weights() ? sizeof(short_weight) : sizeof(double)) : 0;
        // An edge of an undirected graph is stored twice, a loop once, which kernels of the simple graph drop.
        return size{g.vertices(), g.arcs(), sizeof(Vertex), weight_bytes, g.directed() ? g.arcs() : g.arcs() / 2,
                    g.directed()};
      },
      graph);
}

std::uint64_t of_search(const size& s) {
  const std::uint64_t bytes = s.n <= bfs_by_byte::most_vertices ? 2 * (s.n + 64) : 0;
  return (5 * s.v + 4) * s.n + 3 * (s.n / 8 + 8) + bytes;
}
std::uint64_t of_components(const size& s) { return s.v * s.n + of_search(s); }

/// Ranks, oriented rows and bitmaps (degree_ranking.hpp, triangles_kernel.hpp), and a thread's marks.
std::uint64_t of_orientation(const size& s) {
  return (2 * s.v + 8) * s.n + (s.v + 16) * s.edges + threads() * (s.n / 8 + bytes_of_thread);
}

/// Of all rows.
std::uint64_t short_weights(const size& s) { return sizeof(short_weight) * s.m * (s.directed ? 2 : 1); }

}  // namespace

std::uint64_t bfs(const any_graph& graph) noexcept { return of_search(size_of(graph)); }

std::uint64_t sssp(const any_graph& graph) noexcept {
  const size s = size_of(graph);
  return 56 * s.n + 8 * s.m;
}

std::uint64_t pagerank(const any_graph& graph, bool seeds) noexcept {
  const size s = size_of(graph);
  const std::uint64_t scores = (seeds ? 88 : 80) * s.n;
  const bool packed = std::visit(
      []<class Vertex>(const csr_graph<Vertex>& g) {
        return g.has_in() && packed_rows<Vertex>::pattern_of(g.in()) != row_pattern::none;
      },
      graph);
  return packed ? scores + s.v * s.m + 24 * s.n + (std::uint64_t{6} << 20) : scores;
}

std::uint64_t components(const any_graph& graph) noexcept {
  return of_components(size_of(graph)) + 8 * size_of(graph).n;
}

std::uint64_t strong_components(const any_graph& graph) noexcept {
  const size s = size_of(graph);
  return (4 * s.v + 17 + 8) * s.n;
}

std::uint64_t kcore(const any_graph& graph) noexcept {
  const size s = size_of(graph);
  return (4 + 5 * s.v) * s.n;
}

std::uint64_t communities(const any_graph& graph, community_method method) noexcept {
  size s = size_of(graph);
  std::uint64_t undirected = 0;
  if (s.directed) {
    undirected = symmetrize(graph);
    s.m *= 2;
  }
  // One level's vertices; the graph of its communities, whose arcs are some of those of the level; names and members.
  const std::uint64_t level = (25 + 8 + 3 * s.v) * s.n;
  const std::uint64_t coarse = method == community_method::labels ? 0 : 24 * s.n + (s.v + 8) * s.m;
  return undirected + level + coarse + (2 * s.v + 8) * s.n + threads() * bytes_of_thread;
}

std::uint64_t clustering(const any_graph& graph) {
  const size s = size_of(graph);
  return of_orientation(s) + 24 * s.n;
}

std::uint64_t triangles(const any_graph& graph) { return of_orientation(size_of(graph)); }

std::uint64_t diameter(const any_graph& graph) noexcept {
  const size s = size_of(graph);
  return of_components(s) + of_search(s) + 2 * s.v * s.n;
}

std::uint64_t distances(const any_graph& graph) noexcept {
  const size s = size_of(graph);
  return of_components(s) + of_search(s);
}

std::uint64_t degrees(const any_graph&) { return threads() * bytes_of_thread; }

std::uint64_t reorder(const any_graph& graph) noexcept {
  const size s = size_of(graph);
  return csr_bytes(graph) + (8 + 3 * s.v) * s.n + (s.w == sizeof(double) ? short_weights(s) : 0);
}

std::uint64_t symmetrize(const any_graph& graph) noexcept {
  const size s = size_of(graph);
  const std::uint64_t arcs = s.m * (s.directed ? 2 : 1);
  return 8 * s.n + arcs * (s.v + s.w) + build(s.n, arcs, s.w);
}

std::uint64_t random_weights(const any_graph& graph) noexcept {
  const size s = size_of(graph);
  return short_weights(s);
}

std::uint64_t build(std::uint64_t vertices, std::uint64_t arcs, std::uint64_t weight_bytes) noexcept {
  const std::uint64_t v = vertices > std::numeric_limits<std::uint32_t>::max() ? 8 : 4;
  return 16 * vertices + arcs * (2 * v + weight_bytes);
}

}  // namespace needs

}  // namespace callisto::graph
