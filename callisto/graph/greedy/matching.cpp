// Locally first edges, with parallel loops.
#include <callisto/graph/csr/arcs_between.hpp>
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/graph/greedy/matching.hpp>
#include <callisto/graph/greedy/priority.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

/// Vertices that one thread looks at alone: fewer than other threads could come to share.
constexpr std::size_t few_choosing = 128;
/// If a round matches at least one vertex in this many, all vertices left are asked whether they must choose again;
/// otherwise the vertices that point at the matched ones are looked for.
constexpr std::uint64_t vertices_a_match = 64;

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
    rest_ = choosing_;
    while (!choosing_.empty()) {
      ++result_.rounds;
      each([&](Vertex v) { point(v); });
      // Each end that points again takes the edge's other end as its partner; that end may have pointed at it before.
      each([&](Vertex v) {
        const Vertex w = points_to_[v];
        if (w == single || points_to_[w] != v) return;
        result_.partners[v] = w;
        lists_[this_thread()].push_back(v);
      });
      gather();
      for (const Vertex v : choosing_) result_.partners[result_.partners[v]] = v;
      const std::uint64_t matched = choosing_.size();
      if (matched * vertices_a_match > rest_.size()) {
        std::erase_if(rest_, [&](Vertex v) { return result_.partners[v] != single || points_to_[v] == single; });
        choosing_.clear();
        for (const Vertex v : rest_) {
          if (result_.partners[points_to_[v]] != single) choosing_.push_back(v);
        }
      } else {
        sort_choosing();
        each([&](Vertex v) {
          free_those_at(v);
          const Vertex w = result_.partners[v];
          if (!std::binary_search(choosing_.begin(), choosing_.end(), w)) free_those_at(w);
        });
        gather();
        sort_choosing();
      }
      if (control_.report != nullptr) control_.report->advance(matched);
    }
    add_up();
    return std::move(result_);
  }

 private:
  static constexpr Vertex single = matching_result<Vertex>::single;

  void over(std::uint64_t count, auto f) {
    if (!parallel_for(std::uint64_t{0}, count, f, {.stop = control_.stop})) throw cancelled();
  }
  void each(const auto& f) {
    if (choosing_.size() <= few_choosing) {
      for (const Vertex v : choosing_) f(v);
    } else {
      over(choosing_.size(), [&](std::uint64_t i) { f(choosing_[i]); });
    }
  }

  /// Makes the vertices that threads have listed the next to look at.
  void gather() {
    control_.check();
    choosing_.clear();
    for (std::vector<Vertex>& list : lists_) {
      choosing_.insert(choosing_.end(), list.begin(), list.end());
      list.clear();
    }
  }

  /// Leaves each vertex once, in ascending order.
  void sort_choosing() {
    std::sort(choosing_.begin(), choosing_.end());
    choosing_.erase(std::unique(choosing_.begin(), choosing_.end()), choosing_.end());
  }

  /// Counts the edges taken and adds up their weights, in the order of vertices.
  void add_up() {
    choosing_.clear();
    for (std::uint64_t v = 0; v < graph_.vertices(); ++v) {
      if (result_.partners[v] != single && result_.partners[v] > v) choosing_.push_back(static_cast<Vertex>(v));
    }
    result_.edges = choosing_.size();
    result_.weight = static_cast<double>(choosing_.size());
    if (!graph_.weighted()) return;
    std::vector<double> weights(choosing_.size());
    over(choosing_.size(),
         [&](std::uint64_t i) { weights[i] = weight_between(choosing_[i], result_.partners[choosing_[i]]); });
    result_.weight = std::accumulate(weights.begin(), weights.end(), 0.0);
  }

  /// Points v along its first edge to an unmatched neighbour.
  void point(Vertex v) {
    candidate best;
    look(v, graph_.out(), best);
    if (graph_.directed()) look(v, graph_.in(), best);
    points_to_[v] = best.end;
  }

  struct candidate {
    Vertex end = single;
    double weight = 0;
    std::uint64_t word = 0;
  };

  /// Makes the first edge of this row to an unmatched neighbour the best one, if it comes before that so far.
  void look(Vertex v, const adjacency<Vertex>& rows, candidate& best) {
    if (!by_weight_) {
      look(v, rows, best, [](std::uint64_t) { return 0; });
    } else {
      rows.weights.visit([&](auto weights) { look(v, rows, best, [weights](std::uint64_t a) { return weights[a]; }); });
    }
  }
  template <class Weight>
  void look(Vertex v, const adjacency<Vertex>& rows, candidate& best, const Weight& weight_of) {
    candidate first = best;
    auto most = static_cast<decltype(weight_of(0))>(first.end == single ? 0 : first.weight);
    for (std::uint64_t a = rows.offsets[v]; a != rows.offsets[v + std::uint64_t{1}]; ++a) {
      const auto weight = weight_of(a);
      if (weight < most) continue;
      const Vertex w = rows.targets[a];
      if (result_.partners[w] != single || w == v) continue;
      const std::uint64_t word = order_(v, w);
      const bool before =
          first.end == single || weight > most || word < first.word || (word == first.word && smaller(v, w, first.end));
      if (!before) continue;
      most = weight;
      first = {w, static_cast<double>(weight), word};
    }
    best = first;
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
    double most = 0;
    bool some = false;
    const auto look = [&](std::uint64_t from, std::uint64_t to) {
      const auto [first, last] = arcs_between(graph_.out(), from, to);
      for (std::uint64_t a = first; a != last; ++a) {
        const double weight = graph_.out().weights[a];
        most = some ? std::max(most, weight) : weight;
        some = true;
      }
    };
    look(u, v);
    if (graph_.directed()) look(v, u);
    return most;
  }

  const csr_graph<Vertex>& graph_;
  bool by_weight_;
  edge_order order_;
  const run_control& control_;
  matching_result<Vertex> result_;
  machine::page_array<Vertex> points_to_;
  std::vector<Vertex> choosing_;            ///< vertices that point again, ascending
  std::vector<Vertex> rest_;                ///< vertices that were without partner, and pointed, when last looked at
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
