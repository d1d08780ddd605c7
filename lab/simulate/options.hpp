// Options of `callisto-lab simulate` that say which loops to simulate, and their default values.
#pragma once

#include <callisto/app/cli/parser.hpp>
#include <lab/names.hpp>
#include <lab/simulate/sweep.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace callisto::lab {

inline constexpr std::uint64_t most_iterations = std::uint64_t{1} << 40;
inline constexpr std::uint64_t most_cycles = std::uint64_t{1} << 30;

/// What to vary. A member is empty if the user does not give it.
struct sweep_options {
  std::vector<schedule> schedules;
  std::vector<std::uint64_t> batches;
  std::vector<unsigned> threads;
  std::vector<double> holds;
  std::optional<std::pair<double, double>> noise;  ///< length and mean period, in microseconds
  std::optional<double> cap;
  std::uint64_t seed = 1;

  /// The text by which the help names each option's default.
  struct defaults {
    std::string schedules;
    std::string batches;
    std::string threads;
    std::string holds;
    std::string cap;
  };

  /// Adds --schedule, --batch, --threads, --hold, --noise, --cap and --seed to `parser`. *this must outlive `parser`.
  void add_to(const command_parser& parser, const defaults& unsaid);

  /// Returns the plan for `m`; `unsaid` supplies what the user did not give. If a technique of `unsaid` has the
  /// automatic batch size only, it keeps that. Throws usage_error if `m` has too few contexts.
  sweep_plan plan_for(const machine::simulation::description& m, const sweep_plan& unsaid) const;
};

/// Adds the option or argument `name`: a machine by name, or a file that describes one. `unsaid` is what the help says
/// of a command without it.
void add_machine(const command_parser& parser, const std::string& name, std::string& machine,
                 const std::string& unsaid);

/// Returns the numbers of threads in a comma-separated list, ascending, without repeats. Throws a usage_error that
/// names --threads.
std::vector<unsigned> parse_threads(const std::string& text);

/// Throws usage_error if `m` has fewer contexts than the last of `threads`. Requires that `threads` ascend.
void check_threads(const machine::simulation::description& m, const std::vector<unsigned>& threads);

/// Returns up to `most` numbers of threads, ascending: all contexts, half of them, a quarter, and so on.
std::vector<unsigned> halves(unsigned contexts, unsigned most);

/// Returns the cycles of the paper's iteration on `m`. It takes 140 cycles on the T5, which issues 0.34 instructions a
/// cycle (ATC'15, section 4.1), hence 48 instructions. On other machines it takes as long as 48 instructions take
/// there.
std::uint64_t paper_iteration(const machine::simulation::description& m);

/// Returns the schedule of the paper's shared counter, which OpenMP's dynamic loops use too.
schedule shared_counter();

}  // namespace callisto::lab
