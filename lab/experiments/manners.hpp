// callisto-lab bench manners: whether jobs that share the machine are worse off for it, beside the same jobs that do
// not.
#pragma once

#include <callisto/app/cli/command.hpp>
#include <lab/names.hpp>

#include <cstdint>
#include <string>

namespace callisto::lab {

command add_bench_manners(const command_parser& bench);

/// Runs one of the actors of `bench manners` for so many milliseconds from `begin` on, in nanoseconds of the steady
/// clock, and returns its line: how many loops it ran, and the median and 99th percentile of their times in
/// milliseconds. Nothing if there is no actor of this name.
std::string run_actor(const std::string& name, std::uint64_t milliseconds, std::uint64_t begin);

}  // namespace callisto::lab
