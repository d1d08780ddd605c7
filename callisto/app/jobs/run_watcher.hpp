// A process beside a program of `callisto run` that says when the program never became a job.
#pragma once

#include <callisto/app/process/spawn.hpp>

#include <string>

namespace callisto::app {

/// Starts a process that waits until this process's program ends, or is a job, or has started one, or a broker has
/// refused such a job: then it prints why. If no job has come
/// of it, that process prints one line on standard error; of a program that ran for less than three seconds only if
/// `always`. Returns the environment variables by which jobs tell it, none if it could not be started. The program that
/// takes this process's place has no child by it, and gets no signal. `program` is for the line.
variables watch_for_a_job(const std::string& program, bool always);

/// Ends the process that watch_for_a_job() started: the program cannot be run. `mark` is what it returned.
void watch_no_more(const variables& mark) noexcept;

}  // namespace callisto::app
