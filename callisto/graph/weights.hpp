// What is known of a graph's weights when all have been looked at, and the refusal of those that are none.
#pragma once

#include <callisto/graph/graph.hpp>
#include <callisto/graph/progress.hpp>

#include <algorithm>
#include <limits>
#include <span>
#include <string_view>

namespace callisto::graph {

struct weight_survey {
  double most = 0;     ///< the largest
  bool wrong = false;  ///< one is negative or no number
  bool whole = true;   ///< all are whole numbers

  /// Whether no distance or sum can be made of one of them.
  bool refused() const noexcept { return wrong || most > std::numeric_limits<double>::max(); }

  friend weight_survey operator+(weight_survey a, weight_survey b) noexcept {
    return {std::max(a.most, b.most), a.wrong || b.wrong, a.whole && b.whole};
  }
};

/// What is known when these have been looked at, too; as fast as memory.
weight_survey survey(std::span<const double> weights, weight_survey found = {}) noexcept;

/// Throws usage_error about the first out-arc whose weight is negative, infinite or no number, of which there is one:
/// `what` needs weights of at least 0.
template <class Vertex>
[[noreturn]] void refuse_weights(const csr_graph<Vertex>& graph, std::string_view what);

/// Looks at the weight of every out-arc, in parallel. Throws as refuse_weights does if it must, and cancelled.
template <class Vertex>
weight_survey survey_weights(const csr_graph<Vertex>& graph, std::string_view what, const context& ctx);

}  // namespace callisto::graph
