// Sequential checks of blocks and of topological orders.
#include <callisto/graph/csr/simple_neighbours.hpp>
#include <callisto/graph/verify/connectivity.hpp>
#include <callisto/graph/verify/require.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

constexpr std::uint64_t unseen = std::numeric_limits<std::uint64_t>::max();

/// The depth-first search of Hopcroft and Tarjan: edges wait on a stack until their block is complete.
template <class Vertex>
class block_finder {
 public:
  explicit block_finder(const csr_graph<Vertex>& graph) : begin_(graph.vertices() + 1), blocks_(graph.vertices()) {
    for (std::uint64_t v = 0; v < graph.vertices(); ++v) {
      for_each_simple_neighbour(graph, v, [&](Vertex w) { row_.push_back(w); });
      begin_[v + 1] = row_.size();
    }
    number_.assign(graph.vertices(), unseen);
    low_ = number_;
  }

  /// Calls found(edges) for each block: pairs, the smaller end first.
  template <class Function>
  void run(Function found) {
    for (std::uint64_t root = 0; root < number_.size(); ++root) {
      if (number_[root] == unseen) search(root, found);
    }
  }

  /// Returns the place of an edge, the smaller end first, in the ascending order of all.
  std::uint64_t index_of(std::uint64_t u, std::uint64_t v) const {
    return smaller_[u] +
           static_cast<std::uint64_t>(
               std::lower_bound(row_.begin() + at(begin_[u]), row_.begin() + at(begin_[u + 1]), v) - first_larger(u));
  }
  /// Prepares index_of(); returns the number of edges.
  std::uint64_t number_edges() {
    smaller_.assign(begin_.size(), 0);
    for (std::uint64_t u = 0; u + 1 < begin_.size(); ++u) {
      smaller_[u + 1] = smaller_[u] + static_cast<std::uint64_t>(row_.begin() + at(begin_[u + 1]) - first_larger(u));
    }
    return smaller_.back();
  }
  const std::vector<std::uint64_t>& blocks() const noexcept { return blocks_; }

 private:
  struct visit {
    std::uint64_t vertex;
    std::uint64_t parent;
    std::uint64_t next;
  };

  static std::ptrdiff_t at(std::uint64_t i) noexcept { return static_cast<std::ptrdiff_t>(i); }
  auto first_larger(std::uint64_t u) const {
    return std::upper_bound(row_.begin() + at(begin_[u]), row_.begin() + at(begin_[u + 1]), u);
  }

  void enter(std::uint64_t v, std::uint64_t parent) {
    number_[v] = low_[v] = count_++;
    path_.push_back({v, parent, begin_[v]});
  }

  template <class Function>
  void search(std::uint64_t root, Function found) {
    enter(root, root);
    while (!path_.empty()) {
      visit& top = path_.back();
      const auto [v, parent, next] = top;
      if (next != begin_[v + 1]) {
        ++top.next;
        const std::uint64_t w = row_[next];
        if (number_[w] == unseen) {
          waiting_.emplace_back(v, w);
          enter(w, v);
        } else if (w != parent && number_[w] < number_[v]) {
          waiting_.emplace_back(v, w);
          low_[v] = std::min(low_[v], number_[w]);
        }
        continue;
      }
      path_.pop_back();
      if (path_.empty()) break;
      low_[parent] = std::min(low_[parent], low_[v]);
      if (low_[v] >= number_[parent]) finish(parent, v, found);
    }
  }

  /// Takes the block of the edge from `parent` to `v`, and all that waits upon it.
  template <class Function>
  void finish(std::uint64_t parent, std::uint64_t v, Function found) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> edges;
    for (bool last = false; !last;) {
      const auto [a, b] = waiting_.back();
      last = a == parent && b == v;
      edges.emplace_back(std::min(a, b), std::max(a, b));
      waiting_.pop_back();
    }
    std::vector<std::uint64_t> members;
    for (const auto& [a, b] : edges) members.insert(members.end(), {a, b});
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    for (const std::uint64_t w : members) ++blocks_[w];
    found(edges, members.size());
  }

  std::vector<Vertex> row_;
  std::vector<std::uint64_t> begin_;
  std::vector<std::uint64_t> smaller_;
  std::vector<std::uint64_t> number_;
  std::vector<std::uint64_t> low_;
  std::vector<std::uint64_t> blocks_;  ///< by vertex
  std::vector<visit> path_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> waiting_;
  std::uint64_t count_ = 0;
};

}  // namespace

template <class Vertex>
void verify_biconnected(const csr_graph<Vertex>& graph, const biconnected_result<Vertex>& result) {
  block_finder<Vertex> finder(graph);
  const std::uint64_t edges = finder.number_edges();
  require(result.from.size() == edges && result.to.size() == edges && result.block.size() == edges,
          "{} edges, expected {}", result.from.size(), edges);
  std::vector<std::uint64_t> sizes(result.size.size());
  std::uint64_t blocks = 0;
  finder.run([&](const auto& members, std::uint64_t vertices) {
    ++blocks;
    const std::uint64_t block = result.block[finder.index_of(members.front().first, members.front().second)];
    for (const auto& [u, v] : members) {
      const std::uint64_t e = finder.index_of(u, v);
      require(result.from[e] == u && result.to[e] == v, "edge {} is from {} to {}, expected {} to {}", e,
              called(graph, result.from[e]), called(graph, result.to[e]), called(graph, u), called(graph, v));
      require(result.block[e] == block, "the edges {} to {} and {} to {} are in blocks {} and {}, expected in one",
              called(graph, members.front().first), called(graph, members.front().second), called(graph, u),
              called(graph, v), block, result.block[e]);
    }
    require(block < sizes.size() && sizes[block] == 0, "block {} is two blocks, or none", block);
    sizes[block] = vertices;
    require(result.size[block] == vertices, "block {} has {} vertices, expected {}", block, result.size[block],
            vertices);
  });
  require(blocks == result.size.size(), "{} blocks, expected {}", result.size.size(), blocks);
  std::uint64_t points = 0;
  for (std::uint64_t v = 0; v < graph.vertices(); ++v) {
    require(result.blocks[v] == finder.blocks()[v], "vertex {} is in {} blocks, expected {}", called(graph, v),
            result.blocks[v], finder.blocks()[v]);
    points += finder.blocks()[v] > 1 ? 1 : 0;
  }
  const auto bridges = static_cast<std::uint64_t>(std::count(sizes.begin(), sizes.end(), 2));
  require(result.bridges == bridges, "{} bridges, expected {}", result.bridges, bridges);
  require(result.articulation_points == points, "{} articulation points, expected {}", result.articulation_points,
          points);
}

template <class Vertex>
void verify_topological_order(const csr_graph<Vertex>& graph, const topological_result<Vertex>& result) {
  if (!result.acyclic()) {
    for (std::size_t i = 0; i < result.cycle.size(); ++i) {
      const std::uint64_t u = result.cycle[i];
      const std::uint64_t v = result.cycle[(i + 1) % result.cycle.size()];
      const auto row = graph.out().row(u);
      require(std::binary_search(row.begin(), row.end(), v), "the cycle has no arc from {} to {}", called(graph, u),
              called(graph, v));
    }
    return;
  }
  require(result.order.size() == graph.vertices(), "{} vertices in order, expected {}", result.order.size(),
          graph.vertices());
  std::vector<std::uint64_t> place(graph.vertices(), unseen);
  for (std::uint64_t i = 0; i < result.order.size(); ++i) {
    const std::uint64_t v = result.order[i];
    require(v < graph.vertices() && place[v] == unseen, "the order has vertex {} twice, or it is none", v);
    place[v] = i;
    require(i == 0 || std::pair(result.layer[result.order[i - 1]], result.order[i - 1]) <
                          std::pair(result.layer[v], result.order[i]),
            "vertex {} is not behind the vertex before it", called(graph, v));
  }
  for (std::uint64_t v = 0; v < graph.vertices(); ++v) {
    std::uint64_t layer = 0;
    for (const Vertex u : graph.in().row(v)) {
      require(place[u] < place[v], "the arc from {} to {} leads back", called(graph, u), called(graph, v));
      layer = std::max(layer, std::uint64_t{result.layer[u]} + 1);
    }
    require(result.layer[v] == layer, "vertex {} is in layer {}, expected {}", called(graph, v), result.layer[v],
            layer);
  }
}

namespace {

/// Returns what can be reached from u by next(v, f), which calls f(w) for each arc (v, w); without the arc from u to
/// `left_out`.
template <class Next>
std::vector<char> reached_from(std::uint64_t n, std::uint64_t u, std::uint64_t left_out, const Next& next) {
  std::vector<char> reached(n);
  std::vector<std::uint64_t> waiting{u};
  while (!waiting.empty()) {
    const std::uint64_t v = waiting.back();
    waiting.pop_back();
    next(v, [&](std::uint64_t w) {
      if (reached[w] != 0 || (v == u && w == left_out)) return;
      reached[w] = 1;
      waiting.push_back(w);
    });
  }
  return reached;
}

}  // namespace

template <class Vertex>
void verify_transitive_reduction(const csr_graph<Vertex>& graph, const arc_list& reduction, std::uint64_t checked) {
  const std::uint64_t n = graph.vertices();
  require(std::is_sorted(reduction.begin(), reduction.end()) &&
              std::adjacent_find(reduction.begin(), reduction.end()) == reduction.end(),
          "arcs of the reduction do not ascend, or repeat");
  for (const auto& [u, v] : reduction) {
    require(u < n && v < n, "the reduction has an arc from {} to {}, expected vertices", u, v);
    const auto row = graph.out().row(u);
    require(std::binary_search(row.begin(), row.end(), v), "the graph has no arc from {} to {}", called(graph, u),
            called(graph, v));
  }
  const auto arcs_of = [&](std::uint64_t v) {
    const auto first = std::lower_bound(reduction.begin(), reduction.end(), std::pair(v, std::uint64_t{0}));
    return std::pair(first, std::lower_bound(first, reduction.end(), std::pair(v + 1, std::uint64_t{0})));
  };
  const auto by_graph = [&](std::uint64_t v, const auto& f) {
    for (const Vertex w : graph.out().row(v)) f(w);
  };
  const auto by_reduction = [&](std::uint64_t v, const auto& f) {
    for (auto [a, last] = arcs_of(v); a != last; ++a) f(a->second);
  };
  const std::uint64_t step = std::max<std::uint64_t>(1, (n + checked - 1) / std::max<std::uint64_t>(checked, 1));
  for (std::uint64_t u = 0; u < n; u += step) {
    require(reached_from(n, u, unseen, by_graph) == reached_from(n, u, unseen, by_reduction),
            "the reduction does not reach from {} what the graph reaches", called(graph, u));
    for (auto [a, last] = arcs_of(u); a != last; ++a) {
      require(reached_from(n, u, a->second, by_reduction)[a->second] == 0, "the arc from {} to {} is needless",
              called(graph, u), called(graph, a->second));
    }
  }
}

#define CALLISTO_INSTANTIATE(Vertex)                                                                                \
  template CALLISTO_API void verify_transitive_reduction(const csr_graph<Vertex>&, const arc_list&, std::uint64_t); \
  template CALLISTO_API void verify_biconnected(const csr_graph<Vertex>&, const biconnected_result<Vertex>&);       \
  template CALLISTO_API void verify_topological_order(const csr_graph<Vertex>&, const topological_result<Vertex>&);
CALLISTO_INSTANTIATE(std::uint32_t)
CALLISTO_INSTANTIATE(std::uint64_t)
#undef CALLISTO_INSTANTIATE

}  // namespace callisto::graph
