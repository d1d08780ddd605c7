// Surveys of a graph's weights, and the refusal of weights that kernels cannot use.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/partners.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/csr/weight_array.hpp>
#include <callisto/graph/csr/weight_survey.hpp>
#include <callisto/machine/system/error.hpp>

#include <span>
#include <string_view>

namespace callisto::graph {

/// Returns `found` combined with the survey of `weights`. Runs at the speed of memory.
weight_survey survey(std::span<const double> weights, weight_survey found = {}) noexcept;
weight_survey survey(std::span<const short_weight> weights, weight_survey found = {}) noexcept;

/// Thrown if a graph has a weight that a kernel cannot use.
class CALLISTO_API weight_error : public usage_error {
 public:
  using usage_error::usage_error;
};

/// Throws weight_error that names the first out-arc with a negative, infinite or NaN weight; the graph has one. The
/// message says that `what` need weights of at least 0.
template <class Vertex>
[[noreturn]] void refuse_weights(const csr_graph<Vertex>& graph, std::string_view what);

/// Returns the survey of the weights of all out-arcs: the graph's own, or one made in parallel. Throws what
/// refuse_weights() throws if a weight cannot be used, and cancelled.
template <class Vertex>
weight_survey survey_weights(const csr_graph<Vertex>& graph, std::string_view what, const run_control& control);

/// Surveys the weights as survey_weights() does, together with control.among if that is not null: each process surveys
/// its rows. Where the result is told, weight_error names the arc; elsewhere it does not.
template <class Vertex>
CALLISTO_API weight_survey survey_weights_among(const csr_graph<Vertex>& graph, std::string_view what,
                                                const shared_control& control);

/// Surveys the weights of all out-arcs, in parallel; accepts all weights. Throws cancelled.
template <class Vertex>
CALLISTO_API weight_survey look_at_weights(const csr_graph<Vertex>& graph, const run_control& control);

/// Returns the graph's own survey, or one made together with control.among, if that is not null; accepts all weights.
template <class Vertex>
weight_survey survey_of_among(const csr_graph<Vertex>& graph, const shared_control& control);

/// Returns the weights in the short form if all of them are short, converted in parallel. Throws cancelled and
/// std::bad_alloc.
weight_array in_least_room(machine::page_array<double> wide, const run_control& control);

/// Returns the graph's own survey, or else look_at_weights().
template <class Vertex>
weight_survey survey_of(const csr_graph<Vertex>& graph, const run_control& control) {
  return graph.known_weights() ? *graph.known_weights() : look_at_weights(graph, control);
}

/// Returns the same graph with a survey of its weights, and with short weights if all are short; accepts all weights.
/// Throws cancelled and std::bad_alloc.
template <class Vertex>
csr_graph<Vertex> surveyed(csr_graph<Vertex>&& graph, const run_control& control);

}  // namespace callisto::graph
