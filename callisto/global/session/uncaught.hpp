// The end of a process by an exception that the program does not catch: one line for the job, and an exit code that
// says why.
#pragma once

#include <callisto/global/transport/transport.hpp>

#include <exception>

namespace callisto::global {

/// Returns the exit code of a program that ends by `thrown`, as the command's: 2 wrong usage, 3 unreadable input,
/// 4 output that cannot be written, 5 out of memory, 1 all else.
int exit_code_of(const std::exception_ptr& thrown) noexcept;

/// From now on, an error of Callisto that the program does not catch prints one line and ends the process with the exit
/// code of exit_code_of(). Under a launcher, one process of a node tells. Other exceptions end the process as before.
/// For every exception the function that set_end_of_rank() was given is called first. Any thread; once or often.
void explain_uncaught_errors() noexcept;

/// Tells the job that this rank ends for `cause`; returns only if no job lives.
using end_of_rank = void (*)(const std::string& cause, int status);
void set_end_of_rank(end_of_rank tell) noexcept;

}  // namespace callisto::global
