// The coarse graph: the graph of communities, on which the next level of the Louvain method works.
#pragma once

#include <callisto/graph/communities/level.hpp>
#include <callisto/graph/communities/moves.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

namespace callisto::graph {

/// A graph with a vertex for each community of another graph.
template <class Vertex>
struct coarse_graph {
  machine::page_array<std::uint64_t> begins;  ///< of rows; each has the room of the longest that it could be
  machine::page_array<std::uint64_t> ends;
  machine::page_array<Vertex> targets;
  machine::page_array<std::uint64_t> weights;
  machine::page_array<std::uint64_t> strength;

  weighted_rows<Vertex, whole_weights> rows() const noexcept {
    return {strength.size(), begins.data(), ends.data(), targets.data(), {weights.data()}};
  }
};

/// Numbers the communities 0, 1, ... in the order of the vertices that name them. Returns how many there are.
template <class Vertex>
std::uint64_t number(machine::page_array<Vertex>& community) {
  machine::page_array<Vertex> names(community.size());
  parallel_for(std::uint64_t{0}, community.size(), [&](std::uint64_t v) { mark(names[community[v]]); });
  Vertex next = 0;
  for (Vertex& name : names) name = name != 0 ? next++ : 0;
  parallel_for(std::uint64_t{0}, community.size(), [&](std::uint64_t v) { community[v] = names[community[v]]; });
  return next;
}

/// Returns the graph of `communities` numbered communities, without edges inside of them: these count for no move.
template <class Vertex, class Weights>
coarse_graph<Vertex> contract(const weighted_rows<Vertex, Weights>& rows,
                              const machine::page_array<std::uint64_t>& strength,
                              const machine::page_array<Vertex>& community, std::uint64_t communities,
                              const run_control& control) {
  const loop_options options{.stop = control.stop};
  coarse_graph<Vertex> coarse;
  coarse.begins = machine::page_array<std::uint64_t>(communities);
  coarse.ends = machine::page_array<std::uint64_t>(communities);
  coarse.strength = machine::page_array<std::uint64_t>(communities);
  machine::page_array<std::uint64_t> places(communities);
  parallel_for(
      std::uint64_t{0}, rows.vertices,
      [&](std::uint64_t v) {
        add_to(places[community[v]], 1);
        add_to(coarse.ends[community[v]], rows.degree(v));  // a bound on the length of its row
      },
      options);
  std::uint64_t members = 0;
  std::uint64_t arcs = 0;
  for (std::uint64_t c = 0; c < communities; ++c) {
    members += std::exchange(places[c], members);
    coarse.begins[c] = arcs;
    arcs += std::min(coarse.ends[c], communities - 1);
  }
  machine::page_array<Vertex> vertices(rows.vertices);
  parallel_for(
      std::uint64_t{0}, rows.vertices,
      [&](std::uint64_t v) {
        // relaxed: places are reserved in any order, because the sums are exact.
        const std::uint64_t at = std::atomic_ref(places[community[v]]).fetch_add(1, std::memory_order_relaxed);
        vertices[at] = static_cast<Vertex>(v);
      },
      options);
  control.check();
  // places[c] is the end of c's vertices. Small pages: the gaps between rows are never touched.
  coarse.targets = machine::page_array<Vertex>(arcs, machine::page_kind::small);
  coarse.weights = machine::page_array<std::uint64_t>(arcs, machine::page_kind::small);
  std::vector<weight_table<Vertex>> tables(threads());
  parallel_for(
      std::uint64_t{0}, communities,
      [&](std::uint64_t c) {
        weight_table<Vertex>& table = tables[this_thread()];
        std::uint64_t sum = 0;
        table.collect(std::min(coarse.ends[c], communities), [&](auto add_up) {
          for (std::uint64_t i = c == 0 ? 0 : places[c - 1]; i != places[c]; ++i) {
            const Vertex v = vertices[i];
            sum += strength[v];
            for (std::uint64_t a = rows.begins[v]; a != rows.ends[v]; ++a) {
              const Vertex to = community[rows.targets[a]];
              if (to != c) add_up(to, rows.weight(a));
            }
          }
        });
        std::uint64_t at = coarse.begins[c];
        table.for_each([&](Vertex to, std::uint64_t weight) {
          coarse.targets[at] = to;
          coarse.weights[at++] = weight;
        });
        coarse.ends[c] = at;
        coarse.strength[c] = sum;
      },
      options);
  control.check();
  return coarse;
}

}  // namespace callisto::graph
