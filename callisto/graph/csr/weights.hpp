// Looking at a graph's weights, and the refusal of those that are none.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/csr/weight_array.hpp>
#include <callisto/graph/csr/weight_survey.hpp>
#include <callisto/machine/system/error.hpp>

#include <span>
#include <string_view>

namespace callisto::graph {

/// What is known when these have been looked at, too; as fast as memory.
weight_survey survey(std::span<const double> weights, weight_survey found = {}) noexcept;
weight_survey survey(std::span<const short_weight> weights, weight_survey found = {}) noexcept;

/// A graph has a weight that what is asked for cannot use.
class CALLISTO_API weight_error : public usage_error {
 public:
  using usage_error::usage_error;
};

/// Throws weight_error about the first out-arc whose weight is negative, infinite or no number, of which there is one:
/// `what` needs weights of at least 0.
template <class Vertex>
[[noreturn]] void refuse_weights(const csr_graph<Vertex>& graph, std::string_view what);

/// What is known of the weight of every out-arc: at once if the graph knows it, else they are looked at, in parallel.
/// Throws as refuse_weights does if it must, and cancelled.
template <class Vertex>
weight_survey survey_weights(const csr_graph<Vertex>& graph, std::string_view what, const run_control& control);

/// What there is to know of the weights of its out-arcs, which are looked at, in parallel. Refuses none. Throws
/// cancelled.
template <class Vertex>
weight_survey look_at_weights(const csr_graph<Vertex>& graph, const run_control& control);

/// The same graph, which knows of its weights, if it has any, and has them as short ones if all are. Refuses none.
/// Throws cancelled and std::bad_alloc.
template <class Vertex>
csr_graph<Vertex> surveyed(csr_graph<Vertex>&& graph, const run_control& control);

}  // namespace callisto::graph
