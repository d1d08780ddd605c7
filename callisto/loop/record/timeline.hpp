// The events of a timeline, kept until it is written (trace.hpp). Internal.
#pragma once

#include <callisto/loop/record/site_totals.hpp>

#include <cstdint>

namespace callisto::loop::timeline {

enum class kind : std::uint8_t {
  batch,          ///< `count` iterations from `first`: claimed from `begin` on, run from `middle` to `end`
  fetched_batch,  ///< a batch that is not from the thread's own share
  broken_batch,   ///< a batch in which a body threw
  visit,          ///< a follower took part from `begin` to `end`; its last claim, which was empty, began at `middle`
  leading,        ///< a visit of the leader
  loop,           ///< the whole loop, of `count` iterations; its leader waited for its followers from `middle` on
};

/// One event. Times are in ticks.
struct event {
  std::uint64_t begin;
  std::uint64_t middle;
  std::uint64_t end;
  std::uint64_t first;
  std::uint64_t count;
  const site_totals* site;
  kind what;
};

/// The most events kept, of all threads together: about 15 MB. Batches leave the last quarter of the room to all other
/// events.
inline constexpr unsigned capacity = 1 << 18;

/// Keeps an event of the calling thread, or counts it as left out if there is no room. Any number of threads may call
/// it at once, also while another writes the timeline. No locks; one allocation in 512 events.
void add(const event& e) noexcept;

/// Forgets all events, and makes room for about `room` events. No other thread may add any meanwhile: for the child of
/// a fork, and for tests.
void clear(unsigned room = capacity) noexcept;

}  // namespace callisto::loop::timeline
