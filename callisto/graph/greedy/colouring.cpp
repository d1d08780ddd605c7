// The algorithm of Jones and Plassmann, with parallel loops.
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/graph/csr/simple_rows.hpp>
#include <callisto/graph/greedy/colouring.hpp>
#include <callisto/graph/greedy/priority.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <vector>

namespace callisto::graph {
namespace {

/// Vertices that one thread colours alone: fewer than other threads could come to share.
constexpr std::size_t few_ready = 128;

template <class Vertex>
class colourer {
 public:
  colourer(const simple_rows<Vertex>& rows, const colouring_options& options, colouring_result& result,
           const run_control& control)
      : rows_(rows),
        order_(options.seed),
        colours_(result.colours),
        control_(control),
        n_(rows.vertices()),
        level_(n_),
        waits_for_(n_),
        threads_(threads()) {}

  void run(colouring_order order) {
    if (order == colouring_order::largest_log_first) {
      over(n_, [&](std::uint64_t v) { level_[v] = static_cast<std::uint8_t>(std::bit_width(rows_.degree(v))); });
    } else if (order == colouring_order::smallest_log_last) {
      peel();
    }
    if (control_.report != nullptr) control_.report->begin("colouring", n_, "vertices");
    over(n_, [&](std::uint64_t v) {
      std::uint32_t count = 0;
      for (const Vertex w : rows_.row(v)) count += before(w, v) ? 1 : 0;
      waits_for_[v] = count;
      if (count == 0) threads_[this_thread()].ready.push_back(static_cast<Vertex>(v));
    });
    while (gather()) {
      control_.check();
      if (ready_.size() <= few_ready) {
        for (const Vertex v : ready_) choose(v);
      } else {
        over(ready_.size(), [&](std::uint64_t i) { choose(ready_[i]); });
      }
      if (control_.report != nullptr) control_.report->advance(ready_.size());
    }
  }

 private:
  struct thread_state {
    std::vector<Vertex> ready;           ///< vertices that wait for none
    std::vector<std::uint64_t> used_by;  ///< by colour: the vertex, plus one, that has last seen it at a neighbour
  };

  void over(std::uint64_t count, auto f) {
    if (!parallel_for(std::uint64_t{0}, count, f, {.stop = control_.stop})) throw cancelled();
  }

  bool before(std::uint64_t u, std::uint64_t v) const noexcept {
    return level_[u] != level_[v] ? level_[u] > level_[v] : order_.before(u, v);
  }

  /// Gives vertices levels for smallest_log_last: vertices that have at most 1, then 2, then 4 ... neighbours left are
  /// removed; the later, the higher.
  void peel() {
    machine::page_array<std::uint32_t> left(n_);
    std::vector<Vertex> rest(n_);
    over(n_, [&](std::uint64_t v) {
      left[v] = static_cast<std::uint32_t>(rows_.degree(v));
      rest[v] = static_cast<Vertex>(v);
    });
    std::uint8_t level = 1;
    for (std::uint64_t limit = 1; !rest.empty(); limit *= 2, ++level) {
      over(rest.size(), [&](std::uint64_t i) {
        if (left[rest[i]] <= limit) level_[rest[i]] = level;
      });
      over(rest.size(), [&](std::uint64_t i) {
        if (level_[rest[i]] != level) return;
        for (const Vertex w : rows_.row(rest[i])) {
          // relaxed: a sum, which the loop's end orders.
          if (level_[w] == 0) std::atomic_ref(left[w]).fetch_sub(1, std::memory_order_relaxed);
        }
      });
      std::erase_if(rest, [&](Vertex v) { return level_[v] != 0; });
    }
  }

  bool gather() {
    ready_.clear();
    for (thread_state& t : threads_) {
      ready_.insert(ready_.end(), t.ready.begin(), t.ready.end());
      t.ready.clear();
    }
    return !ready_.empty();
  }

  void choose(Vertex v) {
    thread_state& mine = threads_[this_thread()];
    const std::size_t most = rows_.degree(v) + 1;  // colours that can be in the way, and one
    for (const Vertex w : rows_.row(v)) {
      if (!before(w, v)) continue;
      const std::uint32_t colour = colours_[w];
      if (colour >= most) continue;
      if (mine.used_by.size() <= colour) mine.used_by.resize(colour + std::size_t{1});
      mine.used_by[colour] = v + std::uint64_t{1};
    }
    std::uint32_t colour = 0;
    while (colour < mine.used_by.size() && mine.used_by[colour] == v + std::uint64_t{1}) ++colour;
    colours_[v] = colour;
    for (const Vertex w : rows_.row(v)) {
      if (!before(v, w)) continue;
      // relaxed: the last decrement lists w for the next loop; the end of this one publishes all colours.
      if (std::atomic_ref(waits_for_[w]).fetch_sub(1, std::memory_order_relaxed) == 1) mine.ready.push_back(w);
    }
  }

  const simple_rows<Vertex>& rows_;
  vertex_order order_;
  machine::page_array<std::uint32_t>& colours_;
  const run_control& control_;
  std::uint64_t n_;
  machine::page_array<std::uint8_t> level_;       ///< by vertex: higher ones come first
  machine::page_array<std::uint32_t> waits_for_;  ///< by vertex: neighbours before it that have no colour
  std::vector<thread_state> threads_;
  std::vector<Vertex> ready_;
};

}  // namespace

template <class Vertex>
colouring_result colouring(const csr_graph<Vertex>& graph, const colouring_options& options,
                           const run_control& control) {
  const simple_rows<Vertex> rows(graph, control);
  colouring_result result;
  result.colours = machine::page_array<std::uint32_t>(graph.vertices());
  colourer<Vertex>(rows, options, result, control).run(options.order);
  for (const std::uint32_t colour : result.colours) result.count = std::max(result.count, colour + 1);
  return result;
}

template CALLISTO_API colouring_result colouring(const csr_graph<std::uint32_t>&, const colouring_options&,
                                                 const run_control&);
template CALLISTO_API colouring_result colouring(const csr_graph<std::uint64_t>&, const colouring_options&,
                                                 const run_control&);

std::uint64_t needs::colouring(const any_graph& graph) noexcept {
  const graph_size s = size_of(graph);
  return bytes_of_simple_rows(s.n, s.edges, s.v) + (13 + 4 * s.v) * s.n + threads() * bytes_of_thread;
}

}  // namespace callisto::graph
