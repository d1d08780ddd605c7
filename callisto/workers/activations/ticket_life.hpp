// The life of a ticket in a set of workers: from its promise of stacks to the end of its last activation.
#pragma once

#include <callisto/machine/system/error.hpp>
#include <callisto/workers/activations/ticket.hpp>
#include <callisto/workers/activations/worker_set.hpp>

#include <memory>
#include <mutex>
#include <utility>

namespace callisto::workers {

template <machine::policy M>
ticket<M> worker_set<M>::create_ticket(activate<M> call, void* data, unsigned max_concurrency,
                                       suspendable<M>* preemptible) {
  if (max_concurrency == 0)
    throw usage_error("create_work_ticket: a ticket with at most 0 concurrent activations would never be worked on");
  record& r = claim_record(max_concurrency, preemptible);
  const typename suspendable<M>::shielded_if shield(preemptible);
  std::unique_lock held(latch_);
  r.bound = max_concurrency;
  r.call = call;
  r.data = data;
  const ticket<M> name(r);
  tickets_.list(r);
  held.unlock();
  work_signal_.announce(tickets_notice);
  start_ticks();
  return name;
}

template <machine::policy M>
void worker_set<M>::set_drained(ticket<M> t) noexcept {
  const std::scoped_lock held(latch_);
  record& r = *t.record_;
  if (t.is_drained(r.stage.read())) return;
  if (r.listed) tickets_.unlist(r);
  if (r.running == 0) {
    complete(r);
  } else {
    r.stage.write(r.stage.read() + 1);
  }
}

template <machine::policy M>
void worker_set<M>::finished(worker<M>& w, act& a) noexcept {
  a.local_ = {};
  a.listing_.state = debugger::idle;
  const bool keep = &w != a.own_.works_as.get() && w.spare_ == nullptr;
  bool cold = false;
  if (keep) {
    w.spare_ = &a;
  } else {
    {
      const std::scoped_lock held(latch_);
      cold = pool_.is_warm_enough();
    }
    if (cold) a.context_.let_go();
  }
  bool again = false;
  {
    const std::scoped_lock held(latch_);
    record& r = *a.of_;
    r.running = r.running - 1;
    // Return the stack before complete() releases the ticket's reservation: another worker may start an activation on
    // that reservation.
    if (!keep) pool_.put(a, cold);
    if (r.stage.read() % 2 != 0) {
      if (r.running == 0) complete(r);
    } else if (!r.listed) {
      tickets_.list(r);
      again = true;
    }
  }
  if (!again) return;
  work_signal_.announce(tickets_notice);
  start_ticks();
}

template <machine::policy M>
void worker_set<M>::complete(record& r) noexcept {
  r.stage.write((r.stage.read() / 2 + 1) * 2);
  pool_.take_back(r.bound);
  tickets_.keep(r);
}

template <machine::policy M>
typename worker_set<M>::record& worker_set<M>::claim_record(unsigned activations, suspendable<M>* preemptible) {
  for (std::unique_ptr<record> made;;) {
    bool room = false;
    {
      const typename suspendable<M>::shielded_if shield(preemptible);
      const std::scoped_lock held(latch_);
      room = pool_.can_promise(activations);
      if (room && made != nullptr) tickets_.add(std::exchange(made, nullptr));
      if (record* const r = room ? tickets_.reuse() : nullptr; r != nullptr) {
        pool_.promise(activations);
        return *r;
      }
    }
    if (room) {
      made = std::make_unique<record>(latch_);
    } else {
      pool_.add(*this, spin_ticks_, preemptible);
    }
  }
}

}  // namespace callisto::workers
