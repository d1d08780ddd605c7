// Triangle counting, with parallel loops around the bodies of kernel.hpp.
#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/graph/triangles/kernel.hpp>
#include <callisto/graph/triangles/orient.hpp>
#include <callisto/graph/triangles/triangles.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <atomic>
#include <functional>
#include <optional>

namespace callisto::graph {
namespace {

using rank_t = std::uint64_t;

struct thread_count {
  machine::page_array<std::uint64_t> marks;
  std::uint64_t triangles = 0;
  rank_t unreported = 0;
};

template <class Vertex>
struct count_loop {
  const oriented_graph<Vertex>& rows;
  progress* report;
  std::atomic<std::uint64_t> triangles{0};

  void fork(thread_count& mine) { mine.marks = machine::page_array<std::uint64_t>(rows.mark_words()); }
  void work(thread_count& mine, rank_t first, rank_t last) {
    mine.triangles += rows.count_triangles(first, last, mine.marks.data());
    mine.unreported += last - first;
    if (mine.unreported > rows.ranks() / 256) advance(mine);
  }
  void join(thread_count& mine) {
    triangles.fetch_add(mine.triangles, std::memory_order_relaxed);
    advance(mine);
  }
  void advance(thread_count& mine) {
    if (report != nullptr) report->advance(mine.unreported);
    mine.unreported = 0;
  }
};

/// Returns the triangles of an undirected graph in which every vertex has few neighbours; nothing if one has many.
template <class Vertex>
std::optional<triangles_result> count_where_few(const csr_graph<Vertex>& graph, const triangles_options& options,
                                                const run_control& control) {
  using count_few = few_neighbours_count<Vertex>;
  // These two looks are free. A loop might find the hub late: in a file with hubs first a thread may begin at the other
  // end, and it may be alone if another job has the other contexts.
  const auto& rows = graph.out();
  const std::uint64_t n = graph.vertices();
  if (n != 0 &&
      (rows.targets.size() / n > triangle_limits::few_neighbours || rows.degree(0) > triangle_limits::few_neighbours))
    return std::nullopt;
  std::atomic<bool> hub{false};
  const count_few count{rows, hub};
  const auto sums = parallel_reduce(std::uint64_t{0}, n, triangle_sums{}, count, std::plus<>{},
                                    loop_options{.batch = options.batch, .stop = control.stop});
  control.check();
  if (sums.given_up) return std::nullopt;
  return triangles_result{.triangles = sums.triangles, .edges = sums.edges};
}

template <class Vertex>
triangles_result count_triangles_of(const csr_graph<Vertex>& graph, const triangles_options& options,
                                    const run_control& control) {
  if (!graph.directed()) {
    if (const auto found = count_where_few(graph, options, control)) return *found;
  }
  // Neighbouring ranks go to one thread: most rows have hubs, and nearby rows share more of the hubs' data.
  const loop_options over_rows{.batch = options.batch, .stop = control.stop, .together = true};
  degree_ranking<Vertex> ranking(graph);
  rank_vertices(ranking, control);
  const oriented_graph<Vertex> rows = orient(ranking, over_rows);
  const rank_t ranks = rows.ranks();

  if (control.report != nullptr) control.report->begin("counting triangles", ranks, "vertices");
  count_loop<Vertex> loop{rows, control.report};
  parallel_for<count_loop<Vertex>, thread_count, rank_t>(loop, 0, ranks, over_rows);
  control.check();
  return {.triangles = loop.triangles.load(std::memory_order_relaxed), .edges = rows.edges()};
}

}  // namespace

triangles_result count_triangles(const any_graph& graph, const triangles_options& options, const run_control& control) {
  return std::visit(
      [&](const auto& g) {
        if (g.has_in()) return count_triangles_of(g, options, control);
        return count_triangles(symmetrized(graph, loops::remove, control), options, control);
      },
      graph);
}

std::uint64_t needs::triangles(const any_graph& graph) {
  const graph_size s = size_of(graph);
  // Ranks (csr/degree_ranking.hpp), oriented rows and bitmaps (triangles/kernel.hpp), and each thread's marks.
  return (2 * s.v + 8) * s.n + (s.v + 16) * s.edges + threads() * (s.n / 8 + bytes_of_thread);
}

}  // namespace callisto::graph
