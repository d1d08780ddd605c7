#include <callisto/cluster/dealt_ranking.hpp>
#include <callisto/cluster/triangles.hpp>
#include <callisto/graph/csr/shared_sums.hpp>
#include <callisto/graph/csr/simple_neighbours.hpp>
#include <callisto/graph/triangles/kernel.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::cluster {

namespace {

template <class Vertex>
class dealt_triangles {
 public:
  dealt_triangles(const graph::csr_graph<Vertex>& graph, const graph::shared_control& control)
      : graph_(graph), among_(*control.among), control_(control), ranking_(graph, among_), marks_(threads()) {}

  graph::triangles_result count() {
    const rows_type mine = oriented();
    std::uint64_t triangles = 0;
    with_all(mine, [&](const rows_type& second) { triangles += count_with(mine, second); });
    return {.triangles = among_.sum(triangles), .edges = among_.sum(own_edges())};
  }

  /// Returns by vertex how many triangles have it as a corner: of all vertices where the result is told, elsewhere of
  /// own ones.
  machine::page_array<std::uint64_t> corners() {
    machine::page_array<std::uint64_t> found(ranking_.ranked());
    {
      const rows_type mine = oriented();
      // Each thread counts those of the first ranks by itself: hubs are corners of most triangles.
      std::vector<machine::page_array<std::uint64_t>> of_hubs(marks_.size());
      with_all(mine, [&](const rows_type& second) { find_corners(mine, second, found, of_hubs); });
      for (const machine::page_array<std::uint64_t>& some : of_hubs) {
        for (std::uint64_t r = 0; r != some.size(); ++r) found[r] += some[r];
      }
    }
    graph::sum_among(among_, found);
    machine::page_array<std::uint64_t> by_vertex(among_.bounds().back());
    parallel_for(among_.first(), among_.last(), [&](std::uint64_t v) {
      const std::uint64_t r = ranking_.rank(v);
      by_vertex[v] = r < found.size() ? found[r] : 0;
    });
    among_.collect(by_vertex.data(), among_.bounds());
    return by_vertex;
  }

 private:
  using rows_type = graph::oriented_graph<Vertex, some_ranks>;

  const std::vector<Vertex>& own() const noexcept { return ranking_.own(); }

  /// Returns the edges of the simple undirected graph from own vertices to larger ones.
  std::uint64_t own_edges() const {
    return parallel_reduce(among_.first(), among_.last(), std::uint64_t{0}, [&](std::uint64_t v) {
      std::uint64_t edges = 0;
      graph::for_each_simple_neighbour(graph_, v, [&](Vertex w) { edges += w > v ? 1 : 0; });
      return edges;
    });
  }

  /// Calls f(r) for the ranks of own vertices, in parallel; tells the progress or not. Throws cancelled.
  template <class Function>
  void over_own(const Function& f, bool tells = false) const {
    const auto some = [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t i = first; i != last; ++i) f(std::uint64_t{own()[i]});
      if (control_.report != nullptr && tells) control_.report->advance(last - first);
    };
    if (!parallel_for(std::uint64_t{0}, std::uint64_t{own().size()}, some, {.stop = control_.stop})) {
      throw graph::cancelled();
    }
  }

  void make_bitmaps(rows_type& rows) const {
    std::uint64_t limit = 0;
    for (std::uint64_t r = 0; r != rows.ranks(); ++r) limit = rows.limit_above(r, limit);
    rows.place_bitmaps(limit);
    parallel_for(std::uint64_t{0}, limit,
                 [&](std::uint64_t first, std::uint64_t last) { rows.fill_bitmaps(first, last); });
  }

  /// Returns the oriented rows of own vertices; the other rows are empty.
  rows_type oriented() const {
    rows_type rows(some_ranks(ranking_.ranked(), std::span<const Vertex>(own())));
    over_own([&](std::uint64_t r) { rows.count_rows(ranking_, r, r + 1, 0); });
    rows.place_rows();
    over_own([&](std::uint64_t r) { rows.fill_rows(ranking_, r, r + 1); });
    make_bitmaps(rows);
    return rows;
  }

  /// Returns the oriented rows of process `from`. The process as far before this one gets `mine`.
  rows_type rows_of(std::size_t from, const rows_type& mine) {
    const std::size_t to = (2 * among_.number() + among_.count() - from) % among_.count();
    std::vector<std::uint64_t> counts(among_.count());
    counts[to] = own().size();
    const std::vector<Vertex> ranks = among_.exchange(own(), counts);
    machine::page_array<std::uint64_t> offsets(ranks.size() + 1);
    {
      std::vector<Vertex> sizes;  // a row is shorter than there are vertices
      sizes.reserve(own().size());
      for (const Vertex r : own()) sizes.push_back(static_cast<Vertex>(mine.row_size(r)));
      const std::vector<Vertex> came = among_.exchange(sizes, counts);
      for (std::size_t i = 0; i != came.size(); ++i) offsets[i + 1] = offsets[i] + came[i];
    }
    counts[to] = mine.targets().size();
    const auto targets =
        std::make_shared<const std::vector<Vertex>>(among_.exchange(std::span<const Vertex>(mine.targets()), counts));
    rows_type rows(some_ranks(ranking_.ranked(), std::span<const Vertex>(ranks)), std::move(offsets),
                   machine::page_array<Vertex>::view(*targets, targets));
    make_bitmaps(rows);
    return rows;
  }

  /// Calls f(rows) with own rows, and in turn with those of each other process.
  template <class Function>
  void with_all(const rows_type& mine, const Function& f) {
    if (control_.report != nullptr) {
      control_.report->begin("counting triangles", own().size() * among_.count(), "vertices");
    }
    f(mine);
    for (std::size_t step = 1; step != among_.count(); ++step) {
      f(rows_of((among_.number() + step) % among_.count(), mine));
    }
  }

  std::uint64_t* marks_of_thread(const rows_type& rows) {
    machine::page_array<std::uint64_t>& marks = marks_[this_thread()];
    if (marks.empty()) marks = machine::page_array<std::uint64_t>(rows.mark_words());
    return marks.data();
  }

  void find_corners(const rows_type& mine, const rows_type& second, machine::page_array<std::uint64_t>& found,
                    std::vector<machine::page_array<std::uint64_t>>& of_hubs) {
    constexpr std::uint64_t most_hubs = 1 << 16;
    over_own(
        [&](std::uint64_t r) {
          machine::page_array<std::uint64_t>& hubs = of_hubs[this_thread()];
          if (hubs.empty()) hubs = machine::page_array<std::uint64_t>(std::min(most_hubs, mine.ranks()));
          const auto add = [&](std::uint64_t corner) {
            if (corner < hubs.size()) {
              ++hubs[corner];
            } else {
              // relaxed: a sum; the loop's end orders it.
              std::atomic_ref(found[corner]).fetch_add(1, std::memory_order_relaxed);
            }
          };
          mine.for_each_triangle(r, r + 1, marks_of_thread(mine), second,
                                 [&](std::uint64_t u, std::uint64_t v, std::uint64_t w) {
                                   add(u);
                                   add(v);
                                   add(w);
                                 });
        },
        true);
  }

  /// Counts the triangles of own vertices in which the second corner has its row in `second`.
  std::uint64_t count_with(const rows_type& mine, const rows_type& second) {
    std::vector<std::uint64_t> found(marks_.size() * line);
    over_own(
        [&](std::uint64_t r) {
          found[this_thread() * line] += mine.count_triangles(r, r + 1, marks_of_thread(mine), second);
        },
        true);
    std::uint64_t sum = 0;
    for (std::size_t t = 0; t != marks_.size(); ++t) sum += found[t * line];
    return sum;
  }

  /// Counters from one thread's to the next one's, so that they share no cache line.
  static constexpr std::size_t line = 8;

  const graph::csr_graph<Vertex>& graph_;
  graph::partners& among_;
  const graph::shared_control& control_;
  dealt_ranking<Vertex> ranking_;
  std::vector<machine::page_array<std::uint64_t>> marks_;  ///< by thread; made when the thread first counts
};

}  // namespace

graph::triangles_result count_triangles(const graph::any_graph& graph, const graph::shared_control& control) {
  return std::visit(
      [&]<class Vertex>(const graph::csr_graph<Vertex>& g) {
        if (!g.has_in()) throw usage_error("the graph was built without in-edges, which triangles over ranks need");
        return dealt_triangles<Vertex>(g, control).count();
      },
      graph);
}

template <class Vertex>
graph::clustering_result clustering(const graph::csr_graph<Vertex>& graph, const graph::shared_control& control) {
  if (!graph.has_in()) throw usage_error("the graph was built without in-edges, which clustering over ranks needs");
  graph::partners& among = *control.among;
  graph::clustering_result result;
  result.coefficients = machine::page_array<double>(graph.vertices(), machine::page_kind::small);
  if (graph.vertices() == 0) return result;
  result.triangles = dealt_triangles<Vertex>(graph, control).corners();
  struct sums {
    std::uint64_t triangles = 0;
    double coefficients = 0;
    double pairs = 0;

    sums operator+(const sums& more) const {
      return {triangles + more.triangles, coefficients + more.coefficients, pairs + more.pairs};
    }
  };
  const sums own = parallel_reduce(among.first(), among.last(), sums{}, [&](std::uint64_t v) {
    std::uint64_t neighbours = 0;
    graph::for_each_simple_neighbour(graph, v, [&](Vertex) { ++neighbours; });
    if (neighbours < 2) return sums{};
    const double pairs = static_cast<double>(neighbours) * static_cast<double>(neighbours - 1) / 2;
    result.coefficients[v] = static_cast<double>(result.triangles[v]) / pairs;
    return sums{result.triangles[v], result.coefficients[v], pairs};
  });
  among.collect(result.coefficients.data(), among.bounds());
  const sums all = among.sum(own);
  result.total = all.triangles / 3;
  result.average = all.coefficients / static_cast<double>(graph.vertices());
  result.transitivity = all.pairs == 0 ? 0 : static_cast<double>(all.triangles) / all.pairs;
  return result;
}

template graph::clustering_result clustering(const graph::csr_graph<std::uint32_t>&, const graph::shared_control&);
template graph::clustering_result clustering(const graph::csr_graph<std::uint64_t>&, const graph::shared_control&);

}  // namespace callisto::cluster
