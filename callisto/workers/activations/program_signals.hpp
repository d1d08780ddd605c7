// Signals of the program's: which handler runs at once, which is put off, and how attached threads get theirs.
#pragma once

#include <callisto/workers/activations/attached_thread.hpp>
#include <callisto/workers/activations/worker_set.hpp>
#include <callisto/workers/preemption/runaway_timer.hpp>

#include <cstdint>

namespace callisto::workers {

template <machine::policy M>
signal_fate worker_set<M>::put_off_signal(unsigned number, std::uint64_t signal) noexcept {
  const ticked_thread<M>& self = threads_[number];
  const bool works = self.does.get() == role::worker;
  act* const runs = works ? static_cast<act*>(self.works_as->current_) : nullptr;
  if (number < workers()) {
    if (runs != nullptr && runs->is_reachable()) return signal_fate::handled;
    workers_[number]->put_off_.set(workers_[number]->put_off_.get() | signal);
    if (runs != nullptr) runs->turn_is_over();
    return signal_fate::any_thread;
  }
  // relaxed: written by this thread.
  attached_thread<M>* const g = slots_[number - workers()].of.load(order::relaxed);
  const suspendable<M>* const reached = works ? static_cast<const suspendable<M>*>(runs) : g;
  if (g == nullptr || (reached != nullptr && reached->is_reachable())) return signal_fate::handled;
  g->put_off_.set(g->put_off_.get() | signal);
  if (runs != nullptr) {
    runs->turn_is_over();
  } else if (!works) {
    g->turn_is_over();
  }
  return signal_fate::this_thread;
}

template <machine::policy M>
template <class Send>
int worker_set<M>::send(attached_thread<M>& to, unsigned signal, Send send_it) noexcept {
  int result = 0;
  const auto send_now = [&] {
    if (threads_[to.number_].does.get() == role::attached_thread) {
      to.asked_.store(true, order::relaxed);  // relaxed: a hint
      timer_->call(to.number_);
    }
    result = send_it();
  };
  if (to.mail_.post(signal, send_now)) timer_->call(to.number_);
  return result;
}

}  // namespace callisto::workers
