// A search from one source: Brandes' algorithm (2001) in its plain form, with counts that fit a double or of any size.
//
// A vertex takes 16 bytes (32 with wide counts), a search in lanes one or two cache lines. So this search is faster
// where lanes would share nothing: in directed graphs of high diameter, and from few sources that each reach a part of
// a graph. In undirected graphs of high diameter high_diameter.hpp is faster still, unless counts differ too much.
#include <callisto/graph/betweenness/search.hpp>
#include <callisto/graph/csr/wide_count.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

using id = betweenness_core::id;

/// The numbers of a vertex that the search has reached.
template <class Count>
struct single_vertex {
  Count paths;   ///< number of shortest paths from the source
  Count shares;  ///< its targets / paths, plus the shares of the next vertices on these paths
};
static_assert(sizeof(single_vertex<wide_count>) <= lanes_for(1) * sizeof(double));

constexpr id unreached = ~id{0};  // larger than any position

/// How far a search has come. The vertices found are in the state's list; the vertices before `next` have been
/// followed.
struct single_progress {
  id size = 0;
  id next = 0;
  std::vector<id> ends;          ///< by level that has been begun: its end in the list
  id recorded = 0;               ///< number of vertices, from the first, that have a record
  std::uint64_t record_end = 0;  ///< entries of the record
};

/// One search, in the memory of a state for four lanes or more. Vertices lie in the order in which they are reached, so
/// level by level.
///
/// Where paths of lanes would be, it keeps a record for as many vertices as fit: for each one that it follows, the
/// places of the vertices behind it, and their number. The way back reads the record from its end. For vertices without
/// a record it reads rows and positions once more, all over the memory.
template <class Count>
class single_search {
  static constexpr bool plain = std::is_same_v<Count, double>;

 public:
  single_search(search_state& state, const single_limits& limits, single_progress&& progress)
      : s_(state),
        at_(std::move(progress)),
        vertices_(reinterpret_cast<single_vertex<Count>*>(state.shares.data())),
        record_(reinterpret_cast<id*>(state.paths.data())),
        record_room_(std::min(limits.record, state.paths.size() * (sizeof(double) / sizeof(id)))),
        most_bits_(limits.bits) {}

  single_progress progress() && { return std::move(at_); }

  void reach(id v, const Count& paths) noexcept {
    s_.positions[v] = at_.size;
    s_.list[at_.size] = v;
    vertices_[at_.size++].paths = paths;
  }

  /// Counts the paths, level by level. If it returns overflown, a search with wide counts can go on from progress().
  search_end forward(const std::stop_token& stop) {
    while (at_.next != at_.size) {
      const id last = at_.size;
      if (overflows(at_.next, last)) return search_end::overflown;
      at_.ends.push_back(last);
      for (; at_.next != last; ++at_.next) {
        if (at_.next + 12 < at_.size) prefetch(&s_.list[at_.next + 4], 4);
        follow(at_.next, last);
        if (at_.next % 4096 == 0 && stop.stop_requested()) return search_end::stopped;
      }
    }
    return search_end::complete;
  }

  /// Sums the dependencies, last level first.
  search_end backward(const core_source& source, const std::stop_token& stop) {
    double targets = 0;
    id i = at_.size;
    for (std::size_t level = at_.ends.size(); level-- > 1;) {
      for (; i-- > at_.ends[level - 1];) {
        if (i >= 16) {
          if (i >= at_.recorded) prefetch(&s_.list[i - 4], -4);
          __builtin_prefetch(s_.scores.data() + s_.list[i - 8]);
        }
        const id v = s_.list[i];
        const double mine = s_.core.targets_of(v);
        const Count shares = i < at_.recorded ? recorded_shares() : sum_shares(v, at_.ends[level]);
        targets += mine;
        const double dependency = depend(i, shares, mine) + (mine - 1);
        s_.scores[v] += source.weight() * dependency;
        if (!s_.squares.empty()) s_.squares[v] += source.weight() * dependency * dependency;
        if (i % 4096 == 0 && stop.stop_requested()) return search_end::stopped;
      }
      ++i;
    }
    count_folded(s_.core, s_.scores, s_.squares, source, targets);
    return search_end::complete;
  }

 private:
  /// Adds the paths to the vertex at i to the paths of the vertices behind it. `next`: where the next level begins.
  void follow(id i, id next) noexcept {
    const auto row = s_.core.out.row(s_.list[i]);
    if (at_.recorded == i && at_.record_end + row.size() < record_room_) {
      at_.recorded = i + 1;
      id* const begin = record_ + at_.record_end;
      id* end = begin;
      follow(i, next, row, [&](id at) { *end++ = at; });
      *end = static_cast<id>(end - begin);
      at_.record_end += static_cast<std::uint64_t>(end + 1 - begin);
    } else {
      follow(i, next, row, [](id) {});
    }
  }

  template <class Note>
  void follow(id i, id next, std::span<const id> row, const Note& note) noexcept {
    const Count paths = vertices_[i].paths;
    for (const id w : row) {
      const id at = s_.positions[w];
      if (at < next) continue;
      note(std::min(at, at_.size));
      if (at == unreached) {
        reach(w, paths);
      } else {
        vertices_[at].paths += paths;
      }
    }
  }

  /// Returns the sum of the shares of the vertices behind v. `next`: where the next level begins.
  Count sum_shares(id v, id next) const noexcept {
    Count sum{};
    for (const id w : s_.core.out.row(v)) {
      if (const id at = s_.positions[w]; at >= next) sum += vertices_[at].shares;
    }
    return sum;
  }

  /// Returns that sum for the last vertex of the record, and takes the vertex off the record.
  Count recorded_shares() noexcept {
    const id* const end = record_ + at_.record_end - 1;
    const id* const begin = end - *end;
    at_.record_end = static_cast<std::uint64_t>(begin - record_);
    Count sum{};
    for (const id* at = begin; at != end; ++at) sum += vertices_[*at].shares;
    return sum;
  }

  /// Returns the dependency on the vertex at i, given the sum of the shares behind it; stores its own share.
  double depend(id i, const Count& sum, double targets) noexcept {
    single_vertex<Count>& here = vertices_[i];
    here.shares = quotient(targets, here.paths);
    here.shares += sum;
    return product(here.paths, sum);
  }

  /// True if the next level's counts, or their reciprocals, may not fit a double. A count is at most the largest of the
  /// level before times the vertices of that level; only if this bound is too large are the counts read.
  bool overflows(id first, id last) noexcept {
    if constexpr (plain) {
      bits_ += std::log2(static_cast<double>(last - first));
      if (bits_ <= most_bits_) return false;
      double most = 0;
      for (id i = first; i < last; ++i) most = std::max(most, vertices_[i].paths);
      bits_ = std::log2(most) + std::log2(static_cast<double>(last - first));
      return bits_ > most_bits_;
    } else {
      return false;
    }
  }

  /// Prefetches for vertices of the list: the bounds of a row, then its targets, then their positions.
  void prefetch(const id* soon, std::ptrdiff_t step) const noexcept {
    const adjacency<id>& rows = s_.core.out;
    __builtin_prefetch(rows.offsets.data() + soon[2 * step]);
    __builtin_prefetch(rows.targets.data() + rows.offsets[soon[step]]);
    const auto row = rows.row(soon[0]);
    for (const id v : row.first(std::min<std::size_t>(row.size(), 32))) __builtin_prefetch(s_.positions.data() + v);
  }

  search_state& s_;
  single_progress at_;
  single_vertex<Count>* const vertices_;
  id* const record_;
  const std::uint64_t record_room_;
  const double most_bits_;
  double bits_ = 0;  ///< log2 of a bound on the sums of counts of the last level
};

/// Turns the counts of the vertices found into wide ones, in place, from the last to the first.
void widen(search_state& state, id size) {
  const auto* const from = reinterpret_cast<const single_vertex<double>*>(state.shares.data());
  auto* const to = reinterpret_cast<single_vertex<wide_count>*>(state.shares.data());
  for (id i = size; i-- != 0;) {
    const double paths = from[i].paths;
    to[i].paths = wide_count::of(paths);
  }
}

/// Searches with doubles, and goes on with wide counts if they overflow. Sets `found` to the number of vertices
/// reached.
search_end search_in(search_state& state, const core_source& source, const single_limits& limits, id& found,
                     const std::stop_token& stop) {
  single_search<double> with_doubles(state, limits, {});
  with_doubles.reach(source.vertex, 1);
  search_end end = with_doubles.forward(stop);
  if (end == search_end::complete) end = with_doubles.backward(source, stop);
  single_progress progress = std::move(with_doubles).progress();
  found = progress.size;
  if (end != search_end::overflown) return end;
  widen(state, found);
  single_search<wide_count> wide(state, limits, std::move(progress));
  end = wide.forward(stop);
  if (end == search_end::complete) end = wide.backward(source, stop);
  found = std::move(wide).progress().size;
  return end;
}

}  // namespace

search_end search_single(search_state& state, const core_source& source, const std::stop_token& stop,
                         const single_limits& limits) {
  auto& positions = state.positions;
  if (positions.empty()) {
    positions = machine::page_array<id>(state.core.vertices(), machine::page_kind::used);
    std::fill(positions.begin(), positions.end(), unreached);
  }
  id found = 0;
  const search_end end = search_in(state, source, limits, found, stop);
  if (found > positions.size() / 8) {
    std::fill(positions.begin(), positions.end(), unreached);
  } else {
    for (id i = 0; i < found; ++i) positions[state.list[i]] = unreached;
  }
  return end;
}

}  // namespace callisto::graph
