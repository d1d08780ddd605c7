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

/// The OpenMP library of Callisto that belongs to this command (`lib/callisto/libgomp.so.1` beside its folder), if it
/// is there and LD_PRELOAD can name it.
std::optional<std::string> openmp_library();

/// Says so on standard error if it is there, but LD_PRELOAD cannot name it.
void tell_if_openmp_library_is_out_of_reach();

/// How a program is to share the machine.
struct sharing {
  std::optional<bool> cosched;     ///< nullopt: as the environment says
  std::optional<unsigned> weight;  ///< likewise
  bool openmp = true;              ///< OpenMP programs run on Callisto's library, if it is there
};

/// The environment that makes it so: CALLISTO_COSCHED, CALLISTO_WEIGHT, LD_PRELOAD.
variables environment_of(const sharing& how);

/// A job in one character: its number in base 62, and `+` from there on.
char letter_of(unsigned job) noexcept;

/// What a job does, in a word: `runs`, `idle` (it has contexts, but no work), `waits`, `no loop` (it has none and wants
/// none), `alone` (likewise, but it is the only job, which may run without), `silent` (it lost a context lately since
/// it did not answer), `stopped`, `ended` (it has died, and nobody has noticed yet).
std::string state_of(const cosched::job_picture& job, const cosched::holdings& has, bool alone);

/// A job's program and what it works on, fit to be shown: "callisto pagerank".
std::string shown_name(const cosched::job_picture& job);

/// Where tables are looked for, for messages: "/dev/shm/callisto-1-..., ...".
std::string table_places();

/// For a thread that only looks, now and then: asks the system to let it do so at once when its time has come, also
/// where jobs use all contexts. From Linux 6.12 on; else it changes nothing.
void look_promptly() noexcept;

/// A table that is there, and is none that can be used: exit code 3, as for a file that cannot be read.
struct unusable_table : exit_with {
  explicit unusable_table(const std::string& why) : exit_with(3, why) {}
};

/// Where no table was found, with `refusal` as cosched::visitor::visit() has it: throws unusable_table unless it is
/// that there is none yet.
void refuse_unusable_table(const std::string& refusal);

/// A visit to the table; null if there is none. Throws unusable_table.
std::unique_ptr<cosched::table_reader> visit_table();

}  // namespace callisto::app
