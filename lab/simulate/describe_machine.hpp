// Makes the simulator's description of this machine.
#pragma once

#include <callisto/app/base/json.hpp>
#include <callisto/machine/simulated/description.hpp>
#include <lab/names.hpp>
#include <lab/simulate/calibrate.hpp>

namespace callisto::lab {

/// Returns the description of this machine from its topology and `costs`. Values that cannot be measured are estimates;
/// the description says which.
machine::simulation::description describe_this_machine(const measured_costs& costs);

/// Returns the number of contexts that this process may use.
unsigned usable_contexts();

json to_json(const measured_costs& costs);

}  // namespace callisto::lab
