// Where the events of a timeline are kept until it is written (trace.hpp); inside the library.
#pragma once

#include <callisto/loop/record/site_totals.hpp>

#include <cstdint>

namespace callisto::loop::timeline {

enum class kind : std::uint8_t {
  batch,          ///< of `count` iterations from `first`: claimed from `begin` on, run from `middle` to `end`
  fetched_batch,  ///< the same, not from the thread's own share
  broken_batch,   ///< the same; a body threw
  visit,          ///< a follower took part from `begin` to `end`; its last claim, which was empty, began at `middle`
  leading,        ///< the same of the leader
  loop,           ///< the whole loop, of `count` iterations; from `middle` on its leader waited for others
};

/// Times are in ticks.
struct event {
  std::uint64_t begin;
  std::uint64_t middle;
  std::uint64_t end;
  std::uint64_t first;
  std::uint64_t count;
  const site_totals* site;
  kind what;
};

/// Events kept at most, of all threads together, some 15 MB. Batches leave the last quarter of the room to the others.
inline constexpr unsigned capacity = 1 << 18;

/// Keeps an event of the calling thread, or counts it as left out if there is no room. Any number of threads at once,
/// also while another writes the timeline; without locks, one allocation in 512 events.
void add(const event& e) noexcept;

/// Forgets all events, and has room for about so many from now on. While no other thread adds any: in the child of a
/// fork, and in tests.
void clear(unsigned room = capacity) noexcept;

}  // namespace callisto::loop::timeline
