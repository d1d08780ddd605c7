// Boruvka's algorithm with parallel loops, light edges first.
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/graph/forest/spanning_forest.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

/// Arcs a vertex from which it pays to connect by light edges first: heavy ones are then mostly inside of trees.
constexpr std::uint64_t arcs_for_two_phases = 6;
/// Arcs of which the light limit is estimated, and light arcs wanted a vertex.
constexpr std::uint64_t sampled_arcs = 4096;
constexpr std::uint64_t light_arcs = 4;

template <class Vertex, class Key>
class forest_builder {
 public:
  /// `sign`: -1 for the heaviest edges. Keys are weights times `sign`, so that the least is taken.
  forest_builder(const csr_graph<Vertex>& graph, int sign, const run_control& control)
      : graph_(graph),
        sign_(static_cast<Key>(sign)),
        control_(control),
        n_(graph.vertices()),
        tree_(n_),
        best_(n_),
        taken_(n_),
        choice_(n_),
        above_(n_),
        begin_(n_ + 1),
        size_(n_) {}

  void run() {
    if (control_.report != nullptr) control_.report->begin("connecting trees", n_, "vertices");
    over(n_, [&](std::uint64_t v) {
      tree_[v] = static_cast<Vertex>(v);
      taken_[v].other = none;
    });
    const Key limit = light_limit();
    constexpr Key unlimited = std::numeric_limits<Key>::infinity();
    if (limit < unlimited) connect(-unlimited, limit, true);
    connect(limit < unlimited ? limit : -unlimited, unlimited, !(limit < unlimited));
  }

  forest_result result() {
    forest_result found;
    // Counting sort by the smaller end, then each row by the larger one.
    std::vector<std::uint64_t> next(n_ + 1);
    for (std::uint64_t v = 0; v < n_; ++v) {
      if (taken_[v].other != none) {
        ++next[std::min(taken_[v].vertex, taken_[v].other) + std::uint64_t{1}];
      } else {
        ++found.trees;
      }
    }
    for (std::uint64_t v = 0; v < n_; ++v) next[v + 1] += next[v];
    found.edges.resize(next[n_]);
    for (std::uint64_t v = 0; v < n_; ++v) {
      const candidate& c = taken_[v];
      if (c.other == none) continue;
      const auto [low, high] = std::minmax(c.vertex, c.other);
      found.edges[next[low]++] = {low, high, static_cast<double>(c.key * sign_)};
    }
    over(n_, [&](std::uint64_t v) {
      // next[v] is now the end of v's edges, and next[v - 1] their beginning.
      std::sort(found.edges.begin() + static_cast<std::ptrdiff_t>(v == 0 ? 0 : next[v - 1]),
                found.edges.begin() + static_cast<std::ptrdiff_t>(next[v]),
                [](const forest_edge& a, const forest_edge& b) { return a.to < b.to; });
    });
    for (const forest_edge& e : found.edges) found.weight += e.weight;
    return found;
  }

 private:
  static constexpr Vertex none = std::numeric_limits<Vertex>::max();

  struct entry {
    Vertex target;
    Key key;
  };

  /// The edge that a vertex offers to its tree, or that a tree has taken.
  struct candidate {
    Vertex vertex;
    Vertex other;  ///< none: there is no edge
    Key key;

    /// True if `a` comes first by key, then smaller end, then larger end: a total order of edges.
    friend bool operator<(const candidate& a, const candidate& b) noexcept {
      if (a.key != b.key) return a.key < b.key;
      return std::minmax(a.vertex, a.other) < std::minmax(b.vertex, b.other);
    }
  };

  void over(std::uint64_t count, auto f) {
    if (!parallel_for(std::uint64_t{0}, count, f, {.stop = control_.stop})) throw cancelled();
  }

  /// Calls f(target, key) for each arc of v, in either direction.
  void for_each_arc(std::uint64_t v, const auto& f) const {
    const auto visit = [&](const adjacency<Vertex>& rows) {
      for (std::uint64_t a = rows.offsets[v]; a != rows.offsets[v + 1]; ++a) f(rows.targets[a], key_of(rows, a));
    };
    visit(graph_.out());
    if (graph_.directed()) visit(graph_.in());
  }

  Key key_of(const adjacency<Vertex>& rows, std::uint64_t a) const noexcept {
    if (rows.weights.empty()) return sign_;
    if constexpr (std::is_same_v<Key, float>) {
      return sign_ * static_cast<float>(rows.weights.template data<short_weight>()[a]);
    } else {
      return sign_ * rows.weights.template data<double>()[a];
    }
  }

  /// Returns a key that about `light_arcs` arcs a vertex do not exceed; infinity if all arcs are to be used at once.
  Key light_limit() const {
    const std::uint64_t arcs = graph_.arcs();
    if (arcs < arcs_for_two_phases * n_ || arcs < sampled_arcs) return std::numeric_limits<Key>::infinity();
    std::vector<Key> sample;
    for (std::uint64_t i = 0; i < sampled_arcs; ++i) sample.push_back(key_of(graph_.out(), arcs / sampled_arcs * i));
    const auto at = static_cast<std::ptrdiff_t>(sampled_arcs * light_arcs * n_ / arcs);
    std::nth_element(sample.begin(), sample.begin() + at, sample.end());
    return sample[static_cast<std::size_t>(at)];
  }

  /// Connects trees by edges with low < key <= high until there is none between trees. `all_single`: no two vertices
  /// are connected yet.
  void connect(Key low, Key high, bool all_single) {
    const auto wanted = [&](std::uint64_t v, Vertex target, Key key) {
      return (key > low || all_single) && key <= high && (all_single ? target != v : tree_[target] != tree_[v]);
    };
    over(n_, [&](std::uint64_t v) {
      std::uint64_t count = 0;
      for_each_arc(v, [&](Vertex target, Key key) { count += wanted(v, target, key) ? 1 : 0; });
      begin_[v + 1] = count;
    });
    for (std::uint64_t v = 0; v < n_; ++v) begin_[v + 1] += begin_[v];
    rows_ = machine::page_array<entry>(begin_[n_]);
    active_.clear();
    for (std::uint64_t v = 0; v < n_; ++v) {
      if (begin_[v] != begin_[v + 1]) active_.push_back(static_cast<Vertex>(v));
    }
    over(active_.size(), [&](std::uint64_t i) {
      const Vertex v = active_[i];
      entry* next = rows_.data() + begin_[v];
      for_each_arc(v, [&](Vertex target, Key key) {
        if (wanted(v, target, key)) *next++ = {target, key};
      });
      size_[v] = begin_[v + std::uint64_t{1}] - begin_[v];
    });
    while (!active_.empty()) round();
    rows_ = {};
  }

  /// Each tree takes the lightest edge that leaves it.
  void round() {
    over(active_.size(), [&](std::uint64_t i) {
      offer(active_[i]);
      // relaxed: several vertices of a tree store the same; the loop's end orders it.
      std::atomic_ref(choice_[tree_[active_[i]]]).store(none, std::memory_order_relaxed);
    });
    std::erase_if(active_, [&](Vertex v) { return size_[v] == 0; });
    over(active_.size(), [&](std::uint64_t i) { propose(active_[i]); });
    roots_.clear();
    for (const Vertex v : active_) {
      if (choice_[tree_[v]] == v) roots_.push_back(tree_[v]);
    }
    over(roots_.size(), [&](std::uint64_t i) { take(roots_[i]); });
    over(roots_.size(), [&](std::uint64_t i) { hang(roots_[i]); });
    over(n_, [&](std::uint64_t v) {
      // relaxed: a word names a vertex and publishes nothing else; it only gets nearer to the root.
      std::uint64_t root = load(v);
      while (load(root) != root) root = load(root);
      if (root != load(v)) std::atomic_ref(tree_[v]).store(static_cast<Vertex>(root), std::memory_order_relaxed);
    });
    if (control_.report != nullptr) control_.report->advance(roots_.size() / 2);
  }

  std::uint64_t load(std::uint64_t v) noexcept { return std::atomic_ref(tree_[v]).load(std::memory_order_relaxed); }

  /// Drops v's arcs inside of its tree, and finds the lightest of its other arcs.
  void offer(Vertex v) {
    entry* const row = rows_.data() + begin_[v];
    std::uint64_t kept = 0;
    candidate best{v, none, std::numeric_limits<Key>::infinity()};
    for (std::uint64_t i = 0; i < size_[v]; ++i) {
      if (tree_[row[i].target] == tree_[v]) continue;
      const candidate edge{v, row[i].target, row[i].key};
      row[kept++] = row[i];
      if (best.other == none || edge < best) best = edge;
    }
    size_[v] = kept;
    best_[v] = best;
  }

  /// Makes v its tree's choice if v offers a lighter edge than the choice so far.
  void propose(Vertex v) {
    // relaxed: offers do not change in this loop, and its end orders the choices.
    const std::atomic_ref<Vertex> choice(choice_[tree_[v]]);
    Vertex now = choice.load(std::memory_order_relaxed);
    while ((now == none || best_[v] < best_[now]) && !choice.compare_exchange_weak(now, v, std::memory_order_relaxed)) {
    }
  }

  /// Takes the chosen edge of the tree with this root, unless the tree at its other end takes it as well and has the
  /// smaller root.
  void take(Vertex root) {
    const candidate& edge = best_[choice_[root]];
    const Vertex there = tree_[edge.other];
    const bool mutual = best_[choice_[there]].vertex == edge.other && best_[choice_[there]].other == edge.vertex;
    if (mutual && root < there) return;
    taken_[root] = edge;
    above_[root] = there;
  }

  void hang(Vertex root) {
    if (taken_[root].other == none) return;
    // relaxed: as in round().
    std::atomic_ref(tree_[root]).store(above_[root], std::memory_order_relaxed);
  }

  const csr_graph<Vertex>& graph_;
  Key sign_;
  const run_control& control_;
  std::uint64_t n_;
  machine::page_array<Vertex> tree_;      ///< by vertex: the root of its tree
  machine::page_array<candidate> best_;   ///< by vertex: the lightest edge that leaves its tree from it
  machine::page_array<candidate> taken_;  ///< by vertex: the edge by which it was hung, as a root
  machine::page_array<Vertex> choice_;    ///< by root: the vertex with the edge that it takes
  machine::page_array<Vertex> above_;     ///< by root that takes an edge: the root at the edge's other end
  machine::page_array<std::uint64_t> begin_;
  machine::page_array<std::uint64_t> size_;
  machine::page_array<entry> rows_;  ///< rows of arcs that left their trees when last looked at
  std::vector<Vertex> active_;       ///< vertices with such arcs
  std::vector<Vertex> roots_;
};

/// Throws usage_error if a weight is no number.
template <class Vertex>
void refuse_nan(const csr_graph<Vertex>& graph, const run_control& control) {
  const auto& weights = graph.out().weights;
  if (weights.is_short() || (graph.known_weights() && !graph.known_weights()->wrong)) return;
  const double* const values = weights.template data<double>();
  const bool some = parallel_reduce(
      std::uint64_t{0}, std::uint64_t{weights.size()}, false, [&](std::uint64_t a) { return std::isnan(values[a]); },
      std::logical_or<>(), loop_options{.stop = control.stop});
  control.check();
  if (some) throw weight_error("a weight is no number; a spanning forest needs weights that can be compared");
}

}  // namespace

template <class Vertex>
forest_result spanning_forest(const csr_graph<Vertex>& graph, const forest_options& options,
                              const run_control& control) {
  if (!graph.has_in()) throw usage_error("the graph was built without in-edges, which a spanning forest needs");
  refuse_nan(graph, control);
  const int sign = options.heaviest ? -1 : 1;
  const auto build = [&]<class Key>(std::type_identity<Key>) {
    forest_builder<Vertex, Key> builder(graph, sign, control);
    builder.run();
    return builder.result();
  };
  return graph.has_short_weights() ? build(std::type_identity<float>()) : build(std::type_identity<double>());
}

template CALLISTO_API forest_result spanning_forest(const csr_graph<std::uint32_t>&, const forest_options&,
                                                    const run_control&);
template CALLISTO_API forest_result spanning_forest(const csr_graph<std::uint64_t>&, const forest_options&,
                                                    const run_control&);

std::uint64_t needs::spanning_forest(const any_graph& graph) noexcept {
  const graph_size s = size_of(graph);
  const std::uint64_t key = s.w == 8 ? 8 : 4;
  const std::uint64_t candidate = 2 * s.v + 8;
  const std::uint64_t arcs = s.directed ? 2 * s.m : s.m;
  return s.n * (5 * s.v + 2 * candidate + 24 + 24) + arcs * (s.v + std::max(s.v, key));
}

}  // namespace callisto::graph
