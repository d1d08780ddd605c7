// The coarse graph: the graph of parts, on which the next level works.
#pragma once

#include <callisto/graph/communities/level.hpp>
#include <callisto/graph/communities/moves.hpp>
#include <callisto/graph/communities/row_owners.hpp>
#include <callisto/graph/communities/rows.hpp>
#include <callisto/loop/parallel_for.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace callisto::graph {

/// A graph with a vertex for each part of another graph.
template <class Vertex, class Weights>
struct coarse_graph {
  machine::page_array<std::uint64_t> begins;  ///< of rows; each has the room of the longest that it could be
  machine::page_array<std::uint64_t> ends;
  machine::page_array<Vertex> targets;
  machine::page_array<std::uint64_t> weights;
  mass_arrays mass;
  std::unique_ptr<const row_owners> owners;  ///< null: all rows are here

  weighted_rows<Vertex, coarse_weights<Weights>> rows() const noexcept {
    return {begins.size(), begins.data(), ends.data(), targets.data(), {weights.data()}, owners.get()};
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

/// Returns bounds of the vertices, so that each process gets about as many arcs as each other one. A row has parts at
/// all processes. `all`: becomes the number of arcs of all processes.
template <class Vertex, class Weights>
std::vector<std::uint64_t> bounds_by_arcs(const coarse_graph<Vertex, Weights>& graph, partners& among,
                                          std::uint64_t& all) {
  constexpr std::uint64_t most_blocks = 1024;
  const std::uint64_t vertices = graph.begins.size();
  const std::uint64_t each = std::max<std::uint64_t>(1, (vertices + most_blocks - 1) / most_blocks);
  const std::uint64_t blocks = (vertices + each - 1) / each;
  std::vector<std::uint64_t> bounds;
  for (std::size_t p = 0; p <= among.count(); ++p) bounds.push_back(p * blocks);
  std::vector<std::uint64_t> arcs(bounds.back());
  for (std::uint64_t v = 0; v != vertices; ++v) {
    arcs[bounds[among.number()] + v / each] += graph.ends[v] - graph.begins[v];
  }
  among.share(arcs.data(), bounds);
  std::vector<std::uint64_t> before(blocks + 1);  // a vertex weighs as much as two arcs
  all = 0;
  for (std::uint64_t b = 0; b != blocks; ++b) {
    std::uint64_t sum = 0;
    for (std::size_t p = 0; p != among.count(); ++p) sum += arcs[p * blocks + b];
    all += sum;
    before[b + 1] = before[b] + sum + 2 * (std::min(vertices, (b + 1) * each) - b * each);
  }
  std::vector<std::uint64_t> parts{0};
  for (std::size_t p = 1; p < among.count(); ++p) {
    const std::uint64_t wanted = before.back() / among.count() * p;
    const auto block = std::lower_bound(before.begin(), before.end(), wanted) - before.begin();
    parts.push_back(std::min(vertices, static_cast<std::uint64_t>(block) * each));
  }
  parts.push_back(vertices);
  return parts;
}

/// Replaces the rows, which have parts at all processes, by whole rows: each process gets those of some vertices, or
/// all if they take little memory. `arcs_above`: those of the graph that was contracted.
template <class Vertex, class Weights>
void unite_rows(coarse_graph<Vertex, Weights>& graph, partners& among, std::uint64_t arcs_above,
                weight_tables<Vertex>& tables, const run_control& control) {
  const std::uint64_t vertices = graph.begins.size();
  std::uint64_t all = 0;
  auto owners = std::make_unique<row_owners>(row_owners{&among, bounds_by_arcs(graph, among, all)});
  std::vector<std::uint64_t> lengths(vertices);
  std::vector<std::uint64_t> arcs(among.count());  // by process to which they go
  std::uint64_t sent = 0;
  for (std::uint64_t v = 0; v != vertices; ++v) sent += graph.ends[v] - graph.begins[v];
  std::vector<Vertex> targets;
  std::vector<std::uint64_t> weights;
  targets.reserve(sent);
  weights.reserve(sent);
  for (std::size_t p = 0; p != among.count(); ++p) {
    for (std::uint64_t v = owners->bounds[p]; v != owners->bounds[p + 1]; ++v) {
      lengths[v] = graph.ends[v] - graph.begins[v];
      arcs[p] += lengths[v];
      targets.insert(targets.end(), graph.targets.begin() + graph.begins[v], graph.targets.begin() + graph.ends[v]);
      weights.insert(weights.end(), graph.weights.begin() + graph.begins[v], graph.weights.begin() + graph.ends[v]);
    }
  }
  graph.targets = {};
  graph.weights = {};
  std::vector<std::uint64_t> begins = among.exchange(lengths, sizes_of(owners->bounds));
  targets = among.exchange(targets, arcs);
  weights = among.exchange(weights, arcs);
  // begins[p * own + i]: where the arcs from process p of own row i begin.
  const std::uint64_t own = owners->last() - owners->first();
  std::uint64_t sum = 0;
  for (std::uint64_t& n : begins) sum += std::exchange(n, sum);
  begins.push_back(sum);
  graph.begins = machine::page_array<std::uint64_t>(vertices);
  graph.ends = machine::page_array<std::uint64_t>(vertices);
  for (std::uint64_t i = 0, at = 0; i != own; ++i) {
    graph.begins[owners->first() + i] = at;
    for (std::size_t p = 0; p != among.count(); ++p) at += begins[p * own + i + 1] - begins[p * own + i];
  }
  // Small pages: where parts of a row had the same target, the end of its room is never touched.
  graph.targets = machine::page_array<Vertex>(sum, machine::page_kind::small);
  graph.weights = machine::page_array<std::uint64_t>(sum, machine::page_kind::small);
  parallel_for(
      std::uint64_t{0}, own,
      [&](std::uint64_t i) {
        weight_table<Vertex>& table = tables[this_thread()];
        table.collect([&](auto add_up) {
          for (std::size_t p = 0; p != among.count(); ++p) {
            for (std::uint64_t a = begins[p * own + i]; a != begins[p * own + i + 1]; ++a)
              add_up(targets[a], weights[a]);
          }
        });
        std::uint64_t at = graph.begins[owners->first() + i];
        table.for_each([&](Vertex to, std::uint64_t weight) {
          graph.targets[at] = to;
          graph.weights[at++] = weight;
        });
        graph.ends[owners->first() + i] = at;
      },
      loop_options{.stop = control.stop});
  control.check();
  graph.owners = std::move(owners);
  // An arc of a coarse graph takes three times the memory of one of the input.
  if (vertices >= few_vertices && all > arcs_above / (4 * among.count())) return;
  gathered_rows<Vertex> whole = gather_all_rows(graph.rows());
  graph.begins = std::move(whole.begins);
  graph.ends = std::move(whole.ends);
  graph.targets = std::move(whole.targets);
  graph.weights = std::move(whole.weights);
  graph.owners = nullptr;
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
  // Weights with a sign are those of one process.
  if constexpr (!Weights::have_sign) {
    if (rows.owners != nullptr) unite_rows(coarse, *rows.owners->among, arcs_of_all(rows), tables, control);
  }
  return coarse;
}

}  // namespace callisto::graph
