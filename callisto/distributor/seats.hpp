// The seats of threads that run on a machine's contexts.
#pragma once

#include <callisto/distributor/layout.hpp>
#include <callisto/machine/host/topology.hpp>

#include <span>
#include <vector>

namespace callisto::distributor {

/// Returns the seats of threads of which thread t runs on contexts[t].
inline std::vector<seat> seats_of(std::span<const machine::context> contexts) {
  std::vector<seat> seats;
  for (const machine::context& c : contexts) seats.push_back({c.core, c.l2, c.l3, c.numa, c.package});
  return seats;
}

}  // namespace callisto::distributor
