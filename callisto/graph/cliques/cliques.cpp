// Maximal cliques: from each vertex in an order of degeneracy, on bits.
#include <callisto/graph/cliques/cliques.hpp>

#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/graph/csr/simple_rows.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <functional>
#include <numeric>
#include <span>
#include <utility>

namespace callisto::graph {
namespace {

/// Returns the place of each vertex in an order in which each has few later neighbours: vertices of least degree are
/// removed one by one (Matula and Beck 1983), of equal ones the one that came to that degree last.
template <class Vertex>
std::vector<Vertex> places_by_degeneracy(const simple_rows<Vertex>& rows) {
  const std::uint64_t n = rows.vertices();
  std::vector<std::uint64_t> left(n);
  std::uint64_t most = 0;
  for (std::uint64_t v = 0; v < n; ++v) most = std::max(most, left[v] = rows.degree(v));
  std::vector<std::vector<Vertex>> buckets(most + 1);
  for (std::uint64_t v = n; v-- != 0;) buckets[left[v]].push_back(static_cast<Vertex>(v));
  constexpr Vertex none = static_cast<Vertex>(~std::uint64_t{0});
  std::vector<Vertex> place(n, none);
  std::uint64_t next = 0;
  for (std::uint64_t d = 0; next < n;) {
    if (buckets[d].empty()) {
      ++d;
      continue;
    }
    const Vertex v = buckets[d].back();
    buckets[d].pop_back();
    if (place[v] != none || left[v] != d) continue;  // it moved to another bucket since
    place[v] = static_cast<Vertex>(next++);
    for (const Vertex w : rows.row(v)) {
      if (place[w] != none) continue;
      buckets[--left[w]].push_back(w);
      d = std::min(d, left[w]);
    }
  }
  return place;
}

using bits = std::vector<std::uint64_t>;

/// The cliques found by one thread from one vertex.
struct found_cliques {
  std::vector<std::uint64_t> by_size;
  std::vector<std::uint64_t> largest;
  std::vector<std::uint64_t> sizes;  ///< of the listed
  std::vector<std::uint64_t> members;
  bool listed_later = false;  ///< there was no room for them: they are to be found again when it is their turn
};

/// Members that wait for their turn in the list, at most: 32 MiB.
constexpr std::uint64_t most_waiting = std::uint64_t{1} << 22;
using sink = std::function<void(std::span<const std::uint64_t>)>;

/// The search among the later neighbours of one vertex. Candidates are numbered from 0; so are the earlier neighbours,
/// which only keep cliques that they extend from being maximal.
template <class Vertex>
class clique_search {
 public:
  clique_search(const simple_rows<Vertex>& rows, const std::vector<Vertex>& place, const clique_options& options,
                const run_control& control)
      : rows_(rows), place_(place), options_(options), control_(control) {}

  /// Finds the cliques of which v is the first. Lists them for later, `waiting` being how many members wait already.
  found_cliques from(Vertex v, std::atomic<std::uint64_t>* waiting) {
    waiting_ = waiting;
    search(v);
    return std::move(found_);
  }

  /// Tells them to `to`.
  void tell(Vertex v, const sink& to) {
    to_ = &to;
    search(v);
  }

 private:
  void search(Vertex v) {
    found_ = {};
    candidates_.clear();
    excluded_.clear();
    for (const Vertex w : rows_.row(v)) (place_[w] > place_[v] ? candidates_ : excluded_).push_back(w);
    clique_.assign(1, v);
    if (candidates_.size() + 1 < options_.least) return;
    words_ = (candidates_.size() + 63) / 64;
    among_ = rows_of_bits(candidates_);
    before_ = rows_of_bits(excluded_);
    bits all(words_);
    for (std::size_t i = 0; i < candidates_.size(); ++i) all[i / 64] |= std::uint64_t{1} << (i % 64);
    std::vector<std::uint32_t> excluded(excluded_.size());
    std::iota(excluded.begin(), excluded.end(), 0u);
    extend(all, bits(words_), excluded);
  }

  /// Returns for each vertex which candidates are its neighbours.
  bits rows_of_bits(const std::vector<Vertex>& vertices) const {
    bits rows(vertices.size() * words_);
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      const auto row = rows_.row(vertices[i]);
      std::uint64_t* const to = rows.data() + i * words_;
      // Both lists ascend; the shorter one is looked up in the longer.
      if (row.size() < candidates_.size()) {
        for (const Vertex w : row) {
          const auto at = std::lower_bound(candidates_.begin(), candidates_.end(), w);
          if (at != candidates_.end() && *at == w) set(to, static_cast<std::size_t>(at - candidates_.begin()));
        }
      } else {
        for (std::size_t c = 0; c < candidates_.size(); ++c) {
          if (std::binary_search(row.begin(), row.end(), candidates_[c])) set(to, c);
        }
      }
    }
    return rows;
  }

  static void set(std::uint64_t* to, std::size_t i) { to[i / 64] |= std::uint64_t{1} << (i % 64); }

  std::span<const std::uint64_t> row_among(std::size_t i) const { return {among_.data() + i * words_, words_}; }
  std::span<const std::uint64_t> row_before(std::size_t i) const { return {before_.data() + i * words_, words_}; }

  static std::size_t common(const bits& a, std::span<const std::uint64_t> b) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < a.size(); ++i) count += static_cast<std::size_t>(std::popcount(a[i] & b[i]));
    return count;
  }

  template <class Function>
  static void for_each(const bits& set, const Function& f) {
    for (std::size_t i = 0; i < set.size(); ++i) {
      for (std::uint64_t rest = set[i]; rest != 0; rest &= rest - 1) {
        f(i * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
      }
    }
  }

  /// Extends clique_ by `open`, of which all are neighbours of it; `done` and `excluded` are neighbours of it, too,
  /// that were tried or come before.
  void extend(bits open, bits done, const std::vector<std::uint32_t>& excluded) {
    const std::size_t left = common(open, open);
    if (left == 0) {
      if (excluded.empty() && common(done, done) == 0) take();
      return;
    }
    if (clique_.size() + left < options_.least) return;
    constexpr std::uint64_t often = 1 << 12;
    if (++extended_ % often == 0) control_.check();
    // Of a pivot's neighbours none needs a try: a maximal clique without the pivot holds one that is no neighbour.
    std::size_t most = 0;
    std::span<const std::uint64_t> pivot = row_among(0);
    bool any = false;
    const auto offer = [&](std::span<const std::uint64_t> row) {
      const std::size_t count = common(open, row);
      if (any && count <= most) return;
      any = true;
      most = count;
      pivot = row;
    };
    for_each(open, [&](std::size_t i) { offer(row_among(i)); });
    for_each(done, [&](std::size_t i) { offer(row_among(i)); });
    for (const std::uint32_t i : excluded) offer(row_before(i));
    bits tries(words_);
    for (std::size_t i = 0; i < words_; ++i) tries[i] = open[i] & ~pivot[i];
    for_each(tries, [&](std::size_t i) {
      const auto row = row_among(i);
      bits next_open(words_);
      bits next_done(words_);
      for (std::size_t w = 0; w < words_; ++w) {
        next_open[w] = open[w] & row[w];
        next_done[w] = done[w] & row[w];
      }
      std::vector<std::uint32_t> next_excluded;
      for (const std::uint32_t x : excluded) {
        if ((row_before(x)[i / 64] >> (i % 64) & 1) != 0) next_excluded.push_back(x);
      }
      clique_.push_back(candidates_[i]);
      extend(std::move(next_open), std::move(next_done), next_excluded);
      clique_.pop_back();
      open[i / 64] &= ~(std::uint64_t{1} << (i % 64));
      done[i / 64] |= std::uint64_t{1} << (i % 64);
    });
  }

  void take() {
    const std::size_t size = clique_.size();
    if (size < options_.least) return;
    if (found_.by_size.size() <= size) found_.by_size.resize(size + 1);
    ++found_.by_size[size];
    const bool listed = to_ != nullptr || (waiting_ != nullptr && !found_.listed_later);
    if (!listed && size <= found_.largest.size()) return;
    std::vector<std::uint64_t> sorted(clique_.begin(), clique_.end());
    std::sort(sorted.begin(), sorted.end());
    if (to_ != nullptr) {
      (*to_)(sorted);
    } else if (listed) {
      // relaxed: it limits, and orders nothing.
      if (waiting_->fetch_add(size, std::memory_order_relaxed) > most_waiting) {
        found_.listed_later = true;
        found_.sizes = {};
        found_.members = {};
      } else {
        found_.sizes.push_back(size);
        found_.members.insert(found_.members.end(), sorted.begin(), sorted.end());
      }
    }
    if (size > found_.largest.size()) found_.largest = std::move(sorted);
  }

  const simple_rows<Vertex>& rows_;
  const std::vector<Vertex>& place_;
  const clique_options& options_;
  const run_control& control_;
  std::atomic<std::uint64_t>* waiting_ = nullptr;  ///< null: cliques are only counted
  const sink* to_ = nullptr;
  std::uint64_t extended_ = 0;
  std::vector<Vertex> candidates_;
  std::vector<Vertex> excluded_;
  std::size_t words_ = 0;
  bits among_;
  bits before_;
  std::vector<Vertex> clique_;
  found_cliques found_;
};

}  // namespace

template <class Vertex>
clique_result maximal_cliques(const csr_graph<Vertex>& graph, const clique_options& options,
                              const run_control& control) {
  const simple_rows<Vertex> rows(graph, control);
  const std::vector<Vertex> place = places_by_degeneracy(rows);
  const std::uint64_t n = rows.vertices();
  if (control.report != nullptr) control.report->begin("cliques", n, "vertices");
  clique_result result;
  result.begins.assign(1, 0);
  const auto keep = [&](std::span<const std::uint64_t> members) {
    if (result.begins.empty()) return;
    if (members.size() > options.most_members - result.members.size()) {
      result.begins = {};
      result.members = {};
      return;
    }
    result.members.insert(result.members.end(), members.begin(), members.end());
    result.begins.push_back(result.members.size());
  };
  const sink list = options.each ? options.each : options.list ? sink(keep) : sink();
  const auto add = [&](found_cliques&& found, std::uint64_t v) {
    if (result.by_size.size() < found.by_size.size()) result.by_size.resize(found.by_size.size());
    for (std::size_t s = 0; s < found.by_size.size(); ++s) {
      result.by_size[s] += found.by_size[s];
      result.cliques += found.by_size[s];
    }
    if (found.largest.size() > result.largest.size()) result.largest = std::move(found.largest);
    if (found.listed_later && (options.each || !result.begins.empty())) {
      clique_search<Vertex>(rows, place, options, control).tell(static_cast<Vertex>(v), list);
      return;
    }
    std::span<const std::uint64_t> members = found.members;
    for (const std::uint64_t size : found.sizes) {
      list(members.first(size));
      members = members.subspan(size);
    }
  };
  // Findings are joined in the order of vertices, a stretch at a time, so that few of them wait.
  std::uint64_t stretch = 4096;
  std::vector<found_cliques> found(std::min(stretch, n));
  for (std::uint64_t first = 0; first < n;) {
    const std::uint64_t last = std::min(n, first + stretch);
    const bool listing = options.each || (options.list && !result.begins.empty());
    std::atomic<std::uint64_t> waiting = 0;
    const auto body = [&](std::uint64_t v) {
      clique_search<Vertex> search(rows, place, options, control);
      found[v - first] = search.from(static_cast<Vertex>(v), listing ? &waiting : nullptr);
    };
    if (!parallel_for(first, last, body, {.batch = 1, .stop = control.stop})) throw cancelled();
    for (std::uint64_t v = first; v < last; ++v) add(std::exchange(found[v - first], {}), v);
    if (control.report != nullptr) control.report->advance(last - first);
    first = last;
    if (waiting.load(std::memory_order_relaxed) > most_waiting)
      stretch = std::max<std::uint64_t>(stretch / 4, threads());
  }
  if (!options.list || options.each) result.begins.clear();
  return result;
}

template CALLISTO_API clique_result maximal_cliques(const csr_graph<std::uint32_t>&, const clique_options&,
                                                    const run_control&);
template CALLISTO_API clique_result maximal_cliques(const csr_graph<std::uint64_t>&, const clique_options&,
                                                    const run_control&);

std::uint64_t needs::maximal_cliques(const any_graph& graph) noexcept {
  const graph_size s = size_of(graph);
  return bytes_of_simple_rows(s.n, s.edges, s.v) + (8 + s.v) * s.n + 3 * 2 * s.edges * s.v + (std::uint64_t{1} << 20);
}

}  // namespace callisto::graph
