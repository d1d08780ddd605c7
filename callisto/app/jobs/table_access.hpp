// Programs that share the machine as jobs: their environment, and the words for them in `callisto run`, `status`, `top`
// and `bench pairs`.
#pragma once

#include <callisto/app/cli/command.hpp>
#include <callisto/app/process/spawn.hpp>
#include <callisto/cosched/table_reader.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace callisto::app {

/// Returns Callisto's OpenMP library that belongs to this command (`lib/callisto/libgomp.so.1` beside its folder).
/// Returns nullopt if the file does not exist or LD_PRELOAD cannot name it.
std::optional<std::string> openmp_library();

/// Prints a line on standard error if the OpenMP library exists but LD_PRELOAD cannot name it.
void tell_if_openmp_library_is_out_of_reach();

/// How a program shares the machine.
struct job_settings {
  std::optional<bool> cosched;     ///< nullopt: left to the environment
  std::optional<unsigned> weight;  ///< nullopt: left to the environment
  bool openmp = true;              ///< OpenMP programs run on Callisto's library, if it exists
};

/// Returns the environment variables that bring about `settings`: CALLISTO_COSCHED, CALLISTO_WEIGHT, LD_PRELOAD.
variables environment_of(const job_settings& settings);

/// Returns what is to be said about the weight of a job while programs that are no jobs use `used` of `contexts`
/// contexts; empty if they use so little that jobs share.
std::string note_on_weight(unsigned weight, double used, std::size_t contexts);

/// Looks for 120 ms at programs that are no jobs, and prints note_on_weight() on standard error. Does nothing unless
/// standard error is a terminal.
void tell_if_weight_is_void(unsigned weight);

/// Returns a job as one character: a digit of base 62 for its number, `+` for numbers from 62 on.
char letter_of(unsigned job) noexcept;

/// Returns a job's state as a word:
/// - `runs`: it runs on contexts. `idle`: it has contexts, but no work. `waits`: it wants a context and has none.
/// - `no loop`: it has no context and wants none. `alone`: that state of the only job, which may run without contexts.
/// - `light`, `outsiders`, `crowded`: it stands aside, and runs as if it did not share. It uses far less than its
///   share, or programs that are no jobs compete for its contexts, or too many jobs would take turns there: more than
///   eight a context, or more than one if it waits for other processes.
/// - `silent`: it lately lost a context because it did not answer a request. `stopped`: a signal stopped it.
/// - `ended`: the process has died, and no other job has reaped it yet.
std::string state_of(const cosched::job_picture& job, const cosched::holdings& has, bool alone);

/// Returns the weight of `job` as a multiple of a weight of 1 at the highest priority of all `jobs`: "3", or "0.01" at
/// nice level 19 beside a job at 0.
std::string shown_weight(const cosched::job_picture& job, const std::vector<cosched::job_picture>& jobs);

/// Returns a job's program and its argument as one line that is safe to print: "callisto pagerank".
std::string shown_name(const cosched::job_picture& job);

/// Returns the paths at which tables are looked for, for messages: "/dev/shm/callisto-1-..., ...".
std::string table_places();

/// Asks the kernel to run the calling thread as soon as it wakes, even if jobs use all contexts. Meant for threads that
/// look at the table now and then. Has an effect from Linux 6.12 on.
void look_promptly() noexcept;

/// Reports a table that exists but cannot be used. The exit code is 3, as for a file that cannot be read.
struct unusable_table : exit_with {
  explicit unusable_table(const std::string& why) : exit_with(3, why) {}
};

/// Throws unusable_table unless `refusal` says that no table exists. Requires that cosched::table_reader::visit() has
/// returned null and set `refusal`.
void refuse_unusable_table(const std::string& refusal);

/// Returns why a job could have no table at the moment, in one line; empty if it could. Tries what a job would do, with
/// a file of another name, which it removes.
std::string why_no_table();

/// Opens the table for reading. Returns null if there is none. Throws unusable_table.
std::unique_ptr<cosched::table_reader> visit_table();

}  // namespace callisto::app
