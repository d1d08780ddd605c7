#include <callisto/cluster/triangles.hpp>
#include <callisto/graph/csr/degree_ranking.hpp>
#include <callisto/graph/triangles/kernel.hpp>
#include <callisto/graph/triangles/orient.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/runtime.hpp>

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
      : among_(*control.among), control_(control), ranking_(graph), of_processes_(among_.count()), marks_(threads()) {
    graph::rank_vertices(ranking_, control);
    const std::vector<std::uint64_t>& bounds = among_.bounds();
    for (std::uint64_t r = 0; r != ranking_.connected(); ++r) {
      std::size_t p = 0;
      while (ranking_.vertex(r) >= bounds[p + 1]) ++p;
      of_processes_[p].push_back(static_cast<Vertex>(r));
    }
  }

  graph::triangles_result count() {
    const std::size_t me = among_.number();
    const rows_type mine = oriented();
    if (control_.report != nullptr) {
      control_.report->begin("counting triangles", own().size() * among_.count(), "vertices");
    }
    graph::triangles_result sums{.triangles = count_with(mine, mine), .edges = mine.edges()};
    for (std::size_t step = 1; step != among_.count(); ++step) {
      sums.triangles += count_with(mine, rows_of((me + step) % among_.count(), mine));
    }
    return {.triangles = among_.sum(sums.triangles), .edges = among_.sum(sums.edges)};
  }

 private:
  using rows_type = graph::oriented_graph<Vertex>;

  const std::vector<Vertex>& own() const noexcept { return of_processes_[among_.number()]; }

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
    rows_type rows(ranking_.connected());
    over_own([&](std::uint64_t r) { rows.count_rows(ranking_, r, r + 1, 0); });
    rows.place_rows();
    over_own([&](std::uint64_t r) { rows.fill_rows(ranking_, r, r + 1); });
    make_bitmaps(rows);
    return rows;
  }

  /// Returns the oriented rows of process `from`. The process as far before this one gets `mine`.
  rows_type rows_of(std::size_t from, const rows_type& mine) {
    const std::size_t to = (2 * among_.number() + among_.count() - from) % among_.count();
    std::vector<std::uint64_t> sizes;
    sizes.reserve(own().size());
    for (const Vertex r : own()) sizes.push_back(mine.row_size(r));
    std::vector<std::uint64_t> counts(among_.count());
    counts[to] = sizes.size();
    const std::vector<std::uint64_t> came = among_.exchange(sizes, counts);
    machine::page_array<std::uint64_t> offsets(ranking_.connected() + 1);
    for (std::size_t i = 0; i != came.size(); ++i) offsets[of_processes_[from][i] + std::uint64_t{1}] = came[i];
    for (std::uint64_t r = 0; r != ranking_.connected(); ++r) offsets[r + 1] += offsets[r];
    counts[to] = mine.targets().size();
    const auto targets =
        std::make_shared<const std::vector<Vertex>>(among_.exchange(std::span<const Vertex>(mine.targets()), counts));
    rows_type rows(std::move(offsets), machine::page_array<Vertex>::view(*targets, targets));
    make_bitmaps(rows);
    return rows;
  }

  /// Counts the triangles of own vertices in which the second corner has its row in `second`.
  std::uint64_t count_with(const rows_type& mine, const rows_type& second) {
    std::vector<std::uint64_t> found(marks_.size() * line);
    over_own(
        [&](std::uint64_t r) {
          machine::page_array<std::uint64_t>& marks = marks_[this_thread()];
          if (marks.empty()) marks = machine::page_array<std::uint64_t>(mine.mark_words());
          found[this_thread() * line] += mine.count_triangles(r, r + 1, marks.data(), second);
        },
        true);
    std::uint64_t sum = 0;
    for (std::size_t t = 0; t != marks_.size(); ++t) sum += found[t * line];
    return sum;
  }

  /// Counters from one thread's to the next one's, so that they share no cache line.
  static constexpr std::size_t line = 8;

  graph::partners& among_;
  const graph::shared_control& control_;
  graph::degree_ranking<Vertex> ranking_;
  std::vector<std::vector<Vertex>> of_processes_;          ///< by process: the ranks of its vertices, ascending
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

}  // namespace callisto::cluster
