// Programs that share the machine as jobs: what they are started with, and how `callisto run`, `status`, `top` and
// `bench pairs` speak of them.
#pragma once

#include <callisto/app/cli/command.hpp>
#include <callisto/app/process/spawn.hpp>
#include <callisto/cosched/table_reader.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace callisto::app {

/// Returns the file of the OpenMP library of Callisto that belongs to this command (`lib/callisto/libgomp.so.1` beside
/// its folder), if it is there and LD_PRELOAD can name it.
std::optional<std::string> openmp_library();

/// Prints a line on standard error if the OpenMP library is there, but LD_PRELOAD cannot name it.
void tell_if_openmp_library_is_out_of_reach();

/// How a program shares the machine.
struct job_settings {
  std::optional<bool> cosched;     ///< nullopt: as the environment says
  std::optional<unsigned> weight;  ///< nullopt: as the environment says
  bool openmp = true;              ///< OpenMP programs run on Callisto's library, if it is there
};

/// Returns the environment that has `settings` as its effect: CALLISTO_COSCHED, CALLISTO_WEIGHT, LD_PRELOAD.
variables environment_of(const job_settings& settings);

/// Returns a job as one character: a digit of base 62 for its number, `+` for numbers from 62 on.
char letter_of(unsigned job) noexcept;

/// Returns the state of a job in a word:
/// - `runs`: it runs on contexts. `idle`: it has contexts, but no work. `waits`: it wants a context and has none.
/// - `no loop`: it has no context and wants none. `alone`: the same of the only job, which may run without.
/// - `silent`: it lost a context lately, since it did not answer a request. `stopped`: a signal stopped it.
/// - `ended`: the process has died, and no other job has reaped it yet.
std::string state_of(const cosched::job_picture& job, const cosched::holdings& has, bool alone);

/// Returns a job's program and what it works on, fit to be shown: "callisto pagerank".
std::string shown_name(const cosched::job_picture& job);

/// Returns the places where tables are looked for, for messages: "/dev/shm/callisto-1-..., ...".
std::string table_places();

/// Asks the system to run the calling thread at once when it wakes, also if jobs use all contexts; for threads that
/// look at the table now and then. Has an effect from Linux 6.12 on.
void look_promptly() noexcept;

/// Thrown if a table exists that cannot be used: exit code 3, as for a file that cannot be read.
struct unusable_table : exit_with {
  explicit unusable_table(const std::string& why) : exit_with(3, why) {}
};

/// Called if no table was found, with the `refusal` of cosched::table_reader::visit(). Throws unusable_table unless the
/// reason is that no table exists yet.
void refuse_unusable_table(const std::string& refusal);

/// Opens the table for reading; null if there is none. Throws unusable_table.
std::unique_ptr<cosched::table_reader> visit_table();

}  // namespace callisto::app
