// Sorts the threads of a loop so that every group is a run.
#include <callisto/distributor/layout.hpp>

#include <algorithm>
#include <numeric>
#include <tuple>

namespace callisto::distributor {

std::string_view name_of(level at) noexcept {
  constexpr std::array<std::string_view, levels> names{"thread", "core", "core-pair", "l2",
                                                       "l3",     "numa", "socket",    "machine"};
  return names[static_cast<unsigned>(at)];
}

layout::layout(std::span<const seat> seats) : position_(seats.size()), thread_(seats.size()) {
  const auto count = static_cast<unsigned>(seats.size());
  std::iota(thread_.begin(), thread_.end(), 0u);
  const auto key = [&](unsigned thread, level at) {
    const seat& s = seats[thread];
    // Levels narrower than `at` do not count.
    return std::tuple(s.socket, at > level::numa ? 0 : s.numa, at > level::l3 ? 0 : s.l3, at > level::l2 ? 0 : s.l2,
                      at > level::core ? 0 : s.core, at > level::thread ? 0 : thread);
  };
  std::sort(thread_.begin(), thread_.end(),
            [&](unsigned a, unsigned b) { return key(a, level::thread) < key(b, level::thread); });
  for (unsigned p = 0; p < count; ++p) position_[thread_[p]] = p;

  for (unsigned l = 0; l < levels; ++l) {
    const auto at = static_cast<level>(l);
    grouping& g = groupings_[l];
    g.group.resize(count);
    unsigned cores = 0;  // cores in this L2, or in this L3 if cores have an L2 each
    for (unsigned p = 0; p < count; ++p) {
      bool begins = p == 0;
      if (!begins && at != level::machine) {
        const unsigned here = thread_[p];
        const unsigned before = thread_[p - 1];
        if (at == level::core_pair) {
          const bool same_core = key(here, level::core) == key(before, level::core);
          const bool same_cache = key(here, level::l3) == key(before, level::l3);
          cores = !same_cache ? 0 : cores + (same_core ? 0 : 1);
          begins = !same_cache || (!same_core && cores % 2 == 0);
        } else {
          begins = key(here, at) != key(before, at);
        }
      }
      if (begins) g.first.push_back(p);
      g.group[p] = static_cast<unsigned>(g.first.size()) - 1;
    }
    g.first.push_back(count);
    for (std::size_t i = 1; i < g.first.size(); ++i) g.largest = std::max(g.largest, g.first[i] - g.first[i - 1]);
  }
}

layout layout::flat(unsigned threads) {
  std::vector<seat> seats(std::max(1u, threads));
  for (unsigned t = 0; t < seats.size(); ++t) seats[t] = {t, t, 0, 0, 0};
  return layout(seats);
}

}  // namespace callisto::distributor
