// One search from each source, in the manner of single.cpp: vertices lie in the order in which they are reached, and
// the way back reads a record instead of rows. The record has the arcs on shortest paths; on web graphs a fifth of all.
#include <callisto/graph/betweenness/edges.hpp>
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/graph/csr/wide_count.hpp>
#include <callisto/graph/multisource/state_pool.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace callisto::graph {
namespace {

/// The numbers of a vertex that a search has reached.
template <class Count>
struct reached_vertex {
  Count paths;  ///< number of shortest paths from the source
  Count share;  ///< (1 + its dependency) / paths
};

enum class edge_search_end { complete, stopped, overflown };

/// The memory of a thread's searches, and the sums over them.
template <class Vertex>
class edge_search {
 public:
  edge_search(const csr_graph<Vertex>& graph, bool squares)
      : sums(graph.arcs()),
        square_sums(squares ? graph.arcs() : 0),
        rows_(graph.out()),
        positions_(graph.vertices(), machine::page_kind::used),
        list_(graph.vertices(), machine::page_kind::used),
        begins_(graph.vertices() + 1, machine::page_kind::used),
        record_(graph.directed() ? graph.arcs() : graph.arcs() / 2, machine::page_kind::used),
        vertices_(graph.vertices(), machine::page_kind::used) {
    std::fill(positions_.begin(), positions_.end(), unreached);
  }

  /// Adds the dependencies of the pairs from `source`. After a request to stop, the sums mean nothing.
  void add(std::uint64_t source, const std::stop_token& stop) {
    if (run(source, vertices_.data(), stop) != edge_search_end::overflown) return;
    wide_.resize(positions_.size());
    run(source, wide_.data(), stop);
  }

  machine::page_array<double> sums;  ///< by arc of the graph's out-rows
  machine::page_array<double> square_sums;

 private:
  static constexpr std::uint32_t unreached = ~std::uint32_t{0};  // larger than any position

  /// An arc on a shortest path; the record has the arcs of each vertex together.
  struct step {
    std::uint32_t to;     ///< the position of its end
    std::uint32_t entry;  ///< its place in the row
  };

  /// Returns overflown, with the sums unchanged, if a count of paths or its reciprocal may not fit.
  template <class Count>
  edge_search_end run(std::uint64_t source, reached_vertex<Count>* vertices, const std::stop_token& stop) {
    size_ = 0;
    edge_search_end end = forward(source, vertices, stop);
    if (end == edge_search_end::complete) end = backward(vertices, stop);
    for (std::uint32_t i = 0; i < size_; ++i) positions_[list_[i]] = unreached;
    return end;
  }

  template <class Count>
  void reach(std::uint64_t v, const Count& paths, reached_vertex<Count>* vertices) noexcept {
    positions_[v] = size_;
    list_[size_] = static_cast<std::uint32_t>(v);
    vertices[size_++].paths = paths;
  }

  /// Counts the paths, level by level.
  template <class Count>
  edge_search_end forward(std::uint64_t source, reached_vertex<Count>* vertices, const std::stop_token& stop) {
    constexpr double most = 0x1p960;
    if constexpr (std::is_same_v<Count, double>) {
      reach(source, 1.0, vertices);
    } else {
      reach(source, Count::of(1), vertices);
    }
    std::uint64_t end = 0;
    std::uint32_t next = 0;  // where the next level begins
    for (std::uint32_t i = 0; i < size_; ++i) {
      if (i == next) next = size_;
      if (i + 12 < size_) prefetch(i);
      if (i % 4096 == 0 && stop.stop_requested()) return edge_search_end::stopped;
      const Count paths = vertices[i].paths;
      if constexpr (std::is_same_v<Count, double>) {
        if (paths > most) return edge_search_end::overflown;
      }
      begins_[i] = end;
      const auto row = rows_.row(list_[i]);
      for (std::size_t k = 0; k < row.size(); ++k) {
        const Vertex w = row[k];
        const std::uint32_t at = positions_[w];
        if (at < next || (k != 0 && row[k - 1] == w)) continue;
        record_[end++] = {std::min(at, size_), static_cast<std::uint32_t>(k)};
        if (at == unreached) {
          reach(w, paths, vertices);
        } else {
          vertices[at].paths += paths;
        }
      }
    }
    begins_[size_] = end;
    return edge_search_end::complete;
  }

  /// Sums the dependencies, farthest vertices first.
  template <class Count>
  edge_search_end backward(reached_vertex<Count>* vertices, const std::stop_token& stop) {
    for (std::uint32_t i = size_; i-- != 0;) {
      if (i >= 8) __builtin_prefetch(rows_.offsets.data() + list_[i - 8]);
      if (i % 4096 == 0 && stop.stop_requested()) return edge_search_end::stopped;
      const std::uint64_t first = rows_.offsets[list_[i]];
      const Count paths = vertices[i].paths;
      double dependency = 0;
      for (std::uint64_t r = begins_[i], last = begins_[i + 1]; r != last; ++r) {
        const double on_arc = product(paths, vertices[record_[r].to].share);
        dependency += on_arc;
        sums[first + record_[r].entry] += on_arc;
        if (!square_sums.empty()) square_sums[first + record_[r].entry] += on_arc * on_arc;
      }
      vertices[i].share = quotient(1 + dependency, paths);
    }
    return edge_search_end::complete;
  }

  /// Prefetches for the vertices behind i: the bounds of a row, then its targets, then their positions.
  void prefetch(std::uint32_t i) const noexcept {
    __builtin_prefetch(rows_.offsets.data() + list_[i + 12]);
    __builtin_prefetch(rows_.targets.data() + rows_.offsets[list_[i + 8]]);
    const auto row = rows_.row(list_[i + 4]);
    for (const Vertex v : row.first(std::min<std::size_t>(row.size(), 32))) __builtin_prefetch(positions_.data() + v);
  }

  const adjacency<Vertex>& rows_;
  machine::page_array<std::uint32_t> positions_;  ///< by vertex: its place in the list, or unreached
  machine::page_array<std::uint32_t> list_;       ///< the vertices reached, nearest first
  std::uint32_t size_ = 0;                        ///< how many there are
  machine::page_array<std::uint64_t> begins_;     ///< by position: where the vertex's part of the record begins
  machine::page_array<step> record_;
  machine::page_array<reached_vertex<double>> vertices_;  ///< by position
  std::vector<reached_vertex<wide_count>> wide_;
};

/// Adds up `part` of all states. Takes the memory of the first.
template <class State>
machine::page_array<double> add_up(const shared_states<State>& states, machine::page_array<double> State::* part) {
  machine::page_array<double> sums = std::move((*states.all().front()).*part);
  parallel_for(std::uint64_t{0}, std::uint64_t{sums.size()}, [&](std::uint64_t first, std::uint64_t last) {
    for (std::size_t s = 1; s < states.all().size(); ++s) {
      const double* const from = ((*states.all()[s]).*part).data();
      for (std::uint64_t a = first; a < last; ++a) sums[a] += from[a];
    }
  });
  return sums;
}

/// Returns values by arc of out-rows as values by arc of in-rows. Both rows ascend, so an in-row's arcs come in order.
template <class Vertex>
machine::page_array<double> by_in_rows(const csr_graph<Vertex>& graph, machine::page_array<double> values) {
  if (!graph.directed()) return values;
  machine::page_array<double> made(values.size(), machine::page_kind::used);
  std::vector<std::uint64_t> next(graph.in().offsets.begin(), graph.in().offsets.end() - 1);
  for (std::uint64_t a = 0; a < values.size(); ++a) made[next[graph.out().targets[a]]++] = values[a];
  return made;
}

}  // namespace

template <class Vertex>
source_sums search_edges(const csr_graph<Vertex>& graph, const std::vector<std::uint64_t>& sources, bool squares,
                         const run_control& control) {
  using state = edge_search<Vertex>;
  shared_states<state> states([&] { return std::make_unique<state>(graph, squares); });
  over_states(states, sources.size(), control, [&](state& mine, std::uint64_t i) {
    mine.add(sources[i], control.stop);
    if (control.report != nullptr) control.report->advance(1);
  });
  source_sums result;
  result.arc = by_in_rows(graph, add_up(states, &state::sums));
  if (squares) result.arc_squares = by_in_rows(graph, add_up(states, &state::square_sums));
  return result;
}

template source_sums search_edges(const csr_graph<std::uint32_t>&, const std::vector<std::uint64_t>&, bool,
                                  const run_control&);
template source_sums search_edges(const csr_graph<std::uint64_t>&, const std::vector<std::uint64_t>&, bool,
                                  const run_control&);

std::uint64_t bytes_for_edges(const any_graph& graph, bool squares) noexcept {
  const needs::graph_size s = needs::size_of(graph);
  const std::uint64_t sums = s.m * (squares ? 16 : 8);
  // A search's numbers by vertex, numbers of wide counts included, and its record; once more the sums by in-rows.
  const std::uint64_t each = s.n * (4 + 4 + 8 + 16 + 32) + sums + s.m * (s.directed ? 8 : 4);
  return threads() * each + (s.directed ? sums + 8 * s.n : 0);
}

}  // namespace callisto::graph
