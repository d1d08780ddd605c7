// Schedules, seatings, and the loops' bodies that subjects of distributors and of loops have in common.
#pragma once

#include "subject.hpp"

#include <callisto/distributor/combiner.hpp>
#include <callisto/distributor/distributed_counters.hpp>
#include <callisto/distributor/layout.hpp>
#include <callisto/distributor/schedule.hpp>

#include <array>
#include <span>
#include <vector>

namespace callisto::check {

using distributor::level;
using distributor::stage;
using distributor::stage_kind;

constexpr stage counter(level at) { return {stage_kind::counter, at, false}; }
constexpr stage combine(level at) { return {stage_kind::combine, at, false}; }
constexpr stage combine_async(level at) { return {stage_kind::combine, at, true}; }

/// A schedule of these stages.
template <stage... Stages>
struct scheduled {
  static constexpr std::array stages{Stages...};
};

/// The checked machine with lines of several slots, which the threads of a core share.
struct long_lines : machine::checked {
  static constexpr std::size_t line_size = 128;
};

template <machine::policy M>
using counters = distributor::distributed_counters<M>;
template <machine::policy M>
using combined = distributor::combiner<M, counters<M>>;
template <machine::policy M>
using twice_combined = distributor::combiner<M, combined<M>>;

/// Few preemptions, and of the stores that a load may read the newest two: for three threads.
inline machine::checking::options nearly_fresh(unsigned bound) {
  machine::checking::options o = preemptions(bound, {0, 0});
  o.stale = 1;
  return o;
}

/// Threads, each on the core with this number.
template <unsigned... Cores>
struct on_cores {
  static const distributor::layout& where() {
    static const distributor::layout seated(std::vector<distributor::seat>{{Cores, Cores, 0, 0, 0}...});
    return seated;
  }
};

}  // namespace callisto::check
