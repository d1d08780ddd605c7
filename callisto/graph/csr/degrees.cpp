// Counting degrees: each thread counts small ones in an array and lists the rare large ones.
#include <callisto/graph/csr/degrees.hpp>
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/graph/csr/simple_neighbours.hpp>
#include <callisto/graph/csr/statistics_among.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <variant>

namespace callisto::graph {
namespace {

constexpr std::size_t small_degrees = 4096;

/// Degrees of some vertices.
struct degree_tally {
  std::vector<std::uint64_t> small;  ///< by degree below small_degrees: number of vertices; empty: no vertex yet
  std::vector<std::uint64_t> large;  ///< larger degrees, one entry for each vertex

  void add(std::uint64_t degree) {
    if (degree < small_degrees) {
      ++small[degree];
    } else {
      large.push_back(degree);
    }
  }

  void add(const degree_tally& other) {
    for (std::size_t d = 0; d < other.small.size(); ++d) small[d] += other.small[d];
    large.insert(large.end(), other.large.begin(), other.large.end());
  }

  degree_counts counts() {
    degree_counts found;
    for (std::size_t d = 0; d < small.size(); ++d) {
      if (small[d] != 0) found.push_back({d, small[d]});
    }
    std::sort(large.begin(), large.end());
    for (const std::uint64_t degree : large) {
      if (found.empty() || found.back().degree != degree) found.push_back({degree, 0});
      ++found.back().vertices;
    }
    return found;
  }
};

/// The counts of one thread.
struct tallies {
  degree_tally out;
  degree_tally in;
  degree_tally simple;
  std::uint64_t unreported = 0;  ///< vertices counted since progress was last reported

  tallies() {
    for (degree_tally* t : {&out, &in, &simple}) t->small.resize(small_degrees);
  }
};

/// The loop body: each thread counts by itself and adds its counts to all_ at the end.
template <class Vertex>
class counting {
 public:
  counting(const csr_graph<Vertex>& graph, const run_control& control) : graph_(graph), control_(control) {}

  void fork(tallies&) noexcept {}

  void work(tallies& mine, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t v = first; v < last; ++v) {
      mine.out.add(graph_.out().degree(v));
      if (graph_.directed()) mine.in.add(graph_.in().degree(v));
      std::uint64_t neighbours = 0;
      for_each_simple_neighbour(graph_, v, [&](Vertex) { ++neighbours; });
      mine.simple.add(neighbours);
    }
    mine.unreported += last - first;
    if (mine.unreported >= 1 << 16) report(mine);
  }

  void join(tallies& mine) {
    report(mine);
    const std::lock_guard lock(mutex_);
    all_.out.add(mine.out);
    all_.in.add(mine.in);
    all_.simple.add(mine.simple);
  }

  degree_distribution counts() {
    degree_distribution found{all_.out.counts(), all_.in.counts(), all_.simple.counts()};
    if (!graph_.directed()) found.in = found.out;
    return found;
  }

 private:
  void report(tallies& mine) const {
    if (control_.report != nullptr) control_.report->advance(mine.unreported);
    mine.unreported = 0;
  }

  const csr_graph<Vertex>& graph_;
  const run_control& control_;
  std::mutex mutex_;  ///< guards all_
  tallies all_;
};

/// Adds up the counts of all processes.
degree_counts united(partners& among, const degree_counts& own) {
  degree_counts all = among.lists_of_all(own);
  std::sort(all.begin(), all.end(), [](const degree_count& a, const degree_count& b) { return a.degree < b.degree; });
  degree_counts sums;
  for (const degree_count& c : all) {
    if (sums.empty() || sums.back().degree != c.degree) sums.push_back({c.degree, 0});
    sums.back().vertices += c.vertices;
  }
  return sums;
}

template <class Vertex>
degree_distribution count(const csr_graph<Vertex>& graph, const shared_control& control) {
  if (!graph.has_in()) throw usage_error("the graph was built without in-edges, which its degrees count");
  partners* const among = control.among;
  const std::uint64_t first = among == nullptr ? 0 : among->first();
  const std::uint64_t last = among == nullptr ? graph.vertices() : among->last();
  if (control.report != nullptr) control.report->begin("degrees", last - first, "vertices");
  counting<Vertex> body(graph, control);
  parallel_for<counting<Vertex>, tallies, std::uint64_t>(body, first, last, {.stop = control.stop});
  control.check();
  degree_distribution found = body.counts();
  if (among == nullptr) return found;
  for (degree_counts* counts : {&found.out, &found.in, &found.simple}) *counts = united(*among, *counts);
  return found;
}

}  // namespace

degree_distribution count_degrees(const any_graph& graph, const run_control& control) {
  return count_degrees_among(graph, {control});
}

degree_distribution count_degrees_among(const any_graph& graph, const shared_control& control) {
  return std::visit([&](const auto& g) { return count(g, control); }, graph);
}

double wedges(const degree_counts& degrees) noexcept {
  double sum = 0;
  for (const degree_count& d : degrees) {
    const auto degree = static_cast<double>(d.degree);
    sum += static_cast<double>(d.vertices) * degree * (degree - 1) / 2;
  }
  return sum;
}

std::uint64_t needs::degrees(const any_graph&) { return threads() * bytes_of_thread; }

}  // namespace callisto::graph
