// A timeline of loops: when each thread ran, claimed or waited; for chrome://tracing and ui.perfetto.dev.
//
// Off by default; switched on by trace_loops(), by the environment variable CALLISTO_TRACE, which names the file that
// is written when the process ends (loop/record/report.hpp), or by `callisto COMMAND --trace FILE`.
#pragma once

#include <callisto/export.hpp>

#include <string>

namespace callisto {

/// Switches the timeline of later loops on or off. It takes at most 15 MB: when these are full, further events are left
/// out, batches first, and counted. Loops are also counted (statistics.hpp) while it is on. Thread-safe.
CALLISTO_API void trace_loops(bool on);

/// Writes what was kept so far in the Chrome trace format: a track for each thread with loops, and inside these claims,
/// batches and waiting. The file appears whole or not at all; throws output_error. Thread-safe.
CALLISTO_API void write_loop_trace(const std::string& path);

}  // namespace callisto
