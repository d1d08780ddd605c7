// What the machine at hand costs, measured: the numbers that make a description of it for the simulator.
#pragma once

#include <callisto/graph/csr/progress.hpp>
#include <callisto/machine/host/topology.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace callisto::app {

/// How far apart two contexts are, nearest first.
enum class nearness { core, cache, socket, machine };
inline constexpr std::size_t nearness_kinds = 4;

/// Times in nanoseconds. A time of two contexts is absent where no two usable contexts are that near to each other.
struct measured_costs {
  double gigahertz = 0;         ///< cycles of the core, found by additions that wait for each other
  double load = 0;              ///< of a word in the own first-level cache, the next address known from it
  double fetch_add = 0;         ///< of a word that no other context touches
  double compare_exchange = 0;  ///< the same
  double clock = 0;             ///< native::ticks()
  double claim = 0;             ///< what a claim adds to an iteration that needs its result, on one thread
  double call = 0;              ///< of that, what is not the fetch_add
  double publish = 0;           ///< a loop of one such iteration that a leader publishes and runs alone
  double poll_brief = 0;        ///< between two looks of wait_while
  double poll_lasting = 0;
  double spin_brief = 0;  ///< until wait_while gives up
  double spin_lasting = 0;
  /// The fetch_add of a claim of the shared counter if the other context has made the last claim.
  std::array<std::optional<double>, nearness_kinds> hop;
  /// One way of a ping-pong of compare-and-swaps over one line, each side trying all the time.
  std::array<std::optional<double>, nearness_kinds> volley;
  /// One fetch_add, of all that two contexts do on one word as fast as they can.
  std::array<std::optional<double>, nearness_kinds> contended;
  std::optional<double> park;    ///< what it costs the caller to go to sleep and come back, without waiting
  std::optional<double> unpark;  ///< what it costs the caller to wake a sleeper
  std::optional<double> wake;    ///< from there until the sleeper runs
};

/// Measures with the contexts that this process may use, some seconds. Each number is the lower quartile of many short
/// trials (of contended ones the median), so that other processes on the machine do little harm. Throws
/// graph::cancelled.
measured_costs measure_costs(const graph::run_control& context);

/// How near two contexts of one machine are.
nearness nearness_of(const machine::context& a, const machine::context& b) noexcept;

}  // namespace callisto::app
