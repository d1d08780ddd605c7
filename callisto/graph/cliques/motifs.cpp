// Patterns of 3 and 4 vertices, from counts of few of them.
#include <callisto/graph/cliques/motifs.hpp>

#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/graph/csr/simple_rows.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

using wide = unsigned __int128;

/// Counts of patterns, also within sets that have more edges: a triangle has three paths of two edges.
struct raw_counts {
  wide pairs = 0;    ///< of edges at a vertex
  wide triples = 0;  ///< of edges at a vertex
  wide by_edge = 0;  ///< triangles, once an edge
  wide tails = 0;    ///< a triangle and an edge at one of its vertices
  wide twins = 0;    ///< pairs of triangles with an edge in common
  wide middles = 0;  ///< an edge with an edge at each end
  wide cycles = 0;   ///< of four
  wide cliques = 0;  ///< of four

  void add(const raw_counts& o) {
    pairs += o.pairs;
    triples += o.triples;
    by_edge += o.by_edge;
    tails += o.tails;
    twins += o.twins;
    middles += o.middles;
    cycles += o.cycles;
    cliques += o.cliques;
  }
};

/// The body of the loop over vertices; each thread has marks of all vertices.
template <class Vertex>
struct motif_loop {
  const simple_rows<Vertex>& rows;
  std::mutex& mutex;
  raw_counts& all;
  progress* report;

  struct state {
    raw_counts counts;
    std::vector<std::uint32_t> ways;  ///< by vertex: paths of two from the vertex at hand; zeros between
    std::vector<char> marks;          ///< by vertex: it is a later neighbour; zeros between
    std::vector<char> inner;          ///< by vertex: it is one of the other end, too
    std::uint64_t unreported = 0;
  };

  /// Vertices are ordered by degree, so that few have many later neighbours.
  bool later(std::uint64_t a, std::uint64_t b) const {
    const std::uint64_t of_a = rows.degree(a);
    const std::uint64_t of_b = rows.degree(b);
    return of_a < of_b || (of_a == of_b && a < b);
  }

  void fork(state& mine) const {
    if (!mine.ways.empty()) return;
    mine.ways.resize(rows.vertices());
    mine.marks.resize(rows.vertices());
    mine.inner.resize(rows.vertices());
  }

  void work(state& mine, std::uint64_t v) const {
    raw_counts& c = mine.counts;
    const wide d = rows.degree(v);
    c.pairs += d * (d - 1) / 2;
    if (d > 2) c.triples += d * (d - 1) * (d - 2) / 6;
    count_triangles(mine, v);
    count_cycles(mine, v);
    if (report != nullptr && ++mine.unreported > rows.vertices() / 256) {
      report->advance(std::exchange(mine.unreported, 0));
    }
  }

  void join(state& mine) const {
    const std::lock_guard lock(mutex);
    all.add(std::exchange(mine.counts, {}));
  }

  /// Counts what the edges from v to vertices of no larger degree take part in, and cliques with v as their first
  /// vertex.
  void count_triangles(state& mine, std::uint64_t v) const {
    raw_counts& c = mine.counts;
    const auto row = rows.row(v);
    for (const Vertex w : row) mine.marks[w] = 1;
    const wide d = row.size();
    for (const Vertex w : row) {
      wide common = 0;
      // Of both ends of an edge the one of smaller degree is read; v is marked.
      if (later(w, v)) {
        for (const Vertex x : rows.row(w)) common += mine.marks[x] != 0 ? 1 : 0;
        c.by_edge += common;
        c.twins += common * (common - (common != 0 ? 1 : 0)) / 2;
        c.middles += (d - 1) * (rows.degree(w) - 1);
        // A triangle's edges each add their ends' other edges: half of all is the tails.
        c.tails += common * ((d - 2) + (static_cast<wide>(rows.degree(w)) - 2));
      }
    }
    for (const Vertex w : row) mine.marks[w] = later(v, w) ? 1 : 0;
    for (const Vertex w : row) {
      if (!later(v, w)) continue;
      std::vector<Vertex> common;
      for (const Vertex x : rows.row(w)) {
        if (mine.marks[x] != 0 && later(w, x)) common.push_back(x);
      }
      for (const Vertex x : common) mine.inner[x] = 1;
      for (const Vertex x : common) {
        for (const Vertex y : rows.row(x)) c.cliques += mine.inner[y] != 0 && later(x, y) ? 1 : 0;
      }
      for (const Vertex x : common) mine.inner[x] = 0;
    }
    for (const Vertex w : row) mine.marks[w] = 0;
  }

  /// Counts the cycles of four of which v is the last vertex: pairs of paths of two to one other vertex.
  void count_cycles(state& mine, std::uint64_t v) const {
    for (const Vertex w : rows.row(v)) {
      if (!later(w, v)) continue;
      for (const Vertex x : rows.row(w)) {
        if (x != v && later(x, v)) mine.counts.cycles += mine.ways[x]++;
      }
    }
    for (const Vertex w : rows.row(v)) {
      if (!later(w, v)) continue;
      for (const Vertex x : rows.row(w)) mine.ways[x] = 0;
    }
  }
};

std::uint64_t narrow(wide count) {
  if (count >> 64 != 0) throw usage_error("a pattern occurs 2^64 times or more");
  return static_cast<std::uint64_t>(count);
}

}  // namespace

template <class Vertex>
motif_counts motifs(const csr_graph<Vertex>& graph, const run_control& control) {
  const simple_rows<Vertex> rows(graph, control);
  if (control.report != nullptr) control.report->begin("motifs", rows.vertices(), "vertices");
  std::mutex mutex;
  raw_counts raw;
  using loop = motif_loop<Vertex>;
  loop body{rows, mutex, raw, control.report};
  if (!parallel_for<loop, typename loop::state, std::uint64_t>(body, 0, rows.vertices(), {.stop = control.stop})) {
    throw cancelled();
  }
  // Each vertex of a triangle ends two of its edges.
  const wide triangles = raw.by_edge / 3;
  const wide tails = raw.tails / 2;
  motif_counts found;
  found.triangles = narrow(triangles);
  found.paths_of_3 = narrow(raw.pairs - 3 * triangles);
  const wide diamonds = raw.twins - 6 * raw.cliques;
  const wide cycles = raw.cycles - diamonds - 3 * raw.cliques;
  const wide paws = tails - 4 * diamonds - 12 * raw.cliques;
  const wide stars = raw.triples - paws - 2 * diamonds - 4 * raw.cliques;
  const wide paths = raw.middles - 3 * triangles - 2 * paws - 4 * cycles - 6 * diamonds - 12 * raw.cliques;
  found.cliques = narrow(raw.cliques);
  found.diamonds = narrow(diamonds);
  found.cycles = narrow(cycles);
  found.paws = narrow(paws);
  found.stars = narrow(stars);
  found.paths_of_4 = narrow(paths);
  return found;
}

template CALLISTO_API motif_counts motifs(const csr_graph<std::uint32_t>&, const run_control&);
template CALLISTO_API motif_counts motifs(const csr_graph<std::uint64_t>&, const run_control&);

std::uint64_t needs::motifs(const any_graph& graph) noexcept {
  const graph_size s = size_of(graph);
  return bytes_of_simple_rows(s.n, s.edges, s.v) + threads() * (6 * s.n + bytes_of_thread);
}

}  // namespace callisto::graph
