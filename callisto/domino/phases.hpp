// How phases and groups of Domino begin and end. The thread that returns a phase's last credit is alone in the group
// until it has opened the next phase.
#pragma once

#include <callisto/domino/scheduler.hpp>
#include <callisto/machine/system/exceptions.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

namespace callisto::domino {

template <machine::policy M>
inline void scheduler<M>::begin(lane<M>& here) {
  over_.store(0, order::relaxed);
  here.keeps_ = false;
  open_groups_.store(1, order::relaxed);  // relaxed: publishing rings publishes all of this
  for (auto& g : groups_) {
    g->waits_for.store(g->leaders, order::relaxed);
    gather(here, *g);
  }
  for (auto& g : groups_) {
    if (g->leaders == 0) open_group(here, *g);
  }
  group_ended();
}

template <machine::policy M>
inline typename scheduler<M>::deferred scheduler<M>::deferred_of(const group<M>& g) const noexcept {
  deferred all;
  for (const auto& l : lanes_) {
    const lane_part<M>& p = l->part(g);
    all.filled |= p.filled;
    all.least_far = std::min<std::uint64_t>(all.least_far, p.least_far);
  }
  return all;
}

template <machine::policy M>
inline void scheduler<M>::end_phase(lane<M>& here, group<M>& g) noexcept {
  // A phase that was stopped goes on in the next run.
  const bool goes_on = is_stopping() && (deferred_of(g).filled >> (g.rank % g.window) & 1) != 0;
  if (!goes_on) g.phases = g.phases + 1;
  if (g.between && !g.spreads && !is_stopping()) {
    const bool kept = std::exchange(here.keeps_, true);  // what it spawns waits for the next phase
    here.at_ = &g;
    CALLISTO_TRY { g.between(here); }
    CALLISTO_CATCH_ALL { fail(); }
    here.at_ = nullptr;
    here.keeps_ = kept;
  }
  open_phase(here, g);
}

template <machine::policy M>
inline void scheduler<M>::open_group(lane<M>& here, group<M>& g) noexcept {
  open_groups_.fetch_add(1, order::relaxed);  // relaxed: the caller keeps the count above 0
  open_phase(here, g);
}

template <machine::policy M>
inline void scheduler<M>::open_phase(lane<M>& here, group<M>& g) noexcept {
  const deferred waits = deferred_of(g);
  if (is_stopping() || !waits.some()) return close_group(here, g);
  const auto [filled, far] = waits;
  const std::uint64_t near = filled == 0 ? no_rank : g.rank + first_bucket(filled, g);
  const bool spreads = far <= near && far != no_rank;
  const std::uint32_t bucket = spreads ? g.window + g.far : static_cast<std::uint32_t>(near % g.window);
  g.rank = std::min(near, far);
  g.spreads = spreads;
  if (spreads) g.far = 1 - g.far;
  for (task_type<M>* type : g.prepared) type->before_phase(*type, here);
  std::uint64_t tasks = 0;
  for (auto& l : lanes_) {
    lane_part<M>& p = l->part(g);
    if (spreads) {
      p.least_far = no_rank;
    } else {
      p.filled = p.filled & ~(std::uint64_t{1} << bucket);
    }
    tasks += p.rings[bucket].unpublished();
  }
  g.left.open(tasks);
  // A late thread that sees a task in one of the rings, published below, finds the group closed: it must not spawn
  // into one of its rings that this thread has not published yet.
  g.open.store(group<M>::closed, order::relaxed);
  for (auto& l : lanes_) {
    ring<M>& r = l->part(g).rings[bucket];
    if (r.unpublished() != 0) r.publish();
  }
  g.open.store(bucket, order::release);  // release: publishes the above to is_open()
  news_.fetch_add(1, order::relaxed);    // relaxed: only ends waits
  if (here.may_wake_) sleeping_.tell_all(here.number_);
}

template <machine::policy M>
inline std::uint64_t scheduler<M>::first_bucket(std::uint64_t filled, const group<M>& g) noexcept {
  const std::uint64_t first = g.rank % g.window;
  const std::uint64_t low = filled >> first;
  const std::uint64_t turned = low != 0 ? low : filled << (g.window - first);
  return static_cast<std::uint64_t>(std::countr_zero(turned));
}

template <machine::policy M>
inline void scheduler<M>::close_group(lane<M>& here, group<M>& g) noexcept {
  if (!is_stopping()) {
    for (group<M>* f : g.followers) {
      // acq_rel: the last of the groups before it passes on what all of them did.
      if (f->waits_for.fetch_sub(1, order::acq_rel) == 1) open_group(here, *f);
    }
  }
  group_ended();
}

template <machine::policy M>
inline void scheduler<M>::group_ended() noexcept {
  // acq_rel: the last one passes on what all groups did.
  if (open_groups_.fetch_sub(1, order::acq_rel) != 1) return;
  over_.store(1, order::release);  // release: publishes it all to is_over()
  news_.fetch_add(1, order::relaxed);
  M::light_fence();
  sleeping_.wake_lane(leader);
}

template <machine::policy M>
inline void scheduler<M>::gather(lane<M>& here, group<M>& g) {
  const auto [filled, far] = deferred_of(g);
  if (filled == 0 || far >= g.rank) return;
  // Late threads find the group as the last run left it: they must not take what is published here.
  auto& gate = g.open;
  gate.store(group<M>::closed, order::relaxed);  // relaxed: publish() publishes it
  for (auto& l : lanes_) {
    for (unsigned bucket = 0; bucket < g.window; ++bucket) {
      if ((l->part(g).filled >> bucket & 1) == 0) continue;
      const std::uint64_t rank = g.rank + (bucket - g.rank) % g.window;
      ring<M>& from = l->part(g).rings[bucket];
      from.publish();
      from.drain([&](const task& t) { here.put_far(g, rank, t); });
    }
    l->part(g).filled = 0;
  }
}

}  // namespace callisto::domino
