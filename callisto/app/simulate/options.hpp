// The options of `callisto simulate` that say which loops to simulate, and their values.
#pragma once

#include <callisto/app/cli/parser.hpp>
#include <callisto/app/simulate/sweep.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace callisto::app {

inline constexpr std::uint64_t most_iterations = std::uint64_t{1} << 40;
inline constexpr std::uint64_t most_cycles = std::uint64_t{1} << 30;

/// What to vary, and for how long; each empty where the user does not say.
struct sweep_options {
  std::vector<schedule> schedules;
  std::vector<std::uint64_t> batches;
  std::vector<unsigned> threads;
  std::vector<double> holds;
  std::optional<std::pair<double, double>> noise;  ///< microseconds: length, mean period
  std::optional<double> cap;
  std::uint64_t seed = 1;

  /// What the user need not say, as the help tells it.
  struct defaults {
    std::string schedules;
    std::string batches;
    std::string threads;
    std::string holds;
    std::string cap;
  };

  /// Adds --schedule, --batch, --threads, --hold, --noise, --cap and --seed to `parser`; *this must outlive it.
  void add_to(const command_parser& parser, const defaults& unsaid);

  /// The plan for `m` that these ask for, `unsaid` filling the gaps. Techniques with no batch size but the automatic
  /// one keep it. Throws usage_error if `m` has too few contexts.
  sweep_plan plan_for(const machine::simulation::description& m, const sweep_plan& unsaid) const;
};

/// Numbers of threads behind commas, ascending and each once. Throws usage_error naming --threads.
std::vector<unsigned> parse_threads(const std::string& text);

/// Throws usage_error if `m` has fewer contexts than any of `threads`, which ascend.
void check_threads(const machine::simulation::description& m, const std::vector<unsigned>& threads);

/// Up to `most` numbers of threads: all contexts, half of them, and so on, ascending.
std::vector<unsigned> halves(unsigned contexts, unsigned most);

/// The paper's iteration on `m`: 140 cycles on the T5, which issues 0.34 instructions a cycle (ATC'15 section 4.1),
/// hence 48 instructions; other machines take the time that these take there.
std::uint64_t paper_iteration(const machine::simulation::description& m);

/// The paper's shared counter, which OpenMP's dynamic loops have as well.
schedule shared_counter();

}  // namespace callisto::app
