// The definition of sorted_rows(), for the two files that instantiate it.
#pragma once

#include <callisto/graph/construction/edge_sources.hpp>
#include <callisto/graph/construction/row_builder.hpp>
#include <callisto/graph/construction/sorted_rows.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace callisto::graph::construction {

/// sorted_rows() with weights of one form.
template <class Vertex, class Weight, class Source>
adjacency<Vertex> weighted_rows(Source& source, const row_rules& rules, adjacency<Vertex>* front,
                                const run_control& control, row_tally& tally) {
  const key_layout layout(source.vertices(), source.edges());
  arc_reader<Vertex, Source> arcs(source, layout, rules, control);
  row_tally met;
  std::vector<bucket> buckets = arcs.count(met);
  tally.self_loops += met.self_loops;
  const auto with_key = [&]<class Key>() {
    row_builder<Vertex, Key, Weight> builder(layout, rules, std::move(buckets), met.self_loops != 0, front, control);
    arcs.template place<Weight>(builder.buckets(), [&] { return builder.make_put(); });
    return builder.finish(tally);
  };
  // 64-bit vertices mean more vertices than 32 bits can name, and so keys of more than 48 bits. Smaller graphs with
  // 64-bit vertices use the widest key, too: builders for them would only cost compile time.
  if constexpr (sizeof(Vertex) == 4 && std::is_same_v<Weight, short_weight>) {
    if (layout.key_bits() <= 48) return with_key.template operator()<weighted_key48>();
  } else if constexpr (sizeof(Vertex) == 4) {
    if (layout.key_bits() <= 32) return with_key.template operator()<std::uint32_t>();
    if (layout.key_bits() <= 48) return with_key.template operator()<key48>();
  }
  return with_key.template operator()<std::uint64_t>();
}

template <class Vertex, class Source>
adjacency<Vertex> sorted_rows(Source& source, weight_form form, const row_rules& rules, const run_control& control,
                              row_tally& tally, adjacency<Vertex>* front) {
  switch (form) {
    case weight_form::none:
      return weighted_rows<Vertex, no_weight>(source, rules, front, control, tally);
    case weight_form::short_ones:
      return weighted_rows<Vertex, short_weight>(source, rules, front, control, tally);
    case weight_form::wide:
      return weighted_rows<Vertex, double>(source, rules, front, control, tally);
  }
  __builtin_unreachable();
}

}  // namespace callisto::graph::construction
