// Splitting communities that hang together only through vertices outside of them.
#pragma once

#include <callisto/graph/communities/row_owners.hpp>
#include <callisto/graph/communities/rows.hpp>
#include <callisto/graph/components/disjoint_forest.hpp>
#include <callisto/graph/components/merged_forests.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/page_array.hpp>

#include <cstdint>

namespace callisto::graph {

/// Returns by vertex the smallest vertex of the connected part of its community. A split never lowers modularity: no
/// edge inside is lost, and chance counts for less.
template <class Vertex, class Weights>
machine::page_array<Vertex> connected_parts(const weighted_rows<Vertex, Weights>& rows,
                                            const machine::page_array<Vertex>& community, const run_control& control) {
  machine::page_array<Vertex> part(rows.vertices, machine::page_kind::used);
  const forest_words<Vertex> words{part.data()};
  const loop_options options{.stop = control.stop};
  parallel_for(std::uint64_t{0}, rows.vertices, [&](std::uint64_t v) { part[v] = static_cast<Vertex>(v); }, options);
  parallel_for(
      std::uint64_t{0}, rows.vertices,
      [&](std::uint64_t v) {
        for (std::uint64_t a = rows.begins[v]; a != rows.ends[v]; ++a) {
          const Vertex w = rows.targets[a];
          // Vertices that only a negative tie joins are better apart.
          if (Weights::have_sign && as_double(rows.weight(a)) < 0) continue;
          if (w < v && community[w] == community[v]) join(words, v, w);
        }
      },
      options);
  control.check();
  parallel_for(std::uint64_t{0}, rows.vertices, [&](std::uint64_t v) { compress(words, v); }, options);
  if (rows.owners != nullptr) {
    merge_forests(*rows.owners->among, part, control);
    share_first(*rows.owners->among, part);
  }
  return part;
}

}  // namespace callisto::graph
