// Eigenvector centrality, Katz and HITS: products with the matrix of a graph, and what is made of them.
#include <callisto/graph/components/scc.hpp>
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/graph/csr/hub_places.hpp>
#include <callisto/graph/csr/require_memory.hpp>
#include <callisto/graph/csr/strengths.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/graph/pagerank/kernel.hpp>
#include <callisto/graph/spectral/krylov.hpp>
#include <callisto/graph/spectral/spectral.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

namespace callisto::graph {
namespace {

using values = machine::page_array<double>;

/// A vector with its values in places by degree, if places make products faster.
template <class Vertex>
struct placed_vector {
  /// Products of a search, at least.
  static constexpr double few_products = 10;

  hub_places<Vertex> places;
  machine::page_array<double> values;

  bool empty() const noexcept { return places.empty(); }
  bool choose(const adjacency<Vertex>& rows, const adjacency<Vertex>& columns, const double* x,
              const std::optional<gather_order>& order, const run_control& control) {
    if (!order) {
      places = hub_places<Vertex>::if_faster(rows, columns, x, few_products, control);
    } else if (*order == gather_order::degrees) {
      places = hub_places<Vertex>::of(rows, columns, control);
    }
    if (!empty()) values = machine::page_array<double>(columns.offsets.size() - 1, machine::page_kind::used);
    return !empty();
  }
  /// Takes a vector over, if there are places.
  void put(const double* x, const run_control& control) {
    if (empty()) return;
    const auto body = [&](std::uint64_t v) { values[places.places()[v]] = x[v]; };
    if (!parallel_for(std::uint64_t{0}, std::uint64_t{values.size()}, body, {.stop = control.stop})) throw cancelled();
  }
};

/// Products of the rows with a vector. `Weight`: the form of the weights; void: all are 1.
template <class Vertex, class Weight>
struct row_product {
  const adjacency<Vertex>& rows;
  const Weight* weights;
  const placed_vector<Vertex>* placed = nullptr;  ///< if not null nor empty, it has x

  void operator()(const double* x, double* y, std::uint64_t first, std::uint64_t last) const noexcept {
    const bool has_x = placed != nullptr && !placed->empty();
    const Vertex* const targets = has_x ? placed->places.rows() : rows.targets.data();
    if (has_x) x = placed->values.data();
    for (std::uint64_t v = first; v < last; ++v) {
      const std::uint64_t begin = rows.offsets[v];
      const Vertex* const end = targets + rows.offsets[v + 1];
      if constexpr (std::is_void_v<Weight>) {
        y[v] = gather_sum(x, targets + begin, end);
      } else {
        y[v] = weighted_sum(x, weights + begin, targets + begin, end);
      }
    }
  }
};

/// Calls f with the row_product of `rows`, by their weights if `weighted`; returns its result.
template <class Vertex, class F>
auto with_product(const adjacency<Vertex>& rows, bool weighted, const F& f,
                  const placed_vector<Vertex>* placed = nullptr) {
  if (!weighted) return f(row_product<Vertex, void>{rows, nullptr, placed});
  return rows.weights.visit([&](auto weights) {
    using weight = std::remove_const_t<typename decltype(weights)::element_type>;
    return f(row_product<Vertex, weight>{rows, weights.data(), placed});
  });
}

template <class Vertex>
bool uses_weights(const csr_graph<Vertex>& graph, const spectral_options& options, const run_control& control) {
  if (options.weights != weight_use::strength || !graph.weighted()) return false;
  survey_weights(graph, "strengths", control);
  return true;
}

/// Returns a vector without the negative values that rounding leaves, divided by the sum (`power` 1) or the root of the
/// sum of squares (2).
values scaled(const values& from, int power) {
  values to(from.size(), machine::page_kind::used);
  double total = 0;
  for (std::size_t v = 0; v < from.size(); ++v) {
    to[v] = std::max(0.0, from[v]);
    total += power == 1 ? to[v] : to[v] * to[v];
  }
  const double by = power == 1 ? total : std::sqrt(total);
  for (double& value : to) value = by > 0 ? value / by : value;
  return to;
}

/// Makes the sum of a vector positive.
void turn_positive(values& of) {
  double sum = 0;
  for (const double value : of) sum += value;
  for (double& value : of) value = sum < 0 ? -value : value;
}

void set_alike(krylov_basis& basis) { std::fill(basis.first().begin(), basis.first().end(), 1.0); }

/// True if a directed graph has no cycle of arcs that count.
template <class Vertex>
bool is_acyclic(const csr_graph<Vertex>& graph, bool weighted, const run_control& control) {
  if (!graph.directed()) return false;
  const component_map<Vertex> map = strong_components(graph, control);
  const adjacency<Vertex>& out = graph.out();
  for (std::uint64_t v = 0; v < graph.vertices(); ++v) {
    for (std::uint64_t a = out.offsets[v]; a != out.offsets[v + 1]; ++a) {
      if (weighted && out.weights[a] == 0) continue;
      if (map[out.targets[a]] == map[v]) return false;
    }
  }
  return true;
}

/// Returns the largest share of the squares of `x`, of length 1, that a strong component with a cycle has. The
/// eigenvalue is that of such a component. Where values grow by powers along paths that lie on no cycle, as behind
/// cycles of small weights, it is next to nothing, and the residual of all says nothing about it.
template <class Vertex>
double share_of_cycles(const csr_graph<Vertex>& graph, bool weighted, const values& x, const run_control& control) {
  const component_map<Vertex> map = strong_components(graph, control);
  const adjacency<Vertex>& out = graph.out();
  std::vector<double> squares(graph.vertices());
  std::vector<char> has_cycle(graph.vertices());
  for (std::uint64_t v = 0; v < graph.vertices(); ++v) {
    squares[map[v]] += x[v] * x[v];
    for (std::uint64_t a = out.offsets[v]; a != out.offsets[v + 1]; ++a) {
      if (map[out.targets[a]] == map[v] && !(weighted && out.weights[a] == 0)) has_cycle[map[v]] = 1;
    }
  }
  double most = 0;
  for (std::uint64_t c = 0; c < squares.size(); ++c) {
    if (has_cycle[c] != 0) most = std::max(most, squares[c]);
  }
  return most;
}

/// Solves Katz's equations strong component by strong component, each after the components with arcs to it: by one sum
/// for a vertex alone, otherwise by sweeps of Gauss and Seidel, which converge for each alpha that is allowed (a matrix
/// without negative entries: Varga 1962). GMRES fails where sums over walks grow by powers along paths that lie on no
/// cycle. False if `most` sweeps of a component were not enough. `x` is set.
template <class Vertex>
bool sweep_components(const csr_graph<Vertex>& graph, bool weighted, const katz_result& chosen,
                      const katz_options& options, values& x, const run_control& control) {
  const std::uint64_t n = graph.vertices();
  const component_map<Vertex> component = strong_components(graph, control);
  const auto each_arc = [&](const adjacency<Vertex>& rows, std::uint64_t v, const auto& f) {
    for (std::uint64_t a = rows.offsets[v]; a != rows.offsets[v + 1]; ++a) {
      const double weight = weighted ? rows.weights[a] : 1.0;
      if (weight != 0) f(rows.targets[a], weight);
    }
  };
  // The members of a component stand side by side, from begin[component] on.
  std::vector<std::uint64_t> begin(n + 1), members(n), arcs_before(n), inside(n);
  for (std::uint64_t v = 0; v < n; ++v) {
    ++begin[component[v] + 1];
    each_arc(graph.out(), v, [&](Vertex target, double) {
      ++(component[target] == component[v] ? inside : arcs_before)[component[target]];
    });
  }
  for (std::uint64_t c = 0; c < n; ++c) begin[c + 1] += begin[c];
  std::vector<std::uint64_t> ready, filled(begin.begin(), begin.end() - 1);
  for (std::uint64_t v = 0; v < n; ++v) members[filled[component[v]]++] = v;
  for (std::uint64_t c = 0; c < n; ++c) {
    if (begin[c] != begin[c + 1] && arcs_before[c] == 0) ready.push_back(c);
  }
  std::fill(x.begin(), x.end(), options.beta);
  std::vector<double> right;
  while (!ready.empty()) {
    if (control.stop.stop_requested()) throw cancelled();
    const std::uint64_t c = ready.back();
    ready.pop_back();
    const std::span<const std::uint64_t> own(members.data() + begin[c], begin[c + 1] - begin[c]);
    right.clear();
    for (const std::uint64_t v : own) right.push_back(x[v]);
    unsigned sweeps = 0;
    for (bool moves = inside[c] != 0; moves; ++sweeps) {
      if (sweeps == options.iterations) return false;
      if (control.stop.stop_requested()) throw cancelled();
      moves = false;
      for (std::size_t i = 0; i < own.size(); ++i) {
        double sum = 0;
        each_arc(graph.in(), own[i], [&](Vertex source, double weight) {
          if (component[source] == c) sum += weight * x[source];
        });
        const double value = right[i] + chosen.alpha * sum;
        // A sixteenth: all later sweeps together would add some times the step of this sweep.
        moves = moves || value - x[own[i]] > std::max(options.tolerance / 16 * options.beta, 1e-15 * value);
        x[own[i]] = value;
        if (!std::isfinite(value)) return false;
      }
    }
    for (const std::uint64_t v : own) {
      if (!std::isfinite(x[v])) return false;
      each_arc(graph.out(), v, [&](Vertex target, double weight) {
        const std::uint64_t to = component[target];
        if (to == c) return;
        x[target] += chosen.alpha * weight * x[v];
        if (--arcs_before[to] == 0) ready.push_back(to);
      });
    }
  }
  return true;
}

template <class Vertex>
krylov_end dominant(const csr_graph<Vertex>& graph, bool weighted, krylov_basis& basis, double tolerance,
                    unsigned iterations, const run_control& control,
                    const std::optional<gather_order>& order = gather_order::given, gather_order* chosen = nullptr) {
  set_alike(basis);
  placed_vector<Vertex> placed;
  if (placed.choose(graph.in(), graph.out(), basis.first().data(), order, control)) *chosen = gather_order::degrees;
  const krylov_end end = with_product(
      graph.in(), weighted,
      [&](const auto& product) {
        return find_eigenvector(basis, product, tolerance, iterations, control,
                                [&](const double* x) { placed.put(x, control); });
      },
      &placed);
  turn_positive(basis.first());
  return end;
}

template <class Vertex>
eigenvector_result eigenvector_of(const csr_graph<Vertex>& graph, const spectral_options& options,
                                  const run_control& control) {
  const bool weighted = uses_weights(graph, options, control);
  if (control.report != nullptr) control.report->begin("eigenvector", options.iterations, "products");
  if (graph.arcs() != 0 && is_acyclic(graph, weighted, control)) {
    throw no_centrality("the graph has no cycle, so 0 is its only eigenvalue: eigenvector centrality needs a cycle");
  }
  krylov_basis basis(graph.vertices(), control);
  eigenvector_result result;
  const krylov_end end = dominant(graph, weighted, basis, options.tolerance, options.iterations, control,
                                  options.inside_order, &result.inside_order);
  result.scores = scaled(basis.first(), 2);
  result.eigenvalue = end.value;
  result.iterations = end.products;
  result.residual = end.residual;
  result.converged = end.converged;
  if (graph.directed() && end.converged) {
    constexpr double most_residual = 1e-4;
    const double residual =
        std::max(options.tolerance, 1e-15) / std::sqrt(share_of_cycles(graph, weighted, result.scores, control));
    if (!(residual <= std::max(most_residual, options.tolerance))) {
      result.residual = residual;
      result.converged = false;
    }
  }
  if (weighted) result.weights = weight_use::strength;
  return result;
}

/// Returns the length of alpha * product + beta - x by that of beta.
template <class Vertex>
double katz_residual(const csr_graph<Vertex>& graph, bool weighted, double alpha, double beta, const values& x) {
  values y(x.size(), machine::page_kind::used);
  with_product(graph.in(), weighted, [&](const auto& product) { product(x.data(), y.data(), 0, x.size()); });
  double squares = 0;
  for (std::size_t v = 0; v < x.size(); ++v) squares += std::pow(alpha * y[v] + beta - x[v], 2);
  return std::sqrt(squares) / (beta * std::sqrt(static_cast<double>(x.size())));
}

/// Returns the largest sum of a row, which no eigenvalue exceeds.
template <class Vertex>
double largest_row(const adjacency<Vertex>& rows, bool weighted, const run_control& control) {
  double largest = 0;
  if (weighted) {
    for (const double strength : strengths(rows, control)) largest = std::max(largest, strength);
    return largest;
  }
  for (std::uint64_t v = 0; v + 1 < rows.offsets.size(); ++v) {
    largest = std::max(largest, static_cast<double>(rows.degree(v)));
  }
  return largest;
}

template <class Vertex>
katz_result katz_of(const csr_graph<Vertex>& graph, const katz_options& options, const run_control& control) {
  constexpr double usual_alpha = 0.1;
  const bool weighted = uses_weights(graph, options, control);
  if (control.report != nullptr) control.report->begin("Katz", options.iterations, "products");
  krylov_basis basis(graph.vertices(), control);
  katz_result result;
  result.alpha = options.alpha != 0 ? options.alpha : usual_alpha;
  if (options.alpha == 0) {
    const double largest = largest_row(graph.in(), weighted, control);
    if (!(usual_alpha * largest < 0.9) && is_acyclic(graph, weighted, control)) {
      result.alpha = 0.85 / largest;  // every alpha is allowed; with this one, longer walks count less
    } else if (!(usual_alpha * largest < 0.9)) {
      const krylov_end end = dominant(graph, weighted, basis, 1e-6, options.iterations, control);
      result.iterations = end.products;
      if (usual_alpha * end.value >= 0.9) result.alpha = 0.85 / end.value;
    }
  }
  values x(graph.vertices(), machine::page_kind::used);
  krylov_end end = with_product(graph.in(), weighted, [&](const auto& product) {
    return solve_equations(basis, product, result.alpha, options.beta, x, options.tolerance, options.iterations,
                           control);
  });
  // A matrix without negative entries has an x of at least beta that solves the equations only if its largest
  // eigenvalue is below 1 (M-matrices: Berman and Plemmons 1979).
  const double least = *std::min_element(x.begin(), x.end());
  if (!end.converged || !(least >= options.beta * (1 - 1e-6))) {
    if (sweep_components(graph, weighted, result, options, x, control)) {
      end.residual = katz_residual(graph, weighted, result.alpha, options.beta, x);
      end.converged = true;
    } else {
      const krylov_end eigen = dominant(graph, weighted, basis, 1e-6, options.iterations, control);
      if (result.alpha * eigen.value >= 1 - 1e-6) {
        throw no_centrality(fmt::format("alpha is {}, expected less than 1 / the largest eigenvalue, {:.6g}",
                                        result.alpha, 1 / eigen.value));
      }
      if (!std::isfinite(*std::max_element(x.begin(), x.end()))) {
        throw no_centrality(fmt::format("alpha is {}, with which a sum over walks is above any double", result.alpha));
      }
      end.converged = false;
    }
  }
  result.iterations += end.products;
  result.residual = end.residual;
  result.converged = end.converged;
  if (weighted) result.weights = weight_use::strength;
  result.scores = options.normalized ? scaled(x, 2) : std::move(x);
  return result;
}

template <class Vertex>
hits_result hits_of(const csr_graph<Vertex>& graph, const spectral_options& options, const run_control& control) {
  const std::uint64_t n = graph.vertices();
  const bool weighted = uses_weights(graph, options, control);
  if (control.report != nullptr) control.report->begin("HITS", options.iterations, "products");
  krylov_basis basis(n, control);
  values hubs(n, machine::page_kind::used);
  set_alike(basis);
  hits_result result;
  // Of an undirected graph both products are of the same rows.
  placed_vector<Vertex> for_hubs;
  placed_vector<Vertex> directed_for_authorities;
  placed_vector<Vertex>& for_authorities = graph.directed() ? directed_for_authorities : for_hubs;
  const double* const begin = basis.first().data();
  if (for_hubs.choose(graph.out(), graph.in(), begin, options.inside_order, control)) {
    result.inside_order = gather_order::degrees;
    if (graph.directed()) for_authorities.choose(graph.in(), graph.out(), begin, options.inside_order, control);
  }
  const auto find = [&](const auto& to_hubs, const auto& to_authorities) {
    const auto set_hubs = [&](const double* x) {
      for_hubs.put(x, control);
      const auto rows = [&](std::uint64_t first, std::uint64_t last) { to_hubs(x, hubs.data(), first, last); };
      if (!parallel_for(std::uint64_t{0}, n, rows, {.stop = control.stop})) throw cancelled();
      for_authorities.put(hubs.data(), control);
    };
    const auto product = [&](const double*, double* y, std::uint64_t first, std::uint64_t last) {
      to_authorities(hubs.data(), y, first, last);
    };
    const krylov_end found =
        find_eigenvector(basis, product, options.tolerance, std::max(1U, options.iterations / 2), control, set_hubs);
    turn_positive(basis.first());
    set_hubs(basis.first().data());
    return found;
  };
  const krylov_end end = with_product(
      graph.out(), weighted,
      [&](const auto& to_hubs) {
        return with_product(
            graph.in(), weighted, [&](const auto& to_authorities) { return find(to_hubs, to_authorities); },
            &for_authorities);
      },
      &for_hubs);
  result.authorities = scaled(basis.first(), 1);
  result.hubs = graph.arcs() == 0 || end.value == 0 ? scaled(basis.first(), 1) : scaled(hubs, 1);
  result.iterations = 2 * end.products + 1;
  result.residual = end.residual;
  result.converged = end.converged;
  if (weighted) result.weights = weight_use::strength;
  return result;
}

}  // namespace

void check_spectral_arguments(const any_graph& graph, const spectral_options& options) {
  if (!(options.tolerance > 0)) {
    throw usage_error(fmt::format("tolerance is {}, expected a number above 0", options.tolerance));
  }
  if (options.iterations == 0) throw usage_error("iterations is 0, expected at least 1");
  if (options.weights == weight_use::length) {
    throw usage_error("this centrality takes weights as strengths, not as lengths");
  }
  std::visit(
      [](const auto& g) {
        if (g.vertices() == 0) throw usage_error("the graph has no vertices, a centrality needs at least 1");
        if (!g.has_in()) throw usage_error("the graph was built without in-edges, which this centrality needs");
      },
      graph);
}

eigenvector_result eigenvector(const any_graph& graph, const spectral_options& options, const run_control& control) {
  check_spectral_arguments(graph, options);
  return std::visit([&](const auto& g) { return eigenvector_of(g, options, control); }, graph);
}

katz_result katz(const any_graph& graph, const katz_options& options, const run_control& control) {
  check_spectral_arguments(graph, options);
  if (!(options.alpha >= 0 && std::isfinite(options.alpha))) {
    throw usage_error(fmt::format("alpha is {}, expected a number above 0", options.alpha));
  }
  if (!(options.beta > 0 && std::isfinite(options.beta))) {
    throw usage_error(fmt::format("beta is {}, expected a number above 0", options.beta));
  }
  return std::visit([&](const auto& g) { return katz_of(g, options, control); }, graph);
}

hits_result hits(const any_graph& graph, const spectral_options& options, const run_control& control) {
  check_spectral_arguments(graph, options);
  return std::visit([&](const auto& g) { return hits_of(g, options, control); }, graph);
}

std::uint64_t needs::spectral(const any_graph& graph) noexcept {
  const graph_size s = size_of(graph);
  const std::uint64_t least = s.n * (8 * (most_dimensions + 4) + 33 + 3 * s.v) + (std::uint64_t{16} << 20);
  // Places by degree, of both products of hits, where there is room for them.
  const std::uint64_t places = (s.directed ? 2 : 1) * ((s.n + s.m) * s.v + 8 * s.n + (std::uint64_t{1} << 20));
  return hub_places<std::uint32_t>::may_gain(s.n, s.m) && has_memory(least + places) ? least + places : least;
}

}  // namespace callisto::graph
