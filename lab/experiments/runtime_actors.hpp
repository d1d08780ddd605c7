// Programs of each runtime that run for a while and count what they did: the actors of `callisto-lab bench manners
// --runtimes`.
#pragma once

#include <lab/names.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace callisto::lab {

/// A runtime that takes part.
struct runtime_actor {
  const char* name;
  const char* what;  ///< one unit of its work
};

/// Returns all: loops, algorithms and task groups, OpenMP with long and with short regions, Domino, Global in one
/// process and on two ranks of MPI, kernels from Python. OpenMP programs only where the build has them.
std::span<const runtime_actor> runtime_actors();

/// How an actor runs, as the end of its name behind a colon.
inline constexpr std::string_view actor_is_nice = "nice";     ///< at nice level 19
inline constexpr std::string_view actor_sleeps = "asleep";    ///< for 5 ms before each unit of work
inline constexpr std::string_view actor_threads = "threads";  ///< on twice as many threads as contexts

/// Runs the actor NAME or NAME:HOW for so many milliseconds from `begin` on, in nanoseconds of the steady clock.
/// Returns its line: units of work, then the median, the 99th percentile and the longest of their times in
/// milliseconds, and the seconds of processor time of all of them. Throws error if a result is wrong.
struct actor_line {
  bool known;        ///< false: this program cannot be that actor; `python` is a program of Python's
  std::string text;  ///< empty on a rank that does not tell
};
actor_line run_runtime_actor(std::string_view name, std::uint64_t milliseconds, std::uint64_t begin);

/// The program of the actor `python`, for `python3 -c`; its arguments are those of the others.
std::string_view python_actor();

}  // namespace callisto::lab
