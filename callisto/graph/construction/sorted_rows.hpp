// The rows of the arcs of a source: all passes of construction together.
#pragma once

#include <callisto/graph/construction/arc_reader.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstddef>
#include <cstdint>

namespace callisto::graph::construction {

/// The form of the weights of a source, which the rows keep.
enum class weight_form { none, short_ones, wide };

template <class Vertex>
weight_form form_of(const adjacency<Vertex>& rows) noexcept {
  if (rows.weights.empty()) return weight_form::none;
  return rows.weights.is_short() ? weight_form::short_ones : weight_form::wide;
}

/// Bytes of a weight of this form.
inline std::uint64_t bytes_of(weight_form form) noexcept {
  if (form == weight_form::none) return 0;
  return form == weight_form::short_ones ? sizeof(short_weight) : sizeof(double);
}

/// Returns the rows of the arcs that `rules` make of the edges of `source`, which is used up; adds to `tally`. Each row
/// begins with the row of `front`, if given; the targets and weights of `front` are discarded. Instances:
/// list_source and row_source of both vertex types (sorted_rows_32.cpp, sorted_rows_64.cpp). Throws usage_error if an
/// edge names a vertex outside the source's, cancelled, and std::bad_alloc.
template <class Vertex, class Source>
adjacency<Vertex> sorted_rows(Source& source, weight_form form, const row_rules& rules, const run_control& control,
                              row_tally& tally, adjacency<Vertex>* front = nullptr);

}  // namespace callisto::graph::construction
