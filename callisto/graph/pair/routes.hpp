// Routes: a contraction hierarchy of a graph, by which one pair's shortest path takes a look at some hundred arcs.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/pair/pair.hpp>
#include <callisto/machine/system/page_array.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <variant>

namespace callisto::graph {

/// An arc of a hierarchy, at its lower end. Vertices are places.
template <class Vertex>
struct route_arc {
  double length;
  Vertex to;      ///< the other end
  Vertex middle;  ///< the place that a shortcut goes through; `no_middle` for an arc of the graph
};
static_assert(sizeof(route_arc<std::uint32_t>) == 16 && sizeof(route_arc<std::uint64_t>) == 24);

template <class Vertex>
constexpr Vertex no_middle = std::numeric_limits<Vertex>::max();

/// Rows of a hierarchy: row p has the arcs between the vertex at place p and higher ones, by ascending `to`.
template <class Vertex>
struct route_rows {
  machine::page_array<std::uint64_t> offsets;  ///< places + 1 entries
  machine::page_array<route_arc<Vertex>> arcs;
};

/// A contraction hierarchy. Vertices have places, 0 the lowest. Every shortest path has an equally long one of arcs and
/// shortcuts that climbs and then descends. The *core* holds the highest places: its arcs are in the rows of both ends.
template <class Vertex>
struct routes_of {
  using vertex_type = Vertex;

  bool weighted = false;               ///< lengths are weights; else each arc is 1 long
  bool directed = false;               ///< `down` has rows, too
  machine::page_array<Vertex> places;  ///< the place of each vertex, then the vertex of each place
  route_rows<Vertex> up;               ///< arcs that leave the vertex of the row
  route_rows<Vertex> down;             ///< arcs that come to it, of a directed graph
  std::string file;                    ///< the file that holds it, for messages; empty: it was made in memory

  std::uint64_t vertices() const noexcept { return places.size() / 2; }
  std::uint64_t place(std::uint64_t v) const noexcept { return places[v]; }
  std::uint64_t vertex_at(std::uint64_t p) const noexcept { return places[vertices() + p]; }
  const route_rows<Vertex>& against() const noexcept { return directed ? down : up; }
  std::uint64_t arcs() const noexcept { return up.arcs.size() + down.arcs.size(); }
  /// Returns how many places of the core have arcs to lower ones. Looks at the first arc of each row.
  std::uint64_t core() const noexcept {
    std::uint64_t count = 0;
    for (std::uint64_t p = 0; p < vertices(); ++p) {
      const std::uint64_t first = up.offsets[p];
      if (first != up.offsets[p + 1] && up.arcs[first].to < p) ++count;
    }
    return count;
  }
};

using any_routes = std::variant<routes_of<std::uint32_t>, routes_of<std::uint64_t>>;

/// Makes the routes of a graph; the same ones on any number of threads.
///
/// Method: contraction hierarchies (Geisberger, Sanders, Schultes and Delling 2008). Rounds contract an independent set
/// in parallel (Vetter 2009): all vertices that come before their neighbours by depth and by the shortcuts that they
/// need, for each removed arc. Short searches find which shortcuts are not needed. A vertex with more than 128
/// neighbours stays in the core, so that graphs that are no roads take a bounded time, too; paths through their core
/// are searched from both ends.
///
/// Throws usage_error if `options.weighted` and the graph has no weights, or if a directed graph lacks the rows of its
/// in-edges; weight_error for negative, infinite and NaN weights; cancelled; std::bad_alloc.
template <class Vertex>
CALLISTO_API routes_of<Vertex> make_routes(const csr_graph<Vertex>& graph, const pair_options& options,
                                           const run_control& control = {});

/// Returns a shortest path by routes of this very graph. It is as long as that of the searches without them, but for
/// rounding; of several shortest paths it may be another one. Takes time and memory for what it meets.
///
/// Throws usage_error if a vertex is none of the graph's, or for routes of a graph of another size; input_error if the
/// routes of a file are damaged where the search meets them; cancelled; std::bad_alloc.
template <class Vertex>
CALLISTO_API pair_result path_between(const csr_graph<Vertex>& graph, const routes_of<Vertex>& routes,
                                      std::uint64_t source, std::uint64_t target, const run_control& control = {});

/// Throws input_error unless the routes are well formed and their arcs are the graph's, or shortcuts over arcs and
/// shortcuts.
template <class Vertex>
CALLISTO_API void check_routes(const csr_graph<Vertex>& graph, const routes_of<Vertex>& routes,
                               const run_control& control = {});

namespace needs {
/// Returns the bytes that make_routes() takes beyond the graph, as on all graphs tried, its result included.
CALLISTO_API std::uint64_t make_routes(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
