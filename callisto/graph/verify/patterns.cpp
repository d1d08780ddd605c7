// Checks of cliques, motifs, parts and paths in time, by their definitions.
#include <callisto/graph/csr/simple_rows.hpp>
#include <callisto/graph/verify/patterns.hpp>
#include <callisto/graph/verify/require.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <vector>

namespace callisto::graph {
namespace {

using vertex_set = std::vector<std::uint64_t>;

template <class Vertex>
bool are_neighbours(const simple_rows<Vertex>& rows, std::uint64_t a, std::uint64_t b) {
  const auto row = rows.row(a);
  return std::binary_search(row.begin(), row.end(), static_cast<Vertex>(b));
}

template <class Vertex>
vertex_set neighbours_among(const simple_rows<Vertex>& rows, const vertex_set& set, std::uint64_t v) {
  vertex_set common;
  for (const std::uint64_t w : set) {
    if (are_neighbours(rows, v, w)) common.push_back(w);
  }
  return common;
}

/// Counts the maximal cliques that hold `size` vertices so far.
template <class Vertex>
void count_cliques(const simple_rows<Vertex>& rows, std::uint64_t size, vertex_set open, vertex_set done,
                   std::vector<std::uint64_t>& by_size) {
  if (open.empty() && done.empty()) {
    if (by_size.size() <= size) by_size.resize(size + 1);
    ++by_size[size];
    return;
  }
  if (open.empty()) return;
  std::uint64_t pivot = open.front();
  std::size_t most = 0;
  for (const vertex_set* set : {&open, &done}) {
    for (const std::uint64_t v : *set) {
      const std::size_t count = neighbours_among(rows, open, v).size();
      if (count > most) {
        most = count;
        pivot = v;
      }
    }
  }
  const vertex_set all = open;
  for (const std::uint64_t v : all) {
    if (are_neighbours(rows, pivot, v)) continue;
    count_cliques(rows, size + 1, neighbours_among(rows, open, v), neighbours_among(rows, done, v), by_size);
    open.erase(std::find(open.begin(), open.end(), v));
    done.push_back(v);
  }
}

template <class Vertex>
void require_maximal(const csr_graph<Vertex>& graph, const simple_rows<Vertex>& rows,
                     std::span<const std::uint64_t> clique) {
  for (std::size_t i = 0; i < clique.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      require(are_neighbours(rows, clique[i], clique[j]), "no edge joins {} and {} of a clique",
              called(graph, clique[j]), called(graph, clique[i]));
    }
  }
  if (clique.empty()) return;
  for (const Vertex v : rows.row(clique[0])) {
    const bool extends = std::all_of(clique.begin(), clique.end(),
                                     [&](std::uint64_t w) { return w != v && are_neighbours(rows, v, w); });
    require(!extends, "a clique of {} can be extended by {}", clique.size(), called(graph, v));
  }
}

/// Counts the sets of three and four vertices with `root` as the smallest, each once.
template <class Vertex>
class set_counter {
 public:
  explicit set_counter(const simple_rows<Vertex>& rows) : rows_(rows) {}

  void count_from(std::uint64_t root) {
    root_ = root;
    vertex_set open;
    for (const Vertex w : rows_.row(root)) {
      if (w > root) open.push_back(w);
    }
    extend({root}, open);
  }

  motif_counts counts;

 private:
  void extend(const vertex_set& set, vertex_set open) {
    if (set.size() >= 3) take(set);
    if (set.size() == 4) return;
    while (!open.empty()) {
      const std::uint64_t w = open.back();
      open.pop_back();
      vertex_set next = open;
      for (const Vertex x : rows_.row(w)) {
        // Exclusive neighbours of w: none of the set's, so that a set is made in one way.
        if (x <= root_ || std::find(set.begin(), set.end(), x) != set.end()) continue;
        const bool known =
            std::any_of(set.begin(), set.end(), [&](std::uint64_t v) { return are_neighbours(rows_, v, x); });
        if (!known) next.push_back(x);
      }
      vertex_set larger = set;
      larger.push_back(w);
      extend(larger, std::move(next));
    }
  }

  void take(const vertex_set& set) {
    std::array<int, 4> degree{};
    int edges = 0;
    for (std::size_t i = 0; i < set.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (!are_neighbours(rows_, set[i], set[j])) continue;
        ++edges;
        ++degree[i];
        ++degree[j];
      }
    }
    const int most = *std::max_element(degree.begin(), degree.end());
    if (set.size() == 3) {
      ++(edges == 3 ? counts.triangles : counts.paths_of_3);
    } else if (edges == 3) {
      ++(most == 3 ? counts.stars : counts.paths_of_4);
    } else if (edges == 4) {
      ++(most == 3 ? counts.paws : counts.cycles);
    } else {
      ++(edges == 5 ? counts.diamonds : counts.cliques);
    }
  }

  const simple_rows<Vertex>& rows_;
  std::uint64_t root_ = 0;
};

}  // namespace

template <class Vertex>
void verify_maximal_cliques(const csr_graph<Vertex>& graph, const clique_options& options,
                            const clique_result& result) {
  const simple_rows<Vertex> rows(graph, {});
  vertex_set all(rows.vertices());
  std::iota(all.begin(), all.end(), std::uint64_t{0});
  std::vector<std::uint64_t> by_size;
  if (!all.empty()) count_cliques(rows, 0, all, {}, by_size);
  for (std::size_t s = 0; s < std::max(by_size.size(), result.by_size.size()); ++s) {
    const std::uint64_t expected = s < by_size.size() && s >= options.least ? by_size[s] : 0;
    const std::uint64_t found = s < result.by_size.size() ? result.by_size[s] : 0;
    require(found == expected, "{} maximal cliques of {} vertices, where there are {}", found, s, expected);
  }
  require_maximal(graph, rows, result.largest);
  for (std::size_t i = 0; i + 1 < result.begins.size(); ++i) {
    require_maximal(graph, rows,
                    std::span(result.members).subspan(result.begins[i], result.begins[i + 1] - result.begins[i]));
  }
}

template <class Vertex>
void verify_motifs(const csr_graph<Vertex>& graph, const motif_counts& result) {
  const simple_rows<Vertex> rows(graph, {});
  set_counter<Vertex> counter(rows);
  for (std::uint64_t v = 0; v < rows.vertices(); ++v) counter.count_from(v);
  const motif_counts& c = counter.counts;
  require(result.paths_of_3 == c.paths_of_3, "{} paths of 3, where there are {}", result.paths_of_3, c.paths_of_3);
  require(result.triangles == c.triangles, "{} triangles, where there are {}", result.triangles, c.triangles);
  require(result.paths_of_4 == c.paths_of_4, "{} paths of 4, where there are {}", result.paths_of_4, c.paths_of_4);
  require(result.stars == c.stars, "{} stars, where there are {}", result.stars, c.stars);
  require(result.cycles == c.cycles, "{} cycles of 4, where there are {}", result.cycles, c.cycles);
  require(result.paws == c.paws, "{} paws, where there are {}", result.paws, c.paws);
  require(result.diamonds == c.diamonds, "{} diamonds, where there are {}", result.diamonds, c.diamonds);
  require(result.cliques == c.cliques, "{} cliques of 4, where there are {}", result.cliques, c.cliques);
}

template <class Vertex>
void verify_partition(const csr_graph<Vertex>& graph, const partition_options& options,
                      const partition_result& result) {
  const std::uint64_t n = graph.vertices();
  require(result.part.size() == n, "parts of {} vertices, where there are {}", result.part.size(), n);
  std::vector<std::uint64_t> sizes(options.parts);
  for (std::uint64_t v = 0; v < n; ++v) {
    require(result.part[v] < options.parts, "{} is in part {}", called(graph, v), result.part[v]);
    ++sizes[result.part[v]];
  }
  const double most = std::max(std::ceil(static_cast<double>(n) / options.parts),
                               (1 + options.imbalance) * static_cast<double>(n) / options.parts);
  const auto [low, high] = std::minmax_element(sizes.begin(), sizes.end());
  require(n == 0 || (*low == result.smallest && *high == result.largest), "the sizes of parts are {} to {}", *low,
          *high);
  require(static_cast<double>(*high) <= most + 1e-9, "a part has {} vertices, more than {}", *high, most);
  double cut = 0;
  const bool weighted = options.weighted && graph.weighted();
  const simple_rows<Vertex> rows(graph, {});
  for (std::uint64_t v = 0; v < n; ++v) {
    if (!weighted) {
      for (const Vertex w : rows.row(v)) cut += result.part[v] != result.part[w] ? 0.5 : 0;
      continue;
    }
    // An undirected edge stands in two rows.
    for (std::uint64_t a = graph.out().offsets[v]; a < graph.out().offsets[v + 1]; ++a) {
      if (result.part[v] == result.part[graph.out().targets[a]]) continue;
      cut += static_cast<double>(graph.out().weights[a]) * (graph.directed() ? 1 : 0.5);
    }
  }
  require(std::abs(cut - result.cut) <= 1e-9 * (1 + cut), "the cut is {}, not {}", cut, result.cut);
}

template <class Vertex>
void verify_earliest_arrival(const csr_graph<Vertex>& graph, std::uint64_t source, std::span<const double> times,
                             std::span<const double> durations, const temporal_options& options,
                             const temporal_result<Vertex>& result) {
  const machine::page_array<std::uint64_t> number = edges_of_arcs(graph);
  std::vector<bool> follows(graph.vertices());
  const auto& arrival = result.arrival;
  for (std::uint64_t v = 0; v < graph.vertices(); ++v) {
    if (arrival[v] == std::numeric_limits<double>::infinity()) continue;
    for (std::uint64_t a = graph.out().offsets[v]; a < graph.out().offsets[v + 1]; ++a) {
      const std::uint64_t w = graph.out().targets[a];
      const double begins = times[number[a]];
      const double takes = durations.empty() ? 0 : durations[number[a]];
      const bool late = options.strict && v != source ? begins <= arrival[v] : begins < arrival[v];
      if (std::isnan(begins) || std::isnan(takes) || late || begins + takes > options.until) continue;
      require(arrival[w] <= begins + takes, "{} is reached at {}, not {}", called(graph, w), begins + takes,
              arrival[w]);
      if (w != v && arrival[w] == begins + takes && result.before[w] == v &&
          result.contacts[w] == result.contacts[v] + 1) {
        follows[w] = true;
      }
    }
  }
  std::uint64_t reached = 0;
  for (std::uint64_t v = 0; v < graph.vertices(); ++v) {
    const bool there = arrival[v] != std::numeric_limits<double>::infinity();
    reached += there ? 1 : 0;
    require(!there || v == source || follows[v], "no edge leads to {} at {}", called(graph, v), arrival[v]);
  }
  require(arrival[source] == options.from && reached == result.reached, "{} vertices are reached, not {}", reached,
          result.reached);
}

#define CALLISTO_FOR_VERTEX(Vertex)                                                                                    \
  template CALLISTO_API void verify_maximal_cliques(const csr_graph<Vertex>&, const clique_options&,                   \
                                                    const clique_result&);                                             \
  template CALLISTO_API void verify_motifs(const csr_graph<Vertex>&, const motif_counts&);                             \
  template CALLISTO_API void verify_partition(const csr_graph<Vertex>&, const partition_options&,                      \
                                              const partition_result&);                                                \
  template CALLISTO_API void verify_earliest_arrival(const csr_graph<Vertex>&, std::uint64_t, std::span<const double>, \
                                                     std::span<const double>, const temporal_options&,                 \
                                                     const temporal_result<Vertex>&);
CALLISTO_FOR_VERTEX(std::uint32_t)
CALLISTO_FOR_VERTEX(std::uint64_t)
#undef CALLISTO_FOR_VERTEX

}  // namespace callisto::graph
