// The workers of this process on the hardware, as runtimes use them (Callisto, EuroSys 2014, figures 5 and 6):
//
//   auto workers = callisto::workers::create_workers();
//   loop l{...};
//   auto ticket = workers->create_ticket(&run_batches, &l, 8);    // run_batches(activation, &l, ticket), the up-call
//   callisto::workers::wait_complete(*workers, ticket);
//
// Calls that wait suspend an activation, and block any other thread. The names that are templates elsewhere in this
// room stand here for the native machine.
#pragma once

#include <callisto/export.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/waiting/latch.hpp>
#include <callisto/workers/activations/activation.hpp>
#include <callisto/workers/activations/context_provider.hpp>
#include <callisto/workers/activations/ticket.hpp>
#include <callisto/workers/activations/worker_set.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <pthread.h>

namespace callisto::workers {

using waiting::sync_wait_until_true;
using waiting::sync_wait_value;

extern template class worker_set<machine::native>;

using native_activation = activation<machine::native>;
using native_ticket = ticket<machine::native>;
using native_latch = latch<machine::native>;
using native_svar = svar<machine::native>;

/// A set of workers and their threads, each pinned to its hardware context. The destructor ends the threads and waits
/// for them; no ticket may be left then, and no activation may call it. A child of fork() has no such threads, and must
/// not use the set.
class CALLISTO_API worker_threads {
 public:
  ~worker_threads();
  worker_threads(const worker_threads&) = delete;
  worker_threads& operator=(const worker_threads&) = delete;

  /// Leaves the contexts to other jobs because the process ends, whatever its threads still do. From any thread.
  void leave_other_jobs();

  /// Around a fork() of the process: no thread of the set is then about to join other jobs. The child calls neither.
  void before_fork() noexcept;
  void after_fork() noexcept;

  worker_set<machine::native>& operator*() const noexcept;
  worker_set<machine::native>* operator->() const noexcept { return &**this; }

 private:
  friend class attached_here;
  friend CALLISTO_API std::unique_ptr<worker_threads> create_workers(const set_options<machine::native>&);
  struct state;
  explicit worker_threads(const set_options<machine::native>&);
  std::unique_ptr<state> state_;
};

/// Attaches the calling thread to the workers (attached_thread.hpp) as long as this lives: the thread has the context
/// of one of them while it runs. If the set has set_options::attached such threads already, this does nothing. Lives on
/// one thread, once at a time. this_suspendable() is the attached thread then; code that may be left when its turn is
/// over runs by this_suspendable().preemptible().
class CALLISTO_API attached_here {
 public:
  explicit attached_here(worker_threads& of);
  ~attached_here();
  attached_here(const attached_here&) = delete;
  attached_here& operator=(const attached_here&) = delete;

  /// Detaches the thread for a time, and attaches it again. Some 10 ns each, unless the context is wanted.
  void pause() noexcept;
  void proceed() noexcept;
  /// The thread runs no activations from here on to pause(). A system call or two.
  void stay_out() noexcept;

  /// Replaces the destructor in a child of fork(), which has no workers.
  void forget() noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// CreateWorkers: starts workers, which sleep until there is a ticket. 0 workers: as many as a loop would have threads
/// (CALLISTO_THREADS, CALLISTO_PLACEMENT, and what the machine and its limits say). Throws usage_error for a bad
/// environment, std::bad_alloc, and error if the system refuses to start a thread. Takes some 50 us a thread.
[[nodiscard]] CALLISTO_API std::unique_ptr<worker_threads> create_workers(const set_options<machine::native>& how = {
                                                                              .workers = 0});

/// Returns the calling activation or thread: to be published, for resume(), before it calls suspend().
CALLISTO_API suspendable<machine::native>& this_suspendable() noexcept;

/// Says which activation runs under the calling identity; null: none. run_as() below does it.
CALLISTO_API void tell_identity(native_activation*) noexcept;

/// Returns the calling activation; null: the caller is an application's thread. A call and a load.
CALLISTO_API native_activation* this_activation() noexcept;

/// Calls activation::run_as, so that this_activation() and the functions that use it know the activation under the
/// identity, too.
template <class F>
void run_as(native_activation& self, machine::thread_identity& lender, F f) noexcept {
  self.run_as(lender, [&self, &f] {
    tell_identity(&self);
    f();
    tell_identity(nullptr);
  });
}

/// Returns the processor time of the calling activation or thread, in nanoseconds. The caller is shielded.
CALLISTO_API std::uint64_t processor_time_here() noexcept;

/// Sends a thread of the program a signal by send(thread, signal, argument), and returns the result, 0 or an error's
/// number. If another activation has the thread's identity, the signal finds it there; if the thread is attached and
/// runs activations, it sends itself the signal after them. From handlers, too. The caller is not the thread itself.
CALLISTO_API int send_signal(pthread_t thread, int signal, int (*send)(pthread_t, int, void*), void* argument) noexcept;

/// The calling activation goes on upon the thread of its identity, for good. False: it is none, or there is no such
/// thread that can.
CALLISTO_API bool stay_on_own_thread() noexcept;
/// Does that for another activation, which has the identity of a thread, and obeys soon.
CALLISTO_API bool let_stay_on_own_thread(pthread_t thread) noexcept;

/// Called after the program has set the calling thread's mask of signals: the caller keeps it wherever it runs.
CALLISTO_API void keep_mask() noexcept;

/// ShouldYield for code that does not know its activation: true if another thread or job wants the context. False for
/// an application's thread.
CALLISTO_API bool should_yield() noexcept;

/// YieldPoint for code that does not know its activation. An application's thread goes on at once.
CALLISTO_API void yield_point() noexcept;

// The waits of waiting/latch.hpp, for the calling activation or thread:

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

/// Worker-local state: a T for each worker of a set, each on separate lines, made together and destroyed together.
template <class T>
class worker_local {
 public:
  explicit worker_local(const worker_threads& of) : each_(of->workers()) {}

  /// Returns the worker's T. Used without a lock by the activation that runs on the worker, which must not be suspended
  /// meanwhile.
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
