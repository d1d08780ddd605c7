// The parts into which units of a machine, such as its cores, divide threads.
#pragma once

#include <callisto/distributor/layout.hpp>

#include <cstddef>
#include <map>
#include <span>
#include <vector>

namespace callisto::workers {

/// Returns `threads` by the unit of each, as `where` has it. Parts come in the order of their first threads, and each
/// part's threads in the order given.
inline std::vector<std::vector<unsigned>> parts_of(const distributor::layout& where, std::span<const unsigned> threads,
                                                   distributor::level unit) {
  std::vector<std::vector<unsigned>> parts;
  std::map<unsigned, std::size_t> part_of_group;
  for (const unsigned t : threads) {
    const auto [at, is_new] = part_of_group.try_emplace(where.group(unit, t), parts.size());
    if (is_new) parts.emplace_back();
    parts[at->second].push_back(t);
  }
  return parts;
}

}  // namespace callisto::workers
