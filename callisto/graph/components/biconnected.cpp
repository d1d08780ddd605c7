// Biconnected components, from breadth-first trees and a disjoint-set forest.
#include <callisto/graph/components/biconnected.hpp>
#include <callisto/graph/components/components.hpp>
#include <callisto/graph/components/disjoint_forest.hpp>
#include <callisto/graph/components/level_queue.hpp>
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/graph/csr/simple_rows.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>

namespace callisto::graph {
namespace {

// relaxed, in all functions: each word is a number that publishes nothing else; the end of the loop orders it.
template <class Vertex>
void lower(Vertex& word, Vertex value) noexcept {
  const std::atomic_ref<Vertex> least(word);
  Vertex now = least.load(std::memory_order_relaxed);
  while (value < now && !least.compare_exchange_weak(now, value, std::memory_order_relaxed)) {
  }
}
template <class Vertex>
void raise(Vertex& word, Vertex value) noexcept {
  const std::atomic_ref<Vertex> most(word);
  Vertex now = most.load(std::memory_order_relaxed);
  while (value > now && !most.compare_exchange_weak(now, value, std::memory_order_relaxed)) {
  }
}
template <class Vertex>
Vertex fetch_add(Vertex& word, Vertex value) noexcept {
  return std::atomic_ref(word).fetch_add(value, std::memory_order_relaxed);
}

template <class Vertex>
class block_search {
 public:
  static constexpr Vertex none = std::numeric_limits<Vertex>::max();

  block_search(const csr_graph<Vertex>& graph, const run_control& control)
      : rows_(graph, control), n_(graph.vertices()), control_(control), parent_(n_), queue_(n_) {
    if (control.report != nullptr) control.report->begin("biconnected components", n_, "vertices");
    plant(graph);
    number();
  }

  biconnected_result<Vertex> run() {
    reach();
    join_blocks();
    biconnected_result<Vertex> result;
    list_edges(result);
    count(result);
    if (control_.report != nullptr) control_.report->advance(n_);
    return result;
  }

 private:
  template <class Function>
  void over_vertices(Function f) {
    if (!parallel_for(std::uint64_t{0}, n_, f, {.stop = control_.stop})) throw cancelled();
  }

  bool is_root(std::uint64_t v) const noexcept { return parent_[v] == v; }
  bool in_tree(std::uint64_t v, std::uint64_t w) const noexcept { return parent_[v] == w || parent_[w] == v; }

  /// Makes the trees, rooted at the smallest vertices of components.
  void plant(const csr_graph<Vertex>& graph) {
    const component_map<Vertex> map = components(graph, {.report = nullptr, .stop = control_.stop});
    for (std::uint64_t v = 0; v < n_; ++v) {
      parent_[v] = map[v] == v ? map[v] : none;
      if (map[v] == v) queue_.add_first(v);
    }
    while (queue_.next_level(control_, [&](Vertex v, auto push) {
      for (const Vertex w : rows_.row(v)) {
        const std::atomic_ref<Vertex> parent(parent_[w]);
        Vertex expected = none;
        if (parent.load(std::memory_order_relaxed) == none &&
            parent.compare_exchange_strong(expected, v, std::memory_order_relaxed)) {
          push(w);
        }
      }
    })) {
    }
  }

  /// Numbers the vertices in preorder, siblings in any order.
  void number() {
    size_ = machine::page_array<Vertex>(n_);
    number_ = machine::page_array<Vertex>(n_);
    next_ = machine::page_array<Vertex>(n_);
    over_vertices([&](std::uint64_t v) { size_[v] = 1; });
    for (std::uint64_t level = queue_.levels(); level-- > 1;) {
      queue_.over_level(level, control_, [&](Vertex v) { fetch_add(size_[parent_[v]], size_[v]); });
    }
    Vertex first = 0;
    for (std::uint64_t level = 0; level < queue_.levels(); ++level) {
      if (level == 0) {
        for (std::uint64_t i = 0; i != queue_.end_of(0); ++i) {
          const Vertex root = queue_[i];
          number_[root] = std::exchange(first, static_cast<Vertex>(first + size_[root]));
          next_[root] = number_[root] + 1;
        }
        continue;
      }
      queue_.over_level(level, control_, [&](Vertex v) {
        number_[v] = fetch_add(next_[parent_[v]], size_[v]);
        next_[v] = number_[v] + 1;
      });
    }
  }

  /// Finds which numbers each subtree reaches by edges that are not in trees. Such an edge leads from a vertex to no
  /// ancestor, since trees are breadth-first.
  void reach() {
    low_ = std::move(next_);
    high_ = machine::page_array<Vertex>(n_);
    set_ = machine::page_array<Vertex>(n_);
    over_vertices([&](std::uint64_t v) { set_[v] = static_cast<Vertex>(v); });
    const forest_words<Vertex> sets{set_.data()};
    over_vertices([&](std::uint64_t v) {
      Vertex low = number_[v];
      Vertex high = low;
      for (const Vertex w : rows_.row(v)) {
        if (in_tree(v, w)) continue;
        low = std::min(low, number_[w]);
        high = std::max(high, number_[w]);
        if (w > v) join(sets, v, w);
      }
      low_[v] = low;
      high_[v] = high;
    });
    for (std::uint64_t level = queue_.levels(); level-- > 1;) {
      queue_.over_level(level, control_, [&](Vertex v) {
        lower(low_[parent_[v]], low_[v]);
        raise(high_[parent_[v]], high_[v]);
      });
    }
  }

  void join_blocks() {
    const forest_words<Vertex> sets{set_.data()};
    over_vertices([&](std::uint64_t v) {
      const Vertex parent = parent_[v];
      if (is_root(v) || is_root(parent)) return;
      if (low_[v] < number_[parent] || high_[v] - number_[parent] >= size_[parent]) join(sets, v, parent);
    });
    over_vertices([&](std::uint64_t v) { compress(sets, v); });
  }

  /// Lists the edges with their sets, then numbers the sets.
  void list_edges(biconnected_result<Vertex>& result) {
    machine::page_array<std::uint64_t> begin(n_ + 1);
    const auto larger = [&](std::uint64_t v) {
      const auto row = rows_.row(v);
      return row.subspan(static_cast<std::size_t>(std::upper_bound(row.begin(), row.end(), v) - row.begin()));
    };
    over_vertices([&](std::uint64_t v) { begin[v + 1] = larger(v).size(); });
    for (std::uint64_t v = 0; v < n_; ++v) begin[v + 1] += begin[v];
    result.from = machine::page_array<Vertex>(begin[n_]);
    result.to = machine::page_array<Vertex>(begin[n_]);
    result.block = machine::page_array<Vertex>(begin[n_]);
    over_vertices([&](std::uint64_t v) {
      std::uint64_t e = begin[v];
      for (const Vertex w : larger(v)) {
        result.from[e] = static_cast<Vertex>(v);
        result.to[e] = w;
        result.block[e++] = set_[parent_[v] == w ? v : w];
      }
    });
    block_ = std::move(low_);
    over_vertices([&](std::uint64_t v) { block_[v] = none; });
    for (Vertex& of : result.block) {
      if (block_[of] == none) block_[of] = static_cast<Vertex>(count_++);
      of = block_[of];
    }
  }

  void count(biconnected_result<Vertex>& result) {
    result.size = machine::page_array<Vertex>(count_);
    result.blocks = machine::page_array<Vertex>(n_);
    for (std::uint64_t v = 0; v < n_; ++v) {
      if (is_root(v)) continue;
      ++result.blocks[v];
      // A block hangs from one vertex: the parent of each vertex of its set with a parent outside of the set.
      Vertex& size = result.size[block_[set_[v]]];
      const Vertex parent = parent_[v];
      if (size == 0) size = 1;
      ++size;
      if (!is_root(parent) && set_[parent] == set_[v]) continue;
      if (hangs_first(v)) ++result.blocks[parent];
    }
    for (const Vertex size : result.size) {
      result.bridges += size == 2 ? 1 : 0;
      result.largest = std::max(result.largest, std::uint64_t{size});
    }
    for (const Vertex blocks : result.blocks) result.articulation_points += blocks > 1 ? 1 : 0;
  }

  /// True at the first call for a block, by a vertex that hangs from the block's highest vertex.
  bool hangs_first(std::uint64_t v) noexcept { return std::exchange(high_[set_[v]], none) != none; }

  simple_rows<Vertex> rows_;
  std::uint64_t n_;
  const run_control& control_;
  machine::page_array<Vertex> parent_;  ///< of a root itself
  level_queue<Vertex> queue_;
  machine::page_array<Vertex> size_;    ///< vertices of the subtree
  machine::page_array<Vertex> number_;  ///< in preorder
  machine::page_array<Vertex> next_;    ///< the number of the next child
  machine::page_array<Vertex> low_;     ///< the least and the largest number that the subtree reaches
  machine::page_array<Vertex> high_;    ///< in count(), by set: none if the block was counted at its highest vertex
  machine::page_array<Vertex> set_;     ///< the smallest vertex that stands for an edge of the same block
  machine::page_array<Vertex> block_;   ///< by set: the number of the block
  std::uint64_t count_ = 0;
};

}  // namespace

template <class Vertex>
biconnected_result<Vertex> biconnected(const csr_graph<Vertex>& graph, const run_control& control) {
  if (!graph.has_in()) throw usage_error("the graph was built without in-edges, which biconnected components need");
  return block_search<Vertex>(graph, control).run();
}

template CALLISTO_API biconnected_result<std::uint32_t> biconnected(const csr_graph<std::uint32_t>&,
                                                                    const run_control&);
template CALLISTO_API biconnected_result<std::uint64_t> biconnected(const csr_graph<std::uint64_t>&,
                                                                    const run_control&);

std::uint64_t needs::biconnected(const any_graph& graph) noexcept {
  const graph_size s = size_of(graph);
  const std::uint64_t searching = needs::components(graph) + 2 * s.v * s.n;
  const std::uint64_t ours = (9 * s.v + 8) * s.n + 3 * s.v * s.edges;
  return bytes_of_simple_rows(s.n, s.edges, s.v) + std::max(searching, ours);
}

}  // namespace callisto::graph
