// The sweeps of a search, in versions for the instruction sets that matter.
//
// They are written with the vectors of eight numbers that GCC and clang turn into whatever the instruction set has, and
// compiled for each by a target attribute around the same inlined text.
#include <callisto/graph/betweenness_search.hpp>

#include <algorithm>
#include <cstring>

namespace callisto::graph {
namespace {

using id = betweenness_core::id;
using doubles = double __attribute__((vector_size(64), may_alias));
using words = std::int64_t __attribute__((vector_size(64)));

#define CALLISTO_INLINE [[gnu::always_inline]] inline

CALLISTO_INLINE doubles& vector_of(lane_values& values) noexcept { return reinterpret_cast<doubles&>(values); }

/// to[l] += from[l] in the lanes of `lanes`.
CALLISTO_INLINE void add(doubles& to, const doubles& from, lane_set lanes) noexcept {
  const words bits{1, 2, 4, 8, 16, 32, 64, 128};
  to += ((bits & static_cast<std::int64_t>(lanes)) != 0) ? from : doubles{};
}

/// to[l] = from[l] in the lanes of `lanes`.
CALLISTO_INLINE void assign(doubles& to, const doubles& from, lane_set lanes) noexcept {
  const words bits{1, 2, 4, 8, 16, 32, 64, 128};
  to = ((bits & static_cast<std::int64_t>(lanes)) != 0) ? from : to;
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

CALLISTO_INLINE std::uint64_t push_paths(search_state& s, std::uint64_t first, std::uint64_t last, std::uint64_t end) {
  for (std::uint64_t i = first; i < last; ++i) {
    const lane_set lanes = s.lanes_of[i];
    const doubles paths = vector_of(s.paths[s.list[i]]);
    for (const id w : range_of(s.core.out, s.list[i])) {
      const lane_set reached = s.reached[w];
      const lane_set next = without(lanes, reached);
      if (next == 0) continue;
      const lane_set found = s.found[w];
      doubles& sum = vector_of(s.paths[w]);
      if (found == 0) s.list[end++] = w;
      if ((reached | found) == 0) sum = doubles{};  // left over from the search before
      if (found == 0 && reached != 0) assign(sum, doubles{}, without(0xff, reached));
      add(sum, paths, next);
      s.found[w] = found | next;
    }
  }
  return end;
}

/// The sum over the active lanes among `wanted` of v's in-neighbours; sets `found` to the lanes that had any.
CALLISTO_INLINE void sum_paths(search_state& s, id v, lane_set wanted, doubles& sum, lane_set& found) noexcept {
  for (const id u : range_of(s.core.in(), v)) {
    const lane_set lanes = s.active[u] & wanted;
    if (lanes == 0) continue;
    add(sum, vector_of(s.paths[u]), lanes);
    found |= lanes;
  }
}

CALLISTO_INLINE void pull_paths(search_state& s, std::uint64_t first, std::uint64_t last, lane_values* to) {
  for (std::uint64_t i = first; i < last; ++i) {
    const id v = s.list[i];
    doubles sum{};
    lane_set found = 0;
    sum_paths(s, v, s.found[v], sum, found);
    assign(vector_of(to[v]), sum, found);
  }
}

CALLISTO_INLINE std::uint64_t pull_all(search_state& s, std::uint64_t first, std::uint64_t last, id* list,
                                       lane_values* to) {
  id* end = list;
  for (std::uint64_t v = first; v < last; ++v) {
    const lane_set wanted = without(s.all, s.reached[v]);
    if (wanted == 0) continue;
    doubles sum{};
    lane_set found = 0;
    sum_paths(s, static_cast<id>(v), wanted, sum, found);
    if (found == 0) continue;
    assign(vector_of(to[v]), sum, found);
    s.found[v] = found;
    *end++ = static_cast<id>(v);
  }
  return static_cast<std::uint64_t>(end - list);
}

CALLISTO_INLINE arc_sums settle(search_state& s, std::uint64_t first, std::uint64_t last, lane_values* pulled) {
  arc_sums sums;
  for (std::uint64_t i = first; i < last; ++i) {
    const id v = s.list[i];
    const lane_set found = s.found[v];
    s.found[v] = 0;
    s.lanes_of[i] = found;
    if (pulled != nullptr) assign(vector_of(s.paths[v]), vector_of(pulled[v]), found);
    if (s.reached[v] == 0) vector_of(s.shares[v]) = doubles{};
    s.reached[v] |= found;
    const std::uint64_t in = s.core.in().degree(v);
    sums.out += s.core.out.degree(v);
    sums.in += in;
    if (s.reached[v] == s.all) sums.closed_in += in;
  }
  return sums;
}

CALLISTO_INLINE lane_values finish(search_state& s, std::uint64_t first, std::uint64_t last, lane_values* pulled) {
  doubles targets{};
  const doubles weights = vector_of(s.weights);
  for (std::uint64_t i = first; i < last; ++i) {
    const id v = s.list[i];
    const lane_set lanes = s.lanes_of[i];
    const double mine = s.core.targets[v];
    const doubles paths = vector_of(s.paths[v]);
    doubles& share = vector_of(s.shares[v]);
    if (pulled != nullptr) assign(share, vector_of(pulled[v]), lanes);
    const doubles ends = doubles{} + mine;
    doubles dependency{};
    add(dependency, weights * (paths * share + (mine - 1)), lanes);
    s.scores[v] += ((dependency[0] + dependency[1]) + (dependency[2] + dependency[3])) +
                   ((dependency[4] + dependency[5]) + (dependency[6] + dependency[7]));
    add(share, ends / paths, lanes);
    add(targets, ends, lanes);
  }
  lane_values result;
  std::memcpy(&result, &targets, sizeof(result));
  return result;
}

CALLISTO_INLINE void pull_shares(search_state& s, std::uint64_t first, std::uint64_t last, lane_values* to) {
  for (std::uint64_t i = first; i < last; ++i) {
    const id v = s.list[i];
    const lane_set wanted = s.lanes_of[i];
    doubles sum{};
    for (const id w : range_of(s.core.out, v)) {
      const lane_set lanes = s.active[w] & wanted;
      if (lanes != 0) add(sum, vector_of(s.shares[w]), lanes);
    }
    assign(vector_of(to[v]), sum, wanted);
  }
}

CALLISTO_INLINE void push_shares(search_state& s, std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t i = first; i < last; ++i) {
    const lane_set mine = s.lanes_of[i];
    const doubles share = vector_of(s.shares[s.list[i]]);
    for (const id u : range_of(s.core.in(), s.list[i])) {
      const lane_set lanes = s.active[u] & mine;
      if (lanes != 0) add(vector_of(s.shares[u]), share, lanes);
    }
  }
}

// One struct of functions for each instruction set; the attribute cannot be a template's argument.
#define CALLISTO_SWEEPS(name, ...)                                                                                   \
  struct name {                                                                                                      \
    using at = std::uint64_t;                                                                                        \
    __VA_ARGS__ static at push_paths_(search_state& s, at a, at b, at end) { return push_paths(s, a, b, end); }      \
    __VA_ARGS__ static void pull_paths_(search_state& s, at a, at b, lane_values* to) { pull_paths(s, a, b, to); }   \
    __VA_ARGS__ static at pull_all_(search_state& s, at a, at b, id* list, lane_values* to) {                        \
      return pull_all(s, a, b, list, to);                                                                            \
    }                                                                                                                \
    __VA_ARGS__ static arc_sums settle_(search_state& s, at a, at b, lane_values* pulled) {                          \
      return settle(s, a, b, pulled);                                                                                \
    }                                                                                                                \
    __VA_ARGS__ static lane_values finish_(search_state& s, at a, at b, lane_values* pulled) {                       \
      return finish(s, a, b, pulled);                                                                                \
    }                                                                                                                \
    __VA_ARGS__ static void pull_shares_(search_state& s, at a, at b, lane_values* to) { pull_shares(s, a, b, to); } \
    __VA_ARGS__ static void push_shares_(search_state& s, at a, at b) { push_shares(s, a, b); }                      \
    static constexpr search_sweeps all{push_paths_, pull_paths_,  pull_all_,   settle_,                              \
                                       finish_,     pull_shares_, push_shares_};                                     \
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

search_state::search_state(const betweenness_core& what)
    : core(what),
      paths(what.vertices(), machine::page_kind::used),
      shares(what.vertices(), machine::page_kind::used),
      pulled(what.vertices(), machine::page_kind::used),
      reached(zeros<lane_set>(what.vertices())),
      active(zeros<lane_set>(what.vertices())),
      found(zeros<lane_set>(what.vertices())),
      list(what.vertices() * search_lanes, machine::page_kind::used),
      lanes_of(what.vertices() * search_lanes, machine::page_kind::used),
      scores(zeros<double>(what.vertices())) {}

std::vector<search_sweeps> search_sweeps_versions() {
  std::vector<search_sweeps> versions;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw")) {
    versions.push_back(avx512_sweeps::all);
  }
  if (__builtin_cpu_supports("avx2")) versions.push_back(avx2_sweeps::all);
#endif
  versions.push_back(portable_sweeps::all);
  return versions;
}

}  // namespace callisto::graph
