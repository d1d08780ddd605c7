// Exceptions in headers that programs compile with and without them (-fno-exceptions): the library, which has them,
// throws.
#pragma once

#include <callisto/export.hpp>

// Without exceptions nothing is caught: what the library throws ends such a program.
#if defined(__cpp_exceptions)
#define CALLISTO_TRY try
#define CALLISTO_CATCH_ALL catch (...)
#else
#define CALLISTO_TRY if constexpr (true)
#define CALLISTO_CATCH_ALL else
#endif

namespace callisto::machine {

[[noreturn]] CALLISTO_API void throw_usage_error(const char* what);
[[noreturn]] CALLISTO_API void throw_cancelled();

/// Ends the program with a line on standard error: a loop's body was left neither by its end nor by an exception of
/// C++, but by pthread_exit(), by a cancellation of its thread, or by another language's exception. Other threads wait
/// for what the body has not done.
[[noreturn]] CALLISTO_API void end_for_left_body() noexcept;

}  // namespace callisto::machine
