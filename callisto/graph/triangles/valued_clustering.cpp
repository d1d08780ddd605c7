// Clustering with values of edges, with parallel loops.
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/graph/csr/simple_rows.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/graph/triangles/valued_clustering.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace callisto::graph {
namespace {

template <class Vertex>
class triangle_sums_by_edge {
 public:
  triangle_sums_by_edge(const csr_graph<Vertex>& graph, const valued_clustering_options& options,
                        const run_control& control)
      : graph_(graph),
        options_(options),
        control_(control),
        rows_(graph, control),
        n_(rows_.vertices()),
        up_(n_ + 1),
        targets_(rows_.edges()),
        values_(rows_.edges()),
        sums_(rows_.edges()),
        own_(n_) {
    if (options.weighted) most_ = survey_weights(graph, "clustering coefficients", control).most;
  }

  valued_clustering_result run() {
    orient();
    add_up_triangles();
    valued_clustering_result result;
    result.coefficients = machine::page_array<double>(n_);
    over([&](std::uint64_t v) { result.coefficients[v] = coefficient(v); });
    for (const double c : result.coefficients) result.average += c;
    if (n_ != 0) result.average /= static_cast<double>(n_);
    return result;
  }

 private:
  void over(auto f) {
    if (!parallel_for(std::uint64_t{0}, n_, f, {.stop = control_.stop})) throw cancelled();
  }

  /// A vertex is below another vertex if it has fewer neighbours, or as many and a smaller number.
  bool below(std::uint64_t u, std::uint64_t v) const noexcept {
    return rows_.degree(u) != rows_.degree(v) ? rows_.degree(u) < rows_.degree(v) : u < v;
  }

  bool directed() const noexcept { return graph_.directed() && options_.directed; }

  /// Returns what the arc from u to v counts for; 0 if there is none.
  double value_of_arc(std::uint64_t u, std::uint64_t v) const {
    const auto row = graph_.out().row(u);
    const auto at = std::lower_bound(row.begin(), row.end(), static_cast<Vertex>(v));
    if (at == row.end() || *at != v) return 0;
    if (!options_.weighted) return 1;
    if (most_ == 0) return 0;
    return std::cbrt(graph_.out().weights[graph_.out().offsets[u] + static_cast<std::uint64_t>(at - row.begin())] /
                     most_);
  }

  double value_of_edge(std::uint64_t u, std::uint64_t v) const {
    const double there = value_of_arc(u, v);
    if (!graph_.directed()) return there;
    const double back = value_of_arc(v, u);
    return directed() ? there + back : std::max(there, back);
  }

  /// Fills rows of neighbours above.
  void orient() {
    over([&](std::uint64_t v) {
      std::uint64_t count = 0;
      for (const Vertex w : rows_.row(v)) count += below(v, w) ? 1 : 0;
      up_[v + 1] = count;
    });
    for (std::uint64_t v = 0; v < n_; ++v) up_[v + 1] += up_[v];
    over([&](std::uint64_t v) {
      std::uint64_t next = up_[v];
      for (const Vertex w : rows_.row(v)) {
        if (!below(v, w)) continue;
        targets_[next] = w;
        values_[next++] = value_of_edge(v, w);
      }
    });
  }

  struct marks {
    machine::page_array<std::uint64_t> edge_to;  ///< by vertex: the index of the edge to it, plus one; 0: none
    std::uint64_t unreported = 0;
  };
  struct loop {
    triangle_sums_by_edge& owner;

    void fork(marks& mine) const { mine.edge_to = machine::page_array<std::uint64_t>(owner.n_); }
    void work(marks& mine, std::uint64_t u) const {
      owner.find(mine, u);
      progress* const report = owner.control_.report;
      if (report != nullptr && ++mine.unreported > owner.n_ / 256) report->advance(std::exchange(mine.unreported, 0));
    }
    void join(marks&) const noexcept {}
  };

  void add_up_triangles() {
    if (control_.report != nullptr) control_.report->begin("finding triangles", n_, "vertices");
    loop body{*this};
    if (!parallel_for<loop, marks, std::uint64_t>(body, 0, n_, {.stop = control_.stop})) throw cancelled();
  }

  /// Finds the triangles with u as their lowest vertex.
  void find(marks& mine, std::uint64_t u) {
    if (up_[u + 1] - up_[u] < 2) return;
    for (std::uint64_t i = up_[u]; i != up_[u + 1]; ++i) mine.edge_to[targets_[i]] = i + 1;
    for (std::uint64_t i = up_[u]; i != up_[u + 1]; ++i) {
      const Vertex v = targets_[i];
      for (std::uint64_t j = up_[v]; j != up_[v + std::uint64_t{1}]; ++j) {
        const std::uint64_t to_w = mine.edge_to[targets_[j]];
        if (to_w == 0) continue;
        const double product = values_[i] * values_[j] * values_[to_w - 1];
        own_[u] += product;
        sums_[i] += product;
        sums_[to_w - 1] += product;
      }
    }
    for (std::uint64_t i = up_[u]; i != up_[u + 1]; ++i) mine.edge_to[targets_[i]] = 0;
  }

  double coefficient(std::uint64_t v) const {
    double triangles = own_[v];
    for (const Vertex u : rows_.row(v)) {
      if (!below(u, v)) continue;
      const auto first = targets_.begin() + up_[u];
      const auto at = std::lower_bound(first, targets_.begin() + up_[u + std::uint64_t{1}], static_cast<Vertex>(v));
      triangles += sums_[static_cast<std::uint64_t>(at - targets_.begin())];
    }
    if (triangles == 0) return 0;
    auto degree = static_cast<double>(rows_.degree(v));
    if (!directed()) return 2 * triangles / (degree * (degree - 1));
    double both = 0;
    for (const Vertex w : rows_.row(v)) {
      const auto out = graph_.out().row(v);
      const auto in = graph_.in().row(v);
      if (std::binary_search(out.begin(), out.end(), w) && std::binary_search(in.begin(), in.end(), w)) ++both;
    }
    degree += both;
    return triangles / (degree * (degree - 1) - 2 * both);
  }

  const csr_graph<Vertex>& graph_;
  const valued_clustering_options& options_;
  const run_control& control_;
  const simple_rows<Vertex> rows_;
  std::uint64_t n_;
  double most_ = 1;
  machine::page_array<std::uint64_t> up_;
  machine::page_array<Vertex> targets_;  ///< by edge, from its lower end: the higher end
  machine::page_array<double> values_;   ///< by edge: the value that it counts for
  machine::page_array<double> sums_;     ///< by edge: products of the triangles that add to its higher end
  machine::page_array<double> own_;      ///< by vertex: products of the triangles in which it is lowest
};

}  // namespace

template <class Vertex>
valued_clustering_result valued_clustering(const csr_graph<Vertex>& graph, const valued_clustering_options& options,
                                           const run_control& control) {
  if (options.weighted && !graph.weighted() && graph.arcs() != 0) throw usage_error("the graph has no weights");
  return triangle_sums_by_edge<Vertex>(graph, options, control).run();
}

template CALLISTO_API valued_clustering_result valued_clustering(const csr_graph<std::uint32_t>&,
                                                                 const valued_clustering_options&, const run_control&);
template CALLISTO_API valued_clustering_result valued_clustering(const csr_graph<std::uint64_t>&,
                                                                 const valued_clustering_options&, const run_control&);

std::uint64_t needs::valued_clustering(const any_graph& graph) noexcept {
  const graph_size s = size_of(graph);
  return bytes_of_simple_rows(s.n, s.edges, s.v) + 24 * s.n + (16 + s.v) * s.edges + threads() * s.n * 8;
}

}  // namespace callisto::graph
