// A search from one source: Brandes' algorithm (2001) in its plain form, with counts that fit a double or of any size.
//
// A vertex takes 16 bytes (32 with wide counts) where a search for four or eight has one cache line or two, so this is
// the faster one where lanes would share nothing: in a graph of many small levels, and where few sources each reach a
// part of it.
#include <callisto/graph/betweenness_search.hpp>
#include <callisto/graph/wide_count.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace callisto::graph {
namespace {

using id = betweenness_core::id;

inline double quotient(double a, double b) noexcept { return a / b; }
inline double product(double a, double b) noexcept { return a * b; }

/// What a search knows of a vertex that it has reached.
template <class Count>
struct single_vertex {
  Count paths;   ///< shortest ones from the source
  Count shares;  ///< sum of (targets + dependency) / paths over the next vertices on these, and its own
};
static_assert(sizeof(single_vertex<wide_count>) <= lanes_for(1) * sizeof(double));

/// One search, in the memory of a state for eight, with vertices in the order in which they are reached: those of a
/// level lie together, and behind those of all levels before.
template <class Count>
class single_search {
  static constexpr bool plain = std::is_same_v<Count, double>;

 public:
  explicit single_search(search_state& state)
      : s_(state), vertices_(reinterpret_cast<single_vertex<Count>*>(state.shares.data())) {
    if (!s_.positions.empty()) return;
    s_.positions = machine::page_array<id>(s_.core.vertices(), machine::page_kind::used);
    std::fill(s_.positions.begin(), s_.positions.end(), unreached);
  }

  search_end run(const core_source& source, const std::stop_token& stop) {
    reach(source.vertex, one());
    search_end end = forward(stop);
    if (end == search_end::complete) end = backward(source, stop);
    for (id i = 0; i < size_; ++i) s_.positions[s_.list[i]] = unreached;
    return end;
  }

 private:
  static constexpr id unreached = ~id{0};  // larger than any position

  static Count one() noexcept {
    if constexpr (plain) {
      return 1;
    } else {
      return {1, 0};
    }
  }

  void reach(id v, const Count& paths) noexcept {
    s_.positions[v] = size_;
    s_.list[size_] = v;
    vertices_[size_++].paths = paths;
  }

  /// Counts the paths, level by level.
  search_end forward(const std::stop_token& stop) {
    ends_.clear();
    for (id i = 0; i != size_;) {
      const id last = size_;
      if (overflows(i, last)) return search_end::overflown;
      ends_.push_back(last);
      for (; i != last; ++i) {
        if (i + 12 < last) prefetch(&s_.list[i + 4], 4);
        follow(i, last);
        if (i % 4096 == 0 && stop.stop_requested()) return search_end::stopped;
      }
    }
    return search_end::complete;
  }

  /// Adds the paths to the vertex at i to those of the vertices behind it, whose level begins at `next`.
  void follow(id i, id next) noexcept {
    const Count paths = vertices_[i].paths;
    for (const id w : s_.core.out.row(s_.list[i])) {
      const id at = s_.positions[w];
      if (at < next) continue;
      if (at == unreached) {
        reach(w, paths);
      } else {
        vertices_[at].paths += paths;
      }
    }
  }

  /// Sums the dependencies up, last level first.
  search_end backward(const core_source& source, const std::stop_token& stop) {
    double targets = 0;
    id i = size_;
    for (std::size_t level = ends_.size(); level-- > 1;) {
      for (; i-- > ends_[level - 1];) {
        if (i >= 16) prefetch(&s_.list[i - 4], -4);
        const id v = s_.list[i];
        const double mine = s_.core.targets[v];
        targets += mine;
        s_.scores[v] += source.weight() * (depend(i, ends_[level], mine) + (mine - 1));
        if (i % 4096 == 0 && stop.stop_requested()) return search_end::stopped;
      }
      ++i;
    }
    count_folded(s_, source, targets);
    return search_end::complete;
  }

  /// The dependency on the vertex at i, when the shares of those behind it, whose level begins at `next`, are known;
  /// makes its own.
  double depend(id i, id next, double targets) noexcept {
    Count sum{};
    for (const id w : s_.core.out.row(s_.list[i])) {
      if (const id at = s_.positions[w]; at >= next) sum += vertices_[at].shares;
    }
    single_vertex<Count>& here = vertices_[i];
    here.shares = quotient(targets, here.paths);
    here.shares += sum;
    return product(here.paths, sum);
  }

  /// Whether counts of a level are so large that sums of the next level's, or their reciprocals, may not fit a double.
  /// A count is at most the largest of the level before times its vertices: only when that is too large are they looked
  /// at.
  bool overflows(id first, id last) noexcept {
    if constexpr (plain) {
      constexpr double most_bits = 960;
      bits_ += std::log2(static_cast<double>(last - first));
      if (bits_ <= most_bits) return false;
      double most = 0;
      for (id i = first; i < last; ++i) most = std::max(most, vertices_[i].paths);
      bits_ = std::log2(most) + std::log2(static_cast<double>(last - first));
      return bits_ > most_bits;
    } else {
      return false;
    }
  }

  /// Asks for what vertices of the list will need: the bounds of a row, then its targets, then their positions.
  void prefetch(const id* soon, std::ptrdiff_t step) const noexcept {
    const adjacency<id>& rows = s_.core.out;
    __builtin_prefetch(rows.offsets.data() + soon[2 * step]);
    __builtin_prefetch(rows.targets.data() + rows.offsets[soon[step]]);
    const auto row = rows.row(soon[0]);
    for (const id v : row.first(std::min<std::size_t>(row.size(), 32))) __builtin_prefetch(s_.positions.data() + v);
  }

  search_state& s_;
  single_vertex<Count>* vertices_;
  id size_ = 0;
  std::vector<id> ends_;  ///< of the levels
  double bits_ = 0;       ///< no sum of counts of the last level has more
};

}  // namespace

search_end search_single(search_state& state, const core_source& source, bool wide, const std::stop_token& stop) {
  return wide ? single_search<wide_count>(state).run(source, stop) : single_search<double>(state).run(source, stop);
}

}  // namespace callisto::graph
