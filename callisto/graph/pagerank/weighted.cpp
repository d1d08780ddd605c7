// PageRank of graphs with weights as strengths: the same iterations, over weighted sums.
//
// The walk leaves vertex u along an arc of weight w with probability w / s(u), where s(u) is the sum of the weights of
// u's out-arcs. As without weights, a vertex contributes score / s(u), and a sum multiplies by w.
#include <callisto/graph/csr/partners.hpp>
#include <callisto/graph/csr/strengths.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/graph/pagerank/iterations.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

namespace callisto::graph {
namespace {

/// Data on weights that the iterations read.
struct arc_shares {
  machine::page_array<double> inverse;  ///< by vertex: 1 / the sum of the weights of its out-arcs; 0 without any
  machine::page_array<double> in;       ///< of in-arcs, in place of the graph's weights; empty: these will do
};

/// True if sums and quotients of such weights lose no digits to the ends of the range of doubles.
bool is_usual(double strength) noexcept { return strength == 0 || (strength > 0x1p-900 && strength < 0x1p900); }

/// Divides the weights of each vertex's out-arcs by the largest of them, and then by their sum.
template <class Vertex>
arc_shares rescaled(const csr_graph<Vertex>& graph) {
  const std::uint64_t n = graph.vertices();
  const adjacency<Vertex>& out = graph.out();
  arc_shares made{machine::page_array<double>(n, machine::page_kind::used),
                  machine::page_array<double>(graph.in().targets.size(), machine::page_kind::used)};
  std::vector<double> most(n);
  std::vector<double> sum(n);
  for (std::uint64_t v = 0; v < n; ++v) {
    for (std::uint64_t a = out.offsets[v]; a != out.offsets[v + 1]; ++a) most[v] = std::max(most[v], out.weights[a]);
    for (std::uint64_t a = out.offsets[v]; a != out.offsets[v + 1] && most[v] > 0; ++a) {
      sum[v] += out.weights[a] / most[v];
    }
    made.inverse[v] = most[v] > 0 ? 1 : 0;
  }
  const adjacency<Vertex>& in = graph.in();
  for (std::uint64_t a = 0; a != in.targets.size(); ++a) {
    const Vertex u = in.targets[a];
    made.in[a] = most[u] > 0 ? in.weights[a] / most[u] / sum[u] : 0;
  }
  return made;
}

/// Returns the sums of weights as strengths() does: each process sums its own rows.
template <class Vertex>
machine::page_array<double> shared_strengths(const adjacency<Vertex>& rows, const shared_control& control) {
  machine::page_array<double> sums(rows.offsets.size() - 1, machine::page_kind::used);
  rows.weights.visit([&](auto weights) {
    const auto sum = [&](std::uint64_t v) {
      const auto row = weights.subspan(rows.offsets[v], rows.degree(v));
      sums[v] = std::accumulate(row.begin(), row.end(), 0.0);
    };
    if (!parallel_for(control.among->first(), control.among->last(), sum, {.stop = control.stop})) throw cancelled();
  });
  control.among->share(sums.data(), control.among->bounds());
  return sums;
}

template <class Vertex>
arc_shares shares_by_weight(const csr_graph<Vertex>& graph, const shared_control& control) {
  survey_weights_among(graph, "strengths", control);
  arc_shares made{control.among == nullptr ? strengths(graph.out(), control) : shared_strengths(graph.out(), control),
                  {}};
  if (!std::all_of(made.inverse.begin(), made.inverse.end(), is_usual)) {
    if (control.among != nullptr) throw usage_error("weights whose sums leave the range of numbers need one process");
    return rescaled(graph);
  }
  for (double& value : made.inverse) value = value == 0 ? 0 : 1 / value;
  return made;
}

}  // namespace

template <class Vertex>
pagerank_result weighted_pagerank_of(const csr_graph<Vertex>& graph, const pagerank_options& options,
                                     const shared_control& control) {
  const arc_shares shares = shares_by_weight(graph, control);
  const auto run = [&]<class Weight>(const Weight* weights) {
    if (!options.accelerated) {
      const double* const inverse = shares.inverse.data();
      return power_iteration(
          graph.vertices(), options, control, weighted_pagerank_start{.inverse = inverse},
          weighted_pagerank_sweep<Vertex, Weight>{.in = graph.in(), .weights = weights, .inverse = inverse});
    }
    return accelerated_iteration<double, Vertex, Weight>(graph, options, control, weights, shares.inverse.data()).run();
  };
  pagerank_result result = !shares.in.empty()
                               ? run(shares.in.data())
                               : graph.in().weights.visit([&](auto weights) { return run(weights.data()); });
  result.weights = weight_use::strength;
  return result;
}

template pagerank_result weighted_pagerank_of(const csr_graph<std::uint32_t>&, const pagerank_options&,
                                              const shared_control&);
template pagerank_result weighted_pagerank_of(const csr_graph<std::uint64_t>&, const pagerank_options&,
                                              const shared_control&);

}  // namespace callisto::graph
