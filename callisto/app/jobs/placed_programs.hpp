// Programs to which `callisto run --contexts N` has given a place. Such a program has no slot in the table of jobs
// before its first loop, and many never get one.
#pragma once

#include <callisto/app/process/spawn.hpp>
#include <callisto/machine/system/descriptor.hpp>

#include <map>
#include <optional>
#include <vector>

#include <sys/types.h>

namespace callisto::app {

/// Keeps other `callisto run` of this user from choosing places while it lives, until this process starts its program
/// (exec). Waits at most a second for another that is choosing; after that, or if no lock can be had, both choose.
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

}  // namespace callisto::app
