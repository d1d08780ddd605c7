// The k shortest paths without repeated vertices, by divisions that wait with lower bounds.
#include <callisto/graph/bfs/bfs.hpp>
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/graph/pair/arguments.hpp>
#include <callisto/graph/pair/met_vertices.hpp>
#include <callisto/graph/pair/pair.hpp>
#include <callisto/graph/sssp/paths.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Share by which sums of fractions in another order may differ: a millionth of a millionth is room for paths of a
/// thousand arcs and more.
constexpr double length_rounding = 1e-11;

/// Distances to the target, and a lower bound where the search ended before.
template <class Vertex>
struct distances_to {
  machine::page_array<double> exact;  ///< infinity where the search did not settle
  double least = infinity;            ///< no vertex without an exact distance is nearer; infinity: none gets there

  bool settled(std::uint64_t v) const noexcept { return exact[v] != infinity; }
  double at_least(std::uint64_t v) const noexcept { return settled(v) ? exact[v] : least; }
};

/// Searches against the arcs until the source is settled.
template <class Vertex, class Lengths>
distances_to<Vertex> search_back(const csr_graph<Vertex>& graph, Lengths lengths, std::uint64_t source,
                                 std::uint64_t target, const run_control& control) {
  const std::uint64_t n = graph.vertices();
  distances_to<Vertex> found{machine::page_array<double>(n)};
  if (!parallel_for(std::uint64_t{0}, n, [&](std::uint64_t v) { found.exact[v] = infinity; }, {.stop = control.stop})) {
    throw cancelled();
  }
  if constexpr (std::is_same_v<Lengths, unit_lengths>) {
    // A search from both ends, which is quick, tells how far to search.
    const std::vector<std::uint64_t> path = path_between(graph, source, target, {}, control).path.vertices;
    if (path.empty()) return found;
    const auto depth = static_cast<std::uint32_t>(path.size() - 1);
    const auto tree = backward_bfs(graph, target, {.depth = depth}, control);
    const auto take = [&](std::uint64_t v) {
      if (tree.distances[v] != tree.unreached) found.exact[v] = tree.distances[v];
    };
    if (!parallel_for(std::uint64_t{0}, n, take, {.stop = control.stop})) throw cancelled();
    found.least = depth + 1.0;
  } else {
    found.exact[target] = 0;
    std::vector<bool> settled(n);
    waiting_queue<Vertex> waiting;
    waiting.emplace(0, static_cast<Vertex>(target));
    for (std::uint64_t step = 0; !waiting.empty(); ++step) {
      if (step % steps_between_checks == 0) control.check();
      const auto [distance, v] = waiting.top();
      waiting.pop();
      if (settled[v]) continue;
      settled[v] = true;
      if (v == source) {
        found.least = distance;
        break;
      }
      const adjacency<Vertex>& in = graph.in();
      for (std::uint64_t a = in.offsets[v]; a != in.offsets[v + std::uint64_t{1}]; ++a) {
        const double to = distance + static_cast<double>(lengths[a]);
        if (!(to < found.exact[in.targets[a]])) continue;
        found.exact[in.targets[a]] = to;
        waiting.emplace(to, in.targets[a]);
      }
    }
    for (; !waiting.empty(); waiting.pop()) {
      const Vertex v = waiting.top().second;
      if (!settled[v]) found.exact[v] = infinity;
    }
  }
  return found;
}

/// A path found, and how it divides the paths that are left.
struct found_path {
  std::vector<std::uint64_t> vertices;
  std::vector<double> lengths;  ///< by vertex: the length of the path up to it
};

/// Paths that share the vertices of `along` up to the one at `spur` and then go on to none of `banned`: not yet
/// searched and at least `length` long, or the best of them, `best`, which is `length` long.
struct division {
  double length;
  std::shared_ptr<const found_path> along;
  std::size_t spur;
  std::vector<std::uint64_t> banned;  ///< ascending
  std::shared_ptr<const found_path> best = nullptr;
};

template <class Vertex, class Lengths>
class k_paths {
 public:
  k_paths(const csr_graph<Vertex>& graph, Lengths out, Lengths in, std::uint64_t source, std::uint64_t target,
          bool whole, const run_control& control)
      : graph_(graph),
        out_lengths_(out),
        in_lengths_(in),
        target_(target),
        whole_(whole),
        control_(control),
        to_target_(search_back(graph, in, source, target, control)) {
    auto begin = std::make_shared<found_path>();
    begin->vertices = {source};
    begin->lengths = {0};
    if (to_target_.settled(source)) divide(std::move(begin), 0, {});
  }

  std::vector<pair_path> find(std::uint64_t k) {
    std::vector<pair_path> found;
    const std::size_t at_once = threads();
    std::vector<division> batch;
    while (found.size() != k && !waiting_.empty()) {
      control_.check();
      batch.clear();
      while (batch.size() != at_once && !waiting_.empty() && waiting_.front().best == nullptr) batch.push_back(take());
      if (batch.empty()) {
        division next = take();
        found.push_back({next.length, next.best->vertices});
        divide(next.best, next.spur, std::move(next.banned));
        continue;
      }
      // No path longer than the (k - found)-th that waits is among the first k.
      const double most = known_.size() == k ? known_.front() : infinity;
      const auto search = [&](std::size_t i) { search_division(batch[i], most); };
      if (batch.size() == 1) {
        search(0);
      } else if (!parallel_for(std::size_t{0}, batch.size(), search, {.stop = control_.stop})) {
        throw cancelled();
      }
      for (division& searched : batch) {
        if (searched.best == nullptr) continue;
        known_.push_back(searched.length);
        std::push_heap(known_.begin(), known_.end());
        if (known_.size() > k) {
          std::pop_heap(known_.begin(), known_.end());
          known_.pop_back();
        }
        put(std::move(searched));
      }
    }
    return found;
  }

 private:
  struct nothing {};
  using vertex_set = met_vertices<Vertex, nothing>;

  struct place {
    double distance;
    Vertex parent;  ///< by number
    bool leads_on;  ///< to the target on a shortest path
  };

  /// True if `b` comes before `a`: the shorter one, then the one without a known path, then the one that has the vertex
  /// of smaller label where they part.
  bool later(const division& a, const division& b) const {
    if (a.length != b.length) return a.length > b.length;
    if ((a.best == nullptr) != (b.best == nullptr)) return b.best == nullptr;
    if (a.best == nullptr) return false;
    return std::lexicographical_compare(
        b.best->vertices.begin(), b.best->vertices.end(), a.best->vertices.begin(), a.best->vertices.end(),
        [this](std::uint64_t u, std::uint64_t v) { return graph_.label(u) < graph_.label(v); });
  }

  void put(division of) {
    waiting_.push_back(std::move(of));
    std::push_heap(waiting_.begin(), waiting_.end(),
                   [this](const division& a, const division& b) { return later(a, b); });
  }
  division take() {
    std::pop_heap(waiting_.begin(), waiting_.end(),
                  [this](const division& a, const division& b) { return later(a, b); });
    division first = std::move(waiting_.back());
    waiting_.pop_back();
    return first;
  }

  /// Adds the divisions of the paths that part from `path` at `from` or behind; those at `from` do not go on to
  /// `banned` either.
  void divide(std::shared_ptr<const found_path> path, std::size_t from, std::vector<std::uint64_t> banned) {
    const std::vector<std::uint64_t>& vertices = path->vertices;
    met_vertices<Vertex, std::size_t> places;
    for (std::size_t i = 0; i < vertices.size(); ++i) places.add(static_cast<Vertex>(vertices[i]), i);
    const std::size_t end = std::max<std::size_t>(vertices.size() - 1, 1);
    for (std::size_t spur = from; spur != end; ++spur) {
      if (spur != from) banned.clear();
      if (spur + 1 < vertices.size()) {
        banned.insert(std::upper_bound(banned.begin(), banned.end(), vertices[spur + 1]), vertices[spur + 1]);
      }
      double bound = infinity;
      const std::uint64_t u = vertices[spur];
      for (std::uint64_t a = graph_.out().offsets[u]; a != graph_.out().offsets[u + 1]; ++a) {
        const Vertex v = graph_.out().targets[a];
        const double to = path->lengths[spur] + static_cast<double>(out_lengths_[a]) + to_target_.at_least(v);
        if (!(to < bound) || std::binary_search(banned.begin(), banned.end(), std::uint64_t{v})) continue;
        const std::size_t at = places.find(v);
        if (at != decltype(places)::none && at <= spur) continue;
        bound = to;
      }
      if (bound == infinity) continue;
      put({whole_ ? bound : bound * (1 - length_rounding), path, spur, banned});
    }
  }

  /// Finds the best path of a division, if one is at most `most` long.
  void search_division(division& of, double most) const {
    const std::vector<std::uint64_t>& vertices = of.along->vertices;
    met_vertices<Vertex, nothing> removed;
    for (std::size_t i = 0; i <= of.spur; ++i) removed.add(static_cast<Vertex>(vertices[i]), {});
    std::vector<std::uint64_t> rest = whole_ ? by_tree(of, removed) : std::vector<std::uint64_t>();
    if (rest.empty()) rest = by_search(of, removed, most);
    if (rest.empty()) return;
    auto path = std::make_shared<found_path>();
    const auto shared = static_cast<std::ptrdiff_t>(of.spur) + 1;
    path->vertices.assign(vertices.begin(), vertices.begin() + shared);
    path->lengths.assign(of.along->lengths.begin(), of.along->lengths.begin() + shared);
    for (const std::uint64_t v : rest) {
      path->lengths.push_back(length_of(path->lengths.back(), path->vertices.back(), v));
      path->vertices.push_back(v);
    }
    of.length = path->lengths.back();
    of.best = std::move(path);
  }

  double length_of(double before, std::uint64_t u, std::uint64_t v) const {
    if constexpr (std::is_same_v<Lengths, unit_lengths>) return before + 1;
    return length_behind(graph_, before, u, v);
  }

  /// Goes from the spur to the target by vertices that are on shortest paths to it, the one of smallest label each
  /// time. Returns what follows the spur; nothing if that meets a removed vertex, or where a distance is not known, or
  /// where arcs without length leave the choice open.
  std::vector<std::uint64_t> by_tree(const division& of, const vertex_set& removed) const {
    std::vector<std::uint64_t> rest;
    const adjacency<Vertex>& out = graph_.out();
    std::uint64_t at = of.along->vertices[of.spur];
    double left = of.length - of.along->lengths[of.spur];
    while (at != target_) {
      std::uint64_t next = graph_.vertices();
      for (std::uint64_t a = out.offsets[at]; a != out.offsets[at + 1]; ++a) {
        const Vertex v = out.targets[a];
        const auto length = static_cast<double>(out_lengths_[a]);
        if (length + to_target_.at_least(v) != left) continue;
        if (next != graph_.vertices() && graph_.label(v) > graph_.label(next)) continue;
        if (rest.empty() && (removed.find(v) != vertex_set::none ||
                             std::binary_search(of.banned.begin(), of.banned.end(), std::uint64_t{v}))) {
          continue;
        }
        if (length == 0 || !to_target_.settled(v)) return {};
        next = v;
      }
      if (next == graph_.vertices() || removed.find(static_cast<Vertex>(next)) != vertex_set::none) return {};
      rest.push_back(next);
      at = next;
      left = to_target_.exact[next];
    }
    return rest;
  }

  /// Searches from the spur, guided by the distances to the target (A*). Returns what follows the spur, or nothing.
  std::vector<std::uint64_t> by_search(const division& of, const vertex_set& removed, double most) const {
    const adjacency<Vertex>& out = graph_.out();
    const std::uint64_t spur = of.along->vertices[of.spur];
    met_vertices<Vertex, place> met;
    std::vector<std::pair<double, std::pair<double, Vertex>>> waiting;  // by lower bound: distance, number
    const auto put_waiting = [&](double bound, double distance, std::size_t number) {
      waiting.push_back({bound, {distance, static_cast<Vertex>(number)}});
      std::push_heap(waiting.begin(), waiting.end(), std::greater<>());
    };
    met.add(static_cast<Vertex>(spur), {of.along->lengths[of.spur], 0, false});
    put_waiting(0, of.along->lengths[of.spur], 0);
    double best = most;
    std::size_t at_target = decltype(met)::none;
    for (std::uint64_t step = 0; !waiting.empty(); ++step) {
      if (step % steps_between_checks == 0) control_.check();
      const auto [bound, rest] = waiting.front();
      const auto [distance, number] = rest;
      if (bound > (whole_ ? best : best * (1 + length_rounding))) break;
      std::pop_heap(waiting.begin(), waiting.end(), std::greater<>());
      waiting.pop_back();
      if (distance != met[number].value.distance) continue;
      const std::uint64_t u = met[number].vertex;
      if (u == target_) {
        best = std::min(best, distance);
        at_target = number;
        continue;
      }
      for (std::uint64_t a = out.offsets[u]; a != out.offsets[u + 1]; ++a) {
        const Vertex v = out.targets[a];
        const double to = distance + static_cast<double>(out_lengths_[a]);
        const double all = to + to_target_.at_least(v);
        if (all == infinity) continue;
        if (u == spur && std::binary_search(of.banned.begin(), of.banned.end(), std::uint64_t{v})) continue;
        if (removed.find(v) != vertex_set::none) continue;
        const auto [there, is_new] = met.add(v, {to, number, false});
        if (!is_new) {
          if (!(to < met[there].value.distance)) continue;
          met[there].value.distance = to;
          met[there].value.parent = number;
        }
        put_waiting(all, to, there);
      }
    }
    if (at_target == decltype(met)::none) return {};
    return first_of_shortest(of, met, at_target);
  }

  /// Returns the shortest path that a search found, of several the one with the vertex of smallest label where they
  /// part; with arcs without length on them the one that the search met first.
  std::vector<std::uint64_t> first_of_shortest(const division& of, met_vertices<Vertex, place>& met,
                                               std::size_t at_target) const {
    const adjacency<Vertex>& in = graph_.in();
    const std::uint64_t spur = of.along->vertices[of.spur];
    const auto tight = [&](double before, double length, double to) { return before + length == to; };
    std::vector<std::size_t> queue{at_target};
    met[at_target].value.leads_on = true;
    bool without_length = false;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const std::uint64_t v = met[queue[i]].vertex;
      if (v == spur) continue;
      for (std::uint64_t a = in.offsets[v]; a != in.offsets[v + 1]; ++a) {
        const std::size_t there = met.find(in.targets[a]);
        if (there == met_vertices<Vertex, place>::none) continue;
        if (!tight(met[there].value.distance, static_cast<double>(in_lengths_[a]), met[queue[i]].value.distance))
          continue;
        if (there == 0 && std::binary_search(of.banned.begin(), of.banned.end(), v)) continue;
        without_length = without_length || met[there].value.distance == met[queue[i]].value.distance;
        if (met[there].value.leads_on) continue;
        met[there].value.leads_on = true;
        queue.push_back(there);
      }
    }
    std::vector<std::uint64_t> rest;
    if (without_length) {
      for (std::size_t i = at_target; i != 0; i = met[i].value.parent) rest.push_back(met[i].vertex);
      std::reverse(rest.begin(), rest.end());
      return rest;
    }
    const adjacency<Vertex>& out = graph_.out();
    for (std::size_t i = 0; i != at_target;) {
      const std::uint64_t u = met[i].vertex;
      std::size_t next = met_vertices<Vertex, place>::none;
      for (std::uint64_t a = out.offsets[u]; a != out.offsets[u + 1]; ++a) {
        const std::size_t there = met.find(out.targets[a]);
        if (there == met_vertices<Vertex, place>::none || !met[there].value.leads_on) continue;
        if (!tight(met[i].value.distance, static_cast<double>(out_lengths_[a]), met[there].value.distance)) continue;
        if (i == 0 && std::binary_search(of.banned.begin(), of.banned.end(), std::uint64_t{met[there].vertex}))
          continue;
        if (next == met_vertices<Vertex, place>::none ||
            graph_.label(met[there].vertex) < graph_.label(met[next].vertex)) {
          next = there;
        }
      }
      rest.push_back(met[next].vertex);
      i = next;
    }
    return rest;
  }

  const csr_graph<Vertex>& graph_;
  Lengths out_lengths_;
  Lengths in_lengths_;
  std::uint64_t target_;
  bool whole_;  ///< sums of lengths are exact in any order
  const run_control& control_;
  distances_to<Vertex> to_target_;
  std::vector<division> waiting_;  ///< a heap
  std::vector<double> known_;      ///< a heap: the k least lengths of paths that were found, output or waiting
};

}  // namespace

template <class Vertex>
std::vector<pair_path> k_paths_between(const csr_graph<Vertex>& graph, std::uint64_t source, std::uint64_t target,
                                       std::uint64_t k, const pair_options& options, const run_control& control) {
  check_pair(graph, source, target, options, control);
  if (k == 0) return {};
  if (source == target) return {{0, {source}}};
  bool whole = true;
  if (options.weighted && graph.arcs() != 0) {
    const weight_survey survey = survey_of(graph, control);
    // 2^53: up to there doubles hold all whole numbers.
    whole = survey.whole && survey.most * static_cast<double>(graph.vertices()) < 0x1p53;
  }
  return with_lengths(graph, options.weighted, [&]<class Lengths>(Lengths out, Lengths in) {
    return k_paths<Vertex, Lengths>(graph, out, in, source, target, whole, control).find(k);
  });
}

template CALLISTO_API std::vector<pair_path> k_paths_between(const csr_graph<std::uint32_t>&, std::uint64_t,
                                                             std::uint64_t, std::uint64_t, const pair_options&,
                                                             const run_control&);
template CALLISTO_API std::vector<pair_path> k_paths_between(const csr_graph<std::uint64_t>&, std::uint64_t,
                                                             std::uint64_t, std::uint64_t, const pair_options&,
                                                             const run_control&);

std::uint64_t needs::k_paths_between(const any_graph& graph) noexcept {
  const graph_size s = size_of(graph);
  // Distances, and a breadth-first search or a heap; then each thread's table, of which the entries and the slots
  // double, and heap.
  return s.n * (8 + 4 * 16) + threads() * s.n * (2 * (24 + s.v) + 8 * s.v + 2 * 24);
}

}  // namespace callisto::graph
