// Finds for each edge of a graph the listed edge that it comes from, and copies the rows of columns.
#include <callisto/graph/attributes/carry.hpp>

#include <callisto/graph/attributes/edge_numbers.hpp>
#include <callisto/loop/parallel_for.hpp>

#include <algorithm>
#include <atomic>
#include <compare>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

using machine::page_array;
using machine::page_kind;

void over(std::uint64_t count, const run_control& control, auto f) {
  if (!parallel_for(std::uint64_t{0}, count, f, {.stop = control.stop})) throw cancelled();
}

/// Looks for the listed edge of each edge of a graph.
template <class Vertex>
class edge_matcher {
 public:
  edge_matcher(const csr_graph<Vertex>& graph, const listed_edges<Vertex>& from, giver which)
      : graph_(graph), from_(from), numbers_(graph), which_(which), found_(numbers_.size(), page_kind::small) {}

  /// Returns the listed edge by number of an edge, no_row for an edge that comes from none.
  page_array<std::uint64_t> run(const run_control& control) {
    over(found_.size(), control, [&](std::uint64_t e) { found_[e] = no_row; });
    if (which_ == giver::each) taken_ = page_array<std::uint32_t>(found_.size(), page_kind::small);
    over(from_.ends.size(), control, [&](std::uint64_t i) { offer(i); });
    if (which_ == giver::each) over(graph_.vertices(), control, [&](std::uint64_t v) { sort_repeats(v); });
    return std::move(found_);
  }

 private:
  double weight(std::uint64_t i) const noexcept { return from_.weights.empty() ? 1 : from_.weights[i]; }

  /// True if listed edge i goes before j.
  bool before(std::uint64_t i, std::uint64_t j) const noexcept {
    const std::strong_ordering order = std::strong_order(weight(i), weight(j));
    if (which_ == giver::first || order == std::strong_ordering::equal) return i < j;
    return order == (which_ == giver::heaviest ? std::strong_ordering::greater : std::strong_ordering::less);
  }

  void offer(std::uint64_t i) {
    auto [u, v] = from_.ends[i];
    if (!graph_.directed() && u > v) std::swap(u, v);
    if (v >= graph_.vertices() || u >= graph_.vertices()) return;
    const std::uint64_t begin = numbers_.begin(u);
    const Vertex* const targets = graph_.out().targets.data();
    const Vertex* const last = targets + graph_.out().offsets[u + 1];
    const Vertex* const place = std::lower_bound(targets + begin, last, v);
    if (place == last || *place != v) return;
    const std::uint64_t number = numbers_.first(u) + static_cast<std::uint64_t>(place - targets) - begin;
    if (which_ == giver::each) {
      const std::uint64_t of = std::atomic_ref(taken_[number]).fetch_add(1, std::memory_order_relaxed);
      if (of < static_cast<std::uint64_t>(last - place) && place[of] == v) found_[number + of] = i;
      return;
    }
    const std::atomic_ref best(found_[number]);
    std::uint64_t now = best.load(std::memory_order_relaxed);
    while ((now == no_row || before(i, now)) && !best.compare_exchange_weak(now, i, std::memory_order_relaxed)) {
    }
  }

  /// Repeats of an edge stand in a row by ascending weight.
  void sort_repeats(std::uint64_t v) {
    const std::uint64_t begin = numbers_.begin(v);
    const std::uint64_t end = graph_.out().offsets[v + 1];
    const auto& targets = graph_.out().targets;
    for (std::uint64_t a = begin; a < end;) {
      std::uint64_t b = a + 1;
      while (b < end && targets[b] == targets[a]) ++b;
      std::uint64_t* const first = found_.data() + numbers_.first(v) + (a - begin);
      if (b - a > 1) {
        std::sort(first, first + (b - a),
                  [&](std::uint64_t i, std::uint64_t j) { return i == no_row || j == no_row ? i < j : before(i, j); });
      }
      a = b;
    }
  }

  const csr_graph<Vertex>& graph_;
  const listed_edges<Vertex>& from_;
  edge_numbers<Vertex> numbers_;
  giver which_;
  page_array<std::uint64_t> found_;
  page_array<std::uint32_t> taken_;  ///< by number of the first of repeats: how many of them have an edge
};

/// Calls take(number, v, arc) for all edges of a graph, in parallel.
template <class Vertex>
void each_edge(const csr_graph<Vertex>& graph, const edge_numbers<Vertex>& numbers, const run_control& control,
               const auto& take) {
  over(graph.vertices(), control, [&](std::uint64_t v) {
    const std::uint64_t begin = numbers.begin(v);
    for (std::uint64_t a = begin; a < graph.out().offsets[v + 1]; ++a) take(numbers.first(v) + (a - begin), v, a);
  });
}

}  // namespace

template <class Vertex>
listed_edges<Vertex> edges_of_list(const edge_list<Vertex>& list, const run_control& control) {
  listed_edges<Vertex> all;
  all.ends = page_array<edge<Vertex>>(list.edges(), page_kind::small);
  if (list.weighted) all.weights = page_array<double>(list.edges(), page_kind::small);
  std::vector<std::uint64_t> begins{0};
  for (const auto& block : list.blocks) begins.push_back(begins.back() + block.edges.size());
  over(list.blocks.size(), control, [&](std::uint64_t b) {
    const auto& block = list.blocks[b];
    std::copy(block.edges.begin(), block.edges.end(), all.ends.begin() + begins[b]);
    for (std::uint64_t i = 0; list.weighted && i < block.edges.size(); ++i) {
      all.weights[begins[b] + i] = block.weights[i];
    }
  });
  return all;
}

template <class Vertex>
std::shared_ptr<const graph_attributes> attributes_of_built(const csr_graph<Vertex>& graph,
                                                            const std::shared_ptr<const graph_attributes>& listed,
                                                            const listed_edges<Vertex>& from, giver which,
                                                            const run_control& control) {
  if (listed == nullptr || listed->edges.empty()) return listed;
  const auto rows = edge_matcher<Vertex>(graph, from, which).run(control);
  return attributes_of(listed->vertices, rows_of(listed->edges, rows, control));
}

template <class Vertex>
std::shared_ptr<const graph_attributes> carried(const csr_graph<Vertex>& from, const csr_graph<Vertex>& to,
                                                const page_array<Vertex>& now, giver which,
                                                const run_control& control) {
  const auto& all = from.attributes();
  if (all == nullptr) return nullptr;
  const auto place = [&](std::uint64_t v) { return now.empty() ? static_cast<Vertex>(v) : now[v]; };
  column_list vertices = all->vertices;
  if (from.vertices() != to.vertices() && !vertices.empty()) {
    std::vector<std::uint64_t> kept;
    for (std::uint64_t i = 0; i < from.vertices(); ++i) {
      if (place(from.by_label(i)) < to.vertices()) kept.push_back(i);
    }
    vertices = rows_of(vertices, kept, control);
  }
  if (all->edges.empty()) return attributes_of(std::move(vertices), {});
  const edge_numbers<Vertex> numbers(from);
  listed_edges<Vertex> edges{page_array<edge<Vertex>>(numbers.size(), page_kind::small), {}};
  if (from.weighted()) edges.weights = page_array<double>(numbers.size(), page_kind::small);
  each_edge(from, numbers, control, [&](std::uint64_t e, std::uint64_t v, std::uint64_t a) {
    edges.ends[e] = {place(v), place(from.out().targets[a])};
    if (from.weighted()) edges.weights[e] = from.out().weights[a];
  });
  const auto rows = edge_matcher<Vertex>(to, edges, which).run(control);
  return attributes_of(std::move(vertices), rows_of(all->edges, rows, control));
}

template <class Vertex>
edge_list<Vertex> listed(const csr_graph<Vertex>& graph, const run_control& control) {
  edge_list<Vertex> list;
  list.vertices = graph.vertices();
  list.meaning = graph.directed() ? direction::directed : direction::undirected;
  list.weighted = graph.weighted();
  list.first_label = graph.first_label();
  list.names = graph.names();
  list.attributes = graph.attributes();
  list.labels = page_array<std::uint64_t>(graph.labels().size());
  std::copy(graph.labels().begin(), graph.labels().end(), list.labels.begin());
  const edge_numbers<Vertex> numbers(graph);
  edge_block<Vertex>& block = list.blocks.emplace_back();
  block.edges = page_array<edge<Vertex>>(numbers.size(), page_kind::small);
  page_array<double> weights(graph.weighted() ? numbers.size() : 0, page_kind::small);
  each_edge(graph, numbers, control, [&](std::uint64_t e, std::uint64_t v, std::uint64_t a) {
    block.edges[e] = {static_cast<Vertex>(v), graph.out().targets[a]};
    if (graph.weighted()) weights[e] = graph.out().weights[a];
  });
  if (graph.weighted()) block.weights = std::move(weights);
  return list;
}

#define CALLISTO_INSTANTIATE(Vertex)                                                                                \
  template listed_edges<Vertex> edges_of_list(const edge_list<Vertex>&, const run_control&);                        \
  template std::shared_ptr<const graph_attributes> attributes_of_built(                                             \
      const csr_graph<Vertex>&, const std::shared_ptr<const graph_attributes>&, const listed_edges<Vertex>&, giver, \
      const run_control&);                                                                                          \
  template CALLISTO_API std::shared_ptr<const graph_attributes> carried(                                            \
      const csr_graph<Vertex>&, const csr_graph<Vertex>&, const page_array<Vertex>&, giver, const run_control&);    \
  template CALLISTO_API edge_list<Vertex> listed(const csr_graph<Vertex>&, const run_control&);
CALLISTO_INSTANTIATE(std::uint32_t)
CALLISTO_INSTANTIATE(std::uint64_t)
#undef CALLISTO_INSTANTIATE

}  // namespace callisto::graph
