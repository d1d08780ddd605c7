// Attached threads that lend their thread to the set: one that pauses, and one that works as a worker while it waits.
#pragma once

#include <callisto/workers/activations/attached_thread.hpp>
#include <callisto/workers/activations/processor_time.hpp>
#include <callisto/workers/activations/worker_set.hpp>

#include <cstdint>

namespace callisto::workers {

template <machine::policy M>
void worker_set<M>::let_pause(attached_thread<M>& g) noexcept {
  threads_[g.number_].does.set(role::elsewhere);
  threads_[g.number_].ticks.pause(M::ticks() - g.proceeded_at_, M::ticks_per_second());
  set_present(g.number_, false);
  const unsigned c = g.context_;
  const bool has_context = c != context_owners<M>::none;
  const auto has_demand = [this] { return work_signal_.has_work(); };
  if (has_context && has_demand()) {
    g.give_back();
  } else if (has_context) {
    // relaxed: ordered by the operations on the gate below.
    slots_[g.number_ - workers()].left.store(c, order::relaxed);
    owners_.step_away(c);
  }
  if (gate_.leave(g.number_)) {
    gate_.rest(g.number_, [this](unsigned n) { stop_timer(n); }, has_demand, wake());
  } else {
    if (is_watched(c)) stop_timer(g.number_);
    if (has_context) gate_.look_again(has_demand, [this, c] { owners_.reclaim(c); });
  }
}

template <machine::policy M>
template <class Done>
typename worker_set<M>::hosting worker_set<M>::host(attached_thread<M>& g, Done done, std::uint64_t patient,
                                                    bool in_handler) noexcept {
  // Their handlers may wait for threads that have no context, and had better not run here.
  const bool has_mask = g.has_own_mask() && !in_handler;
  if ((has_mask && timer_->has_held()) || g.put_off_.get() != 0) return hosting::has_mail;
  if (!g.mail_.open()) return hosting::has_mail;
  const std::uint64_t mask = has_mask ? timer_->put_off_mask(false) : 0;
  if (has_mask) g.has_own_mask(!timer_->is_usual(mask));
  worker<M>& w = *workers_[g.context_];
  ticked_thread<M>& self = threads_[g.number_];
  w.home_ = &g.home_;
  w.host_ = &g;
  g.works_as_ = self.works_as = &w;
  self.does.set(role::worker);
  if (in_handler) timer_->unblock();
  const hosting found = work_as(w, g, done, patient);
  if (in_handler) timer_->block();
  if (has_mask) {
    timer_->put_on_mask(mask);
    g.put_off_.set(g.put_off_.get() & ~mask);  // what the thread blocks itself stays pending
  }
  g.letters_ |= g.mail_.close();
  self.turn.set(self.turn.get() + 1);
  self.does.set(role::attached_thread);
  g.works_as_ = nullptr;
  w.host_ = nullptr;
  w.home_ = nullptr;
  return found;
}

template <machine::policy M>
template <class Done>
typename worker_set<M>::hosting worker_set<M>::work_as(worker<M>& w, attached_thread<M>& g, Done done,
                                                       std::uint64_t patient) noexcept {
  ticked_thread<M>& self = threads_[g.number_];
  const auto has_news = [&] { return done() || work_signal_.has_work() || w.should_yield() || g.has_signals(); };
  while (!done()) {
    if (g.has_signals()) return hosting::has_mail;
    if (w.should_yield() && !look_again(g, self, w)) return hosting::lost_context;
    if (act* const a = take(w); a != nullptr) {
      const bool counts = processor_time::is_counted();
      const std::uint64_t before = counts ? processor_time::of_thread() : 0;
      go(self, w, *a);
      if (counts) g.time_of_others_ += processor_time::of_thread() - before;
    } else if (!g.awaits(has_news, patient)) {
      return hosting::nothing_to_do;
    }
  }
  return hosting::done;
}

template <machine::policy M>
bool worker_set<M>::look_again(attached_thread<M>& g, ticked_thread<M>& self, worker<M>& w) noexcept {
  leave(g.number_, self);
  if (!owners_.look(g.context_)) return false;
  arrive(g.number_, self, &w, [&w] { return w.should_yield(); });
  return true;
}

}  // namespace callisto::workers
