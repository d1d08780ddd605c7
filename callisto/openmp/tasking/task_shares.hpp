// How many iterations each task of a taskloop has.
#pragma once

#include <algorithm>
#include <cstdint>

namespace callisto::openmp {

/// The division of `trips` iterations. The first `longer` of `tasks` tasks have one more than `each`; or, if `last` is
/// not 0, all have `each` except the last.
struct task_shares {
  std::uint64_t tasks;
  std::uint64_t each;
  std::uint64_t longer = 0;
  std::uint64_t last = 0;

  std::uint64_t size(std::uint64_t n) const noexcept {
    if (last != 0 && n + 1 == tasks) return last;
    return each + (n < longer ? 1 : 0);
  }
};

/// Divides `trips` iterations, at least one. `wanted` is the size of a grain, or the number of tasks; if that is 0,
/// there are `usual` tasks.
inline task_shares share_out(std::uint64_t trips, bool by_grain, bool strict, std::uint64_t wanted,
                             std::uint64_t usual) noexcept {
  const auto evenly = [trips](std::uint64_t tasks) {
    return task_shares{.tasks = tasks, .each = trips / tasks, .longer = trips % tasks};
  };
  if (!by_grain) return evenly(std::min(wanted != 0 ? wanted : usual, trips));
  if (strict) return {.tasks = (trips - 1) / wanted + 1, .each = wanted, .last = (trips - 1) % wanted + 1};
  // Each task has at least one grain, and less than two.
  return evenly(std::max<std::uint64_t>(trips / wanted, 1));
}

}  // namespace callisto::openmp
