// Programs that `callisto run` has started, and with --contexts N given a place. Such a program has no slot in the
// table of jobs before its first loop, and many never get one.
#pragma once

#include <callisto/app/process/spawn.hpp>
#include <callisto/machine/system/descriptor.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace callisto::app {

/// Keeps other `callisto run` of this user from choosing places while it lives, until this process starts its program
/// (exec). Waits at most a second for another command that is choosing; after that, or if no lock can be had, both
/// choose.
class choosing_places {
 public:
  choosing_places();

 private:
  machine::descriptor lock_;
};

/// Returns the environment variable that marks this process, and the program that takes its place, as placed.
variables placed_mark();

/// Returns the contexts of this user's programs that `callisto run` has placed, by process. Takes some microseconds for
/// each process of the user.
std::map<pid_t, std::vector<unsigned>> placed_programs();

/// Returns the names of this user's programs that `callisto run` has started to share contexts, jobs or not, by
/// process. Takes as long as placed_programs().
std::map<pid_t, std::string> programs_of_run();
/// Returns the program of `callisto run` that a process is, or that started it; 0 if there is none.
pid_t program_of_run(pid_t pid);

}  // namespace callisto::app
