// Writes timelines of simulated loops in the Chrome trace format, which Perfetto (ui.perfetto.dev) and chrome://tracing
// open.
#pragma once

#include <lab/names.hpp>
#include <lab/simulate/run.hpp>

#include <string>

namespace callisto::lab {

/// Returns the timeline as JSON text. Each thread is a track, and tracks are grouped by socket. Times are microseconds
/// of the simulated machine.
std::string to_chrome_trace(const machine::simulation::description& machine, const workload& loop,
                            const run_setup& setup, const run_outcome& outcome);

}  // namespace callisto::lab
