// Activations (Callisto, EuroSys 2014, sections 2.2 and 2.3): up-calls into a runtime, each on a separate stack, that
// can be suspended on one worker and go on upon another.
//
// Home is the stack that a worker's thread came with. A worker switches to an activation from home, and the activation
// always switches back there. Home then does what the activation could not do itself while it stood on its stack: give
// the stack back, put the activation among the orphans, or settle its suspension (waiting/suspendable.hpp). So it costs
// two switches to go from one activation to the next, and no code runs on a stack that another worker may run already.
//
// An activation can run under the identity of a thread that was made to lend it (machine/fibers/thread_identity.hpp): a
// runtime for OpenMP needs thread-local data, errno and malloc's caches to be the OpenMP thread's. Home always has its
// worker's own, so that nothing that the scheduler does can belong to an identity that is suspended.
// An activation that blocks in the system may go on upon the lender itself, without a worker (own_thread.hpp).
//
// Under an identity that is carried, an activation can say which of its code the runaway timer may preempt
// (preemption/runaway_timer.hpp): code that calls this library in `shielded` scopes only.
// docs/explanation/activations.md has the reasons.
#pragma once

#include <callisto/machine/fibers/fiber.hpp>
#include <callisto/machine/fibers/thread_identity.hpp>
#include <callisto/machine/policy.hpp>
#include <callisto/waiting/suspendable.hpp>
#include <callisto/workers/activations/call_word.hpp>
#include <callisto/workers/activations/debugger.hpp>
#include <callisto/workers/activations/own_thread.hpp>
#include <callisto/workers/activations/processor_time.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace callisto::workers {

using waiting::suspendable;

template <machine::policy M>
class worker;
template <machine::policy M>
class worker_set;
template <machine::policy M>
class activation_pool;
template <machine::policy M>
class orphan_queue;
template <machine::policy M>
class ticket;
template <machine::policy M>
struct ticket_record;

/// Why an activation switched to its worker's home.
enum class homecoming : std::uint8_t {
  finished,   ///< the up-call returned
  yielded,    ///< it is an orphan: any worker may go on with it
  expired,    ///< it is an orphan, and its turn is over, so that new activations come before it
  preempted,  ///< as expired, from within the handler of the runaway timer
  blocked,    ///< it goes on upon its own thread, from within the handler of the runaway timer
  called,     ///< as blocked, not from within the handler
  suspended,  ///< it goes on once it is resumed
  moved,      ///< it goes on at once, on another stack (`lender_`)
};

/// Pointers that an activation can carry for its runtimes.
inline constexpr std::size_t local_slots = 4;

/// One up-call. Made by a set of workers (worker_set.hpp). Members are for the code that runs on the activation, unless
/// their comment names a thread.
template <machine::policy M>
class activation final : public suspendable<M> {
 public:
  activation(worker_set<M>& set, std::size_t stack_bytes, std::uint64_t spin_ticks)
      : suspendable<M>(spin_ticks),
        set_(set),
        context_(stack_bytes, [](void* self) { static_cast<activation*>(self)->live(); }, this) {
    listing_.owner = this;
    listing_.stack = context_.saved_stack();
  }

  /// Returns the worker that it runs on, which may differ after each suspension and each yield_point().
  const worker<M>& host() const noexcept { return *worker_; }

  /// Returns activation-local state: null when an activation starts, and unchanged wherever it runs.
  void*& local(std::size_t slot) noexcept { return local_[slot]; }

  /// ShouldYield: true if another thread or job wants the context.
  bool should_yield() const noexcept;

  /// YieldPoint, for places that suit the activation: if another job wants the context, the activation becomes an
  /// orphan, and goes on when a worker has taken it up. Else costs a load and a branch.
  void yield_point() noexcept {
    if (should_yield()) step_aside();
  }

  /// Gives up the worker in any case: the activation becomes the last of the orphans.
  void step_aside() noexcept override {
    if (!own_.exists()) go_home(homecoming::yielded);
  }

  /// Calls f() under an identity that no other activation uses meanwhile: thread-local data are those of `lender`, also
  /// after a suspension and on another worker, and the same the next time. f runs on the lender's stack. Does not
  /// nest. An exception that leaves f ends the program.
  template <class F>
  void run_as(machine::thread_identity& lender, F f) noexcept;

  bool has_better_to_do() const noexcept override;

  /// Returns its processor time so far, in nanoseconds. Called by itself, shielded.
  std::uint64_t time_so_far() noexcept { return time_.so_far(); }

  /// On its own thread, in the handler of a tick: if it has not blocked lately, it becomes an orphan. True if it has
  /// come back since, on whichever thread.
  bool tick_on_own_thread() noexcept {
    return own_.exists() && own_.computes(set_.timer_->times_blocked()) && this->end_turn();
  }

  /// On its own thread, in the handler of a signal of the program's: as worker_set::put_off_signal().
  signal_fate put_off_signal(std::uint64_t signal) noexcept {
    if (!own_.exists() || this->is_reachable()) return signal_fate::handled;
    own_.works_as->put_off_.set(own_.works_as->put_off_.get() | signal);
    this->turn_is_over();
    call();  // where it goes to meanwhile, it comes back for the signal
    return signal_fate::this_thread;
  }

  /// Calls it to its own thread, where a signal finds it that was sent there before; `stays`: for good. From any thread
  /// but its own, also in handlers of signals. Takes no lock. It must have an identity.
  void call(bool stays = false) noexcept;

  /// Goes on upon its own thread for good. False: there is none. Called by itself, shielded.
  bool stay_on_own_thread() noexcept {
    if (own_.exists() || own_.want_for_call()) {
      call_.call(true);
      if (!own_.exists()) go_home(homecoming::called);
      return true;
    }
    return false;
  }

 private:
  friend class worker_set<M>;
  friend class activation_pool<M>;
  friend class orphan_queue<M>;

  void stop() noexcept override;
  void go_on(bool sleeps) noexcept override;
  void make_way(typename suspendable<M>::place where) noexcept override;
  std::uint64_t take_put_off() noexcept override;
  void let_come(std::uint64_t signals) noexcept override { set_.timer_->unblock_only(signals); }

  void go_home(homecoming as) noexcept;
  /// Returns the signals that are put off on the running thread.
  std::uint64_t put_off_here() const noexcept {
    return worker_->host_ != nullptr ? worker_->host_->put_off_.get() : worker_->put_off_.get();
  }
  /// On its own thread. False: it is called, and hears that now, or stays with a signal that has come there.
  bool leaves_own_thread() noexcept {
    if (this->has_own_mask() && set_.timer_->has_held()) return false;
    if (call_.leave_own()) return true;
    call_.enter_own();
    return false;
  }

  /// Makes up-calls in sequence, so that no stack is set up anew: the life of the stack.
  [[noreturn]] void live() noexcept;

  worker_set<M>& set_;
  machine::fiber context_;
  // Written by the worker that runs the activation, or is about to. The suspendable's word, or the set's latch, hands
  // them on.
  machine::plain_of<M, worker<M>*> worker_{nullptr};
  machine::plain_of<M, homecoming> came_as_{homecoming::finished};
  machine::plain_of<M, activation*> next_{nullptr};  ///< in the list that it stands in
  machine::plain_of<M, ticket_record<M>*> of_{nullptr};
  machine::thread_identity* lender_ = nullptr;  ///< the thread that lends its stack; null: it stands on its own
  own_thread<M> own_;
  call_word<M> call_;
  processor_time time_;
  std::uint64_t mask_ = 0;  ///< of signals, while it is left, if it has its own
  std::array<void*, local_slots> local_{};
  debugger::activation_entry listing_;
};

template <machine::policy M>
bool activation<M>::should_yield() const noexcept {
  return worker_->should_yield();
}

template <machine::policy M>
bool activation<M>::has_better_to_do() const noexcept {
  // On its own thread it has no context that another could use.
  return this->is_overdue() || (!own_.exists() && (should_yield() || set_.has_orphans() ||
                                                   worker_set<M>::has_ready_host(*worker_) || call_.is_called()));
}

template <machine::policy M>
void activation<M>::make_way(typename suspendable<M>::place where) noexcept {
  const bool in_handler = where == suspendable<M>::place::handler;
  if (own_.exists()) {
    if (!leaves_own_thread()) return;
  } else if (own_.is_wanted() || (call_.is_called() && own_.want_for_call())) {
    return go_home(in_handler ? homecoming::blocked : homecoming::called);
  }
  go_home(in_handler ? homecoming::preempted : homecoming::expired);
}

template <machine::policy M>
void activation<M>::stop() noexcept {
  if (!own_.exists() || (own_.is_calm(set_.timer_->times_blocked()) && leaves_own_thread())) {
    go_home(homecoming::suspended);
    if (!own_.exists()) return;
    // It was called there.
  }
  this->forget_turn();
  this->reachably([this] {
    if (const std::uint64_t signals = take_put_off(); signals != 0) let_come(signals);
    if (this->settle_asleep()) this->sleep();
  });
  own_.has_slept(set_.timer_->times_blocked());
}

template <machine::policy M>
std::uint64_t activation<M>::take_put_off() noexcept {
  // An attached thread lets its own come.
  if (worker_->host_ != nullptr) return 0;
  const std::uint64_t signals = worker_->put_off_.get();
  worker_->put_off_.set(0);
  return signals;
}

template <machine::policy M>
void activation<M>::go_on(bool sleeps) noexcept {
  if (sleeps) return this->wake();  // on its own thread
  set_.push_orphan(*this);
}

template <machine::policy M>
void activation<M>::go_home(homecoming as) noexcept {
  this->forget_turn();
  const bool in_handler = as == homecoming::preempted || as == homecoming::blocked;
  // In a handler the mask stands in the signal's frame.
  if (this->has_own_mask() && !in_handler) {
    mask_ = set_.timer_->put_off_mask(own_.exists()) & ~put_off_here();
    this->has_own_mask(!set_.timer_->is_usual(mask_));
  }
  if (own_.exists()) {
    own_.end(*set_.timer_);
    worker_->put_off_.set(0);  // they are pending, and it is called
  }
  came_as_ = as;
  if (lender_ == nullptr) {
    machine::fiber::switch_to(context_, *worker_->home_);
  } else {
    lender_->leave();
  }
  if (in_handler) set_.timer_->block();
  if (own_.is_wanted()) {
    own_.begin(*set_.timer_, this, in_handler, this->has_own_mask() && !in_handler ? &mask_ : nullptr);
  } else if (this->has_own_mask() && !in_handler) {
    set_.timer_->put_on_mask(mask_);
  }
}

template <machine::policy M>
void activation<M>::call(bool stays) noexcept {
  if (own_.works_as == nullptr || own_.identity == nullptr) return;
  const std::uint32_t runs_on = call_.call(stays);
  if (this->call_up()) {
    if (own_.want_for_call()) own_.identity->run(&worker_set<M>::go_on_own_thread, this);
  } else if (runs_on != call_word<M>::nowhere) {
    set_.timer_->call(runs_on);
  }
}

template <machine::policy M>
template <class F>
void activation<M>::run_as(machine::thread_identity& lender, F f) noexcept {
  if (void* const block = lender.thread_register(); block != nullptr) {
    machine::fiber::take_on(context_, *worker_->home_, block);
    this->set_may_be_left(set_.timer_ != nullptr);
    call_.forget_calls();
    own_.identity = &lender;
    machine::fiber::call_on(context_, lender.stack(), [](void* call) { (*static_cast<F*>(call))(); }, &f);
    own_.identity = nullptr;
    if (this->has_own_mask()) set_.timer_->put_off_mask(false);
    this->has_own_mask(false);
    this->set_may_be_left(false);
    machine::fiber::put_off(context_, *worker_->home_);
    return;
  }
  struct call_back {
    activation& self;
    F& f;
  } both{*this, f};
  lender.prepare(
      [](void* argument) {
        const auto& [self, call] = *static_cast<call_back*>(argument);
        call();
        // Home, which the lender lets go on when this returns, goes back to the activation's own stack.
        self.came_as_ = homecoming::moved;
        self.lender_ = nullptr;
      },
      &both);
  lender_ = &lender;
  came_as_ = homecoming::moved;
  machine::fiber::switch_to(context_, *worker_->home_);
}

template <machine::policy M>
void activation<M>::live() noexcept {
  for (;;) {
    ticket_record<M>& of = *of_;
    (*of.call)(*this, of.data, ticket<M>(of));
    go_home(homecoming::finished);
  }
}

}  // namespace callisto::workers
