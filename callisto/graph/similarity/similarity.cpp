// Common neighbours, counted with parallel loops.
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/graph/csr/require_memory.hpp>
#include <callisto/graph/csr/simple_rows.hpp>
#include <callisto/graph/similarity/similarity.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <queue>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

/// In the order of the enumeration.
constexpr std::array<std::string_view, 7> measure_names{
    "jaccard", "overlap", "cosine", "common", "adamic-adar", "resource-allocation", "preferential-attachment"};

/// Allowance for rounding where a threshold limits what is looked at; the comparison itself is exact.
constexpr double threshold_rounding = 1e-9;

/// The thresholds of most_similar(), in turn.
constexpr std::array<double, 5> falling_thresholds{0.8, 0.4, 0.2, 0.1, 0};

/// True if each common neighbour counts by its degree.
bool is_weighed(similarity_measure measure) noexcept {
  return measure == similarity_measure::adamic_adar || measure == similarity_measure::resource_allocation;
}

/// Returns what a common neighbour of this degree counts. One of degree 1 is common to a vertex and itself alone, and
/// counts nothing.
double worth_of(similarity_measure measure, std::uint64_t degree) noexcept {
  if (degree < 2) return 0;
  return 1 / (measure == similarity_measure::adamic_adar ? std::log(static_cast<double>(degree))
                                                         : static_cast<double>(degree));
}

double value_of(similarity_measure measure, std::uint64_t common, std::uint64_t degree_u, std::uint64_t degree_v) {
  const auto share_of = [&](double whole) { return common == 0 ? 0 : static_cast<double>(common) / whole; };
  switch (measure) {
    case similarity_measure::jaccard:
      return share_of(static_cast<double>(degree_u + degree_v - common));
    case similarity_measure::overlap:
      return share_of(static_cast<double>(std::min(degree_u, degree_v)));
    case similarity_measure::cosine:
      return share_of(std::sqrt(static_cast<double>(degree_u) * static_cast<double>(degree_v)));
    case similarity_measure::preferential_attachment:
      return static_cast<double>(degree_u) * static_cast<double>(degree_v);
    default:
      return static_cast<double>(common);
  }
}

/// Throws usage_error for the measure that is of pairs without a common neighbour, too.
void need_common_neighbours(similarity_measure measure) {
  if (measure != similarity_measure::preferential_attachment) return;
  throw usage_error(
      "preferential-attachment is of given pairs (--pairs) and of predicted links (--predict): it asks for no common "
      "neighbours");
}

/// The rows of the simple graph with vertices renumbered by rising degree. A row is a list of neighbours, rare ones
/// first, and for each of these the list of vertices that have it, ascending by degree.
template <class Vertex>
class ranked_rows {
 public:
  ranked_rows(const simple_rows<Vertex>& rows, const run_control& control)
      : n_(rows.vertices()), vertex_(n_), begin_(n_ + 1), targets_(rows.arcs()) {
    std::uint64_t most = 0;
    for (std::uint64_t v = 0; v < n_; ++v) most = std::max(most, rows.degree(v));
    first_.assign(most + 2, 0);
    for (std::uint64_t v = 0; v < n_; ++v) ++first_[rows.degree(v) + 1];
    for (std::uint64_t d = 0; d <= most; ++d) first_[d + 1] += first_[d];
    machine::page_array<Vertex> rank(n_);
    std::vector<std::uint64_t> next(first_.begin(), first_.end() - 1);
    for (std::uint64_t v = 0; v < n_; ++v) {
      const std::uint64_t r = next[rows.degree(v)]++;
      rank[v] = static_cast<Vertex>(r);
      vertex_[r] = static_cast<Vertex>(v);
    }
    for (std::uint64_t r = 0; r < n_; ++r) begin_[r + 1] = begin_[r] + rows.degree(vertex_[r]);
    const bool complete = parallel_for(std::uint64_t{0}, n_,
                                       [&](std::uint64_t r) {
                                         Vertex* const row = targets_.data() + begin_[r];
                                         Vertex* end = row;
                                         for (const Vertex w : rows.row(vertex_[r])) *end++ = rank[w];
                                         std::sort(row, end);
                                       },
                                       {.stop = control.stop});
    if (!complete) throw cancelled();
  }

  std::uint64_t vertices() const noexcept { return n_; }
  Vertex vertex(std::uint64_t r) const noexcept { return vertex_[r]; }
  std::uint64_t degree(std::uint64_t r) const noexcept { return begin_[r + 1] - begin_[r]; }
  std::span<const Vertex> row(std::uint64_t r) const noexcept {
    return {targets_.data() + begin_[r], static_cast<std::size_t>(degree(r))};
  }
  /// Returns the first rank of at least this degree.
  std::uint64_t first_of_degree(std::uint64_t degree) const noexcept {
    return degree + 1 >= first_.size() ? n_ : first_[degree];
  }

 private:
  std::uint64_t n_;
  machine::page_array<Vertex> vertex_;  ///< by rank
  machine::page_array<std::uint64_t> begin_;
  machine::page_array<Vertex> targets_;  ///< ranks
  std::vector<std::uint64_t> first_;     ///< by degree: the first rank
};

/// One thread's search for the vertices that are alike to one.
template <class Vertex>
class alike_search {
 public:
  void prepare(const ranked_rows<Vertex>& rows, const similarity_options& options) {
    if (!common_.empty() || rows.vertices() == 0) return;
    rows_ = &rows;
    options_ = options;
    common_ = machine::page_array<std::uint32_t>(rows.vertices());
    if (is_weighed(options.measure)) worth_ = machine::page_array<double>(rows.vertices());
  }

  /// Calls f(rank, value) for each vertex that is at least as alike to that of rank u as `threshold`, in no fixed
  /// order. `above`: only for ranks above u.
  template <class Function>
  void find(std::uint64_t u, double threshold, bool above, const Function& f) {
    const auto row = rows_->row(u);
    const std::uint64_t d = row.size();
    if (d == 0) return;
    // Ranks [low, high): of degrees that can be alike enough. The first `prefix` neighbours: a vertex so alike that has
    // at least as many neighbours has one of these, and by Jaccard and cosine any vertex so alike.
    const bool by_union = options_.measure == similarity_measure::jaccard;
    const bool by_root = options_.measure == similarity_measure::cosine;
    const auto whole = static_cast<double>(d);
    const auto at_least = [](double common) {
      return static_cast<std::uint64_t>(std::clamp(std::ceil(common - threshold_rounding), 1.0, 0x1p62));
    };
    // Common neighbours of a vertex so alike: with one of at least as many neighbours, and with any.
    const std::uint64_t least = is_share(options_.measure)                       ? at_least(threshold * whole)
                                : options_.measure == similarity_measure::common ? at_least(threshold)
                                                                                 : 1;
    const std::uint64_t least_of_any = by_root ? at_least(threshold * threshold * whole)
                                       : by_union || options_.measure == similarity_measure::common ? least
                                                                                                    : 1;
    std::uint64_t low = above ? u + 1 : rows_->first_of_degree(least_of_any);
    std::uint64_t high = rows_->vertices();
    if ((by_union || by_root) && threshold > 0) {
      const double most = std::min(whole / (by_root ? threshold * threshold : threshold) + threshold_rounding, 0x1p62);
      high = rows_->first_of_degree(static_cast<std::uint64_t>(most) + 1);
    }
    if (low >= high) return;
    const std::uint64_t needed = std::max(options_.least_common, above ? least : least_of_any);
    if (needed > d) return;
    const std::uint64_t prefix = d - needed + 1;
    const auto range = [&](Vertex w) {
      const auto list = rows_->row(w);
      const auto first = std::lower_bound(list.begin(), list.end(), low);
      return std::span(first, std::lower_bound(first, list.end(), high));
    };
    // Terms are added by rising degree of the common neighbour, so that a sum does not depend on the search.
    const bool weighed = is_weighed(options_.measure);
    for (std::uint64_t i = 0; i < prefix; ++i) {
      const double worth = weighed ? worth_of(options_.measure, rows_->degree(row[i])) : 0;
      for (const Vertex v : range(row[i])) {
        if (v == u) continue;
        if (common_[v]++ == 0) candidates_.push_back(v);
        if (weighed) worth_[v] += worth;
      }
    }
    for (std::uint64_t i = prefix; i < d && !candidates_.empty(); ++i) {
      const auto list = range(row[i]);
      if (weighed) {
        const double worth = worth_of(options_.measure, rows_->degree(row[i]));
        for (const Vertex v : list) {
          if (common_[v] == 0) continue;
          ++common_[v];
          worth_[v] += worth;
        }
      } else if (candidates_.size() * static_cast<std::size_t>(std::bit_width(list.size())) < list.size()) {
        for (const Vertex v : candidates_) common_[v] += std::binary_search(list.begin(), list.end(), v) ? 1 : 0;
      } else {
        for (const Vertex v : list) common_[v] += common_[v] != 0 ? 1 : 0;
      }
    }
    for (const Vertex v : candidates_) {
      const std::uint64_t common = std::exchange(common_[v], 0);
      const double sum = weighed ? std::exchange(worth_[v], 0) : 0;
      if (common < options_.least_common) continue;
      const double value = weighed ? sum : value_of(options_.measure, common, d, rows_->degree(v));
      if (value >= threshold) f(v, value);
    }
    candidates_.clear();
  }

 private:
  const ranked_rows<Vertex>* rows_ = nullptr;
  similarity_options options_;
  machine::page_array<std::uint32_t> common_;  ///< by rank: common neighbours counted so far; zeros between searches
  machine::page_array<double> worth_;          ///< by rank: what they are worth; zeros between searches
  std::vector<Vertex> candidates_;
};

/// One thread's pairs; asks for memory before it takes more.
class pair_list {
 public:
  void add(const similar_pair& pair) {
    if (pairs_.size() == pairs_.capacity() && pairs_.size() >= std::size_t{1} << 20) {
      require_memory("similarity", 3 * pairs_.size() * sizeof(similar_pair));
    }
    pairs_.push_back(pair);
  }
  std::vector<similar_pair>& pairs() noexcept { return pairs_; }

 private:
  std::vector<similar_pair> pairs_;
};

/// Runs find(search, list, rank) for all ranks in parallel; each thread has a search and a list. Returns all pairs,
/// ascending by vertices.
template <class Vertex, class Find>
std::vector<similar_pair> over_ranks(const csr_graph<Vertex>& graph, const similarity_options& options,
                                     const run_control& control, const Find& find) {
  const simple_rows<Vertex> simple(graph, control);
  const ranked_rows<Vertex> rows(simple, control);
  std::vector<pair_list> lists(threads());
  if (control.report != nullptr) control.report->begin("comparing neighbours", rows.vertices(), "vertices");
  struct loop {
    const ranked_rows<Vertex>& rows;
    const similarity_options& options;
    std::vector<pair_list>& lists;
    const Find& find;
    progress* report;

    struct state {
      alike_search<Vertex> search;
      std::uint64_t unreported = 0;
    };
    void fork(state& mine) const { mine.search.prepare(rows, options); }
    void work(state& mine, std::uint64_t r) const {
      find(mine.search, lists[this_thread()], rows, r);
      if (report != nullptr && ++mine.unreported > rows.vertices() / 256)
        report->advance(std::exchange(mine.unreported, 0));
    }
    void join(state&) const noexcept {}
  };
  loop body{rows, options, lists, find, control.report};
  if (!parallel_for<loop, typename loop::state, std::uint64_t>(body, 0, rows.vertices(), {.stop = control.stop})) {
    throw cancelled();
  }
  std::vector<similar_pair> all;
  for (pair_list& list : lists) {
    if (all.empty()) {
      all = std::move(list.pairs());
    } else {
      all.insert(all.end(), list.pairs().begin(), list.pairs().end());
    }
    list.pairs() = {};
  }
  return all;
}

}  // namespace

std::string_view name_of(similarity_measure measure) noexcept {
  return measure_names.at(static_cast<std::size_t>(measure));
}

similarity_measure similarity_measure_of(std::string_view name) {
  std::string wanted(name);
  std::replace(wanted.begin(), wanted.end(), '_', '-');
  const auto at = std::find(measure_names.begin(), measure_names.end(), wanted);
  if (at != measure_names.end()) return static_cast<similarity_measure>(at - measure_names.begin());
  throw usage_error(fmt::format("measure is '{}': expected one of {}", name,
                                fmt::join(measure_names.begin(), measure_names.end(), ", ")));
}

bool is_share(similarity_measure measure) noexcept { return measure <= similarity_measure::cosine; }

template <class Vertex>
std::vector<double> similarities(const csr_graph<Vertex>& graph,
                                 std::span<const std::pair<std::uint64_t, std::uint64_t>> pairs,
                                 similarity_measure measure, const run_control& control) {
  for (const auto& [u, v] : pairs) {
    if (u >= graph.vertices() || v >= graph.vertices()) {
      throw usage_error(fmt::format("a pair names vertex {} of a graph that has {}", std::max(u, v), graph.vertices()));
    }
  }
  const simple_rows<Vertex> rows(graph, control);
  std::vector<double> values(pairs.size());
  const bool weighed = is_weighed(measure);
  const auto compare = [&](std::uint64_t i) {
    const auto a = rows.row(pairs[i].first);
    const auto b = rows.row(pairs[i].second);
    std::uint64_t common = 0;
    std::vector<std::uint64_t> degrees;
    auto x = a.begin();
    auto y = b.begin();
    while (x != a.end() && y != b.end()) {
      common += *x == *y ? 1 : 0;
      if (weighed && *x == *y) degrees.push_back(rows.degree(*x));
      const bool next_x = *x <= *y;
      const bool next_y = *y <= *x;
      x += next_x ? 1 : 0;
      y += next_y ? 1 : 0;
    }
    std::sort(degrees.begin(), degrees.end());
    for (const std::uint64_t degree : degrees) values[i] += worth_of(measure, degree);
    if (!weighed) values[i] = value_of(measure, common, a.size(), b.size());
  };
  if (!parallel_for(std::uint64_t{0}, std::uint64_t{pairs.size()}, compare, {.stop = control.stop})) throw cancelled();
  return values;
}

template <class Vertex>
std::vector<similar_pair> similar_pairs(const csr_graph<Vertex>& graph, double threshold,
                                        const similarity_options& options, const run_control& control) {
  if (!(threshold > 0) || options.least_common == 0) {
    throw usage_error("the threshold and the least number of common neighbours must be above 0");
  }
  need_common_neighbours(options.measure);
  std::vector<similar_pair> pairs =
      over_ranks(graph, options, control,
                 [&](alike_search<Vertex>& search, pair_list& list, const ranked_rows<Vertex>& rows, std::uint64_t r) {
                   const std::uint64_t u = rows.vertex(r);
                   search.find(r, threshold, true, [&](std::uint64_t other, double value) {
                     const std::uint64_t v = rows.vertex(other);
                     list.add({std::min(u, v), std::max(u, v), value});
                   });
                 });
  std::sort(pairs.begin(), pairs.end(), [](const similar_pair& a, const similar_pair& b) {
    return a.from != b.from ? a.from < b.from : a.to < b.to;
  });
  return pairs;
}

template <class Vertex>
std::vector<similar_pair> most_similar(const csr_graph<Vertex>& graph, std::uint64_t count,
                                       const similarity_options& options, const run_control& control) {
  if (count == 0 || options.least_common == 0) {
    throw usage_error("the numbers of vertices and of common neighbours must be above 0");
  }
  need_common_neighbours(options.measure);
  const auto better = [](const similar_pair& a, const similar_pair& b) {
    return a.value != b.value ? a.value > b.value : a.to < b.to;
  };
  std::vector<similar_pair> pairs =
      over_ranks(graph, options, control,
                 [&](alike_search<Vertex>& search, pair_list& list, const ranked_rows<Vertex>& rows, std::uint64_t r) {
                   std::vector<similar_pair> found;
                   for (const double threshold : falling_thresholds) {
                     if (threshold != 0 && !is_share(options.measure)) continue;
                     found.clear();
                     search.find(r, threshold, false, [&](std::uint64_t other, double value) {
                       found.push_back({rows.vertex(r), rows.vertex(other), value});
                     });
                     if (found.size() >= count) break;
                   }
                   const auto kept = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(count, found.size()));
                   std::partial_sort(found.begin(), found.begin() + kept, found.end(), better);
                   for (const similar_pair& pair : std::span(found.begin(), found.begin() + kept)) list.add(pair);
                 });
  std::sort(pairs.begin(), pairs.end(), [&](const similar_pair& a, const similar_pair& b) {
    return a.from != b.from ? a.from < b.from : better(a, b);
  });
  return pairs;
}

namespace {

/// The better pair first.
bool is_better_link(const similar_pair& a, const similar_pair& b) noexcept {
  return a.value != b.value ? a.value > b.value : a.from != b.from ? a.from < b.from : a.to < b.to;
}

/// Returns the `count` pairs of largest products of degrees without an edge between them.
template <class Vertex>
std::vector<similar_pair> largest_products(const csr_graph<Vertex>& graph, std::uint64_t count,
                                           const run_control& control) {
  const simple_rows<Vertex> rows(graph, control);
  const std::uint64_t n = rows.vertices();
  std::vector<Vertex> by_degree(n);
  std::iota(by_degree.begin(), by_degree.end(), Vertex{0});
  std::sort(by_degree.begin(), by_degree.end(), [&](Vertex a, Vertex b) {
    return rows.degree(a) != rows.degree(b) ? rows.degree(a) > rows.degree(b) : a < b;
  });
  // The next pair of each vertex, with vertices behind it: its products fall.
  struct next_pair {
    double value;
    std::uint64_t i;
    std::uint64_t j;
    bool operator<(const next_pair& o) const noexcept {
      return value != o.value ? value < o.value : std::tie(i, j) > std::tie(o.i, o.j);
    }
  };
  const auto product = [&](std::uint64_t i, std::uint64_t j) {
    return value_of(similarity_measure::preferential_attachment, 0, rows.degree(by_degree[i]),
                    rows.degree(by_degree[j]));
  };
  std::priority_queue<next_pair> waiting;
  std::uint64_t begun = 0;
  const auto begin_next = [&] {
    if (begun + 1 < n) waiting.push({product(begun, begun + 1), begun, begun + 1});
    ++begun;
  };
  begin_next();
  std::vector<similar_pair> found;
  for (std::uint64_t steps = 0; found.size() < count && !waiting.empty(); ++steps) {
    if (steps % 4096 == 0) control.check();
    const next_pair best = waiting.top();
    waiting.pop();
    if (best.value == 0) break;
    // The first pair of the next vertex is no better than that of this one.
    if (best.i + 1 == begun) begin_next();
    if (best.j + 1 < n) waiting.push({product(best.i, best.j + 1), best.i, best.j + 1});
    const Vertex u = by_degree[best.i];
    const Vertex v = by_degree[best.j];
    const auto row = rows.row(u);
    if (std::binary_search(row.begin(), row.end(), v)) continue;
    found.push_back({std::min(u, v), std::max(u, v), best.value});
  }
  return found;
}

}  // namespace

template <class Vertex>
std::vector<similar_pair> predicted_links(const csr_graph<Vertex>& graph, std::uint64_t count,
                                          const similarity_options& options, const run_control& control) {
  if (count == 0 || options.least_common == 0) {
    throw usage_error("the numbers of pairs and of common neighbours must be above 0");
  }
  if (options.measure == similarity_measure::preferential_attachment) return largest_products(graph, count, control);
  // Each thread's list is a heap with its worst pair in front.
  std::vector<similar_pair> pairs =
      over_ranks(graph, options, control,
                 [&](alike_search<Vertex>& search, pair_list& list, const ranked_rows<Vertex>& rows, std::uint64_t r) {
                   std::vector<similar_pair>& best = list.pairs();
                   const auto row = rows.row(r);
                   const double threshold = best.size() == count ? best.front().value : 0;
                   search.find(r, threshold, true, [&](std::uint64_t other, double value) {
                     if (std::binary_search(row.begin(), row.end(), static_cast<Vertex>(other))) return;
                     const std::uint64_t u = rows.vertex(r);
                     const std::uint64_t v = rows.vertex(other);
                     const similar_pair pair{std::min(u, v), std::max(u, v), value};
                     if (best.size() == count) {
                       if (!is_better_link(pair, best.front())) return;
                       std::pop_heap(best.begin(), best.end(), is_better_link);
                       best.pop_back();
                     }
                     list.add(pair);
                     std::push_heap(best.begin(), best.end(), is_better_link);
                   });
                 });
  const auto kept = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(count, pairs.size()));
  std::partial_sort(pairs.begin(), pairs.begin() + kept, pairs.end(), is_better_link);
  pairs.resize(static_cast<std::size_t>(kept));
  return pairs;
}

#define CALLISTO_INSTANTIATE(Vertex)                                                                               \
  template CALLISTO_API std::vector<similar_pair> predicted_links(const csr_graph<Vertex>&, std::uint64_t,         \
                                                                  const similarity_options&, const run_control&);  \
  template CALLISTO_API std::vector<double> similarities(const csr_graph<Vertex>&,                                 \
                                                         std::span<const std::pair<std::uint64_t, std::uint64_t>>, \
                                                         similarity_measure, const run_control&);                  \
  template CALLISTO_API std::vector<similar_pair> similar_pairs(const csr_graph<Vertex>&, double,                  \
                                                                const similarity_options&, const run_control&);    \
  template CALLISTO_API std::vector<similar_pair> most_similar(const csr_graph<Vertex>&, std::uint64_t,            \
                                                               const similarity_options&, const run_control&);
CALLISTO_INSTANTIATE(std::uint32_t)
CALLISTO_INSTANTIATE(std::uint64_t)
#undef CALLISTO_INSTANTIATE

std::uint64_t needs::similarity(const any_graph& graph) noexcept {
  const graph_size s = size_of(graph);
  return bytes_of_simple_rows(s.n, s.edges, s.v) + 2 * s.edges * s.v + (16 + 2 * s.v) * s.n +
         threads() * s.n * (12 + 2 * s.v);
}

}  // namespace callisto::graph
