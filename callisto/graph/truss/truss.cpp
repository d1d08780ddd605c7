// Peeling of edges, with parallel loops.
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/graph/csr/simple_rows.hpp>
#include <callisto/graph/truss/truss.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

/// Numbers of triangles that have a bucket.
constexpr std::uint32_t truss_window = 64;
/// Edges that one thread peels alone: fewer than other threads could come to share.
constexpr std::size_t few_edges = 64;
/// A row that is this many times longer than the other row is searched, not merged.
constexpr std::uint64_t ratio_to_search = 16;

/// `Edge`: the type of numbers of edges.
template <class Vertex, class Edge>
class truss_peeling {
 public:
  truss_peeling(const simple_rows<Vertex>& rows, truss_result<Vertex>& result, const run_control& control)
      : result_(result),
        control_(control),
        n_(rows.vertices()),
        edges_(rows.edges()),
        begin_(n_ + 1),
        size_(n_),
        targets_(rows.arcs()),
        numbers_(rows.arcs()),
        left_(result.trussness),
        round_of_(edges_),
        waiting_(threads()) {
    number_edges(rows);
  }

  void run() {
    count_triangles();
    if (control_.report != nullptr) control_.report->begin("peeling edges", edges_, "edges");
    rest_.resize(edges_);
    over(edges_, [&](std::uint64_t e) { rest_[e] = static_cast<Edge>(e); });
    while (open_window()) {
      for (std::uint32_t slot = 0; slot < truss_window; ++slot) peel(slot);
    }
  }

 private:
  static constexpr std::uint32_t alive = 0;

  void over(std::uint64_t count, auto f) {
    if (!parallel_for(std::uint64_t{0}, count, f, {.stop = control_.stop})) throw cancelled();
  }

  /// Copies the rows, and gives each edge its number: ascending by smaller, then larger end.
  void number_edges(const simple_rows<Vertex>& rows) {
    machine::page_array<std::uint64_t> first(n_ + 1);  // by vertex: the first edge to a larger one
    over(n_, [&](std::uint64_t v) {
      const auto row = rows.row(v);
      size_[v] = row.size();
      first[v + 1] = static_cast<std::uint64_t>(row.end() - std::upper_bound(row.begin(), row.end(), v));
    });
    for (std::uint64_t v = 0; v < n_; ++v) {
      first[v + 1] += first[v];
      begin_[v + 1] = begin_[v] + size_[v];
    }
    over(n_, [&](std::uint64_t v) {
      const auto row = rows.row(v);
      std::uint64_t next = first[v];
      for (std::uint64_t i = 0; i < row.size(); ++i) {
        const Vertex w = row[i];
        targets_[begin_[v] + i] = w;
        if (w > v) {
          result_.from[next] = static_cast<Vertex>(v);
          result_.to[next] = w;
          numbers_[begin_[v] + i] = static_cast<Edge>(next++);
        } else {
          const auto there = rows.row(w);
          const auto larger = std::upper_bound(there.begin(), there.end(), w);
          const auto place = std::lower_bound(larger, there.end(), static_cast<Vertex>(v)) - larger;
          numbers_[begin_[v] + i] = static_cast<Edge>(first[w] + static_cast<std::uint64_t>(place));
        }
      }
    });
  }

  /// A vertex is below another vertex if it has fewer neighbours, or as many and a smaller number.
  bool below(std::uint64_t u, std::uint64_t v) const noexcept {
    return size_[u] != size_[v] ? size_[u] < size_[v] : u < v;
  }

  /// Counts each edge's triangles. A triangle u below v below w is found once: as w above both u and v.
  void count_triangles() {
    if (control_.report != nullptr) control_.report->begin("counting triangles", n_, "vertices");
    // Rows of higher neighbours alone.
    machine::page_array<std::uint64_t> up(n_ + 1);
    over(n_, [&](std::uint64_t v) {
      std::uint64_t count = 0;
      for_each_entry(v, [&](Vertex w, Edge) { count += below(v, w) ? 1 : 0; });
      up[v + 1] = count;
    });
    for (std::uint64_t v = 0; v < n_; ++v) up[v + 1] += up[v];
    machine::page_array<Vertex> targets(edges_);
    machine::page_array<Edge> numbers(edges_);
    over(n_, [&](std::uint64_t v) {
      std::uint64_t next = up[v];
      for_each_entry(v, [&](Vertex w, Edge e) {
        if (!below(v, w)) return;
        targets[next] = w;
        numbers[next++] = e;
      });
    });
    struct counting {
      const machine::page_array<std::uint64_t>& up;
      const machine::page_array<Vertex>& targets;
      const machine::page_array<Edge>& numbers;
      machine::page_array<std::uint32_t>& count;
      std::uint64_t vertices;
      progress* report;

      struct state {
        machine::page_array<Edge> marks;  ///< by vertex: the edge to it, plus one; 0: none
        std::uint64_t unreported = 0;
      };
      void fork(state& mine) const { mine.marks = machine::page_array<Edge>(vertices); }
      void work(state& mine, std::uint64_t u) const {
        if (up[u + 1] - up[u] >= 2) find(mine, u);
        if (report != nullptr && ++mine.unreported > vertices / 256) report->advance(std::exchange(mine.unreported, 0));
      }
      void join(state&) const noexcept {}

      void find(state& mine, std::uint64_t u) const {
        for (std::uint64_t i = up[u]; i != up[u + 1]; ++i) mine.marks[targets[i]] = numbers[i] + 1;
        for (std::uint64_t i = up[u]; i != up[u + 1]; ++i) {
          const Vertex v = targets[i];
          std::uint32_t of_uv = 0;
          for (std::uint64_t j = up[v]; j != up[v + std::uint64_t{1}]; ++j) {
            const Edge uw = mine.marks[targets[j]];
            if (uw == 0) continue;
            ++of_uv;
            add(uw - 1, 1);
            add(numbers[j], 1);
          }
          if (of_uv != 0) add(numbers[i], of_uv);
        }
        for (std::uint64_t i = up[u]; i != up[u + 1]; ++i) mine.marks[targets[i]] = 0;
      }
      // relaxed: a sum; the loop's end orders it.
      void add(std::uint64_t e, std::uint32_t amount) const noexcept {
        std::atomic_ref(count[e]).fetch_add(amount, std::memory_order_relaxed);
      }
    };
    counting loop{up, targets, numbers, left_, n_, control_.report};
    if (!parallel_for<counting, typename counting::state, std::uint64_t>(loop, 0, n_, {.stop = control_.stop})) {
      throw cancelled();
    }
  }

  void for_each_entry(std::uint64_t v, const auto& f) const {
    for (std::uint64_t i = begin_[v]; i != begin_[v] + size_[v]; ++i) f(targets_[i], numbers_[i]);
  }

  // relaxed, here and below: a number falls to a given value once, by one thread, which lists the edge; the loop's end
  // orders the lists.
  std::uint32_t left(std::uint64_t e) const noexcept {
    return std::atomic_ref(left_[e]).load(std::memory_order_relaxed);
  }

  /// Drops peeled edges from rest_ and from the rows, and moves the window to the least number left. Returns false if
  /// no edge is left.
  bool open_window() {
    std::erase_if(rest_, [&](Edge e) { return round_of_[e] != alive; });
    if (rest_.empty()) return false;
    if (round_ != 0) {
      over(n_, [&](std::uint64_t v) {
        std::uint64_t kept = begin_[v];
        for_each_entry(v, [&](Vertex w, Edge e) {
          if (round_of_[e] != alive) return;
          targets_[kept] = w;
          numbers_[kept++] = e;
        });
        size_[v] = kept - begin_[v];
      });
    }
    first_ = std::numeric_limits<std::uint32_t>::max();
    for (const Edge e : rest_) first_ = std::min(first_, left_[e]);
    for (const Edge e : rest_) {
      if (left_[e] - first_ < truss_window) waiting_.front()[left_[e] - first_].push_back(e);
    }
    return true;
  }

  /// Peels the edges in first_ + slot triangles, round after round.
  void peel(std::uint32_t slot) {
    const std::uint32_t k = first_ + slot;
    for (;;) {
      control_.check();
      current_.clear();
      ++round_;
      for (auto& buckets : waiting_) {
        for (const Edge e : buckets[slot]) {
          if (round_of_[e] != alive || left_[e] != k) continue;  // peeled, or fallen further
          round_of_[e] = round_;
          current_.push_back(e);
        }
        buckets[slot].clear();
      }
      if (current_.empty()) return;
      if (current_.size() <= few_edges || waiting_.size() == 1) {
        for (const Edge e : current_) remove(e, k);
      } else {
        over(current_.size(), [&](std::uint64_t i) { remove(current_[i], k); });
      }
      if (control_.report != nullptr) control_.report->advance(current_.size());
    }
  }

  /// Removes edge e, which is peeled in this round: its triangles break.
  void remove(Edge e, std::uint32_t k) {
    auto u = result_.from[e];
    auto v = result_.to[e];
    if (size_[u] > size_[v]) std::swap(u, v);
    for_each_common(u, v, [&](Edge f, Edge g) {
      const std::uint32_t of_f = round_of_[f];
      const std::uint32_t of_g = round_of_[g];
      if ((of_f != alive && of_f != round_) || (of_g != alive && of_g != round_)) return;  // broken before
      // Of two edges of a triangle that are peeled at once, the smaller one lowers the third's count.
      if (of_f == alive && (of_g == alive || e < g)) lower(f, k);
      if (of_g == alive && (of_f == alive || e < f)) lower(g, k);
    });
  }

  void lower(Edge e, std::uint32_t k) {
    const std::atomic_ref<std::uint32_t> count(left_[e]);
    std::uint32_t now = count.load(std::memory_order_relaxed);
    while (now > k && !count.compare_exchange_weak(now, now - 1, std::memory_order_relaxed)) {
    }
    if (now > k && now - 1 - first_ < truss_window) waiting_[this_thread()][now - 1 - first_].push_back(e);
  }

  /// Calls f(number of u's edge to w, number of v's edge to w) for each common neighbour w. Row u is not the longer
  /// one.
  void for_each_common(std::uint64_t u, std::uint64_t v, const auto& f) const {
    std::uint64_t i = begin_[u];
    std::uint64_t j = begin_[v];
    const std::uint64_t end_u = i + size_[u];
    const std::uint64_t end_v = j + size_[v];
    const bool search = size_[v] > ratio_to_search * size_[u];
    while (i != end_u && j != end_v) {
      if (targets_[i] == targets_[j]) {
        f(numbers_[i++], numbers_[j++]);
      } else if (targets_[i] < targets_[j]) {
        ++i;
      } else if (search) {
        const Vertex* const first = targets_.data() + j;
        j += static_cast<std::uint64_t>(std::lower_bound(first, targets_.data() + end_v, targets_[i]) - first);
      } else {
        ++j;
      }
    }
  }

  truss_result<Vertex>& result_;
  const run_control& control_;
  std::uint64_t n_;
  std::uint64_t edges_;
  machine::page_array<std::uint64_t> begin_;  ///< rows: v's entries begin here
  machine::page_array<std::uint64_t> size_;   ///< and this is their number
  machine::page_array<Vertex> targets_;
  machine::page_array<Edge> numbers_;
  machine::page_array<std::uint32_t>& left_;  ///< by edge: triangles not yet broken; of a peeled edge, its last number
  machine::page_array<std::uint32_t> round_of_;                       ///< by edge: the round that peeled it
  std::vector<std::array<std::vector<Edge>, truss_window>> waiting_;  ///< by thread
  std::vector<Edge> rest_;
  std::vector<Edge> current_;
  std::uint32_t first_ = 0;  ///< triangles of the window's first bucket
  std::uint32_t round_ = 0;
};

}  // namespace

template <class Vertex>
truss_result<Vertex> truss(const csr_graph<Vertex>& graph, const run_control& control) {
  const simple_rows<Vertex> rows(graph, control);
  truss_result<Vertex> result;
  result.from = machine::page_array<Vertex>(rows.edges());
  result.to = machine::page_array<Vertex>(rows.edges());
  result.trussness = machine::page_array<std::uint32_t>(rows.edges());
  if (rows.edges() < std::numeric_limits<std::uint32_t>::max()) {
    truss_peeling<Vertex, std::uint32_t>(rows, result, control).run();
  } else {
    truss_peeling<Vertex, std::uint64_t>(rows, result, control).run();
  }
  for (std::uint32_t& k : result.trussness) {
    k += 2;
    if (k > result.highest) {
      result.highest = k;
      result.innermost = 0;
    }
    if (k == result.highest) ++result.innermost;
  }
  return result;
}

template CALLISTO_API truss_result<std::uint32_t> truss(const csr_graph<std::uint32_t>&, const run_control&);
template CALLISTO_API truss_result<std::uint64_t> truss(const csr_graph<std::uint64_t>&, const run_control&);

std::uint64_t needs::truss(const any_graph& graph) noexcept {
  const graph_size s = size_of(graph);
  const std::uint64_t edge = s.edges < std::numeric_limits<std::uint32_t>::max() ? 4 : 8;
  const std::uint64_t arc = s.v + edge;
  return 8 * 4 * s.n + bytes_of_simple_rows(s.n, s.edges, s.v) + s.edges * (2 * arc + arc + 2 * s.v + 8 + 10 * edge) +
         threads() * s.n * edge;
}

}  // namespace callisto::graph
