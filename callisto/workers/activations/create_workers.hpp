// The workers of this process on the hardware, as runtimes use them (Callisto, EuroSys 2014, figures 5 and 6):
//
//   auto workers = callisto::workers::create_workers();
//   loop l{...};
//   auto ticket = workers->create_ticket(&run_batches, &l, 8);    // run_batches(activation, &l, ticket), the up-call
//   callisto::workers::wait_complete(*workers, ticket);
//
// Everything that waits may be called from an activation, which is then suspended, and from any other thread, which
// sleeps. The names that are templates elsewhere in this room stand here for the native machine.
#pragma once

#include <callisto/export.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/workers/activations/activation.hpp>
#include <callisto/workers/activations/context_provider.hpp>
#include <callisto/workers/activations/ticket.hpp>
#include <callisto/workers/activations/worker_set.hpp>
#include <callisto/workers/waiting/latch.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace callisto::workers {

extern template class worker_set<machine::native>;

using native_activation = activation<machine::native>;
using native_ticket = ticket<machine::native>;
using native_latch = latch<machine::native>;
using native_svar = svar<machine::native>;

/// A set of workers and their threads, each pinned to its hardware context. Its destructor ends the threads and waits
/// for them; no ticket may be left then, and no activation may call it. After fork(), the child has no threads and must
/// not use the set.
class CALLISTO_API worker_threads {
 public:
  ~worker_threads();
  worker_threads(const worker_threads&) = delete;
  worker_threads& operator=(const worker_threads&) = delete;

  /// The process ends: other jobs have its contexts from now on, whatever its threads still do. From any thread.
  void leave_other_jobs();

  worker_set<machine::native>& operator*() const noexcept;
  worker_set<machine::native>* operator->() const noexcept { return &**this; }

 private:
  friend class attached_here;
  friend CALLISTO_API std::unique_ptr<worker_threads> create_workers(const set_options<machine::native>&);
  struct state;
  explicit worker_threads(const set_options<machine::native>&);
  std::unique_ptr<state> state_;
};

/// The calling thread works with the workers, which were made for guests (set_options::guests), and has the context of
/// one of them while it runs (guest.hpp), as long as this lives; where no more guests can be, it is as if this were
/// not. On one thread, and once at a time on it. this_party() is the guest then; what is to make way when its turn is
/// over, runs by this_party().preemptible().
class CALLISTO_API attached_here {
 public:
  explicit attached_here(worker_threads& of);
  ~attached_here();
  attached_here(const attached_here&) = delete;
  attached_here& operator=(const attached_here&) = delete;

  /// It is no guest for a time, and again. Some ten nanoseconds each, unless the context is wanted.
  void pause() noexcept;
  void proceed() noexcept;

  /// In the child of fork(), instead of the destructor: the workers are not there.
  void forget() noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// CreateWorkers. 0 workers: as many as a loop would have threads (CALLISTO_THREADS, CALLISTO_PLACEMENT and what the
/// machine and its limits say). They sleep until there is a ticket. Throws usage_error for a bad environment,
/// std::bad_alloc, and error if the system refuses to start a thread. Takes some 50 microseconds a thread.
[[nodiscard]] CALLISTO_API std::unique_ptr<worker_threads> create_workers(const set_options<machine::native>& how = {
                                                                              .workers = 0});

/// The activation or the thread that calls: to be handed to who is to resume() it, before it calls suspend().
CALLISTO_API suspendable<machine::native>& this_suspendable() noexcept;

/// Which activation runs under the identity that calls; null: none. Callers of run_as need not.
CALLISTO_API void tell_identity(native_activation*) noexcept;

/// The activation that calls; null: an application's thread. A call and a load.
CALLISTO_API native_activation* this_activation() noexcept;

/// As activation::run_as, and so that this_activation() and the others know the activation under the identity, too. For
/// activations of native workers.
template <class F>
void run_as(native_activation& self, machine::thread_identity& who, F f) noexcept {
  self.run_as(who, [&self, &f] {
    tell_identity(&self);
    f();
    tell_identity(nullptr);
  });
}

/// ShouldYield, for code that does not know its activation. False for an application's thread.
CALLISTO_API bool should_yield() noexcept;

/// YieldPoint, likewise; an application's thread goes on at once.
CALLISTO_API void yield_point() noexcept;

/// As latch.hpp has it, for whoever calls.
template <class P>
void sync_wait_until_true(native_latch& by, P holds) {
  sync_wait_until_true(by, std::move(holds), this_suspendable());
}
template <class P>
std::uint64_t sync_wait_value(native_svar& of, P wanted) {
  return sync_wait_value(of, std::move(wanted), this_suspendable());
}
inline void wait_drained(worker_threads& of, native_ticket t) { of->wait_drained(t, this_suspendable()); }
inline void wait_complete(worker_threads& of, native_ticket t) { of->wait_complete(t, this_suspendable()); }

/// Worker-local state: a T for each worker of a set, on lines of its own, made together and destroyed together.
template <class T>
class worker_local {
 public:
  explicit worker_local(const worker_threads& of) : each_(of->workers()) {}

  /// Used without a lock by what runs on the worker, which must not be suspended in between.
  T& at(const worker<machine::native>& w) noexcept { return each_[w.number()].value; }

  auto begin() noexcept { return each_.begin(); }
  auto end() noexcept { return each_.end(); }

 private:
  struct alignas(machine::native::line_size) slot {
    T value{};
  };
  std::vector<slot> each_;
};

}  // namespace callisto::workers
