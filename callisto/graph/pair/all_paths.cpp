// All shortest paths between two vertices: the arcs on them, their number, and the first ones.
#include <callisto/graph/betweenness/betweenness.hpp>
#include <callisto/graph/csr/called.hpp>
#include <callisto/graph/pair/arguments.hpp>
#include <callisto/graph/pair/level_search.hpp>
#include <callisto/graph/pair/met_vertices.hpp>
#include <callisto/graph/pair/pair.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

struct nothing {};

/// The vertices and arcs on shortest paths.
template <class Vertex>
class path_arcs {
 public:
  /// Returns the number of `v`, and whether it is new.
  std::pair<std::size_t, bool> add(Vertex v) { return on_.add(v, {}); }
  void connect(std::size_t from, std::size_t to) {
    arcs_.emplace_back(static_cast<Vertex>(from), static_cast<Vertex>(to));
  }

  /// Counts and lists the paths from `source` to `target`. Each vertex added is on such a path.
  void finish(const csr_graph<Vertex>& graph, std::uint64_t source, std::uint64_t target, std::uint64_t limit,
              const run_control& control, all_pair_paths& result) {
    result.vertices = on_.size();
    result.arcs = arcs_.size();
    const auto begin = static_cast<Vertex>(on_.find(static_cast<Vertex>(source)));
    const auto end = static_cast<Vertex>(on_.find(static_cast<Vertex>(target)));
    std::sort(arcs_.begin(), arcs_.end(), [&](const auto& a, const auto& b) {
      return a.first != b.first ? a.first < b.first
                                : graph.label(on_[a.second].vertex) < graph.label(on_[b.second].vertex);
    });
    first_arc_.assign(on_.size() + 1, 0);
    for (const auto& [from, to] : arcs_) ++first_arc_[from + std::size_t{1}];
    for (std::size_t v = 0; v < on_.size(); ++v) first_arc_[v + 1] += first_arc_[v];
    control.check();
    count(graph, begin, end, result);
    if (limit != 0) list(begin, end, limit, control, result);
  }

 private:
  /// Counts by the order of Kahn: a vertex follows when all arcs to it are counted.
  void count(const csr_graph<Vertex>& graph, Vertex begin, Vertex end, all_pair_paths& result) const {
    std::vector<std::uint64_t> left(on_.size());
    for (const auto& [from, to] : arcs_) ++left[to];
    std::vector<double> paths(on_.size());
    paths[begin] = 1;
    std::vector<Vertex> ready{begin};
    for (std::size_t i = 0; i < ready.size(); ++i) {
      for (std::size_t a = first_arc_[ready[i]]; a != first_arc_[ready[i] + std::size_t{1}]; ++a) {
        paths[arcs_[a].second] += paths[ready[i]];
        if (--left[arcs_[a].second] == 0) ready.push_back(arcs_[a].second);
      }
    }
    if (ready.size() != on_.size() || left[begin] != 0) {
      const auto on_cycle = std::find_if(left.begin(), left.end(), [](std::uint64_t n) { return n != 0; });
      const Vertex v = on_[static_cast<std::size_t>(on_cycle - left.begin())].vertex;
      throw weight_error(
          fmt::format("the shortest paths cannot be counted: a cycle of edges without length lies on the way "
                      "to {}; --weights none counts edges",
                      called(graph, v)));
    }
    result.count = paths[end];
  }

  void list(Vertex begin, Vertex end, std::uint64_t limit, const run_control& control, all_pair_paths& result) const {
    std::vector<Vertex> path{begin};
    std::vector<std::size_t> next{first_arc_[begin]};
    for (std::uint64_t step = 0; !path.empty(); ++step) {
      if (step % steps_between_checks == 0) control.check();
      if (path.back() == end) {
        std::vector<std::uint64_t>& found = result.paths.emplace_back();
        for (const Vertex v : path) found.push_back(on_[v].vertex);
        if (result.paths.size() == limit) return;
      } else if (next.back() != first_arc_[path.back() + std::size_t{1}]) {
        const Vertex v = arcs_[next.back()++].second;
        path.push_back(v);
        next.push_back(first_arc_[v]);
        continue;
      }
      path.pop_back();
      next.pop_back();
    }
  }

  met_vertices<Vertex, nothing> on_;
  std::vector<std::pair<Vertex, Vertex>> arcs_;  ///< by number
  std::vector<std::size_t> first_arc_;
};

/// Calls f(w) for each neighbour in the row, repeated ones once.
template <class Vertex, class F>
void each_once(const adjacency<Vertex>& rows, std::uint64_t v, F f) {
  const auto row = rows.row(v);
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i == 0 || row[i] != row[i - 1]) f(row[i]);
  }
}

/// Adds what leads from the vertices of `on` with a level in `side` to that search's begin, level by level. `arc` gets
/// the two numbers: of the vertex farther from the begin, and of the nearer one.
template <class Vertex, class Arc>
void trace(const adjacency<Vertex>& rows, const level_search<Vertex>& side, std::vector<Vertex> level,
           path_arcs<Vertex>& on, const run_control& control, Arc arc) {
  while (!level.empty()) {
    std::vector<Vertex> nearer;
    for (const Vertex v : level) {
      control.check();
      const std::size_t number = on.add(v).first;
      const std::uint32_t at = side.met()[side.met().find(v)].value.level;
      each_once(rows, v, [&](Vertex w) {
        const std::size_t there = side.met().find(w);
        if (there == level_search<Vertex>::none || side.met()[there].value.level + 1 != at) return;
        const auto [to, is_new] = on.add(w);
        if (is_new) nearer.push_back(w);
        arc(number, to);
      });
    }
    level = std::move(nearer);
  }
}

template <class Vertex>
void by_levels(const csr_graph<Vertex>& graph, std::uint64_t source, std::uint64_t target, std::uint64_t limit,
               const run_control& control, all_pair_paths& result) {
  level_search<Vertex> from(graph.out(), source);
  level_search<Vertex> to(graph.in(), target);
  std::vector<Vertex> middle;  // vertices that both searches met
  while (middle.empty() && from.waits() && to.waits()) {
    const bool forward = from.next_arcs() <= to.next_arcs();
    const level_search<Vertex>& other = forward ? to : from;
    (forward ? from : to).next_level(control, [&](Vertex v, std::size_t) {
      if (other.met().find(v) != level_search<Vertex>::none) middle.push_back(v);
      return false;
    });
  }
  if (middle.empty()) return;
  result.length = from.level() + to.level();
  path_arcs<Vertex> on;
  for (const Vertex v : middle) on.add(v);
  trace(graph.in(), from, middle, on, control, [&](std::size_t far, std::size_t near) { on.connect(near, far); });
  trace(graph.out(), to, middle, on, control, [&](std::size_t far, std::size_t near) { on.connect(far, near); });
  on.finish(graph, source, target, limit, control, result);
}

template <class Vertex, class Lengths>
void by_lengths(const csr_graph<Vertex>& graph, Lengths out_lengths, Lengths in_lengths, std::uint64_t source,
                std::uint64_t target, std::uint64_t limit, const run_control& control, all_pair_paths& result) {
  const adjacency<Vertex>& out = graph.out();
  const adjacency<Vertex>& in = graph.in();
  met_vertices<Vertex, double> met;  // distances from the source
  waiting_queue<Vertex> waiting;
  met.add(static_cast<Vertex>(source), 0);
  waiting.emplace(0, Vertex{0});
  for (std::uint64_t step = 0; !waiting.empty(); ++step) {
    if (step % steps_between_checks == 0) control.check();
    const auto [distance, number] = waiting.top();
    if (distance > result.length * (1 + tie_tolerance)) break;
    waiting.pop();
    if (distance != met[number].value) continue;
    const std::uint64_t v = met[number].vertex;
    if (v == target) result.length = distance;
    for (std::uint64_t a = out.offsets[v]; a != out.offsets[v + 1]; ++a) {
      const double to = distance + static_cast<double>(out_lengths[a]);
      const auto [at, is_new] = met.add(out.targets[a], to);
      if (!is_new && !(to < met[at].value)) continue;
      met[at].value = to;
      waiting.emplace(to, static_cast<Vertex>(at));
    }
  }
  if (result.length == std::numeric_limits<double>::infinity()) return;
  path_arcs<Vertex> on;
  on.add(static_cast<Vertex>(target));
  std::vector<Vertex> queue{static_cast<Vertex>(target)};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    control.check();
    const Vertex v = queue[i];
    const double distance = met[met.find(v)].value;
    std::uint64_t connected = graph.vertices();  // the vertex before, of repeated arcs
    for (std::uint64_t a = in.offsets[v]; a != in.offsets[v + std::uint64_t{1}]; ++a) {
      const Vertex u = in.targets[a];
      if (u == connected || u == v) continue;
      const std::size_t there = met.find(u);
      if (there == decltype(met)::none) continue;
      const double before = met[there].value;
      const auto length = static_cast<double>(in_lengths[a]);
      // An arc that adds nothing ties, too; one that tolerance alone lets in must not lead back.
      if (before > distance || before + length > distance * (1 + tie_tolerance)) continue;
      if (before == distance && length != 0) continue;
      connected = u;
      const auto [number, is_new] = on.add(u);
      if (is_new) queue.push_back(u);
      on.connect(number, i);
    }
  }
  on.finish(graph, source, target, limit, control, result);
}

}  // namespace

template <class Vertex>
all_pair_paths all_paths_between(const csr_graph<Vertex>& graph, std::uint64_t source, std::uint64_t target,
                                 std::uint64_t limit, const pair_options& options, const run_control& control) {
  check_pair(graph, source, target, options, control);
  all_pair_paths result;
  if (source == target) {
    result = {0, 1, 1, 0, {}};
    if (limit != 0) result.paths.push_back({source});
    return result;
  }
  with_lengths(graph, options.weighted, [&]<class Lengths>(Lengths out, Lengths in) {
    if constexpr (std::is_same_v<Lengths, unit_lengths>)
      by_levels(graph, source, target, limit, control, result);
    else
      by_lengths(graph, out, in, source, target, limit, control, result);
  });
  return result;
}

template CALLISTO_API all_pair_paths all_paths_between(const csr_graph<std::uint32_t>&, std::uint64_t, std::uint64_t,
                                                       std::uint64_t, const pair_options&, const run_control&);
template CALLISTO_API all_pair_paths all_paths_between(const csr_graph<std::uint64_t>&, std::uint64_t, std::uint64_t,
                                                       std::uint64_t, const pair_options&, const run_control&);

}  // namespace callisto::graph
