// The report on loops at the end of the process: CALLISTO_STATS and CALLISTO_TRACE, and flags of the same meaning.
//
//   CALLISTO_STATS=1          a table on standard error; 0 or empty: nothing
//   CALLISTO_STATS=FILE       the table as JSON in FILE
//   CALLISTO_TRACE=FILE       a timeline in the Chrome trace format; empty: nothing
//
// They are read when the first loop begins. A file is then tried, so that one that cannot be written fails at once,
// with output_error, and not after hours of work. It is written at exit; a failure then is one line on standard error.
// The child of a fork reports for itself the loops that ended in it, if any, in files of the same names followed by a
// dot and its process number. Loops in static destructors may come too late to be counted.
#pragma once

#include <callisto/export.hpp>

#include <string>
#include <string_view>

namespace callisto::loop {

/// Counts loops from this call on, and prints a table of them on standard error when the process ends. Replaces
/// CALLISTO_STATS. Thread-safe, like all functions here.
CALLISTO_API void report_statistics();

/// Keeps a timeline from this call on, and writes it into the file `path` when the process ends. Replaces
/// CALLISTO_TRACE. Throws output_error if the file cannot be written; `source` is what named it, such as "--trace".
CALLISTO_API void report_timeline(const std::string& path, std::string_view source);

/// Reports at once what would be reported when the process ends, and then nothing more. Throws output_error.
CALLISTO_API void report_loops();

/// Cancels the report at the end of the process.
CALLISTO_API void cancel_loop_reports() noexcept;

}  // namespace callisto::loop
