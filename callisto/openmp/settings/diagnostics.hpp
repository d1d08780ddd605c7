// How the OpenMP runtime speaks to its user: one line on standard error, which begins as libgomp's do.
#pragma once

namespace callisto::openmp {

/// Something is not as it should be; the program goes on. printf's format.
[[gnu::format(printf, 1, 2)]] void report(const char* format, ...) noexcept;

/// The program cannot go on: exit status 1, as in libgomp.
[[noreturn, gnu::format(printf, 1, 2)]] void report_and_exit(const char* format, ...) noexcept;

}  // namespace callisto::openmp
