// Breadth-first search by the rules of Graph500 (specification 3.0; Grappa, section 6).
//
// The ranks make a Kronecker graph, then search from vertices drawn among those that have edges. Each tree is checked
// by the benchmark's five rules. The rate is the harmonic mean of edges of the input in the tree's component a second.
// By default the search is the kernel of the command `callisto bfs` over ranks; with --posts 1 it is the plain search
// of Grappa's program: each arc of a level is a message. Use: graph500 [--scale N] [--searches N] [--posts 0|1]
#include "kronecker_rows.hpp"
#include "program.hpp"

#include <callisto/cluster/bfs.hpp>

#include <atomic>
#include <functional>
#include <numeric>
#include <string>

namespace {

using namespace callisto;
using tree_word = std::uint64_t;
constexpr std::uint32_t none = ~0U;

/// A vertex of the tree: its level and its parent, in a word.
constexpr tree_word tree_entry(std::uint32_t level, std::uint32_t parent) { return tree_word{level} << 32 | parent; }
constexpr tree_word not_reached = ~tree_word{0};

/// Searches by messages: all vertices of a level post themselves to their neighbours, which take the first as parent.
void search_by_posts(const lab::kronecker_rows& of, std::uint32_t root, const global::array<tree_word>& tree) {
  global::parallel_for(tree, [&](std::uint64_t v, tree_word& t) { t = v == root ? tree_entry(0, root) : not_reached; });
  std::uint64_t found = 1;
  for (std::uint32_t level = 0; found != 0; ++level) {
    std::atomic<std::uint64_t> mine{0};
    global::parallel_for(tree, [&](std::uint64_t v, tree_word& t) {
      // relaxed, here and in the message: a word is written once, and the loop's end orders it.
      if (std::atomic_ref(t).load(std::memory_order_relaxed) >> 32 != level) return;
      mine.fetch_add(1, std::memory_order_relaxed);
      for (const std::uint32_t w : of.graph.out().row(v)) {
        global::post_call(tree[w], [reached = tree_entry(level + 1, static_cast<std::uint32_t>(v))](tree_word& to) {
          const std::atomic_ref word(to);
          if (word.load(std::memory_order_relaxed) == not_reached) word.store(reached, std::memory_order_relaxed);
        });
      }
    });
    found = global::reduce_all(mine.load());
  }
}

/// Returns the levels of all vertices; empty if the parents of some vertex do not lead to the root.
std::vector<std::uint32_t> levels_of(const std::vector<std::uint32_t>& parents, std::uint32_t root) {
  std::vector<std::uint32_t> levels(parents.size(), none);
  if (parents[root] != root) return {};
  levels[root] = 0;
  std::vector<std::uint32_t> path;
  for (std::uint32_t v = 0; v != parents.size(); ++v) {
    path.clear();
    std::uint32_t u = v;
    for (; parents[u] != none && levels[u] == none; u = parents[u]) {
      path.push_back(u);
      if (path.size() > parents.size()) return {};  // a cycle
    }
    if (parents[u] == none && !path.empty()) return {};
    for (; !path.empty(); path.pop_back()) {
      levels[path.back()] = levels[u] + 1;
      u = path.back();
    }
  }
  return levels;
}

/// Checks a tree by the rules; each rank looks at the tree's edges of its vertices, and at its edges of the input.
/// Returns the edges in the tree's component, 0 if a rule is broken.
std::uint64_t verify(const lab::kronecker_rows& of, std::uint32_t root, std::vector<std::uint32_t> parents) {
  global::share_parts(std::span(parents), of.bounds);
  const std::vector<std::uint32_t> levels = levels_of(parents, root);  // rule 1: no cycles
  std::uint64_t wrong = levels.empty() ? 1 : 0;
  std::uint64_t edges = 0;
  if (wrong == 0) {
    for (std::uint64_t v = of.first(); v != of.last(); ++v) {
      if (parents[v] == none || v == root) continue;
      const auto row = of.graph.out().row(v);
      wrong += levels[v] == levels[parents[v]] + 1 ? 0 : 1;                     // rule 2
      wrong += std::binary_search(row.begin(), row.end(), parents[v]) ? 0 : 1;  // rule 5
    }
    for (const lab::kronecker_edge& e : of.edges) {
      const std::uint32_t a = levels[e.from];
      const std::uint32_t b = levels[e.to];
      wrong += (a == none) == (b == none) && (a == none || (a > b ? a - b : b - a) <= 1) ? 0 : 1;  // rules 3 and 4
      edges += a != none ? 1 : 0;
    }
  }
  edges = global::reduce_all(edges);
  return global::reduce_all(wrong) == 0 ? edges : 0;
}

/// Returns different vertices that have edges.
std::vector<std::uint32_t> draw_roots(const lab::kronecker_rows& of, std::size_t count) {
  const graph::counter_random random(7);
  std::vector<std::uint32_t> roots;
  for (std::uint64_t i = 0; roots.size() < count && i < 64 * of.vertices(); ++i) {
    const auto v = static_cast<std::uint32_t>(graph::below(random(i), of.vertices()));
    if (of.graph.out().degree(v) != 0 && std::ranges::find(roots, v) == roots.end()) roots.push_back(v);
  }
  return roots;
}

}  // namespace

int main(int argc, char** argv) {
  const lab::options o(argc, argv, {{"scale", 18, 6, 31}, {"searches", 64, 1, 64}, {"posts", 0, 0, 1}});
  global::session s(argc, argv);
  const auto scale = static_cast<unsigned>(o["scale"]);
  const bool posts = o["posts"] != 0;
  std::vector<lab::kronecker_edge> edges = lab::make_kronecker_edges(scale, 16);
  lab::kronecker_rows rows;
  const double made = lab::timed([&] { rows = lab::make_kronecker_rows(scale, std::move(edges)); });
  cluster::rank_partners among(rows.bounds);
  const auto tree = posts ? global::make_array<tree_word>(rows.part * static_cast<std::uint64_t>(s.ranks()))
                          : global::array<tree_word>();

  std::vector<double> rates;
  bool right = true;
  for (const std::uint32_t root : draw_roots(rows, o["searches"])) {
    std::vector<std::uint32_t> parents(rows.vertices(), none);
    graph::bfs_result<std::uint32_t> result;
    const double seconds = lab::timed([&] {
      if (posts) {
        search_by_posts(rows, root, tree);
      } else {
        result = cluster::bfs(rows.graph, root, {}, {{}, &among});
      }
    });
    for (std::uint64_t v = rows.first(); v != rows.last(); ++v) {
      parents[v] = posts ? static_cast<std::uint32_t>(tree.local()[v - rows.first()]) : result.parents[v];
    }
    const std::uint64_t in_component = verify(rows, root, std::move(parents));
    right = right && in_component != 0;
    rates.push_back(static_cast<double>(in_component) * 1e-6 / seconds);
  }
  if (s.rank() == 0) {
    const double mean = static_cast<double>(rates.size()) /
                        std::accumulate(rates.begin(), rates.end(), 0.0, [](double a, double r) { return a + 1 / r; });
    const auto [least, most] = std::minmax_element(rates.begin(), rates.end());
    std::printf(
        "graph500: %d ranks x %d, scale %u by %s: harmonic mean %.2f M edges/s (%.2f to %.2f in %zu searches), "
        "constructed in %.2f s, %s\n",
        s.ranks(), global::here().threads, scale, posts ? "posts" : "the kernel", mean, *least, *most, rates.size(),
        made, right ? "verified" : "WRONG");
  }
  return right ? 0 : 1;
}
