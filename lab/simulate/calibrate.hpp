// Measures what operations cost on this machine: the numbers from which the simulator's description of it is made.
#pragma once

#include <callisto/graph/csr/progress.hpp>
#include <callisto/machine/host/topology.hpp>
#include <lab/names.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace callisto::lab {

/// Distances between two contexts, nearest first. The name says which is the smallest part that contains both.
enum class nearness { core, cache, socket, machine };
inline constexpr std::size_t nearness_kinds = 4;

/// Times in nanoseconds, except for `gigahertz`. The time of a pair of contexts is absent if no two usable contexts
/// have that distance.
struct measured_costs {
  double gigahertz = 0;  ///< the core's clock frequency, found by a chain of dependent additions
  double load = 0;       ///< a load that hits the first-level cache, in a chain where each load yields the next address
  double fetch_add = 0;  ///< an atomic addition to a word that no other context touches
  double compare_exchange = 0;  ///< a compare-and-swap of such a word
  double clock = 0;             ///< one call of native::ticks()
  double claim = 0;             ///< what a claim adds to an iteration that needs its result, on one thread
  double call = 0;              ///< the part of `claim` that is not its fetch_add
  double publish = 0;           ///< a loop of one iteration that a leader publishes and runs alone
  double poll_brief =
      0;  ///< time between two loads in wait_while() with patience::brief; poll_lasting: with patience::lasting
  double poll_lasting = 0;
  double spin_brief = 0;  ///< time until wait_while() gives up and parks; again for both kinds of patience
  double spin_lasting = 0;
  /// The fetch_add of a claim from a shared counter if the other context made the claim before.
  std::array<std::optional<double>, nearness_kinds> hop;
  /// One way of a ping-pong of compare-and-swaps over one line, during which both sides try all the time.
  std::array<std::optional<double>, nearness_kinds> volley;
  /// Time per fetch_add while two contexts increment one word as fast as they can.
  std::array<std::optional<double>, nearness_kinds> contended;
  std::optional<double> park;    ///< what going to sleep and returning costs the caller, without the wait
  std::optional<double> unpark;  ///< what waking a sleeper costs the caller
  std::optional<double> wake;    ///< time from the call of unpark() until the sleeper runs
};

/// Measures on the contexts that this process may use; takes some seconds. Each number is the lower quartile of many
/// short trials, the median if contexts contend. Other processes on the machine therefore disturb it little. Throws
/// graph::cancelled.
measured_costs measure_costs(const graph::run_control& context);

/// Returns the distance between two contexts of one machine.
nearness nearness_of(const machine::context& a, const machine::context& b) noexcept;

}  // namespace callisto::lab
