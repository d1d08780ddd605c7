// The parallel loop as `callisto simulate` runs it: production's team, work item and distributors on any machine
// policy.
#pragma once

#include <callisto/distributor/distributed_counters.hpp>
#include <callisto/distributor/shared_counter.hpp>
#include <callisto/loop/loop_item.hpp>

#include <cstdint>
#include <string_view>

namespace callisto::app {

enum class distributor_kind {
  shared,       ///< one counter for all (distributor/shared_counter.hpp)
  distributed,  ///< a counter for each stripe (distributor/distributed_counters.hpp), what parallel_for uses
};

/// "shared", "distributed"; throws usage_error naming `flag`.
distributor_kind parse_distributor(std::string_view flag, std::string_view text);
const char* name_of(distributor_kind kind) noexcept;

/// Calls f.template operator()<D>() for the distributor D<M> of this kind.
template <class M, class F>
decltype(auto) with_distributor(distributor_kind kind, F f) {
  if (kind == distributor_kind::shared) return f.template operator()<distributor::shared_counter<M>>();
  return f.template operator()<distributor::distributed_counters<M>>();
}

}  // namespace callisto::app
