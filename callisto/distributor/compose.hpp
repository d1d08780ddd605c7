// Turns a schedule into the distributor that it names.
#pragma once

#include <callisto/distributor/combiner.hpp>
#include <callisto/distributor/distributed_counters.hpp>
#include <callisto/distributor/range.hpp>
#include <callisto/distributor/schedule.hpp>
#include <callisto/distributor/splitting_ranges.hpp>

#include <span>

namespace callisto::distributor {

/// Calls f.template operator()<D>() for the distributor type D over the machine policy M that `stages`, as schedule
/// has them, describe.
template <machine::policy M, class F>
decltype(auto) with_distributor(std::span<const stage> stages, F&& f) {
  if (stages[0].kind == stage_kind::ranges) return f.template operator()<splitting_ranges<M>>();
  using counters = distributed_counters<M>;
  if (stages[0].kind != stage_kind::combine) return f.template operator()<counters>();
  if (stages[1].kind != stage_kind::combine) return f.template operator()<combiner<M, counters>>();
  return f.template operator()<combiner<M, combiner<M, counters>>>();
}

}  // namespace callisto::distributor
