// What is reported of loops when the process ends: CALLISTO_STATS and CALLISTO_TRACE, and the flags of the same
// meaning.
//
//   CALLISTO_STATS=1          a table on standard error; 0 or empty: nothing
//   CALLISTO_STATS=FILE       the same as JSON in FILE
//   CALLISTO_TRACE=FILE       a timeline in the Chrome trace format; empty: nothing
//
// They are read when the first loop begins. A file is tried then, so that one that cannot be written fails at once,
// with output_error, and not after hours of work; it is written at exit, when the failure is one line on standard
// error. The child of a fork reports for itself, of the loops that ended in it, if any did: in files of the same names
// with a dot and the number of its process behind. Loops in static destructors may come too late to be counted.
#pragma once

#include <callisto/export.hpp>

#include <string>
#include <string_view>

namespace callisto::loop {

/// Counts loops from now on and prints a table of them on standard error when the process ends. Takes the place of
/// CALLISTO_STATS. Thread-safe, as all here.
CALLISTO_API void report_statistics();

/// Keeps a timeline from now on and writes it into the file `path` when the process ends. Takes the place of
/// CALLISTO_TRACE. Throws output_error if the file cannot be written; `source` is what named it, such as "--trace".
CALLISTO_API void report_timeline(const std::string& path, std::string_view source);

/// Reports now what would be reported when the process ends, and then no more. Throws output_error.
CALLISTO_API void report_loops();

/// Nothing is reported when the process ends.
CALLISTO_API void cancel_loop_reports() noexcept;

}  // namespace callisto::loop
