// A shortest path by A*, with places as the guide.
#include <callisto/graph/pair/arguments.hpp>
#include <callisto/graph/pair/met_vertices.hpp>
#include <callisto/graph/pair/pair.hpp>
#include <callisto/graph/sssp/paths.hpp>
#include <callisto/loop/parallel_reduce.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace callisto::graph {
namespace {

/// The straight way is taken to be shorter by this, so that rounding never makes it longer than a path.
constexpr double margin = 1 - 1e-9;

/// The shortest way that may be left from a vertex to the target.
class straight_way {
 public:
  straight_way(std::span<const double> x, std::span<const double> y, std::uint64_t target)
      : x_(x), y_(y), to_(target) {}

  double between(std::uint64_t u, std::uint64_t v) const noexcept { return std::hypot(x_[u] - x_[v], y_[u] - y_[v]); }
  double left(std::uint64_t v) const noexcept { return factor_ * between(v, to_); }

  /// Finds the least length of an arc by the straight way between its ends.
  template <class Vertex, class Lengths>
  void fit(const adjacency<Vertex>& rows, Lengths lengths, const run_control& control) {
    const double least = parallel_reduce(
        std::uint64_t{0}, rows.offsets.size() - 1, std::numeric_limits<double>::infinity(),
        [&](std::uint64_t begin, std::uint64_t end, double all) {
          for (std::uint64_t v = begin; v < end; ++v) {
            for (std::uint64_t a = rows.offsets[v]; a != rows.offsets[v + 1]; ++a) {
              const double straight = between(v, rows.targets[a]);
              if (straight > 0) all = std::min(all, static_cast<double>(lengths[a]) / straight);
            }
          }
          return all;
        },
        [](double a, double b) { return std::min(a, b); }, loop_options{.stop = control.stop});
    control.check();
    factor_ = std::isfinite(least) ? margin * least : 0;
  }

 private:
  std::span<const double> x_;
  std::span<const double> y_;
  std::uint64_t to_;
  double factor_ = 0;
};

template <class Vertex>
struct guided_place {
  double distance;
  double in_all;  ///< with the way that may be left
  Vertex parent;  ///< by number
};

template <class Vertex, class Lengths>
pair_result search_guided(const csr_graph<Vertex>& graph, Lengths lengths, std::uint64_t source, std::uint64_t target,
                          const straight_way& guide, const run_control& control) {
  const adjacency<Vertex>& rows = graph.out();
  met_vertices<Vertex, guided_place<Vertex>> met;
  waiting_queue<Vertex> waiting;
  met.add(static_cast<Vertex>(source), {0, guide.left(source), 0});
  waiting.emplace(guide.left(source), Vertex{0});
  pair_result result;
  for (std::uint64_t step = 0; !waiting.empty(); ++step) {
    if (step % steps_between_checks == 0) control.check();
    const auto [in_all, number] = waiting.top();
    waiting.pop();
    const auto here = met[number];
    if (in_all != here.value.in_all) continue;
    const std::uint64_t v = here.vertex;
    if (v == target) {
      for (std::size_t i = number; i != 0; i = met[i].value.parent) result.path.vertices.push_back(met[i].vertex);
      result.path.vertices.push_back(source);
      std::reverse(result.path.vertices.begin(), result.path.vertices.end());
      result.path.length = here.value.distance;
      break;
    }
    result.looked_at += rows.degree(v);
    for (std::uint64_t a = rows.offsets[v]; a != rows.offsets[v + 1]; ++a) {
      const Vertex w = rows.targets[a];
      const double to = here.value.distance + static_cast<double>(lengths[a]);
      if (to == std::numeric_limits<double>::infinity()) continue;  // longer than any double
      const auto [at, is_new] = met.add(w, {to, 0, number});
      if (!is_new && !(to < met[at].value.distance)) continue;
      met[at].value = {to, to + guide.left(w), number};
      waiting.emplace(met[at].value.in_all, static_cast<Vertex>(at));
    }
  }
  return result;
}

}  // namespace

template <class Vertex>
pair_result guided_path_between(const csr_graph<Vertex>& graph, std::uint64_t source, std::uint64_t target,
                                std::span<const double> x, std::span<const double> y, const pair_options& options,
                                const run_control& control) {
  check_pair(graph, source, target, options, control);
  const auto finite = [](double c) { return std::isfinite(c); };
  if (x.size() != graph.vertices() || y.size() != graph.vertices() || !std::all_of(x.begin(), x.end(), finite) ||
      !std::all_of(y.begin(), y.end(), finite)) {
    throw usage_error("expected a place of each vertex, of finite numbers");
  }
  if (source == target) return {{0, {source}}, 0};
  return with_lengths(graph, options.weighted, [&](auto out, auto) {
    straight_way guide(x, y, target);
    guide.fit(graph.out(), out, control);
    return search_guided(graph, out, source, target, guide, control);
  });
}

template CALLISTO_API pair_result guided_path_between(const csr_graph<std::uint32_t>&, std::uint64_t, std::uint64_t,
                                                      std::span<const double>, std::span<const double>,
                                                      const pair_options&, const run_control&);
template CALLISTO_API pair_result guided_path_between(const csr_graph<std::uint64_t>&, std::uint64_t, std::uint64_t,
                                                      std::span<const double>, std::span<const double>,
                                                      const pair_options&, const run_control&);

}  // namespace callisto::graph
