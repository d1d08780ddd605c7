// One shortest path, by searches from both ends.
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/graph/pair/arguments.hpp>
#include <callisto/graph/pair/level_search.hpp>
#include <callisto/graph/pair/met_vertices.hpp>
#include <callisto/graph/pair/pair.hpp>
#include <callisto/graph/sssp/paths.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

/// Returns the path through the vertex that both searches met, by the numbers of its entries.
template <class Side>
std::vector<std::uint64_t> path_through(const Side& from, std::size_t in_from, const Side& to, std::size_t in_to) {
  std::vector<std::uint64_t> path;
  for (std::size_t i = in_from; path.push_back(from[i].vertex), from[i].value.parent != i;) i = from[i].value.parent;
  std::reverse(path.begin(), path.end());
  for (std::size_t i = in_to; to[i].value.parent != i;) {
    i = to[i].value.parent;
    path.push_back(to[i].vertex);
  }
  return path;
}

template <class Vertex>
pair_result by_levels(const csr_graph<Vertex>& graph, std::uint64_t source, std::uint64_t target,
                      const run_control& control) {
  level_search<Vertex> from(graph.out(), source);
  level_search<Vertex> to(graph.in(), target);
  std::size_t in_from = level_search<Vertex>::none;
  std::size_t in_to = level_search<Vertex>::none;
  while (from.waits() && to.waits()) {
    const bool forward = from.next_arcs() <= to.next_arcs();
    level_search<Vertex>& goes_on = forward ? from : to;
    const level_search<Vertex>& other = forward ? to : from;
    const bool met = goes_on.next_level(control, [&](Vertex v, std::size_t number) {
      const std::size_t there = other.met().find(v);
      if (there == level_search<Vertex>::none) return false;
      in_from = forward ? number : there;
      in_to = forward ? there : number;
      return true;
    });
    if (met) break;
  }
  pair_result result;
  result.looked_at = from.looked_at() + to.looked_at();
  if (in_from == level_search<Vertex>::none) return result;
  result.path.vertices = path_through(from.met(), in_from, to.met(), in_to);
  result.path.length = static_cast<double>(result.path.vertices.size() - 1);
  return result;
}

template <class Vertex>
struct met_place {
  double distance;
  Vertex parent;  ///< by number
};

/// Dijkstra's algorithm from one end.
template <class Vertex, class Lengths>
class dijkstra_side {
 public:
  using table = met_vertices<Vertex, met_place<Vertex>>;

  dijkstra_side(const adjacency<Vertex>& rows, Lengths lengths, std::uint64_t begin) : rows_(rows), lengths_(lengths) {
    met_.add(static_cast<Vertex>(begin), {0, 0});
    waiting_.emplace(0, Vertex{0});
  }

  /// Returns the distance of the next vertex; infinity if none waits.
  double next() {
    while (!waiting_.empty() && waiting_.top().first != met_[waiting_.top().second].value.distance) waiting_.pop();
    return waiting_.empty() ? std::numeric_limits<double>::infinity() : waiting_.top().first;
  }

  /// Settles the next vertex; next() was called before. Calls meet(vertex, number, distance) for each vertex that gets
  /// nearer.
  template <class Meet>
  void step(Meet meet) {
    const auto [distance, number] = waiting_.top();
    waiting_.pop();
    const std::uint64_t v = met_[number].vertex;
    looked_at_ += rows_.degree(v);
    for (std::uint64_t a = rows_.offsets[v]; a != rows_.offsets[v + 1]; ++a) {
      const double to = distance + static_cast<double>(lengths_[a]);
      if (to == std::numeric_limits<double>::infinity()) continue;  // longer than any double
      const auto [at, is_new] = met_.add(rows_.targets[a], {to, number});
      if (!is_new) {
        if (!(to < met_[at].value.distance)) continue;
        met_[at].value = {to, number};
      }
      waiting_.emplace(to, static_cast<Vertex>(at));
      meet(rows_.targets[a], at, to);
    }
  }

  const table& met() const noexcept { return met_; }
  std::uint64_t looked_at() const noexcept { return looked_at_; }

 private:
  const adjacency<Vertex>& rows_;
  Lengths lengths_;
  table met_;
  waiting_queue<Vertex> waiting_;
  std::uint64_t looked_at_ = 0;
};

template <class Vertex, class Lengths>
pair_result by_lengths(const csr_graph<Vertex>& graph, Lengths out, Lengths in, std::uint64_t source,
                       std::uint64_t target, const run_control& control) {
  using side = dijkstra_side<Vertex, Lengths>;
  side from(graph.out(), out, source);
  side to(graph.in(), in, target);
  double best = std::numeric_limits<double>::infinity();
  std::size_t in_from = side::table::none;
  std::size_t in_to = side::table::none;
  for (std::uint64_t step = 0;; ++step) {
    if (step % steps_between_checks == 0) control.check();
    const double next_from = from.next();
    const double next_to = to.next();
    if (!(next_from + next_to < best)) break;
    const bool forward = next_from <= next_to;
    const side& other = forward ? to : from;
    (forward ? from : to).step([&](Vertex v, std::size_t number, double distance) {
      const std::size_t there = other.met().find(v);
      if (there == side::table::none || !(distance + other.met()[there].value.distance < best)) return;
      best = distance + other.met()[there].value.distance;
      in_from = forward ? number : there;
      in_to = forward ? there : number;
    });
  }
  pair_result result;
  result.looked_at = from.looked_at() + to.looked_at();
  if (in_from == side::table::none) return result;
  result.path.vertices = path_through(from.met(), in_from, to.met(), in_to);
  result.path.length = 0;
  for (std::size_t i = 1; i < result.path.vertices.size(); ++i) {
    result.path.length = length_behind(graph, result.path.length, result.path.vertices[i - 1], result.path.vertices[i]);
  }
  return result;
}

}  // namespace

template <class Vertex>
pair_result path_between(const csr_graph<Vertex>& graph, std::uint64_t source, std::uint64_t target,
                         const pair_options& options, const run_control& control) {
  check_pair(graph, source, target, options, control);
  if (source == target) return {{0, {source}}, 0};
  return with_lengths(graph, options.weighted, [&]<class Lengths>(Lengths out, Lengths in) {
    if constexpr (std::is_same_v<Lengths, unit_lengths>)
      return by_levels(graph, source, target, control);
    else
      return by_lengths(graph, out, in, source, target, control);
  });
}

template CALLISTO_API pair_result path_between(const csr_graph<std::uint32_t>&, std::uint64_t, std::uint64_t,
                                               const pair_options&, const run_control&);
template CALLISTO_API pair_result path_between(const csr_graph<std::uint64_t>&, std::uint64_t, std::uint64_t,
                                               const pair_options&, const run_control&);

std::uint64_t needs::path_between(const any_graph& graph, const pair_options& options) noexcept {
  const graph_size s = size_of(graph);
  // Searches by levels meet a vertex once, both together; those by lengths perhaps twice. Entries and slots double, and
  // are copied then; heaps have an entry for each shortening, of which there are a few a vertex.
  const std::uint64_t entry = options.weighted ? 8 + 2 * s.v : 3 * s.v;
  return s.n * (options.weighted ? 2 : 1) * (3 * entry + 12 * s.v + (options.weighted ? 64 : 0));
}

std::uint64_t needs::all_paths_between(const any_graph& graph, const pair_options& options) noexcept {
  const graph_size s = size_of(graph);
  // All arcs may be on shortest paths, and are listed by two numbers then, and all vertices.
  return path_between(graph, options) + s.n * (3 * s.v + 12 * s.v + 32) + 6 * s.m * s.v;
}

}  // namespace callisto::graph
