// Transitive reduction, a vertex at a time on all threads.
#include <callisto/graph/components/transitive_reduction.hpp>

#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <cstddef>
#include <tuple>

namespace callisto::graph {
namespace {

/// One thread's search.
template <class Vertex>
class needed_search {
 public:
  void prepare(std::uint64_t vertices) {
    if (met_.size() < vertices) met_ = machine::page_array<std::uint64_t>(vertices);
  }

  /// Appends the arcs from u that are needed.
  void find(const csr_graph<Vertex>& graph, const machine::page_array<Vertex>& layer, std::uint64_t u,
            arc_list& found) {
    const auto row = graph.out().row(u);
    next_.assign(row.begin(), row.end());
    std::sort(next_.begin(), next_.end(),
              [&](Vertex a, Vertex b) { return std::tie(layer[a], a) < std::tie(layer[b], b); });
    next_.erase(std::unique(next_.begin(), next_.end()), next_.end());
    const std::size_t begin = found.size();
    for (const Vertex v : next_) {
      if (met_[v] == u + 1) continue;
      found.emplace_back(u, v);
      reach(graph, layer, v, u + 1, layer[next_.back()]);
    }
    std::sort(found.begin() + static_cast<std::ptrdiff_t>(begin), found.end());
  }

 private:
  /// Marks what can be reached from v in layers up to `last`.
  void reach(const csr_graph<Vertex>& graph, const machine::page_array<Vertex>& layer, Vertex v, std::uint64_t mark,
             Vertex last) {
    met_[v] = mark;
    waiting_.assign(1, v);
    while (!waiting_.empty()) {
      const Vertex at = waiting_.back();
      waiting_.pop_back();
      if (layer[at] >= last) continue;  // arcs lead to higher layers
      for (const Vertex w : graph.out().row(at)) {
        if (met_[w] == mark || layer[w] > last) continue;
        met_[w] = mark;
        waiting_.push_back(w);
      }
    }
  }

  machine::page_array<std::uint64_t> met_;  ///< by vertex: the last search that met it, and 1
  std::vector<Vertex> next_;
  std::vector<Vertex> waiting_;
};

}  // namespace

template <class Vertex>
arc_list transitive_reduction(const csr_graph<Vertex>& graph, const machine::page_array<Vertex>& layer,
                              const run_control& control) {
  const std::uint64_t n = graph.vertices();
  if (control.report != nullptr) control.report->begin("transitive reduction", n, "vertices");
  std::vector<needed_search<Vertex>> searches(threads());
  constexpr std::uint64_t stretch = 256;
  std::vector<arc_list> found((n + stretch - 1) / stretch);
  const auto body = [&](std::uint64_t s) {
    needed_search<Vertex>& search = searches[this_thread()];
    search.prepare(n);
    for (std::uint64_t u = s * stretch; u < std::min(n, (s + 1) * stretch); ++u) {
      if (control.stop.stop_requested()) return;
      search.find(graph, layer, u, found[s]);
    }
    if (control.report != nullptr) control.report->advance(std::min(n, (s + 1) * stretch) - s * stretch);
  };
  parallel_for(std::uint64_t{0}, std::uint64_t{found.size()}, body, {.batch = 1, .stop = control.stop});
  control.check();
  arc_list all;
  for (arc_list& part : found) {
    all.insert(all.end(), part.begin(), part.end());
    part = {};
  }
  return all;
}

template CALLISTO_API arc_list transitive_reduction(const csr_graph<std::uint32_t>&,
                                                    const machine::page_array<std::uint32_t>&, const run_control&);
template CALLISTO_API arc_list transitive_reduction(const csr_graph<std::uint64_t>&,
                                                    const machine::page_array<std::uint64_t>&, const run_control&);

std::uint64_t needs::transitive_reduction(const any_graph& graph) noexcept {
  const graph_size s = size_of(graph);
  // Parts and the whole list, of 16 bytes an arc, in vectors that grow by doubling; a search's marks and lists.
  return 64 * s.m + threads() * (8 + 4 * s.v) * s.n + (std::uint64_t{1} << 20);
}

}  // namespace callisto::graph
