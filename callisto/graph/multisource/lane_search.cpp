// The sweeps of searches in lanes, in versions for the instruction sets that matter (as in betweenness/sweeps.cpp).
#include <callisto/graph/multisource/lane_search.hpp>

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace callisto::graph {
namespace {

template <class Length>
struct vector_of;
template <>
struct vector_of<std::uint16_t> {
  using type = std::uint16_t __attribute__((vector_size(64), may_alias));
};
template <>
struct vector_of<std::uint32_t> {
  using type = std::uint32_t __attribute__((vector_size(64), may_alias));
};
template <>
struct vector_of<double> {
  using type = double __attribute__((vector_size(64), may_alias));
};
template <class Length>
using lengths_of = typename vector_of<Length>::type;

#define CALLISTO_INLINE [[gnu::always_inline]] inline

template <class Length>
CALLISTO_INLINE lengths_of<Length>& at(Length* distances, std::uint64_t number) noexcept {
  return reinterpret_cast<lengths_of<Length>&>(distances[number * lane_limits<Length>::lanes]);
}

template <class Length>
CALLISTO_INLINE Length largest(const lengths_of<Length>& values) noexcept {
  alignas(64) Length all[lane_limits<Length>::lanes];
  std::memcpy(all, &values, sizeof(all));
  for (unsigned width = lane_limits<Length>::lanes / 2; width != 0; width /= 2) {
    for (unsigned l = 0; l < width; ++l) all[l] = all[l] < all[l + width] ? all[l + width] : all[l];
  }
  return all[0];
}

template <class Lanes>
CALLISTO_INLINE bool any(const Lanes& flags) noexcept {
  using words = std::uint64_t __attribute__((vector_size(64), may_alias));
  const auto& word = reinterpret_cast<const words&>(flags);
  return ((word[0] | word[1] | word[2] | word[3]) | (word[4] | word[5] | word[6] | word[7])) != 0;
}

template <class Length>
struct sweep_arrays {
  const std::uint64_t* offsets;
  const std::uint32_t* sources;
  const Length* lengths;
  std::uint64_t vertices;
  Length* distances;
  Length* farthest;
  std::uint8_t* changed;
};

template <class Length>
CALLISTO_INLINE bool settle(const sweep_arrays<Length>& s, std::uint64_t v, unsigned now) noexcept {
  const Length limit = s.farthest[v];
  lengths_of<Length> best = at(s.distances, v);
  const lengths_of<Length> before = best;
  for (std::uint64_t a = s.offsets[v], end = s.offsets[v + 1]; a != end; ++a) {
    const Length length = s.lengths[a];
    if (length >= limit) break;
    const std::uint32_t u = s.sources[a];
    if (s.changed[u] + 1U < now) continue;
    const lengths_of<Length> other = at(s.distances, u) + length;
    best = other < best ? other : best;
  }
  if (!any(best < before)) return false;
  at(s.distances, v) = best;
  s.farthest[v] = largest<Length>(best);
  s.changed[v] = static_cast<std::uint8_t>(now);
  return true;
}

template <class Length>
CALLISTO_INLINE bool sweep(const sweep_arrays<Length>& s, unsigned now, bool up) noexcept {
  bool changed = false;
  if (up) {
    for (std::uint64_t v = 0; v < s.vertices; ++v) changed |= settle(s, v, now);
  } else {
    for (std::uint64_t v = s.vertices; v-- != 0;) changed |= settle(s, v, now);
  }
  return changed;
}

/// Sets the first distances: by way of the hubs. `bound`: by hub, a distance from each source to it.
template <class Length>
CALLISTO_INLINE void set_bounds(const sweep_arrays<Length>& s, const lengths_of<Length>* bounds,
                                const std::vector<machine::page_array<Length>>& from,
                                const lengths_of<Length>& first) noexcept {
  for (std::uint64_t v = 0; v < s.vertices; ++v) {
    lengths_of<Length> best = first;
    for (std::size_t h = 0; h < from.size(); ++h) {
      const lengths_of<Length> other = bounds[h] + from[h][v];
      best = other < best ? other : best;
    }
    at(s.distances, v) = best;
    s.farthest[v] = largest<Length>(best);
  }
}

/// Returns the largest distance that is not infinity.
template <class Length>
CALLISTO_INLINE Length eccentricity(const sweep_arrays<Length>& s) noexcept {
  lengths_of<Length> most{};
  const lengths_of<Length> none{};
  for (std::uint64_t v = 0; v < s.vertices; ++v) {
    const lengths_of<Length> here = at(s.distances, v);
    const lengths_of<Length> finite = here == none + lane_limits<Length>::infinity ? none : here;
    most = most < finite ? finite : most;
  }
  return largest<Length>(most);
}

template <class Length>
struct functions {
  bool (*sweep)(const sweep_arrays<Length>&, unsigned, bool);
  void (*set_bounds)(const sweep_arrays<Length>&, const lengths_of<Length>*,
                     const std::vector<machine::page_array<Length>>&, const lengths_of<Length>&);
  Length (*eccentricity)(const sweep_arrays<Length>&);
};

#define CALLISTO_LANES(name, ...)                                                                      \
  template <class Length>                                                                              \
  struct name {                                                                                        \
    __VA_ARGS__ static bool sweep_(const sweep_arrays<Length>& s, unsigned n, bool up) {               \
      return sweep<Length>(s, n, up);                                                                  \
    }                                                                                                  \
    __VA_ARGS__ static void bounds_(const sweep_arrays<Length>& s, const lengths_of<Length>* b,        \
                                    const std::vector<machine::page_array<Length>>& from,              \
                                    const lengths_of<Length>& first) {                                 \
      set_bounds<Length>(s, b, from, first);                                                           \
    }                                                                                                  \
    __VA_ARGS__ static Length most_(const sweep_arrays<Length>& s) { return eccentricity<Length>(s); } \
    static constexpr functions<Length> all{sweep_, bounds_, most_};                                    \
  }

CALLISTO_LANES(portable_lanes);
#if defined(__x86_64__)
CALLISTO_LANES(avx2_lanes, __attribute__((target("avx2"))));
CALLISTO_LANES(avx512_lanes, __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw"))));
#endif

template <class Length>
const functions<Length>& fastest() noexcept {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw")) {
    return avx512_lanes<Length>::all;
  }
  if (__builtin_cpu_supports("avx2")) return avx2_lanes<Length>::all;
#endif
  return portable_lanes<Length>::all;
}

template <class Length>
sweep_arrays<Length> arrays_of(const length_rows<Length>& rows, machine::page_array<Length>& distances,
                               machine::page_array<Length>& farthest, machine::page_array<std::uint8_t>& changed) {
  return {rows.offsets.data(), rows.sources.data(), rows.lengths.data(), rows.vertices(),
          distances.data(),    farthest.data(),     changed.data()};
}

/// Hubs that give bounds. More tighten them little and cost a pass over the distances each.
constexpr unsigned most_landmarks = 6;

}  // namespace

template <class Length>
lane_search<Length>::lane_search(const length_rows<Length>& rows, const landmarks<Length>& marks, Length longest)
    : rows_(rows),
      marks_(marks),
      longest_(longest),
      distances_(rows.vertices() * lanes, machine::page_kind::used),
      farthest_(rows.vertices(), machine::page_kind::used),
      changed_(rows.vertices(), machine::page_kind::used) {}

template <class Length>
void lane_search<Length>::start(std::span<const std::uint32_t> sources) {
  constexpr Length infinity = lane_limits<Length>::infinity;
  const sweep_arrays<Length> arrays = arrays_of(rows_, distances_, farthest_, changed_);
  lengths_of<Length> first{};  // lanes without a source stay at 0
  for (std::size_t l = 0; l < sources.size(); ++l) first[l] = infinity;
  lengths_of<Length> bounds[most_landmarks]{};
  for (std::size_t h = 0; h < marks_.to.size(); ++h) {
    for (std::size_t l = 0; l < sources.size(); ++l) bounds[h][l] = marks_.to[h][sources[l]];
  }
  fastest<Length>().set_bounds(arrays, bounds, marks_.from, first);
  for (std::size_t l = 0; l < sources.size(); ++l) {
    Length* const own = distances_.data() + std::uint64_t{sources[l]} * lanes;
    own[l] = 0;
    farthest_[sources[l]] = *std::max_element(own, own + lanes);
  }
  std::fill(changed_.begin(), changed_.end(), std::uint8_t{0});
}

template <class Length>
lane_end lane_search<Length>::run(std::span<const std::uint32_t> sources, const std::stop_token& stop) {
  constexpr unsigned last_stamp = 254;
  start(sources);
  const sweep_arrays<Length> arrays = arrays_of(rows_, distances_, farthest_, changed_);
  unsigned now = 1;
  for (bool up = true; fastest<Length>().sweep(arrays, now, up); up = !up) {
    ++sweeps_;
    if (stop.stop_requested()) return lane_end::stopped;
    if (++now <= last_stamp) continue;
    for (std::uint8_t& stamp : changed_) stamp = stamp + 1U < now ? 0 : 1;
    now = 2;
  }
  // A distance that did not fit has on its path a vertex with a distance that fits, and that no further arc may be
  // added to.
  if constexpr (!std::is_same_v<Length, double>) {
    if (fastest<Length>().eccentricity(arrays) >= lane_limits<Length>::infinity - longest_) return lane_end::overflown;
  }
  return lane_end::complete;
}

template <class Length>
void lane_search<Length>::copy_lane(unsigned lane, Length* to) const noexcept {
  const Length* from = distances_.data() + lane;
  for (std::uint64_t v = 0; v < rows_.vertices(); ++v) to[v] = from[v * lanes];
}

template <class Length>
landmarks<Length> find_landmarks(const length_rows<Length>& rows, const length_rows<Length>* reversed, Length longest,
                                 const run_control& control) {
  const auto hubs = static_cast<unsigned>(std::min<std::uint64_t>(most_landmarks, rows.vertices()));
  const landmarks<Length> none;
  const auto search = [&](const length_rows<Length>& along) {
    std::vector<machine::page_array<Length>> found;
    std::vector<std::uint32_t> sources;
    for (std::uint32_t h = 0; h < hubs; ++h) sources.push_back(h);
    lane_search<Length> state(along, none, longest);
    const lane_end end = state.run(sources, control.stop);
    if (end == lane_end::stopped) throw cancelled();
    for (unsigned h = 0; h < hubs && end == lane_end::complete; ++h) {
      found.emplace_back(along.vertices(), machine::page_kind::used);
      state.copy_lane(h, found.back().data());
      // Sums of doubles round by the order of additions; a bound must not lie below the distance that a search finds.
      if constexpr (std::is_same_v<Length, double>) {
        for (double& value : found.back()) value *= 1 + 1e-6;
      }
    }
    return found;
  };
  landmarks<Length> made;
  if (hubs == 0) return made;
  made.from = search(rows);
  if (reversed != nullptr) {
    made.to = search(*reversed);
    if (made.from.size() != made.to.size()) return {};
    return made;
  }
  for (const auto& distances : made.from) {
    made.to.emplace_back(distances.size(), machine::page_kind::used);
    std::copy(distances.begin(), distances.end(), made.to.back().begin());
  }
  return made;
}

#define CALLISTO_INSTANTIATE(Length)                                                                        \
  template class lane_search<Length>;                                                                       \
  template landmarks<Length> find_landmarks(const length_rows<Length>&, const length_rows<Length>*, Length, \
                                            const run_control&)
CALLISTO_INSTANTIATE(std::uint16_t);
CALLISTO_INSTANTIATE(std::uint32_t);
CALLISTO_INSTANTIATE(double);
#undef CALLISTO_INSTANTIATE

}  // namespace callisto::graph
