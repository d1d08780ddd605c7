// The description of the machine at hand, for the simulator.
#pragma once

#include <callisto/app/base/json.hpp>
#include <callisto/app/simulate/calibrate.hpp>
#include <callisto/machine/simulated/description.hpp>

namespace callisto::app {

/// From its topology and what was measured on it; what cannot be measured is estimated.
machine::simulation::description describe_this_machine(const measured_costs& costs);

/// The contexts that this process may use.
unsigned usable_contexts();

json to_json(const measured_costs& costs);

}  // namespace callisto::app
