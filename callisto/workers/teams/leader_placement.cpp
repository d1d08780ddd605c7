// Moves a leader to its context, and the follower that is in its way.
#include <callisto/workers/teams/leader_placement.hpp>

#include <callisto/machine/host/placement.hpp>

#include <utility>

#include <sched.h>

namespace callisto::workers {

using machine::order;

void leader_placement::make_room(int here, followers& all, coscheduling* sharing) noexcept {
  moved_at_.store(machine::native::ticks(), order::relaxed);
  // Among other jobs the leader has a dedicated context and needs no other context.
  if (sharing != nullptr && !sharing->takes_no_context()) {
    const std::optional<unsigned> main = sharing->main_context();
    if (main && go_to(*main)) here = static_cast<int>(*main);
  }
  leader_is_on(here);
  if (here >= 0) clear(static_cast<unsigned>(here), all, sharing);
}

bool leader_placement::move_leader(unsigned context, followers& all, coscheduling* sharing) noexcept {
  leader_is_on(static_cast<int>(context));
  clear(context, all, sharing);
  return go_to(context);
}

bool leader_placement::go_to(unsigned context) noexcept {
  cpu_set_t before;
  if (sched_getaffinity(0, sizeof before, &before) != 0) return true;  // a machine of more contexts than fit
  if (context >= CPU_SETSIZE || !CPU_ISSET(context, &before)) return false;
  const bool went = machine::pin_this_thread(context);
  sched_setaffinity(0, sizeof before, &before);
  return went;
}

/// Moves the follower that belongs to this context, if there is one, to the spare one. Where another job may be there,
/// the follower goes by itself, when that job lets it.
void leader_placement::clear(unsigned context, followers& all, coscheduling* sharing) noexcept {
  for (const auto& f : all) {
    if (f->os_index != context) continue;
    const bool goes = f->on != nullptr && !sharing->takes_no_context();
    if (!goes && !machine::pin(f->thread, spare_context_)) {
      if (sharing != nullptr) sharing->lost(spare_context_);
      return;
    }
    if (f->on != nullptr) f->on->set_home(spare_context_);
    std::swap(*f->os_index, spare_context_);
    return;
  }
}

}  // namespace callisto::workers
