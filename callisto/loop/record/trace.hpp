// A timeline of loops: which thread ran, claimed or waited when; for chrome://tracing and ui.perfetto.dev.
//
// Off unless asked for: by trace_loops(), by the environment variable CALLISTO_TRACE, which names the file that is
// written when the process ends (loop/record/report.hpp), or by `callisto COMMAND --trace FILE`.
#pragma once

#include <callisto/export.hpp>

#include <string>

namespace callisto {

/// Keeps a timeline of the loops that begin from now on, or no more. It takes at most 15 MB: when these are full,
/// further events are left out, batches first, and counted. Also counts loops (statistics.hpp) while it is on.
/// Thread-safe.
CALLISTO_API void trace_loops(bool on);

/// Writes what was kept so far in the Chrome trace format: a track for each thread, on it loops, and inside these
/// claims, batches and waiting. The file appears whole or not at all; throws output_error. Thread-safe.
CALLISTO_API void write_loop_trace(const std::string& path);

}  // namespace callisto
