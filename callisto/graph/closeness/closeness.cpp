// Closeness: the loops over sources, and the scores made of their sums.
#include <callisto/graph/closeness/closeness.hpp>
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/graph/multisource/bit_search.hpp>
#include <callisto/graph/multisource/lane_search.hpp>
#include <callisto/graph/multisource/length_rows.hpp>
#include <callisto/graph/multisource/sample.hpp>
#include <callisto/graph/multisource/state_pool.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace callisto::graph {
namespace {

/// Sums for a vertex over the distances between it and the sources: how many reach, and the sums of their values and
/// squares. A value is a distance, or its reciprocal if harmonic. Whole values are summed exactly.
template <class Sum>
struct distance_sums {
  std::uint64_t reached = 0;  ///< sources that reach the vertex, itself not
  Sum sum{};
  double squares = 0;

  void operator+=(const distance_sums& o) noexcept {
    reached += o.reached;
    sum += o.sum;
    squares += o.squares;
  }
};

/// A search's memory, and the sums over all its searches.
template <class Search, class Sum>
struct closeness_state {
  template <class... Parts>
  explicit closeness_state(std::uint64_t vertices, const Parts&... parts)
      : search(parts...), sums(vertices, machine::page_kind::used) {
    std::fill(sums.begin(), sums.end(), distance_sums<Sum>{});
  }
  Search search;
  machine::page_array<distance_sums<Sum>> sums;
};

/// Makes the scores of a vertex from its sums.
class scoring {
 public:
  /// `unit`: the value that a sum's 1 stands for.
  scoring(std::uint64_t vertices, std::uint64_t sources, const closeness_options& options, double unit)
      : others_(static_cast<double>(vertices) - 1),
        sources_(static_cast<double>(sources)),
        options_(options),
        unit_(unit),
        exact_(sources == vertices) {}

  bool exact() const noexcept { return exact_; }

  /// Learns the size of a usual term from the sums of all vertices together.
  void learn(double sum, double squares) noexcept {
    usual_ = usual_term(sum * unit_, squares * unit_ * unit_, std::numeric_limits<double>::infinity());
  }

  /// Returns the score and, unless exact, its standard error. `chosen`: the vertex is a source itself. `nearest`: the
  /// largest reciprocal of a distance that the vertex may have; 0 if no other vertex reaches it.
  template <class Sum>
  std::pair<double, double> of(const distance_sums<Sum>& of, bool chosen, double nearest) const noexcept {
    const double k = sources_ - (chosen ? 1 : 0);
    if (others_ < 1) return {0, 0};
    if (k < 1) return {0, exact_ || nearest == 0 ? 0 : std::numeric_limits<double>::infinity()};
    const auto reached = static_cast<double>(of.reached);
    const double sum = static_cast<double>(of.sum) * unit_;
    const double squares = of.squares * unit_ * unit_;
    if (options_.harmonic) {
      const double scale = options_.normalized ? 1 : others_;
      return {scale * sum / k, scale * error_of_mean(sum, squares, k, others_, std::min(usual_, nearest))};
    }
    if (!(sum > 0)) return {0, nearest * error_of_mean(0, 0, k, others_, 1)};
    const double part = reached / k;
    const double mean = sum / reached;
    const double score = reached / sum * part;  // in NetworkX's order, so that exact scores have the same bits
    const double of_mean = error_of_mean(sum, squares, reached, others_ * part, usual_) / mean;
    const double of_part = error_of_mean(reached, reached, k, others_, 1) / part;
    // std::hypot() would need the C library 2.35, and wheels are for 2.34.
    return {score, score * std::sqrt(of_mean * of_mean + of_part * of_part)};
  }

 private:
  double others_;
  double sources_;
  const closeness_options& options_;
  double unit_;
  double usual_ = 0;  ///< the size of a usual distance, or reciprocal of one
  bool exact_;
};

/// Adds up the sums of all states and makes scores of them. `vertex_of(i)`: the vertex with the sums at i;
/// `nearest(i)`: the largest reciprocal of a distance that it may have.
template <class State, class VertexOf, class Nearest>
void make_scores(const shared_states<State>& states, scoring how, const machine::page_array<unsigned char>& chosen,
                 const VertexOf& vertex_of, const Nearest& nearest, closeness_result& result) {
  if (!how.exact()) {
    double sum = 0;
    double squares = 0;
    for (const auto& state : states.all()) {
      for (const auto& of : state->sums) {
        sum += static_cast<double>(of.sum);
        squares += of.squares;
      }
    }
    how.learn(sum, squares);
  }
  parallel_for(std::uint64_t{0}, std::uint64_t{result.scores.size()}, [&](std::uint64_t i) {
    auto all = states.all().front()->sums[i];
    for (std::size_t s = 1; s < states.all().size(); ++s) all += states.all()[s]->sums[i];
    const std::uint64_t v = vertex_of(i);
    const auto [score, error] = how.of(all, how.exact() || chosen[v] != 0, how.exact() ? 0 : nearest(i));
    result.scores[v] = score;
    if (!how.exact()) result.standard_errors[v] = error;
  });
}

template <class Vertex>
const adjacency<Vertex>& forward(const csr_graph<Vertex>& graph, const closeness_options& options) {
  return options.outgoing ? graph.in() : graph.out();
}
template <class Vertex>
const adjacency<Vertex>& backward(const csr_graph<Vertex>& graph, const closeness_options& options) {
  return options.outgoing ? graph.out() : graph.in();
}

/// Returns the sources, consecutive ones near each other. `chosen`: marks of the sources; empty: all.
template <class Vertex>
std::vector<Vertex> near_sources(const adjacency<Vertex>& rows, const machine::page_array<unsigned char>& chosen) {
  std::vector<Vertex> order = breadth_first_order(rows);
  std::erase_if(order, [&](Vertex v) { return !chosen.empty() && chosen[v] == 0; });
  return order;
}

/// Calls `each` for batches of up to `size` sources on all threads. Throws cancelled.
template <class State, class Vertex, class Each>
void over_batches(shared_states<State>& states, const std::vector<Vertex>& sources, std::uint64_t size,
                  const run_control& control, const Each& each) {
  over_states(states, (sources.size() + size - 1) / size, control, [&](State& state, std::uint64_t batch) {
    const std::uint64_t first = batch * size;
    const std::uint64_t count = std::min<std::uint64_t>(size, sources.size() - first);
    each(state, std::span(sources).subspan(first, count));
    if (control.report != nullptr) control.report->advance(count);
  });
}

template <unsigned Words, class Vertex>
void search_by_steps(const csr_graph<Vertex>& graph, const closeness_options& options,
                     const machine::page_array<unsigned char>& chosen, closeness_result& result,
                     const run_control& control) {
  using search = bit_search<Vertex, Words>;
  using state = closeness_state<search, std::uint64_t>;
  const std::uint64_t n = graph.vertices();
  // Reciprocals are summed as whole numbers of a unit so small that the sum of n of them fits 63 bits: such sums do not
  // depend on their order.
  const int bits = options.harmonic ? 62 - static_cast<int>(std::bit_width(n)) : 0;
  const double one = std::ldexp(1.0, bits);
  shared_states<state> states(
      [&] { return std::make_unique<state>(n, forward(graph, options), backward(graph, options)); });
  const std::vector<Vertex> sources = near_sources(forward(graph, options), chosen);
  over_batches(states, sources, search::most_sources, control, [&](state& mine, std::span<const Vertex> some) {
    std::uint64_t value = 0;
    std::uint64_t last = 0;
    const auto found = [&](Vertex v, std::uint64_t level, std::uint64_t count) {
      if (level != last)
        value = options.harmonic ? static_cast<std::uint64_t>(one / static_cast<double>(level)) : level;
      last = level;
      distance_sums<std::uint64_t>& sums = mine.sums[v];
      sums.reached += count;
      sums.sum += value * count;
      sums.squares += static_cast<double>(value) * static_cast<double>(value) * static_cast<double>(count);
    };
    mine.search.run(some, found, control.stop);
  });
  const auto nearest = [&](std::uint64_t v) { return backward(graph, options).degree(v) != 0 ? 1.0 : 0.0; };
  make_scores(
      states, scoring(n, sources.size(), options, 1 / one), chosen, [](std::uint64_t v) { return v; }, nearest, result);
}

/// Returns the least length above 0; infinity if there is none. Each row ascends.
template <class Length>
double least_length(const length_rows<Length>& rows) {
  const auto smaller = [](double a, double b) { return std::min(a, b); };
  const auto of = [&](std::uint64_t first, std::uint64_t last, double least) {
    for (std::uint64_t v = first; v < last; ++v) {
      const Length* const end = rows.lengths.data() + rows.offsets[v + 1];
      const Length* const found = std::upper_bound(rows.lengths.data() + rows.offsets[v], end, Length{0});
      if (found != end) least = std::min(least, static_cast<double>(*found));
    }
    return least;
  };
  return parallel_reduce(std::uint64_t{0}, rows.vertices(), std::numeric_limits<double>::infinity(), of, smaller);
}

/// Returns false if a Length may not hold a distance.
template <class Length, class Vertex>
bool search_by_length(const csr_graph<Vertex>& graph, const closeness_options& options, double longest,
                      const machine::page_array<unsigned char>& chosen, closeness_result& result,
                      const run_control& control) {
  using search = lane_search<Length>;
  using sum = std::conditional_t<std::is_same_v<Length, double>, double, std::uint64_t>;
  const std::uint64_t n = graph.vertices();
  const hub_numbers numbers = number_hubs_first(graph, control);
  const auto most = static_cast<Length>(longest);
  const length_rows<Length> rows = sort_by_length<Length>(backward(graph, options), numbers, false, control);
  const landmarks<Length> marks = [&] {
    if (!graph.directed()) return find_landmarks<Length>(rows, nullptr, most, control);
    const length_rows<Length> other = sort_by_length<Length>(forward(graph, options), numbers, false, control);
    return find_landmarks<Length>(rows, &other, most, control);
  }();
  const auto run = [&]<class Sum>(Sum) {
    using state = closeness_state<search, Sum>;
    shared_states<state> states([&] { return std::make_unique<state>(n, rows, marks, most); });
    std::vector<std::uint32_t> sources;
    for (const Vertex v : near_sources(forward(graph, options), chosen)) sources.push_back(numbers.number[v]);
    reaching_first(sources, marks);
    std::atomic<bool> overflown{false};
    over_batches(states, sources, search::lanes, control, [&](state& mine, std::span<const std::uint32_t> some) {
      if (overflown.load(std::memory_order_relaxed)) return;  // relaxed: a hint, read again behind the loop
      if (mine.search.run(some, control.stop) == lane_end::overflown) overflown.store(true, std::memory_order_relaxed);
      for (std::uint64_t v = 0; v < n; ++v) {
        const Length* const distance = mine.search.distances(v);
        distance_sums<Sum> found;
        for (std::size_t l = 0; l < some.size(); ++l) {
          if (distance[l] == lane_limits<Length>::infinity || some[l] == v) continue;
          ++found.reached;
          const auto length = static_cast<double>(distance[l]);
          if (options.harmonic) {
            const double value = length == 0 ? 0 : 1 / length;
            if constexpr (std::is_same_v<Sum, double>) found.sum += value;
            found.squares += value * value;
          } else {
            found.sum += static_cast<Sum>(distance[l]);
            found.squares += length * length;
          }
        }
        mine.sums[v] += found;
      }
    });
    if (overflown.load(std::memory_order_relaxed)) return false;  // relaxed: the loop's end orders it
    const double least = least_length(rows);
    const auto nearest = [&](std::uint64_t v) {
      if (rows.offsets[v] == rows.offsets[v + 1]) return 0.0;
      const auto first = static_cast<double>(rows.lengths[rows.offsets[v]]);
      return 1 / (first > 0 ? first : least);
    };
    make_scores(
        states, scoring(n, sources.size(), options, 1), chosen, [&](std::uint64_t i) { return numbers.vertex[i]; },
        nearest, result);
    return true;
  };
  return options.harmonic ? run(double{}) : run(sum{});
}

template <class Vertex>
closeness_result closeness_of(const csr_graph<Vertex>& graph, const closeness_options& options,
                              const run_control& control) {
  const std::uint64_t n = graph.vertices();
  const std::uint64_t sources = closeness_samples(n, options);
  closeness_result result;
  result.scores = machine::page_array<double>(n, machine::page_kind::used);
  result.sources = sources;
  machine::page_array<unsigned char> chosen;
  if (sources < n) {
    chosen = choose_vertices(n, sources, options.seed);
    result.standard_errors = machine::page_array<double>(n, machine::page_kind::used);
  }
  if (n == 0) return result;
  if (control.report != nullptr) control.report->begin("closeness", sources, "sources");
  if (options.weights == weight_use::length && graph.weighted()) {
    const weight_survey weights = survey_weights(graph, "lengths", control);
    result.weights = weight_use::length;
    in_shortest_form(weights, [&]<class Length>(std::type_identity<Length>) {
      return search_by_length<Length>(graph, options, weights.most, chosen, result, control);
    });
    return result;
  }
  constexpr unsigned wide = 8;
  if (sources >= std::uint64_t{threads()} * 64 * wide / 2) {
    search_by_steps<wide>(graph, options, chosen, result, control);
  } else {
    search_by_steps<1>(graph, options, chosen, result, control);
  }
  return result;
}

}  // namespace

std::uint64_t closeness_samples(std::uint64_t vertices, const closeness_options& options) noexcept {
  if (options.samples != 0) return options.samples;
  if (options.error == 0) return vertices;
  const double needed = std::ceil(std::log(4 * static_cast<double>(vertices) / (1 - options.confidence)) /
                                  (2 * options.error * options.error));
  return needed < static_cast<double>(vertices) ? static_cast<std::uint64_t>(needed) : vertices;
}

std::vector<std::uint64_t> closeness_sources(std::uint64_t vertices, const closeness_options& options) {
  const std::uint64_t count = closeness_samples(vertices, options);
  const auto chosen = choose_vertices(vertices, count, options.seed);
  std::vector<std::uint64_t> sources;
  for (std::uint64_t v = 0; v < vertices; ++v) {
    if (chosen[v] != 0) sources.push_back(v);
  }
  return sources;
}

void check_closeness_arguments(const any_graph& graph, const closeness_options& options) {
  const std::uint64_t n = needs::size_of(graph).n;
  if (options.samples > n) {
    throw usage_error(fmt::format("samples is {}, expected at most the graph's {} vertices", options.samples, n));
  }
  if (options.error != 0 && options.samples != 0) {
    throw usage_error("both samples and an error are given, expected one of them");
  }
  if (!(options.error >= 0 && options.error < 1)) {
    throw usage_error(fmt::format("error is {}, expected a number above 0 and below 1", options.error));
  }
  if (!(options.confidence > 0 && options.confidence < 1)) {
    throw usage_error(fmt::format("confidence is {}, expected a number above 0 and below 1", options.confidence));
  }
  if (options.weights == weight_use::strength) {
    throw usage_error("closeness takes weights as lengths, not as strengths");
  }
  if (n > 0xfffffffeu) {
    throw usage_error(fmt::format("the graph has {} vertices, closeness takes up to 4294967294", n));
  }
  std::visit(
      [](const auto& g) {
        if (!g.has_in()) throw usage_error("the graph was built without in-edges, along which closeness searches");
      },
      graph);
}

closeness_result closeness(const any_graph& graph, const closeness_options& options, const run_control& control) {
  check_closeness_arguments(graph, options);
  return std::visit([&](const auto& g) { return closeness_of(g, options, control); }, graph);
}

std::uint64_t needs::closeness(const any_graph& graph, const closeness_options& options) noexcept {
  const graph_size s = size_of(graph);
  const bool weighted =
      options.weights == weight_use::length && std::visit([](const auto& g) { return g.weighted(); }, graph);
  const std::uint64_t at_once = threads();
  if (!weighted) return s.n * (17 + 2 * s.v + at_once * (192 + 2 * s.v + 24));
  return s.n * (17 + 8 + 12 * 8 + 2 * s.v + at_once * (64 + 9 + 24)) + 24 * s.m;
}

}  // namespace callisto::graph
