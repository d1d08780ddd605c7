// The sweeps of a search, in versions for the instruction sets that matter.
//
// The text uses GCC's and clang's vectors, with one number for each lane, which become what the instruction set has. A
// target attribute compiles the same inlined text for each instruction set.
#include <callisto/graph/betweenness/search.hpp>

#include <algorithm>
#include <cstring>

namespace callisto::graph {
namespace {

using id = betweenness_core::id;

template <unsigned Lanes>
struct vectors;
template <>
struct vectors<4> {
  using doubles = double __attribute__((vector_size(32), may_alias));
  using words = std::int64_t __attribute__((vector_size(32)));
  static constexpr words bits{1, 2, 4, 8};
};
template <>
struct vectors<8> {
  using doubles = double __attribute__((vector_size(64), may_alias));
  using words = std::int64_t __attribute__((vector_size(64)));
  static constexpr words bits{1, 2, 4, 8, 16, 32, 64, 128};
};
template <unsigned Lanes>
using doubles = typename vectors<Lanes>::doubles;

#define CALLISTO_INLINE [[gnu::always_inline]] inline

/// Returns the numbers of vertex v.
template <unsigned Lanes>
CALLISTO_INLINE doubles<Lanes>& of(double* values, std::uint64_t v) noexcept {
  return reinterpret_cast<doubles<Lanes>&>(values[v * Lanes]);
}
template <unsigned Lanes>
CALLISTO_INLINE doubles<Lanes>& of(machine::page_array<double>& values, std::uint64_t v) noexcept {
  return of<Lanes>(values.data(), v);
}

/// Adds from[l] to to[l] for the lanes l of `lanes`.
template <unsigned Lanes>
CALLISTO_INLINE void add(doubles<Lanes>& to, const doubles<Lanes>& from, lane_set lanes) noexcept {
  to += ((vectors<Lanes>::bits & static_cast<std::int64_t>(lanes)) != 0) ? from : doubles<Lanes>{};
}

/// Sets to[l] to from[l] for the lanes l of `lanes`.
template <unsigned Lanes>
CALLISTO_INLINE void assign(doubles<Lanes>& to, const doubles<Lanes>& from, lane_set lanes) noexcept {
  to = ((vectors<Lanes>::bits & static_cast<std::int64_t>(lanes)) != 0) ? from : to;
}

template <unsigned Lanes>
CALLISTO_INLINE double sum_of(const doubles<Lanes>& values) noexcept {
  double all = (values[0] + values[1]) + (values[2] + values[3]);
  if constexpr (Lanes == 8) all += (values[4] + values[5]) + (values[6] + values[7]);
  return all;
}

CALLISTO_INLINE lane_set without(lane_set a, lane_set b) noexcept { return static_cast<lane_set>(a & ~b); }

struct range_of {
  const id* first;
  const id* last;
  CALLISTO_INLINE range_of(const adjacency<id>& rows, id v) noexcept
      : first(rows.targets.data() + rows.offsets[v]), last(rows.targets.data() + rows.offsets[v + 1]) {}
  CALLISTO_INLINE const id* begin() const noexcept { return first; }
  CALLISTO_INLINE const id* end() const noexcept { return last; }
};

template <unsigned Lanes>
CALLISTO_INLINE std::uint64_t push_paths(search_state& s, std::uint64_t first, std::uint64_t last, std::uint64_t end) {
  for (std::uint64_t i = first; i < last; ++i) {
    const lane_set lanes = s.lanes_of[i];
    const doubles<Lanes> paths = of<Lanes>(s.paths, s.list[i]);
    for (const id w : range_of(s.core.out, s.list[i])) {
      const lane_set reached = s.reached[w];
      const lane_set next = without(lanes, reached);
      if (next == 0) continue;
      const lane_set found = s.found[w];
      doubles<Lanes>& sum = of<Lanes>(s.paths, w);
      if (found == 0) s.list[end++] = w;
      if ((reached | found) == 0) sum = doubles<Lanes>{};  // has the counts of the search before
      if (found == 0 && reached != 0) assign<Lanes>(sum, doubles<Lanes>{}, without(0xff, reached));
      add<Lanes>(sum, paths, next);
      s.found[w] = found | next;
    }
  }
  return end;
}

template <unsigned Lanes>
CALLISTO_INLINE void clear(search_state& s, std::uint64_t first, std::uint64_t last, double* to) {
  for (std::uint64_t i = first; i < last; ++i) of<Lanes>(to, s.list[i]) = doubles<Lanes>{};
}

template <unsigned Lanes>
CALLISTO_INLINE void add_paths(search_state& s, std::uint64_t first, std::uint64_t last, id begin, id end, double* to) {
  for (std::uint64_t i = first; i < last; ++i) {
    const lane_set mine = s.lanes_of[i];
    const doubles<Lanes> paths = of<Lanes>(s.paths, s.list[i]);
    for (const id w : range_of(s.core.out, s.list[i])) {
      if (w - begin >= end - begin) continue;
      const lane_set lanes = s.found[w] & mine;
      if (lanes != 0) add<Lanes>(of<Lanes>(to, w), paths, lanes);
    }
  }
}

/// Adds the path counts of v's in-neighbours in the active lanes among `wanted` to `sum`. Adds these lanes to `found`.
template <unsigned Lanes>
CALLISTO_INLINE void sum_paths(search_state& s, id v, lane_set wanted, doubles<Lanes>& sum, lane_set& found) noexcept {
  for (const id u : range_of(s.core.in(), v)) {
    const lane_set lanes = s.active[u] & wanted;
    if (lanes == 0) continue;
    add<Lanes>(sum, of<Lanes>(s.paths, u), lanes);
    found |= lanes;
  }
}

template <unsigned Lanes>
CALLISTO_INLINE void pull_paths(search_state& s, std::uint64_t first, std::uint64_t last, double* to) {
  for (std::uint64_t i = first; i < last; ++i) {
    const id v = s.list[i];
    doubles<Lanes> sum{};
    lane_set found = 0;
    sum_paths<Lanes>(s, v, s.found[v], sum, found);
    assign<Lanes>(of<Lanes>(to, v), sum, found);
  }
}

template <unsigned Lanes>
CALLISTO_INLINE std::uint64_t pull_all(search_state& s, std::uint64_t first, std::uint64_t last, id* list, double* to) {
  id* end = list;
  for (std::uint64_t v = first; v < last; ++v) {
    const lane_set wanted = without(s.all, s.reached[v]);
    if (wanted == 0) continue;
    doubles<Lanes> sum{};
    lane_set found = 0;
    sum_paths<Lanes>(s, static_cast<id>(v), wanted, sum, found);
    if (found == 0) continue;
    assign<Lanes>(of<Lanes>(to, v), sum, found);
    s.found[v] = found;
    *end++ = static_cast<id>(v);
  }
  return static_cast<std::uint64_t>(end - list);
}

template <unsigned Lanes>
CALLISTO_INLINE arc_sums settle(search_state& s, std::uint64_t first, std::uint64_t last, double* pulled) {
  arc_sums sums;
  for (std::uint64_t i = first; i < last; ++i) {
    const id v = s.list[i];
    const lane_set found = s.found[v];
    s.found[v] = 0;
    s.lanes_of[i] = found;
    if (pulled != nullptr) assign<Lanes>(of<Lanes>(s.paths, v), of<Lanes>(pulled, v), found);
    if (s.reached[v] == 0) of<Lanes>(s.shares, v) = doubles<Lanes>{};
    s.reached[v] |= found;
    const std::uint64_t in = s.core.in().degree(v);
    sums.out += s.core.out.degree(v);
    sums.in += in;
    if (s.reached[v] == s.all) sums.closed_in += in;
  }
  return sums;
}

template <unsigned Lanes>
CALLISTO_INLINE lane_values finish(search_state& s, std::uint64_t first, std::uint64_t last, double* pulled) {
  doubles<Lanes> targets{};
  const doubles<Lanes> weights = of<Lanes>(s.weights.lane, 0);
  for (std::uint64_t i = first; i < last; ++i) {
    const id v = s.list[i];
    const lane_set lanes = s.lanes_of[i];
    const double mine = s.core.targets_of(v);
    const doubles<Lanes> paths = of<Lanes>(s.paths, v);
    doubles<Lanes>& share = of<Lanes>(s.shares, v);
    if (pulled != nullptr) assign<Lanes>(share, of<Lanes>(pulled, v), lanes);
    const doubles<Lanes> ends = doubles<Lanes>{} + mine;
    doubles<Lanes> dependency{};
    add<Lanes>(dependency, weights * (paths * share + (mine - 1)), lanes);
    s.scores[v] += sum_of<Lanes>(dependency);
    if (!s.squares.empty()) {
      doubles<Lanes> square{};
      add<Lanes>(square, dependency * (paths * share + (mine - 1)), lanes);
      s.squares[v] += sum_of<Lanes>(square);
    }
    add<Lanes>(share, ends / paths, lanes);
    add<Lanes>(targets, ends, lanes);
  }
  lane_values result{};
  std::memcpy(&result, &targets, sizeof(targets));
  return result;
}

template <unsigned Lanes>
CALLISTO_INLINE void pull_shares(search_state& s, std::uint64_t first, std::uint64_t last, double* to) {
  for (std::uint64_t i = first; i < last; ++i) {
    const id v = s.list[i];
    const lane_set wanted = s.lanes_of[i];
    doubles<Lanes> sum{};
    for (const id w : range_of(s.core.out, v)) {
      const lane_set lanes = s.active[w] & wanted;
      if (lanes != 0) add<Lanes>(sum, of<Lanes>(s.shares, w), lanes);
    }
    assign<Lanes>(of<Lanes>(to, v), sum, wanted);
  }
}

template <unsigned Lanes>
CALLISTO_INLINE void push_shares(search_state& s, std::uint64_t first, std::uint64_t last, id begin, id end,
                                 double* to) {
  for (std::uint64_t i = first; i < last; ++i) {
    const lane_set mine = s.lanes_of[i];
    const doubles<Lanes> share = of<Lanes>(s.shares, s.list[i]);
    for (const id u : range_of(s.core.in(), s.list[i])) {
      if (u - begin >= end - begin) continue;
      const lane_set lanes = s.active[u] & mine;
      if (lanes != 0) add<Lanes>(of<Lanes>(to, u), share, lanes);
    }
  }
}

// One struct of functions for each instruction set: an attribute cannot be a template argument.
#define CALLISTO_SWEEPS(name, ...)                                                                                     \
  template <unsigned Lanes>                                                                                            \
  struct name {                                                                                                        \
    using at = std::uint64_t;                                                                                          \
    __VA_ARGS__ static at push_paths_(search_state& s, at a, at b, at end) { return push_paths<Lanes>(s, a, b, end); } \
    __VA_ARGS__ static void pull_paths_(search_state& s, at a, at b, double* to) { pull_paths<Lanes>(s, a, b, to); }   \
    __VA_ARGS__ static at pull_all_(search_state& s, at a, at b, id* list, double* to) {                               \
      return pull_all<Lanes>(s, a, b, list, to);                                                                       \
    }                                                                                                                  \
    __VA_ARGS__ static arc_sums settle_(search_state& s, at a, at b, double* pulled) {                                 \
      return settle<Lanes>(s, a, b, pulled);                                                                           \
    }                                                                                                                  \
    __VA_ARGS__ static lane_values finish_(search_state& s, at a, at b, double* pulled) {                              \
      return finish<Lanes>(s, a, b, pulled);                                                                           \
    }                                                                                                                  \
    __VA_ARGS__ static void pull_shares_(search_state& s, at a, at b, double* to) { pull_shares<Lanes>(s, a, b, to); } \
    __VA_ARGS__ static void push_shares_(search_state& s, at a, at b, id first, id last, double* to) {                 \
      push_shares<Lanes>(s, a, b, first, last, to);                                                                    \
    }                                                                                                                  \
    __VA_ARGS__ static void clear_(search_state& s, at a, at b, double* to) { clear<Lanes>(s, a, b, to); }             \
    __VA_ARGS__ static void add_paths_(search_state& s, at a, at b, id first, id last, double* to) {                   \
      add_paths<Lanes>(s, a, b, first, last, to);                                                                      \
    }                                                                                                                  \
    static constexpr search_sweeps all{push_paths_, clear_,  add_paths_,   pull_paths_, pull_all_,                     \
                                       settle_,     finish_, pull_shares_, push_shares_};                              \
  }

CALLISTO_SWEEPS(portable_sweeps);
#if defined(__x86_64__)
CALLISTO_SWEEPS(avx2_sweeps, __attribute__((target("avx2"))));
CALLISTO_SWEEPS(avx512_sweeps, __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw"))));
#endif

template <class T>
machine::page_array<T> zeros(std::uint64_t size) {
  machine::page_array<T> made(size, machine::page_kind::used);
  std::fill(made.begin(), made.end(), T{0});
  return made;
}

}  // namespace

search_state::search_state(const betweenness_core& what, unsigned most_sources)
    : core(what),
      lanes(lanes_for(most_sources)),
      paths(what.vertices() * lanes, machine::page_kind::used),
      shares(what.vertices() * lanes, machine::page_kind::used),
      pulled(what.vertices() * lanes, machine::page_kind::used),
      reached(zeros<lane_set>(what.vertices())),
      active(zeros<lane_set>(what.vertices())),
      found(zeros<lane_set>(what.vertices())),
      list(what.vertices() * lanes, machine::page_kind::used),
      lanes_of(what.vertices() * lanes, machine::page_kind::used),
      scores(zeros<double>(what.vertices())),
      squares(zeros<double>(what.squares ? what.vertices() : 0)) {}

namespace {

template <unsigned Lanes>
std::vector<search_sweeps> versions_of() {
  std::vector<search_sweeps> versions;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw")) {
    versions.push_back(avx512_sweeps<Lanes>::all);
  }
  if (__builtin_cpu_supports("avx2")) versions.push_back(avx2_sweeps<Lanes>::all);
#endif
  versions.push_back(portable_sweeps<Lanes>::all);
  return versions;
}

}  // namespace

std::vector<search_sweeps> search_sweeps_versions(unsigned lanes) {
  return lanes == 4 ? versions_of<4>() : versions_of<8>();
}

}  // namespace callisto::graph
