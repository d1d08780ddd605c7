// Runs activations upon their own threads, while a worker's thread would only wait for a system call.
#pragma once

#include <callisto/workers/activations/activation.hpp>
#include <callisto/workers/activations/own_thread.hpp>
#include <callisto/workers/activations/worker_set.hpp>

namespace callisto::workers {

template <machine::policy M>
void worker_set<M>::provide_own_thread(act& a) const {
  if (has_own_threads_ && timer_ != nullptr) a.own_.works_as.reset(new worker<M>(workers(), calm_));
}

template <machine::policy M>
void worker_set<M>::go_on_own_thread(void* an_activation) noexcept {
  act& a = *static_cast<act*>(an_activation);
  worker_set& set = a.set_;
  worker<M>& w = *a.own_.works_as;
  w.own_home_.become_this_threads();
  w.home_ = &w.own_home_;
  w.current_ = &a;
  for (;;) {
    a.call_.enter_own();
    a.worker_ = &w;
    a.listing_.worker = w.number_;
    a.listing_.state = debugger::running;
    a.time_.begin_turn();
    machine::fiber::switch_to(*w.home_, a.context_);
    a.time_.end_turn();
    if (a.came_as_ == homecoming::finished) return set.finished(w, a);
    if (a.came_as_ != homecoming::suspended) return set.push_orphan(a);
    a.listing_.state = debugger::suspended;
    const auto settled = a.settle_or_called();
    if (settled == act::settlement::stopped) return;
    if (settled == act::settlement::resumed) return set.push_orphan(a);
    a.own_.want_for_call();
  }
}

}  // namespace callisto::workers
