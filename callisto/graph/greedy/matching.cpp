// Locally first edges, with parallel loops.
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/graph/greedy/matching.hpp>
#include <callisto/graph/greedy/priority.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

/// Vertices that one thread looks at alone: fewer than others could come to share.
constexpr std::size_t few = 128;

template <class Vertex>
class matcher {
 public:
  matcher(const csr_graph<Vertex>& graph, const matching_options& options, const run_control& control)
      : graph_(graph),
        by_weight_(options.heaviest_first),
        order_(options.seed),
        control_(control),
        points_to_(graph.vertices()),
        lists_(threads()) {
    result_.partners = machine::page_array<Vertex>(graph.vertices());
  }

  matching_result<Vertex> run() {
    if (control_.report != nullptr) control_.report->begin("matching", graph_.vertices(), "vertices");
    choosing_.resize(graph_.vertices());
    over(graph_.vertices(), [&](std::uint64_t v) {
      choosing_[v] = static_cast<Vertex>(v);
      result_.partners[v] = single;
      points_to_[v] = single;
    });
    while (!choosing_.empty()) {
      ++result_.rounds;
      each([&](Vertex v) { point(v); });
      // Both ends of an edge see that they point at each other; the choice of one of them may be an earlier one.
      each([&](Vertex v) {
        const Vertex w = points_to_[v];
        if (w == single || points_to_[w] != v) return;
        lists_[this_thread()].push_back(v);
      });
      gather();
      for (const Vertex v : choosing_) {
        result_.partners[v] = points_to_[v];
        result_.partners[points_to_[v]] = v;
      }
      // The other end of a new edge may not be in the list; each end frees the vertices that point at it.
      each([&](Vertex v) {
        const Vertex w = points_to_[v];
        free_those_at(v);
        if (!std::binary_search(choosing_.begin(), choosing_.end(), w)) free_those_at(w);
      });
      gather();
    }
    for (std::uint64_t v = 0; v < graph_.vertices(); ++v) {
      const Vertex w = result_.partners[v];
      if (w == single || w < v) continue;
      ++result_.edges;
      result_.weight += weight_between(v, w);
    }
    return std::move(result_);
  }

 private:
  static constexpr Vertex single = matching_result<Vertex>::single;

  void over(std::uint64_t count, auto f) {
    if (!parallel_for(std::uint64_t{0}, count, f, {.stop = control_.stop})) throw cancelled();
  }
  void each(const auto& f) {
    if (choosing_.size() <= few) {
      for (const Vertex v : choosing_) f(v);
    } else {
      over(choosing_.size(), [&](std::uint64_t i) { f(choosing_[i]); });
    }
  }

  /// Makes the vertices that threads have listed the next to look at, each once, in ascending order.
  void gather() {
    control_.check();
    choosing_.clear();
    for (std::vector<Vertex>& list : lists_) {
      choosing_.insert(choosing_.end(), list.begin(), list.end());
      list.clear();
    }
    std::sort(choosing_.begin(), choosing_.end());
    choosing_.erase(std::unique(choosing_.begin(), choosing_.end()), choosing_.end());
  }

  /// Points v along its first edge to an unmatched neighbour.
  void point(Vertex v) {
    Vertex best = single;
    double best_weight = 0;
    std::uint64_t best_word = 0;
    const auto look = [&](const adjacency<Vertex>& rows) {
      for (std::uint64_t a = rows.offsets[v]; a != rows.offsets[v + std::uint64_t{1}]; ++a) {
        const Vertex w = rows.targets[a];
        if (w == v || result_.partners[w] != single) continue;
        const double weight = by_weight_ ? rows.weights[a] : 0;
        if (best != single && weight < best_weight) continue;
        const std::uint64_t word = order_(v, w);
        if (best == single || weight > best_weight || word < best_word || (word == best_word && smaller(v, w, best))) {
          best = w;
          best_weight = weight;
          best_word = word;
        }
      }
    };
    look(graph_.out());
    if (graph_.directed()) look(graph_.in());
    points_to_[v] = best;
  }

  /// True if the edge from v to w has the smaller ends than that from v to x, the smaller ends compared first.
  static bool smaller(Vertex v, Vertex w, Vertex x) noexcept {
    return std::pair(std::min(v, w), std::max(v, w)) < std::pair(std::min(v, x), std::max(v, x));
  }

  /// Lists the unmatched vertices that point at v, which is matched now.
  void free_those_at(Vertex v) {
    for_each_neighbour(graph_, v, [&](Vertex w) {
      if (points_to_[w] != v || result_.partners[w] != single) return;
      lists_[this_thread()].push_back(w);
    });
  }

  double weight_between(std::uint64_t u, std::uint64_t v) const {
    if (!graph_.weighted()) return 1;
    double most = 0;
    bool some = false;
    const auto look = [&](std::uint64_t from, std::uint64_t to) {
      const auto row = graph_.out().row(from);
      const auto [first, last] = std::equal_range(row.begin(), row.end(), static_cast<Vertex>(to));
      for (auto at = first; at != last; ++at) {
        const double weight =
            graph_.out().weights[graph_.out().offsets[from] + static_cast<std::uint64_t>(at - row.begin())];
        most = some ? std::max(most, weight) : weight;
        some = true;
      }
    };
    look(u, v);
    look(v, u);
    return most;
  }

  const csr_graph<Vertex>& graph_;
  bool by_weight_;
  edge_order order_;
  const run_control& control_;
  matching_result<Vertex> result_;
  machine::page_array<Vertex> points_to_;
  std::vector<Vertex> choosing_;
  std::vector<std::vector<Vertex>> lists_;  ///< by thread
};

}  // namespace

template <class Vertex>
matching_result<Vertex> maximal_matching(const csr_graph<Vertex>& graph, const matching_options& options,
                                         const run_control& control) {
  if (!graph.has_in()) throw usage_error("the graph was built without in-edges, which a matching needs");
  if (options.heaviest_first) {
    if (!graph.weighted() && graph.arcs() != 0) throw usage_error("the graph has no weights to take edges by");
    survey_weights(graph, "matchings by weight", control);
  }
  return matcher<Vertex>(graph, options, control).run();
}

template CALLISTO_API matching_result<std::uint32_t> maximal_matching(const csr_graph<std::uint32_t>&,
                                                                      const matching_options&, const run_control&);
template CALLISTO_API matching_result<std::uint64_t> maximal_matching(const csr_graph<std::uint64_t>&,
                                                                      const matching_options&, const run_control&);

std::uint64_t needs::maximal_matching(const any_graph& graph) noexcept {
  const graph_size s = size_of(graph);
  return 5 * s.v * s.n;
}

}  // namespace callisto::graph
