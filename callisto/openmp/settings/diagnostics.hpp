// Messages of the OpenMP runtime to its user: one line each on standard error, with libgomp's prefix.
#pragma once

namespace callisto::openmp {

/// Prints a message; the program continues. Takes printf's format. Thread-safe.
[[gnu::format(printf, 1, 2)]] void report(const char* format, ...) noexcept;

/// Prints a message and ends the program with exit status 1, as libgomp does.
[[noreturn, gnu::format(printf, 1, 2)]] void report_and_exit(const char* format, ...) noexcept;

}  // namespace callisto::openmp
