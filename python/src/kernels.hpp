// What the bindings of kernels share.
#pragma once

#include "arrays.hpp"
#include "graph.hpp"
#include "names.hpp"
#include "run.hpp"

#include <callisto/graph.hpp>
#include <callisto/graph/csr/statistics.hpp>

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <vector>

namespace callisto::python {

/// Throws memory_error if bytes() bytes are not available. Work on small graphs is not worth the question.
template <class F>
void require(const held_graph& of, std::string_view what, F&& bytes) {
  if (by_arcs(of.any()) == place::watched) graph::require_memory(what, bytes());
}

/// Returns one member of each element as an array.
template <class Element, class Member>
nb::object column_of(const std::vector<Element>& of, Member Element::* member) {
  std::vector<Member> values;
  values.reserve(of.size());
  for (const Element& element : of) values.push_back(element.*member);
  return to_numpy(std::move(values));
}

/// Returns the distances as an array, infinity where there is none. Throws cancelled.
machine::page_array<double> all_of(const graph::distance_map& distances, const graph::run_control& control);

/// Returns the statistics as the package's dictionary.
nb::dict dictionary_of(const graph::graph_statistics& made, bool directed);

}  // namespace callisto::python
