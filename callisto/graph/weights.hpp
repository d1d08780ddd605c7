// What is known of a graph's weights when all have been looked at, and the refusal of those that are none.
#pragma once

#include <callisto/graph/graph.hpp>
#include <callisto/graph/progress.hpp>

#include <string_view>

namespace callisto::graph {

struct weight_survey {
  double most = 0;    ///< the largest
  bool whole = true;  ///< all are whole numbers
};

/// Looks at the weight of every out-arc, in parallel. Throws usage_error, which says that `what` needs weights of at
/// least 0, if one is negative, infinite or no number, and cancelled.
template <class Vertex>
weight_survey survey_weights(const csr_graph<Vertex>& graph, std::string_view what, const context& ctx);

}  // namespace callisto::graph
