// Searches from many sources by length (multisource/lane_search.hpp), then for each source in turn:
//
// 1. Order the vertices by their distance.
// 2. The paths to a vertex are the sum over its in-neighbours at its distance less the arc's length. A row is read up
//    to the arcs of the vertex's own distance only. The neighbours found are recorded.
// 3. Go back. The share of a vertex is (1 + its dependency) / its paths; it is added to the shares of the neighbours
//    recorded for it. The dependency is its paths times the sum of shares.
//
// All arrays of one source fit in a cache of 2 MiB for up to 80,000 vertices.
#include <callisto/graph/betweenness/by_length.hpp>
#include <callisto/graph/csr/called.hpp>
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/graph/csr/wide_count.hpp>
#include <callisto/graph/multisource/lane_search.hpp>
#include <callisto/graph/multisource/length_rows.hpp>
#include <callisto/graph/multisource/sample.hpp>
#include <callisto/graph/multisource/state_pool.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>

namespace callisto::graph {
namespace {

template <class T>
machine::page_array<T> zeroed_pages(std::uint64_t size) {
  machine::page_array<T> made(size, machine::page_kind::used);
  std::fill(made.begin(), made.end(), T{});
  return made;
}

/// The vertices that a source reaches, nearest first, by their distances.
template <class Length>
class distance_order {
 public:
  explicit distance_order(std::uint64_t vertices) : order_(vertices, machine::page_kind::used) {}

  /// Sorts by buckets: of equal width, and as many as there are vertices at most.
  std::span<const std::uint32_t> sort(const Length* distances) {
    const std::uint64_t n = order_.size();
    Length most = 0;
    for (std::uint64_t v = 0; v < n; ++v) {
      if (distances[v] != lane_limits<Length>::infinity && most < distances[v]) most = distances[v];
    }
    const bool direct = std::is_integral_v<Length> && static_cast<double>(most) < 4 * static_cast<double>(n) + 1024;
    const std::uint64_t buckets = direct ? static_cast<std::uint64_t>(most) + 1 : n + 1;
    const double wide = static_cast<double>(n) / static_cast<double>(most);
    const double scale = direct ? 1 : std::isfinite(wide) ? wide : 0;  // 0: one bucket, for lengths of next to nothing
    const auto bucket = [&](Length distance) {
      if constexpr (std::is_integral_v<Length>) {
        if (direct) return static_cast<std::uint64_t>(distance);
      }
      return std::min(buckets - 1, static_cast<std::uint64_t>(static_cast<double>(distance) * scale));
    };
    ends_.assign(buckets + 1, 0);
    for (std::uint64_t v = 0; v < n; ++v) {
      if (distances[v] != lane_limits<Length>::infinity) ++ends_[bucket(distances[v]) + 1];
    }
    for (std::uint64_t b = 0; b < buckets; ++b) ends_[b + 1] += ends_[b];
    const std::uint64_t reached = ends_[buckets];
    for (std::uint64_t v = 0; v < n; ++v) {
      if (distances[v] != lane_limits<Length>::infinity) {
        order_[ends_[bucket(distances[v])]++] = static_cast<std::uint32_t>(v);
      }
    }
    const auto nearer = [&](std::uint32_t a, std::uint32_t b) { return distances[a] < distances[b]; };
    std::uint64_t begin = 0;
    for (std::uint64_t b = 0; b < buckets && !direct; ++b) {
      if (ends_[b] - begin > 1) std::sort(order_.begin() + begin, order_.begin() + ends_[b], nearer);
      begin = ends_[b];
    }
    return {order_.data(), reached};
  }

 private:
  machine::page_array<std::uint32_t> order_;
  std::vector<std::uint64_t> ends_;
};

/// The memory of a thread's searches, and the sums over them.
template <class Length>
class length_state {
 public:
  length_state(const length_rows<Length>& rows, const landmarks<Length>& marks, Length longest, length_wishes wishes)
      : search(rows, marks, longest),
        vertex_sums(zeroed_pages<double>(rows.vertices())),
        square_sums(zeroed_pages<double>(wishes.squares && !wishes.arcs ? rows.vertices() : 0)),
        arc_sums(zeroed_pages<double>(wishes.arcs ? rows.sources.size() : 0)),
        arc_square_sums(zeroed_pages<double>(wishes.squares ? arc_sums.size() : 0)),
        rows_(rows),
        order_(rows.vertices()),
        distances_(rows.vertices(), machine::page_kind::used),
        paths_(rows.vertices(), machine::page_kind::used),
        shares_(rows.vertices(), machine::page_kind::used),
        begins_(rows.vertices() + 1, machine::page_kind::used),
        nearer_(wishes.arcs ? 0 : rows.sources.size() + 1, machine::page_kind::used),
        entries_(wishes.arcs ? rows.sources.size() + 1 : 0, machine::page_kind::used) {}

  /// Adds the dependencies of the pairs from the source of this lane.
  void add(unsigned lane) {
    search.copy_lane(lane, distances_.data());
    const std::span<const std::uint32_t> order = order_.sort(distances_.data());
    if (sum_up(order, paths_.data(), shares_.data())) return;
    wide_paths_.resize(rows_.vertices());
    wide_shares_.resize(rows_.vertices());
    sum_up(order, wide_paths_.data(), wide_shares_.data());
  }

  lane_search<Length> search;
  machine::page_array<double> vertex_sums;  ///< by number
  machine::page_array<double> square_sums;
  machine::page_array<double> arc_sums;  ///< by entry of the rows
  machine::page_array<double> arc_square_sums;

 private:
  /// Returns false, with the sums unchanged, if a count of paths or its reciprocal may not fit a double.
  template <class Count>
  bool sum_up(std::span<const std::uint32_t> order, Count* paths, Count* shares) {
    return arc_sums.empty() ? sum_up<false>(order, paths, shares) : sum_up<true>(order, paths, shares);
  }

  /// Records the in-neighbours on shortest paths to each vertex, in the order of the rows: these are then read in
  /// sequence, and everything that is left fits in a cache.
  template <bool arcs>
  void record_nearer() noexcept {
    std::uint64_t end = 0;
    for (std::uint64_t v = 0; v < rows_.vertices(); ++v) {
      begins_[v] = end;
      const Length distance = distances_[v];
      if (distance == lane_limits<Length>::infinity) continue;
      const Length farthest = with_ties(distance);
      for (std::uint64_t a = rows_.offsets[v], last = rows_.offsets[v + 1]; a != last; ++a) {
        const Length length = rows_.lengths[a];
        if (length > farthest) break;
        const std::uint32_t u = rows_.sources[a];
        // Without a branch: whether an arc is on a shortest path is hard to predict.
        if constexpr (arcs) {
          entries_[end] = a;
        } else {
          nearer_[end] = u;
        }
        // Nearer: sums that are as good as equal must not make a circle.
        const Length near = distances_[u];
        end += static_cast<unsigned>(near < distance) & static_cast<unsigned>(near + length <= farthest);
      }
    }
    begins_[rows_.vertices()] = end;
  }

  /// Returns the length up to which a path to a vertex at this distance is a shortest one.
  static Length with_ties(Length distance) noexcept {
    if constexpr (std::is_integral_v<Length>) {
      return distance;
    } else {
      return distance * (1 + tie_tolerance);
    }
  }

  template <bool arcs, class Count>
  bool sum_up(std::span<const std::uint32_t> order, Count* paths, Count* shares) {
    constexpr double most = 0x1p960;
    constexpr std::size_t ahead = 8;
    record_nearer<arcs>();
    const auto source_of = [this](std::uint64_t r) {
      if constexpr (arcs) {
        return rows_.sources[entries_[r]];
      } else {
        return nearer_[r];
      }
    };
    const auto prefetch = [&](std::uint32_t v) {
      __builtin_prefetch(begins_.data() + v);
      __builtin_prefetch(paths + v);
      __builtin_prefetch(shares + v);
    };
    const Count one = [] {
      if constexpr (std::is_same_v<Count, double>) {
        return 1.0;
      } else {
        return Count::of(1);
      }
    }();
    paths[order[0]] = one;
    shares[order[0]] = Count{};
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (i + ahead < order.size()) prefetch(order[i + ahead]);
      const std::uint32_t v = order[i];
      Count sum{};
      for (std::uint64_t r = begins_[v], end = begins_[v + 1]; r != end; ++r) sum += paths[source_of(r)];
      if constexpr (std::is_same_v<Count, double>) {
        if (sum > most) return false;
      }
      // Rounding may swallow a length: the vertex before is as far then, and is not gone back to.
      paths[v] = begins_[v] == begins_[v + 1] ? one : sum;
      shares[v] = Count{};
    }
    for (std::size_t i = order.size(); i-- > 1;) {
      if (i > ahead) prefetch(order[i - ahead]);
      const std::uint32_t v = order[i];
      const double dependency = product(paths[v], shares[v]);
      vertex_sums[v] += dependency;
      if (!square_sums.empty()) square_sums[v] += dependency * dependency;
      const Count share = quotient(1 + dependency, paths[v]);
      for (std::uint64_t r = begins_[v], end = begins_[v + 1]; r != end; ++r) {
        const std::uint32_t u = source_of(r);
        shares[u] += share;
        if constexpr (arcs) {
          const double on_arc = product(paths[u], share);
          arc_sums[entries_[r]] += on_arc;
          if (!arc_square_sums.empty()) arc_square_sums[entries_[r]] += on_arc * on_arc;
        }
      }
    }
    return true;
  }

  const length_rows<Length>& rows_;
  distance_order<Length> order_;
  machine::page_array<Length> distances_;  ///< by number, from the source at hand
  machine::page_array<double> paths_;
  machine::page_array<double> shares_;
  std::vector<wide_count> wide_paths_;
  std::vector<wide_count> wide_shares_;
  machine::page_array<std::uint64_t> begins_;   ///< by number: where the vertex's part of the record begins
  machine::page_array<std::uint32_t> nearer_;   ///< the record: in-neighbours
  machine::page_array<std::uint64_t> entries_;  ///< the record with arcs: entries of the rows
};

/// Throws weight_error if an arc that is no loop has length 0.
template <class Vertex>
void refuse_zeros(const csr_graph<Vertex>& graph, const run_control& control) {
  const adjacency<Vertex>& out = graph.out();
  const std::uint64_t n = graph.vertices();
  const std::uint64_t first = parallel_reduce(
      std::uint64_t{0}, n, n,
      [&](std::uint64_t begin, std::uint64_t end, std::uint64_t found) {
        for (std::uint64_t v = begin; v < end && v < found; ++v) {
          for (std::uint64_t a = out.offsets[v]; a != out.offsets[v + 1]; ++a) {
            if (out.weights[a] == 0 && out.targets[a] != v) found = std::min(found, v);
          }
        }
        return found;
      },
      [](std::uint64_t a, std::uint64_t b) { return std::min(a, b); }, loop_options{.stop = control.stop});
  control.check();
  if (first == n) return;
  std::uint64_t a = out.offsets[first];
  while (out.weights[a] != 0 || out.targets[a] == first) ++a;
  throw weight_error(fmt::format("the edge from {} to {} has weight 0; betweenness by lengths needs weights above 0",
                                 called(graph, first), called(graph, out.targets[a])));
}

/// Returns false if a Length may not hold a distance.
template <class Length, class Vertex>
bool search_in_lanes(const csr_graph<Vertex>& graph, const std::vector<std::uint64_t>& sources, length_wishes wishes,
                     double longest, source_sums& result, const run_control& control) {
  using state = length_state<Length>;
  const auto most = static_cast<Length>(longest);
  const hub_numbers numbers = number_hubs_first(graph, control);
  const length_rows<Length> rows = sort_by_length<Length>(graph.in(), numbers, wishes.arcs, control);
  const landmarks<Length> marks = [&] {
    if (!graph.directed()) return find_landmarks<Length>(rows, nullptr, most, control);
    const length_rows<Length> out = sort_by_length<Length>(graph.out(), numbers, false, control);
    return find_landmarks<Length>(rows, &out, most, control);
  }();
  std::vector<bool> wanted(graph.vertices());
  for (const std::uint64_t v : sources) wanted[v] = true;
  std::vector<std::uint32_t> near;
  for (const Vertex v : breadth_first_order(graph.out())) {
    if (wanted[v]) near.push_back(numbers.number[v]);
  }
  reaching_first(near, marks);
  // With few sources, lanes stay empty so that all threads have some.
  const std::uint64_t size =
      std::clamp<std::uint64_t>((near.size() + threads() - 1) / threads(), 1, lane_search<Length>::lanes);
  const std::uint64_t batches = (near.size() + size - 1) / size;
  shared_states<state> states([&] { return std::make_unique<state>(rows, marks, most, wishes); });
  std::atomic<bool> overflown{false};
  const auto work = [&](state& mine, std::uint64_t batch) {
    if (overflown.load(std::memory_order_relaxed)) return;  // relaxed: a hint, read again behind the loop
    const auto some = std::span(near).subspan(batch * size, std::min(size, near.size() - batch * size));
    const lane_end end = mine.search.run(some, control.stop);
    if (end == lane_end::overflown) overflown.store(true, std::memory_order_relaxed);
    for (unsigned l = 0; end == lane_end::complete && l < some.size() && !control.stop.stop_requested(); ++l)
      mine.add(l);
    if (control.report != nullptr) control.report->advance(some.size());
  };
  over_states(states, batches, control, work);
  if (overflown.load(std::memory_order_relaxed)) return false;  // relaxed: the loop's end orders it

  const auto add_up = [&](machine::page_array<double>& to, machine::page_array<double> state::* part, auto place) {
    parallel_for(std::uint64_t{0}, std::uint64_t{to.size()}, [&](std::uint64_t i) { to[i] = 0; });
    for (const auto& of : states.all()) {
      const machine::page_array<double>& from = (*of).*part;
      parallel_for(std::uint64_t{0}, std::uint64_t{from.size()}, [&](std::uint64_t i) { to[place(i)] += from[i]; });
    }
  };
  const auto vertex = [&](std::uint64_t i) { return std::uint64_t{numbers.vertex[i]}; };
  result.vertex = machine::page_array<double>(graph.vertices(), machine::page_kind::used);
  add_up(result.vertex, &state::vertex_sums, vertex);
  if (wishes.squares && !wishes.arcs) {
    result.squares = machine::page_array<double>(graph.vertices(), machine::page_kind::used);
    add_up(result.squares, &state::square_sums, vertex);
  }
  const auto arc = [&](std::uint64_t a) { return rows.arcs[a]; };
  if (wishes.arcs) {
    result.arc = machine::page_array<double>(graph.in().targets.size(), machine::page_kind::used);
    add_up(result.arc, &state::arc_sums, arc);
  }
  if (wishes.arcs && wishes.squares) {
    result.arc_squares = machine::page_array<double>(graph.in().targets.size(), machine::page_kind::used);
    add_up(result.arc_squares, &state::arc_square_sums, arc);
  }
  return true;
}

}  // namespace

template <class Vertex>
source_sums search_by_length(const csr_graph<Vertex>& graph, const std::vector<std::uint64_t>& sources,
                             length_wishes wishes, const run_control& control) {
  const weight_survey weights = survey_weights(graph, "lengths", control);
  refuse_zeros(graph, control);
  source_sums result;
  in_shortest_form(weights, [&]<class Length>(std::type_identity<Length>) {
    return search_in_lanes<Length>(graph, sources, wishes, weights.most, result, control);
  });
  return result;
}

template source_sums search_by_length(const csr_graph<std::uint32_t>&, const std::vector<std::uint64_t>&, length_wishes,
                                      const run_control&);
template source_sums search_by_length(const csr_graph<std::uint64_t>&, const std::vector<std::uint64_t>&, length_wishes,
                                      const run_control&);

std::uint64_t bytes_by_length(const any_graph& graph, bool arcs, bool squares) noexcept {
  const needs::graph_size s = needs::size_of(graph);
  // Numbers, landmarks, the order of sources and the sums; for each thread the search and the arrays of one source.
  const std::uint64_t once =
      s.n * (8 + 12 * 8 + s.v + 24) + s.m * (12 * (s.directed ? 2 : 1) + (arcs ? 16 + (squares ? 8 : 0) : 0));
  const std::uint64_t each = s.n * (64 + 9 + 4 + 8 + 8 + 16 + 16 + 8) + s.m * (arcs ? 16 + (squares ? 8 : 0) : 4);
  return once + threads() * each;
}

}  // namespace callisto::graph
