// The templates of sssp.hpp: the choice of the method and of the forms of distances and weights. Included by sssp.cpp
// and sssp_64.cpp, which compile them for 32-bit and for 64-bit vertices.
#pragma once

#include <callisto/graph/csr/weights.hpp>
#include <callisto/graph/sssp/choose_delta.hpp>
#include <callisto/graph/sssp/delta_stepping.hpp>
#include <callisto/graph/sssp/nearby_dijkstra.hpp>
#include <callisto/graph/sssp/sssp.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

namespace callisto::graph {

template <class Vertex>
void check_sssp_arguments(const csr_graph<Vertex>& graph, const sssp_options& options) {
  if (!graph.weighted() && graph.arcs() != 0) throw usage_error("the graph has no weights, which distances need");
  if (!(options.delta >= 0) || options.delta > std::numeric_limits<double>::max()) {
    throw usage_error("the width of a bucket must be above 0");
  }
}

template <class Vertex>
void check_sssp_source(const csr_graph<Vertex>& graph, std::uint64_t source) {
  if (source < graph.vertices()) return;
  throw usage_error(fmt::format("the source is vertex {} of a graph that has {}", source, graph.vertices()));
}

template <class Vertex>
class sssp_search<Vertex>::implementation {
 public:
  /// If `ready`, gathers the light arcs at once. Distances take 32 bits if all weights are whole and no path is too
  /// long for that.
  implementation(const csr_graph<Vertex>& graph, const sssp_options& options, bool ready, const run_control& control)
      : graph_(graph) {
    check_sssp_arguments(graph, options);
    const weight_survey found = survey_weights(graph, "shortest paths", control);
    const delta_choice choice = choose_delta(graph, options.delta);
    delta = choice.delta;
    light = choice.light;
    const double longest = found.most * static_cast<double>(graph.vertices());
    const auto make = [&]<class Search>(std::type_identity<Search>, bool may_overflow) {
      search_.template emplace<Search>(graph, choice, may_overflow, ready, control);
    };
    const bool fits = found.whole && longest < no_distance<std::uint32_t>;
    if (graph.has_short_weights()) {
      fits ? make(std::type_identity<whole_of_short>{}, false) : make(std::type_identity<real_of_short>{}, false);
    } else {
      fits ? make(std::type_identity<whole>{}, false)
           : make(std::type_identity<real>{}, longest > std::numeric_limits<double>::max());
    }
  }

  sssp_result from(std::uint64_t source, const run_control& control) {
    check_sssp_source(graph_, source);
    return std::visit(
        [&](auto& search) {
          if constexpr (requires { search.from(source, control); }) {
            return search.from(source, control);
          } else {
            return sssp_result{};
          }
        },
        search_);
  }

  std::uint64_t light_arcs() const noexcept {
    return std::visit(
        [](const auto& search) {
          if constexpr (requires { search.light_arcs(); }) {
            return search.light_arcs();
          } else {
            return std::uint64_t{0};
          }
        },
        search_);
  }

  double delta = 1;
  double light = sssp_result::unreached;

 private:
  using real = delta_stepping<Vertex, double, double>;
  using whole = delta_stepping<Vertex, std::uint32_t, double>;
  using real_of_short = delta_stepping<Vertex, double, short_weight>;
  using whole_of_short = delta_stepping<Vertex, std::uint32_t, short_weight>;

  const csr_graph<Vertex>& graph_;
  std::variant<std::monostate, real, whole, real_of_short, whole_of_short> search_;
};

template <class Vertex>
sssp_search<Vertex>::sssp_search(const csr_graph<Vertex>& graph, const sssp_options& options,
                                 const run_control& control)
    : implementation_(std::make_unique<implementation>(graph, options, true, control)) {}
template <class Vertex>
sssp_search<Vertex>::sssp_search(sssp_search&&) noexcept = default;
template <class Vertex>
sssp_search<Vertex>& sssp_search<Vertex>::operator=(sssp_search&&) noexcept = default;
template <class Vertex>
sssp_search<Vertex>::~sssp_search() = default;
template <class Vertex>
double sssp_search<Vertex>::delta() const noexcept {
  return implementation_->delta;
}
template <class Vertex>
double sssp_search<Vertex>::light() const noexcept {
  return implementation_->light;
}
template <class Vertex>
std::uint64_t sssp_search<Vertex>::light_arcs() const noexcept {
  return implementation_->light_arcs();
}
template <class Vertex>
sssp_result sssp_search<Vertex>::from(std::uint64_t source, const run_control& control) {
  return implementation_->from(source, control);
}

template <class Vertex>
sssp_result sssp(const csr_graph<Vertex>& graph, std::uint64_t source, const sssp_options& options,
                 const run_control& control) {
  check_sssp_arguments(graph, options);
  check_sssp_source(graph, source);
  survey_weights(graph, "shortest paths", control);
  control.check();
  // Arcs; more of them are worth several threads, which wait meanwhile.
  constexpr std::uint64_t most_nearby = 1 << 20;
  const std::uint64_t nearby =
      std::min(graph.arcs() / delta_limits::arcs_before_preparing, most_nearby) / std::max(1u, threads() / 2);
  auto found = graph.out().weights.visit([&](auto weights) { return search_nearby(graph, weights, source, nearby); });
  if (found) return std::move(*found);
  return typename sssp_search<Vertex>::implementation(graph, options, false, control).from(source, control);
}

}  // namespace callisto::graph
