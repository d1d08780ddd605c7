// Shortest paths by routes, and the check of routes.
#include <callisto/graph/pair/routes.hpp>

#include <callisto/graph/csr/arcs_between.hpp>
#include <callisto/graph/pair/arguments.hpp>
#include <callisto/graph/pair/met_vertices.hpp>
#include <callisto/graph/sssp/paths.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

constexpr double beyond = std::numeric_limits<double>::infinity();

[[noreturn]] void refuse_routes(const std::string& file, const std::string& message) {
  throw input_error(file.empty() ? "routes" : file, 0, "damaged routes: " + message);
}

/// Returns row p. Throws input_error if it is none.
template <class Vertex>
std::span<const route_arc<Vertex>> row_of(const routes_of<Vertex>& routes, const route_rows<Vertex>& rows,
                                          std::uint64_t p) {
  const std::uint64_t first = rows.offsets[p];
  const std::uint64_t last = rows.offsets[p + 1];
  if (first > last || last > rows.arcs.size()) {
    refuse_routes(routes.file, fmt::format("row {} has the arcs {} to {} of {}", p, first, last, rows.arcs.size()));
  }
  return {rows.arcs.data() + first, last - first};
}

/// Throws input_error if an arc of row p leads to no place, or has a length that is none.
template <class Vertex>
void require_arc(const routes_of<Vertex>& routes, std::uint64_t p, const route_arc<Vertex>& arc) {
  if (arc.to >= routes.vertices() || !(arc.length >= 0)) {
    refuse_routes(routes.file, fmt::format("row {} has an arc of length {} to {}", p, arc.length, arc.to));
  }
}

/// Returns the arc of row p with the other end `to`; null if there is none.
template <class Vertex>
const route_arc<Vertex>* arc_in(const routes_of<Vertex>& routes, const route_rows<Vertex>& rows, std::uint64_t p,
                                std::uint64_t to) {
  const auto row = row_of(routes, rows, p);
  const auto at = std::lower_bound(row.begin(), row.end(), to, [](const auto& a, std::uint64_t t) { return a.to < t; });
  return at != row.end() && at->to == to ? &*at : nullptr;
}

/// Dijkstra's algorithm from one end, upwards.
template <class Vertex>
class climb {
 public:
  struct place {
    double distance;
    Vertex parent;  ///< by number
  };
  using table = met_vertices<Vertex, place>;

  /// `follows`: the rows of the arcs that it takes; `against`: the rows of those that lead the other way.
  climb(const routes_of<Vertex>& routes, const route_rows<Vertex>& follows, const route_rows<Vertex>& against,
        std::uint64_t begin)
      : routes_(routes), follows_(follows), against_(against) {
    met_.add(static_cast<Vertex>(begin), {0, 0});
    waiting_.emplace(0, Vertex{0});
  }

  double next() {
    while (!waiting_.empty() && waiting_.top().first != met_[waiting_.top().second].value.distance) waiting_.pop();
    return waiting_.empty() ? beyond : waiting_.top().first;
  }

  /// Settles the next place; next() was called before. Calls meet(place, number, distance) for each that gets nearer.
  template <class Meet>
  void step(Meet meet) {
    const auto [distance, number] = waiting_.top();
    waiting_.pop();
    const std::uint64_t p = met_[number].vertex;
    if (stalls(p, distance)) return;
    const auto row = row_of(routes_, follows_, p);
    looked_at_ += row.size();
    for (const auto& a : row) {
      require_arc(routes_, p, a);
      const double to = distance + a.length;
      if (to == beyond) continue;
      const auto [at, is_new] = met_.add(a.to, {to, number});
      if (!is_new) {
        if (!(to < met_[at].value.distance)) continue;
        met_[at].value = {to, number};
      }
      waiting_.emplace(to, static_cast<Vertex>(at));
      meet(a.to, at, to);
    }
  }

  const table& met() const noexcept { return met_; }
  std::uint64_t looked_at() const noexcept { return looked_at_; }

 private:
  /// True if a way by a higher place is shorter: no shortest path climbs on from p then (stall on demand).
  bool stalls(std::uint64_t p, double distance) {
    const auto row = row_of(routes_, against_, p);
    looked_at_ += row.size();
    return std::any_of(row.begin(), row.end(), [&](const auto& a) {
      const std::size_t number = met_.find(a.to);
      return number != table::none && met_[number].value.distance + a.length < distance;
    });
  }

  const routes_of<Vertex>& routes_;
  const route_rows<Vertex>& follows_;
  const route_rows<Vertex>& against_;
  table met_;
  waiting_queue<Vertex> waiting_;
  std::uint64_t looked_at_ = 0;
};

/// Writes what shortcuts stand for.
template <class Vertex>
class unpacked {
 public:
  unpacked(const routes_of<Vertex>& routes, std::uint64_t begin) : routes_(routes), path_{routes.vertex_at(begin)} {}

  /// Appends the vertices behind `from` of the arc to `to`.
  void add(std::uint64_t from, std::uint64_t to) {
    struct piece {
      std::uint64_t from, to;
    };
    std::vector<piece> waiting{{from, to}};
    while (!waiting.empty()) {
      const auto [u, v] = waiting.back();
      waiting.pop_back();
      // Arcs without length may make cycles, but few.
      if (path_.size() / 4 > routes_.vertices()) refuse_routes(routes_.file, "shortcuts stand for too many arcs");
      // An arc stands in the row of its lower end; between places of the core in both.
      const auto* arc = u < v ? arc_in(routes_, routes_.up, u, v) : arc_in(routes_, routes_.against(), v, u);
      if (arc == nullptr) refuse_routes(routes_.file, fmt::format("no arc leads from place {} to {}", u, v));
      if (arc->middle == no_middle<Vertex>) {
        path_.push_back(routes_.vertex_at(v));
        continue;
      }
      const std::uint64_t m = arc->middle;
      if (m >= std::min(u, v)) {
        refuse_routes(routes_.file, fmt::format("a shortcut from place {} to {} goes through {}", u, v, m));
      }
      waiting.push_back({m, v});
      waiting.push_back({u, m});
    }
  }

  /// Returns the path without cycles, which arcs without length can make.
  std::vector<std::uint64_t> path() const {
    std::unordered_map<std::uint64_t, std::size_t> last;
    for (std::size_t i = 0; i < path_.size(); ++i) last[path_[i]] = i;
    std::vector<std::uint64_t> simple;
    for (std::size_t i = 0; i < path_.size(); ++i) {
      i = last[path_[i]];
      simple.push_back(path_[i]);
    }
    return simple;
  }

 private:
  const routes_of<Vertex>& routes_;
  std::vector<std::uint64_t> path_;
};

template <class Vertex>
void require_places(const routes_of<Vertex>& routes, std::uint64_t v) {
  const std::uint64_t n = routes.vertices();
  if (routes.place(v) >= n || routes.vertex_at(routes.place(v)) != v) {
    refuse_routes(routes.file, fmt::format("vertex {} has the place {}", v, routes.place(v)));
  }
}

template <class Vertex>
void require_size(const csr_graph<Vertex>& graph, const routes_of<Vertex>& routes) {
  if (routes.vertices() != graph.vertices() || routes.directed != graph.directed() ||
      (routes.weighted && graph.arcs() != 0 && !graph.weighted())) {
    throw usage_error("the routes are those of another graph");
  }
}

}  // namespace

template <class Vertex>
pair_result path_between(const csr_graph<Vertex>& graph, const routes_of<Vertex>& routes, std::uint64_t source,
                         std::uint64_t target, const run_control& control) {
  require_size(graph, routes);
  for (const auto& [what, v] : {std::pair("source", source), std::pair("target", target)}) {
    if (v >= graph.vertices()) {
      throw usage_error(fmt::format("the {} is vertex {} of a graph that has {}", what, v, graph.vertices()));
    }
    require_places(routes, v);
  }
  if (source == target) return {{0, {source}}, 0};
  climb<Vertex> from(routes, routes.up, routes.against(), routes.place(source));
  climb<Vertex> to(routes, routes.against(), routes.up, routes.place(target));
  using table = typename climb<Vertex>::table;
  double best = beyond;
  std::size_t in_from = table::none;
  std::size_t in_to = table::none;
  for (std::uint64_t step = 0;; ++step) {
    if (step % steps_between_checks == 0) control.check();
    const double next_from = from.next();
    const double next_to = to.next();
    if (!(std::min(next_from, next_to) < best)) break;
    const bool forward = next_from <= next_to;
    const climb<Vertex>& other = forward ? to : from;
    (forward ? from : to).step([&](Vertex p, std::size_t number, double distance) {
      const std::size_t there = other.met().find(p);
      if (there == table::none || !(distance + other.met()[there].value.distance < best)) return;
      best = distance + other.met()[there].value.distance;
      in_from = forward ? number : there;
      in_to = forward ? there : number;
    });
  }
  pair_result result;
  result.looked_at = from.looked_at() + to.looked_at();
  if (in_from == table::none) return result;
  std::vector<std::uint64_t> climbed;
  for (std::size_t i = in_from; i != 0; i = from.met()[i].value.parent) climbed.push_back(from.met()[i].vertex);
  unpacked<Vertex> all(routes, routes.place(source));
  std::uint64_t at = routes.place(source);
  for (auto p = climbed.rbegin(); p != climbed.rend(); ++p) {
    all.add(at, *p);
    at = *p;
  }
  for (std::size_t i = in_to; i != 0;) {
    i = to.met()[i].value.parent;
    all.add(at, to.met()[i].vertex);
    at = to.met()[i].vertex;
  }
  result.path.vertices = all.path();
  result.path.length = 0;
  for (std::size_t i = 1; i < result.path.vertices.size(); ++i) {
    const std::uint64_t u = result.path.vertices[i - 1];
    const std::uint64_t v = result.path.vertices[i];
    const auto arcs = v < graph.vertices() ? arcs_between(graph.out(), u, v) : arc_range{0, 0};
    if (arcs.begin == arcs.end) refuse_routes(routes.file, fmt::format("no edge leads from vertex {} to {}", u, v));
    result.path.length = routes.weighted ? length_behind(graph, result.path.length, u, v) : result.path.length + 1;
  }
  return result;
}

template <class Vertex>
void check_routes(const csr_graph<Vertex>& graph, const routes_of<Vertex>& routes, const run_control& control) {
  require_size(graph, routes);
  const std::uint64_t n = routes.vertices();
  // Each vertex has another place, for vertices and places name each other.
  for (std::uint64_t v = 0; v < n; ++v) require_places(routes, v);
  const auto check_rows = [&](const route_rows<Vertex>& rows, bool upwards) {
    const auto body = [&](std::uint64_t p) {
      const auto row = row_of(routes, rows, p);
      for (std::size_t i = 0; i < row.size(); ++i) {
        const auto& a = row[i];
        require_arc(routes, p, a);
        if (a.to == p || (i != 0 && a.to <= row[i - 1].to)) {
          refuse_routes(routes.file, fmt::format("the ends of row {} do not ascend", p));
        }
        const std::uint64_t from = upwards ? p : a.to;
        const std::uint64_t to = upwards ? a.to : p;
        const std::uint64_t u = routes.vertex_at(from);
        const std::uint64_t v = routes.vertex_at(to);
        double length = beyond;
        if (a.middle == no_middle<Vertex>) {
          const auto [first, last] = arcs_between(graph.out(), u, v);
          for (std::uint64_t e = first; e != last; ++e) {
            length = std::min(length, routes.weighted ? graph.out().weights[e] : 1.0);
          }
        } else if (a.middle < std::min<std::uint64_t>(p, a.to)) {
          const auto* first = arc_in(routes, routes.against(), a.middle, from);
          const auto* second = arc_in(routes, routes.up, a.middle, to);
          if (first != nullptr && second != nullptr) length = first->length + second->length;
        }
        if (length != a.length) {
          refuse_routes(routes.file,
                        fmt::format("an arc from place {} to {} is {} long, expected {}", from, to, a.length, length));
        }
      }
    };
    if (!parallel_for(std::uint64_t{0}, n, body, {.stop = control.stop})) throw cancelled();
  };
  check_rows(routes.up, true);
  if (routes.directed) check_rows(routes.down, false);
}

#define CALLISTO_INSTANTIATE(Vertex)                                                                                \
  template CALLISTO_API pair_result path_between(const csr_graph<Vertex>&, const routes_of<Vertex>&, std::uint64_t, \
                                                 std::uint64_t, const run_control&);                                \
  template CALLISTO_API void check_routes(const csr_graph<Vertex>&, const routes_of<Vertex>&, const run_control&);
CALLISTO_INSTANTIATE(std::uint32_t)
CALLISTO_INSTANTIATE(std::uint64_t)
#undef CALLISTO_INSTANTIATE

}  // namespace callisto::graph
