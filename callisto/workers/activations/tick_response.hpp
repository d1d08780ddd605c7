// How a set of workers answers ticks: in handlers of signals, unless a comment says otherwise.
// preemption/tick_decision.hpp decides what a tick does, preemption/tick_policy.hpp how often ticks come.
#pragma once

#include <callisto/workers/activations/worker_set.hpp>
#include <callisto/workers/preemption/tick_decision.hpp>
#include <callisto/workers/preemption/tick_policy.hpp>

#include <cstdint>
#include <utility>

namespace callisto::workers {

template <machine::policy M>
tick_facts worker_set<M>::facts_of(const worker<M>* w, const attached_thread<M>* g,
                                   const interruption& at) const noexcept {
  tick_facts of{.is_call = at.is_call};
  if (w != nullptr) {
    of.runs_called = w->current_ != nullptr && w->current_->call_.is_called();
    of.host_has_signals = w->host_ != nullptr && w->host_->has_signals();
  } else {
    of.is_attached = true;
    of.lacks_context = g->context_ == context_owners<M>::none;
    of.is_asked = g->is_asked();
    of.has_held_signal = at.has_held;
  }
  return of;
}

template <machine::policy M>
bool worker_set<M>::tick(unsigned number, const interruption& at) noexcept {
  const ticked_thread<M>& self = threads_[number];
  const role does = self.does.get();
  const bool is_elsewhere = does == role::elsewhere;
  worker<M>* const w = does == role::worker ? self.works_as : nullptr;
  // relaxed: written by this thread, which is attached.
  attached_thread<M>* const g =
      does == role::attached_thread ? slots_[number - workers()].of.load(order::relaxed) : nullptr;
  switch (address(is_elsewhere ? tick_facts{.is_elsewhere = true} : facts_of(w, g, at))) {
    case tick_address::stop_timer:
      timer_->set_rate(number, tick_rate::none);
      return false;
    case tick_address::answer:
      return g->answers();
    case tick_address::look_back:
      return g->looks_back(at.is_in_call) && g->end_turn();
    case tick_address::end_turn:
      return end_turn(w, g);
    case tick_address::nothing:
      return false;
    case tick_address::look:
      break;
  }
  return look(number, w, g, at);
}

template <machine::policy M>
bool worker_set<M>::look(unsigned number, worker<M>* w, attached_thread<M>* g, const interruption& at) noexcept {
  ticked_thread<M>& self = threads_[number];
  const bool wanted = w != nullptr ? w->should_yield() : g->should_yield();
  const auto has_demand = [&] { return wanted || work_signal_.has_work() || (w != nullptr && has_ready_host(*w)); };
  const bool crowded = is_crowded();
  if (crowded && g != nullptr) peers_->go_to(g->context_);
  if (crowded) peers_->end_waits();
  const auto demand = self.ticks.count(has_demand());
  if (demand == tick_policy::demand::absent_for_long) rest(number, has_demand);
  const bool is_idle = demand != tick_policy::demand::present;
  if (is_idle && !crowded) return false;
  const std::uint64_t now = M::ticks();
  suspendable<M>* const runs = w == nullptr ? static_cast<suspendable<M>*>(g) : w->current_;
  const bool waits = finds_wait(self, runs, at, now, crowded);
  const bool may_be_left = runs != nullptr && !runs->is_shielded();
  const bool has_blocked = !is_idle && at.is_in_call && self.has_blocked(timer_->times_blocked());
  const tick_action action = decide({.is_idle = is_idle,
                                     .is_crowded = crowded,
                                     .waits = waits,
                                     .has_slept = self.has_waited,
                                     .is_in_call = at.is_in_call,
                                     .may_be_left = may_be_left,
                                     .can_be_blocked = has_blocked && may_be_left && lets_block(w, g, now),
                                     .is_turn_over = self.ticks.ends_turn(wanted, waits, now, turn_ticks_)});
  if (is_idle) {
    // A tick that was due in such a sleep comes right after it: the thread must run before it sleeps again.
    self.has_waited = action == tick_action::sleep_for_peer;
    if (self.has_waited) peers_->wait(number, g != nullptr ? g->context_ : descheduled_peer_wait::pinned);
    return false;
  }
  adapt_ticks(number, self, waits || action == tick_action::end_turn_blocked, now);
  return action != tick_action::nothing && end_turn(w, g);
}

template <machine::policy M>
bool worker_set<M>::finds_wait(ticked_thread<M>& self, suspendable<M>* runs, const interruption& at, std::uint64_t now,
                               bool crowded) noexcept {
  const auto seen = self.ticks.see(at, machine::ticks_of<M>(at.period), self.turn.get(), now, crowded);
  if (seen.asks_sites && sites_.has(at.instruction)) return true;
  if (!seen.stands_still && !timer_->waits_at(at.instruction)) return false;
  // Two ticks in a row found the same activation at the same address: it spins there.
  if (runs != nullptr && interruption::are_near(at.instruction, std::exchange(runs->waited_at_, at.instruction)))
    sites_.add(at.instruction);
  return true;
}

template <machine::policy M>
void* worker_set<M>::stack_for_handler(unsigned number) noexcept {
  const ticked_thread<M>& self = threads_[number];
  const role does = self.does.get();
  if (does == role::elsewhere) return nullptr;
  if (does == role::attached_thread) {
    // relaxed: written by this thread.
    const attached_thread<M>& g = *slots_[number - workers()].of.load(order::relaxed);
    return g.is_shielded() ? nullptr : g.stack_for_handler_;
  }
  const act* const runs = self.works_as->current_;
  return runs == nullptr || runs->is_shielded() ? nullptr : runs->context_.free_stack();
}

template <machine::policy M>
template <class HasDemand>
void worker_set<M>::rest(unsigned number, HasDemand has_demand) noexcept {
  const auto stop = [this](unsigned n) {
    timer_->set_rate(n, tick_policy::resting(is_watched(context_of(n)), demanded_rate(n, M::ticks())));
  };
  gate_.rest(number, stop, has_demand, wake());
}

template <machine::policy M>
bool worker_set<M>::end_turn(worker<M>* w, attached_thread<M>* g) noexcept {
  if (w == nullptr) return g->end_turn();
  return w->current_ != nullptr && w->current_->end_turn();
}

template <machine::policy M>
bool worker_set<M>::lets_block(worker<M>* w, attached_thread<M>* g, std::uint64_t now) noexcept {
  return w == nullptr ? g->lets_block(now) : w->current_->own_.want(now);
}

template <machine::policy M>
void worker_set<M>::adapt_ticks(unsigned number, ticked_thread<M>& self, bool waits, std::uint64_t now) noexcept {
  if (tick_policy::is_reason(waits, contexts_used())) reason_at_.store(now, order::relaxed);
  switch (self.ticks.adapt(waits, demanded_rate(number, now))) {
    case tick_policy::change::none:
      break;
    case tick_policy::change::quick:
      timer_->set_rate(number, tick_rate::quick);
      break;
    case tick_policy::change::restart:
      start_own_timer(number, self);
  }
}

template <machine::policy M>
void worker_set<M>::start_timer(unsigned number) noexcept {
  if (timer_ == nullptr) return;
  const std::uint64_t now = M::ticks();
  start_timer(number, now, demanded_rate(number, now));
}

template <machine::policy M>
void worker_set<M>::start_timer(unsigned number, std::uint64_t now, tick_rate rate) noexcept {
  if (threads_[number].is_brief(now)) {
    timer_->set_rate_from_late_on(number, rate);
  } else {
    timer_->set_rate(number, rate);
  }
}

template <machine::policy M>
void worker_set<M>::start_own_timer(unsigned number, ticked_thread<M>& self) noexcept {
  if (timer_ == nullptr) return;
  const std::uint64_t now = M::ticks();
  const tick_rate rate = demanded_rate(number, now);
  self.ticks.start(rate);
  start_timer(number, now, rate);
}

// By the thread itself:

template <machine::policy M>
template <class Wanted>
void worker_set<M>::arrive(unsigned number, ticked_thread<M>& self, worker<M>* as, Wanted wanted) noexcept {
  self.works_as = as;
  self.ticks.arrive();
  self.does.set(as != nullptr ? role::worker : role::attached_thread);
  set_present(number, true);
  if (!has_gate()) return;
  const bool is_to_tick = gate_.arrive(number);
  const auto has_demand = [this, wanted] { return wanted() || work_signal_.has_work(); };
  if (is_watched(context_of(number)) || (is_to_tick && has_demand())) {
    if (!is_to_tick) gate_.add(number);  // so that demand need not start the timer again
    start_own_timer(number, self);
  } else if (is_to_tick) {
    // The timer does not tick yet: there was demand while the thread was elsewhere, and there is none now.
    gate_.rest(number, [](unsigned) {}, has_demand, wake());
  }
}

template <machine::policy M>
void worker_set<M>::leave(unsigned number, ticked_thread<M>& self) noexcept {
  self.does.set(role::elsewhere);
  set_present(number, false);
  if (has_gate() && (gate_.leave(number) || is_watched(context_of(number)))) stop_timer(number);
}

}  // namespace callisto::workers
