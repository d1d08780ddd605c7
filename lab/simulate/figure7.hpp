// callisto-lab simulate fig7: nested parallelism at different levels, as in figure 7 of Callisto-RTS (ATC'15,
// section 4.3), on a simulated machine with its caches.
#pragma once

#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/parser.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/machine/simulated/caches.hpp>
#include <callisto/machine/simulated/description.hpp>
#include <callisto/machine/simulated/engine.hpp>
#include <lab/names.hpp>
#include <lab/simulate/search.hpp>

#include <cstdint>
#include <vector>

namespace callisto::lab {

/// Ways to nest the parallelism of betweenness: which threads search from one source together.
enum class nested_form {
  flat,    ///< every thread searches alone from a source of its own
  core,    ///< the threads of a core search together, each core from a source of its own
  socket,  ///< the threads of a socket search together, each socket from a source of its own
  inner,   ///< all threads search together, one source after the other
};
inline constexpr nested_form nested_forms[] = {nested_form::flat, nested_form::core, nested_form::socket,
                                               nested_form::inner};
const char* name_of(nested_form form) noexcept;

/// The result of one run.
struct nested_outcome {
  std::uint64_t searches = 0;
  std::uint64_t cycles = 0;
  machine::simulation::cache_counts memory;
  machine::simulation::account spent;  ///< the sum over all threads
  std::uint64_t events = 0;
  std::uint64_t hash = 0;  ///< hash of all accesses to atomic words and of their times

  double rate(const machine::simulation::description& m) const;  ///< Returns searches per second of the machine.
  double miss_rate() const;  ///< Returns the share of the loads that miss in the core's cache.
};

/// Returns the search patterns of up to `count` sources, drawn by `seed`. A source qualifies if it reaches at least
/// half as many vertices as the candidate that reaches most. Throws usage_error if no vertex has an out-arc. Throws
/// graph::cancelled.
std::vector<search_pattern> draw_sources(const graph::csr_graph<std::uint32_t>& g, unsigned count, std::uint64_t seed,
                                         const graph::run_control& context);

/// Simulates `each` searches for each thread, core or socket that searches, one after the other if all threads search
/// together. The searches take `sources` in turn. Deterministic. Requires threads <= m.total_contexts() and m.l2_size
/// != 0. Throws graph::cancelled.
nested_outcome run_nested(const machine::simulation::description& m, const graph::csr_graph<std::uint32_t>& g,
                          const std::vector<search_pattern>& sources, nested_form form, unsigned threads, unsigned each,
                          const graph::run_control& context);

/// Adds the subcommand fig7 to the parser of `callisto-lab simulate`.
command add_fig7(const command_parser& simulate);

}  // namespace callisto::lab
