// The levels of a search for communities, and modularity. Included by communities.cpp and communities_64.cpp, which
// compile it for 32-bit and for 64-bit vertices.
#pragma once

#include <callisto/graph/communities/coarse_graph.hpp>
#include <callisto/graph/communities/communities.hpp>
#include <callisto/graph/communities/level.hpp>
#include <callisto/graph/communities/moves.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace callisto::graph {

/// Returns by vertex the sum of the weights of its edges, self-loops counted twice.
template <class Vertex, class Weights>
machine::page_array<std::uint64_t> strengths(const weighted_rows<Vertex, Weights>& rows, const run_control& control) {
  machine::page_array<std::uint64_t> strength(rows.vertices);
  parallel_for(std::uint64_t{0}, rows.vertices,
               [&](std::uint64_t v) {
                 std::uint64_t sum = 0;
                 for (std::uint64_t a = rows.begins[v]; a != rows.ends[v]; ++a) {
                   sum += rows.weight(a) * (rows.targets[a] == v ? 2 : 1);
                 }
                 strength[v] = sum;
               },
               {.stop = control.stop});
  control.check();
  return strength;
}

inline std::uint64_t sum_of(const machine::page_array<std::uint64_t>& values) {
  return parallel_reduce(std::uint64_t{0}, std::uint64_t{values.size()}, std::uint64_t{0},
                         [&](std::uint64_t i) { return values[i]; });
}

/// Calls f(rows) with the rows of an undirected graph. Throws usage_error for invalid weights.
template <class Vertex, class Function>
auto with_rows(const csr_graph<Vertex>& graph, const run_control& control, Function f) {
  const auto& out = graph.out();
  const std::uint64_t* begins = out.offsets.data();
  const std::uint64_t* ends = graph.vertices() == 0 ? nullptr : begins + 1;
  if (!graph.weighted()) {
    return f(weighted_rows<Vertex, unit_weights>{graph.vertices(), begins, ends, out.targets.data(), {}});
  }
  const double most = survey_weights(graph, "communities", control).most;
  return f(weighted_rows<Vertex, rounded_weights>{graph.vertices(), begins, ends, out.targets.data(),
                                                  round_weights(out.weights, graph.arcs(), most)});
}

/// Replaces the number of each vertex's community by the smallest vertex of the community.
inline void name_by_smallest(machine::page_array<std::uint64_t>& of, std::uint64_t communities) {
  constexpr std::uint64_t none = ~std::uint64_t{0};
  std::vector<std::uint64_t> names(communities, none);
  for (std::uint64_t v = 0; v < of.size(); ++v) {
    if (names[of[v]] == none) names[of[v]] = v;
  }
  parallel_for(std::uint64_t{0}, std::uint64_t{of.size()}, [&](std::uint64_t v) { of[v] = names[of[v]]; });
}

template <class Vertex>
communities_result communities_of(const csr_graph<Vertex>& graph, const communities_options& options,
                                  const run_control& control) {
  const bool labels = options.method == community_method::labels;
  communities_result result;
  result.of = machine::page_array<std::uint64_t>(graph.vertices());
  parallel_for(std::uint64_t{0}, graph.vertices(), [&](std::uint64_t v) { result.of[v] = v; });
  result.communities = graph.vertices();

  double chance = 0;
  // Does one level. Returns false if nothing moved; otherwise sets `next` to the coarse graph.
  const auto step = [&](const auto& rows, const machine::page_array<std::uint64_t>& strength,
                        std::optional<coarse_graph<Vertex>>* next) {
    if (control.report != nullptr) {
      control.report->begin(fmt::format("communities, level {}", result.levels.size() + 1), 0, "rounds");
    }
    community_moves moving(rows, strength, chance, control);
    result.levels.push_back(moving.run(next == nullptr));
    result.converged = moving.still();
    if (result.levels.back().moves == 0) return false;
    machine::page_array<Vertex>& community = moving.community();
    result.communities = number(community);
    parallel_for(std::uint64_t{0}, graph.vertices(), [&](std::uint64_t v) { result.of[v] = community[result.of[v]]; });
    if (next != nullptr) next->emplace(contract(rows, strength, community, result.communities, control));
    return true;
  };
  with_rows(graph, control, [&](const auto& rows) {
    machine::page_array<std::uint64_t> strength = strengths(rows, control);
    const std::uint64_t sum = sum_of(strength);
    if (labels || sum == 0) {
      step(rows, strength, nullptr);
      return;
    }
    chance = options.resolution / static_cast<double>(sum);
    std::optional<coarse_graph<Vertex>> coarse;
    bool moved = step(rows, strength, &coarse);
    strength = {};
    while (moved) {
      const coarse_graph<Vertex> now = std::move(*coarse);
      moved = step(now.rows(), now.strength, &coarse);
    }
  });
  name_by_smallest(result.of, result.communities);
  return result;
}

template <class Vertex>
double modularity_of(const csr_graph<Vertex>& graph, const machine::page_array<std::uint64_t>& of, double resolution,
                     const run_control& control) {
  return with_rows(graph, control, [&](const auto& rows) {
    machine::page_array<std::uint64_t> volume(rows.vertices);
    const std::uint64_t inside = parallel_reduce(
        std::uint64_t{0}, rows.vertices, std::uint64_t{0},
        [&](std::uint64_t v) {
          std::uint64_t mine = 0;
          std::uint64_t strength = 0;
          for (std::uint64_t a = rows.begins[v]; a != rows.ends[v]; ++a) {
            const std::uint64_t weight = rows.weight(a) * (rows.targets[a] == v ? 2 : 1);
            strength += weight;
            if (of[rows.targets[a]] == of[v]) mine += weight;
          }
          if (strength != 0) add_to(volume[of[v]], strength);
          return mine;
        },
        std::plus<>{}, loop_options{.stop = control.stop});
    control.check();
    const auto all = static_cast<double>(sum_of(volume));
    if (all == 0) return 0.0;
    double squares = 0;  // summed by one thread, always in the same order
    for (const std::uint64_t v : volume) squares += static_cast<double>(v) / all * (static_cast<double>(v) / all);
    return static_cast<double>(inside) / all - resolution * squares;
  });
}

}  // namespace callisto::graph
