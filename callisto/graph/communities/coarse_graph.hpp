// The coarse graph: the graph of parts, on which the next level works.
#pragma once

#include <callisto/graph/communities/level.hpp>
#include <callisto/graph/communities/moves.hpp>
#include <callisto/graph/communities/rows.hpp>
#include <callisto/loop/parallel_for.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

namespace callisto::graph {

/// A graph with a vertex for each part of another graph.
template <class Vertex, class Weights>
struct coarse_graph {
  machine::page_array<std::uint64_t> begins;  ///< of rows; each has the room of the longest that it could be
  machine::page_array<std::uint64_t> ends;
  machine::page_array<Vertex> targets;
  machine::page_array<std::uint64_t> weights;
  mass_arrays mass;

  weighted_rows<Vertex, coarse_weights<Weights>> rows() const noexcept {
    return {begins.size(), begins.data(), ends.data(), targets.data(), {weights.data()}};
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

/// Returns the graph of `parts` numbered parts, without edges inside of them: these count for no move.
template <class Vertex, class Weights>
coarse_graph<Vertex, Weights> contract(const weighted_rows<Vertex, Weights>& rows, const mass_arrays& mass,
                                       const machine::page_array<Vertex>& part, std::uint64_t parts,
                                       weight_tables<Vertex>& tables, const run_control& control) {
  const loop_options options{.stop = control.stop};
  const bool both = !mass.in.empty();
  coarse_graph<Vertex, Weights> coarse;
  coarse.begins = machine::page_array<std::uint64_t>(parts);
  coarse.ends = machine::page_array<std::uint64_t>(parts);
  coarse.mass = mass_arrays::of(parts, both);
  machine::page_array<std::uint64_t> places(parts);
  parallel_for(
      std::uint64_t{0}, rows.vertices,
      [&](std::uint64_t v) {
        add_to(places[part[v]], 1);
        add_to(coarse.ends[part[v]], rows.degree(v));  // a bound on the length of its row
      },
      options);
  std::uint64_t members = 0;
  std::uint64_t arcs = 0;
  for (std::uint64_t c = 0; c < parts; ++c) {
    members += std::exchange(places[c], members);
    coarse.begins[c] = arcs;
    arcs += std::min(coarse.ends[c], parts - 1);
  }
  machine::page_array<Vertex> vertices(rows.vertices, machine::page_kind::used);
  parallel_for(
      std::uint64_t{0}, rows.vertices,
      [&](std::uint64_t v) {
        // relaxed: places are reserved in any order, because the sums are exact.
        const std::uint64_t at = std::atomic_ref(places[part[v]]).fetch_add(1, std::memory_order_relaxed);
        vertices[at] = static_cast<Vertex>(v);
      },
      options);
  control.check();
  // places[c] is the end of c's vertices. Small pages: the gaps between rows are never touched.
  coarse.targets = machine::page_array<Vertex>(arcs, machine::page_kind::small);
  coarse.weights = machine::page_array<std::uint64_t>(arcs, machine::page_kind::small);
  parallel_for(
      std::uint64_t{0}, parts,
      [&](std::uint64_t c) {
        weight_table<Vertex>& table = tables[this_thread()];
        std::uint64_t out = 0;
        std::uint64_t in = 0;
        table.template collect<Weights::have_sign>([&](auto add_up) {
          each_fetched(rows, vertices, c == 0 ? 0 : places[c - 1], places[c], rows.vertices, [&](Vertex v) {
            out += mass.out[v];
            if (both) in += mass.in[v];
            for (std::uint64_t a = rows.begins[v], end = rows.ends[v]; a != end; ++a) {
              const Vertex to = part[rows.targets[a]];
              if (to != c) add_up(to, rows.weight(a));
            }
          });
        });
        std::uint64_t at = coarse.begins[c];
        table.template for_each<Weights::have_sign>([&](Vertex to, std::uint64_t weight) {
          coarse.targets[at] = to;
          coarse.weights[at++] = weight;
        });
        coarse.ends[c] = at;
        coarse.mass.out[c] = out;
        if (both) coarse.mass.in[c] = in;
      },
      options);
  control.check();
  return coarse;
}

}  // namespace callisto::graph
