// An attached thread: a thread of the application that works together with a set of workers, as an OpenMP program's
// initial thread does, and has the context of one of them while it runs (context_owners.hpp).
//
// While it waits, and after a turn that a tick ended, the thread works as that context's worker: it runs activations on
// top of its stack, and goes on with its own work once that was resumed and the activation has come home. So turns on a
// context change by switches of some 10 ns each, not by threads that wake each other. Only if the thread finds nothing
// to do does it give the context back and sleep.
#pragma once

#include <callisto/machine/fibers/fiber.hpp>
#include <callisto/machine/policy.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/signal_safe.hpp>
#include <callisto/waiting/spinning.hpp>
#include <callisto/waiting/suspendable.hpp>
#include <callisto/workers/activations/activation.hpp>
#include <callisto/workers/activations/context_owners.hpp>
#include <callisto/workers/activations/mailbox.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>

namespace callisto::workers {

using waiting::glance;

template <machine::policy M>
class worker_set;
template <machine::policy M>
class worker;
template <machine::policy M>
class activation;

/// Lives on its thread. It has a context from the beginning to the end, except while it sleeps. If other attached
/// threads have all contexts, it runs without one.
template <machine::policy M>
class attached_thread final : public suspendable<M> {
  using order = machine::order;
  using base = suspendable<M>;

 public:
  /// If no context is free, blocks until a worker has yielded one. Throws usage_error if the set has as many attached
  /// threads as it was made for (set_options::attached).
  attached_thread(worker_set<M>& set, std::uint64_t spin_ticks);
  ~attached_thread() override;

  /// Returns the set that it is attached to.
  worker_set<M>& set() const noexcept { return set_; }

  /// Returns its number for the timer, which follows those of the workers.
  unsigned number() const noexcept { return number_; }

  /// Says whether ticks of a timer may end its turns. At first they do not.
  void may_be_left(bool may) noexcept { this->set_may_be_left(may); }

  /// Leaves the workers for a time: no tick interrupts the thread, and where it waits it sleeps. It keeps its context
  /// as long as no other thread has a use for that. Costs two locked instructions.
  void pause() noexcept;
  /// Ends pause(): the thread has a context again, as in the beginning.
  void proceed() noexcept;

  /// From here on to pause(), the thread runs no activations and has no context. Called by itself, shielded.
  void stay_out() noexcept {
    if (paused_) return;
    if (has_context() || returns_) set_.leave(number_, set_.threads_[number_]);
    if (has_context()) give_back();
    returns_ = false;
  }

  /// True if another job may want its context.
  bool should_yield() const noexcept;

  /// Says which free stack a handler has that leaves the thread (machine/fibers/signal_frame.hpp).
  void handle_on(void* stack) noexcept { stack_for_handler_ = stack; }

  bool has_better_to_do() const noexcept override;

  /// Returns its processor time so far, in nanoseconds, without that of activations. Called by itself, shielded.
  std::uint64_t time_so_far() const noexcept {
    processor_time::count();
    return processor_time::of_thread() - time_of_others_;
  }

  void step_aside() noexcept override { make_way(base::place::shield_end); }

  /// Returns the worker that the thread works as now; null: it runs the application's code.
  const worker<M>* works_as() const noexcept { return works_as_; }

 private:
  friend class worker_set<M>;
  friend class activation<M>;

  void stop() noexcept override;
  void go_on(bool sleeps) noexcept override;
  void make_way(typename base::place) noexcept override;
  std::uint64_t take_put_off() noexcept override {
    const std::uint64_t signals = put_off_.get();
    put_off_.set(0);
    return signals;
  }
  void let_come(std::uint64_t signals) noexcept override { set_.timer_->unblock_only(signals); }

  /// True if it has a context, one that cannot be reclaimed.
  bool has_context() const noexcept { return !paused_ && context_ != context_owners<M>::none; }
  /// True if it would go on if the activation on its thread came home.
  bool is_ready() const noexcept { return wants_turn_ || this->is_resumed() || has_signals(); }
  /// While it works as a worker: true if signals for it have come.
  bool has_signals() const noexcept { return mail_.has_mail() || put_off_.get() != 0; }
  /// Sends itself the signals of the mailbox, which is closed.
  void deliver() noexcept {
    if (letters_ == 0) return;
    this->reachably([this] {
      for (; letters_ != 0; letters_ &= letters_ - 1) set_.timer_->raise(std::countr_zero(letters_) + 1);
    });
  }
  /// Without a context and a lock: lets all signals come, then calls f(), in which they come.
  template <class F>
  void with_signals(F f) noexcept {
    this->reachably([this, &f] {
      deliver();
      if (const std::uint64_t signals = take_put_off(); signals != 0) let_come(signals);
      f();
    });
  }
  /// Signals that were put off come at the end of its shield.
  void remember_signals() noexcept {
    if (put_off_.get() != 0) this->turn_is_over();
  }
  /// True if a thread is about to send it a signal. Then it gives its context back, since the handler may wait for
  /// threads that have none. relaxed, both: a hint.
  bool is_asked() const noexcept { return asked_.load(order::relaxed); }
  /// In the handler of a tick: its turn is over for that.
  bool answers() noexcept {
    asked_.store(false, order::relaxed);
    is_blocked_ = has_context();
    return is_blocked_ && this->end_turn();
  }
  /// Goes on without a context, until its next stop, or until ticks find it running.
  void go_without_context() noexcept {
    give_back();
    returns_ = true;
    runs_ = false;
    set_.timer_->set_rate(number_, tick_rate::slow);
  }
  /// Spins until holds(), for `patient` M::ticks() at most; false: it did not come to hold.
  template <class Holds>
  bool awaits(Holds holds, std::uint64_t patient) const noexcept;

  /// In the handler of a tick that found it blocked, at `now` in M::ticks(): true if it can wait without a context.
  bool lets_block(std::uint64_t now) noexcept {
    is_blocked_ = has_context() && now - returned_at_ >= pause_;
    return is_blocked_;
  }
  /// In the handler of a tick that found it without a context: true if it has a use for one, as two ticks in a row say.
  /// It keeps that for a time then, as an activation does (own_thread.hpp).
  bool looks_back(bool in_call) noexcept {
    if (!std::exchange(runs_, !in_call) || in_call || !returns_) return false;
    const std::uint64_t first = M::ticks_per_second() / own_thread<M>::first_pauses_per_second;
    pause_ = std::clamp(2 * pause_, first, M::ticks_per_second());
    returned_at_ = M::ticks();
    return true;
  }
  void come_back() noexcept;
  void give_back() noexcept;
  void take_context() noexcept;

  /// It looks for something to do on its context for 10 us before it sleeps; it has spun already.
  static constexpr std::uint64_t patience_per_second = 100'000;

  worker_set<M>& set_;
  machine::fiber home_;  ///< its thread's own stack
  unsigned number_;
  unsigned last_;                               ///< the context that it had last
  unsigned context_ = context_owners<M>::none;  ///< the context that it has
  bool paused_ = false;
  bool wants_turn_ = false;  ///< it has made way, and can go on
  bool returns_ = false;     ///< it has given its context back because it was blocked
  bool runs_ = false;        ///< since then, a tick has found it running
  std::uint64_t pause_ = 0;  ///< until it gives its context back again, in M::ticks()
  std::uint64_t returned_at_ = 0;
  std::uint64_t proceeded_at_ = 0;    ///< when it got its context last, in M::ticks()
  bool is_blocked_ = false;           ///< it is in a system call that waits, and has no use for a context meanwhile
  std::uint64_t time_of_others_ = 0;  ///< that activations have had on its thread, in nanoseconds
  worker<M>* works_as_ = nullptr;
  mailbox<M> mail_;            ///< open while it works as a worker, or waits for a context
  std::uint64_t letters_ = 0;  ///< what was in it
  /// Signals of the program's that its thread blocks until they can come (worker_set::put_off_signal()).
  machine::signal_safe<std::uint64_t> put_off_{0};
  machine::atomic_of<M, bool> asked_{false};
  void* stack_for_handler_ = nullptr;
};

template <machine::policy M>
attached_thread<M>::attached_thread(worker_set<M>& set, std::uint64_t spin_ticks) : base(spin_ticks), set_(set) {
  unsigned free = 0;
  for (attached_thread* free_of = nullptr;; free_of = nullptr, ++free) {
    if (free == set.slots_.size()) {
      throw usage_error("attached_thread: this set of workers was made for " + std::to_string(set.slots_.size()) +
                        " attached threads at a time");
    }
    // acquire: pairs with the destructor's release; the last user of the slot is done with it.
    if (set.slots_[free].of.compare_exchange(free_of, this, order::acquire)) break;
    if (free_of == nullptr) --free;  // it failed without cause
  }
  number_ = set.workers() + free;
  set.attached_.fetch_add(1, order::relaxed);  // relaxed, as below: a hint
  last_ = free % set.workers();
  proceed();
}

template <machine::policy M>
attached_thread<M>::~attached_thread() {
  if (!paused_) pause();
  if (context_ != context_owners<M>::none) set_.owners_.reclaim(context_);
  set_.attached_.fetch_sub(1, order::relaxed);
  // release: pairs with the constructor's acquire.
  set_.slots_[number_ - set_.workers()].of.store(nullptr, order::release);
}

template <machine::policy M>
bool attached_thread<M>::should_yield() const noexcept {
  return has_context() && set_.owners_.watch(context_).should_yield();
}

template <machine::policy M>
bool attached_thread<M>::has_better_to_do() const noexcept {
  return this->is_overdue() || (has_context() && (set_.has_orphans() || should_yield()));
}

template <machine::policy M>
void attached_thread<M>::pause() noexcept {
  paused_ = true;
  this->forget_turn();
  set_.let_pause(*this);
  this->set_reachable(true);
  if (const std::uint64_t signals = take_put_off(); signals != 0) let_come(signals);
}

template <machine::policy M>
void attached_thread<M>::proceed() noexcept {
  this->set_reachable(false);
  come_back();
  deliver();
}

template <machine::policy M>
void attached_thread<M>::come_back() noexcept {
  paused_ = returns_ = false;
  if (context_ == context_owners<M>::none || !set_.owners_.come_again(context_)) {
    take_context();
  } else {
    context_ = set_.owners_.follow(context_);
  }
  if (context_ == context_owners<M>::none) return;
  proceeded_at_ = M::ticks();
  auto& self = set_.threads_[number_];
  self.brief_from.store(self.ticks.was_brief() ? proceeded_at_ : 0, machine::order::relaxed);
  set_.arrive(number_, self, nullptr, [this] { return should_yield(); });
  // Their handlers may wait for threads that have no context.
  if (letters_ != 0) go_without_context();
}

template <machine::policy M>
void attached_thread<M>::give_back() noexcept {
  last_ = std::exchange(context_, context_owners<M>::none);
  set_.owners_.give_back(last_);
}

template <machine::policy M>
void attached_thread<M>::take_context() noexcept {
  if (context_ != context_owners<M>::none) last_ = context_;
  // A system call, at the end of which signals come. In a handler of a tick they wait for its end.
  mail_.open_after_signals([this] {
    if (set_.timer_ != nullptr) set_.timer_->times_blocked();
  });
  context_ = set_.owners_.take(last_, [this] { set_.look_for_others(); });
  letters_ |= mail_.close();
}

template <machine::policy M>
void attached_thread<M>::stop() noexcept {
  this->forget_turn();
  if (!this->settle()) return remember_signals();
  const bool gives_back = has_context();
  const bool comes_back = returns_ || gives_back;
  if (returns_) {
    pause_ = 0;
    set_.leave(number_, set_.threads_[number_]);
  }
  if (gives_back) {
    const auto done = [this] { return this->is_resumed(); };
    const auto found = set_.host(*this, done, M::ticks_per_second() / patience_per_second);
    if (found == worker_set<M>::hosting::done) {
      if (letters_ != 0) go_without_context();
      remember_signals();
      return deliver();
    }
    set_.leave(number_, set_.threads_[number_]);
    give_back();
  }
  with_signals([this] {
    if (this->fall_asleep()) this->sleep();
  });
  if (comes_back) {
    come_back();
    deliver();
  }
  remember_signals();
}

template <machine::policy M>
void attached_thread<M>::go_on(bool sleeps) noexcept {
  if (sleeps) {
    this->wake();
  } else {
    // The activation on its thread may not look before a tick ends its turn.
    set_.start_ticks();
  }
}

template <machine::policy M>
void attached_thread<M>::make_way(typename base::place where) noexcept {
  const bool in_handler = where == base::place::handler;
  if (!in_handler && put_off_.get() != 0) return;
  if (returns_) {
    come_back();
    return deliver();
  }
  if (!has_context()) return;
  if (std::exchange(is_blocked_, false)) return go_without_context();
  wants_turn_ = true;
  unsigned turns = set_.fair_turns();
  const auto done = [&turns] { return turns-- == 0; };
  const auto found = set_.host(*this, done, 0, in_handler);
  if (found == worker_set<M>::hosting::lost_context) {
    set_.leave(number_, set_.threads_[number_]);
    give_back();
    come_back();
  } else if (letters_ != 0 || (found == worker_set<M>::hosting::has_mail && put_off_.get() == 0)) {
    go_without_context();
  }
  wants_turn_ = false;
  deliver();
}

template <machine::policy M>
template <class Holds>
bool attached_thread<M>::awaits(Holds holds, std::uint64_t patient) const noexcept {
  for (const std::uint64_t begin = M::ticks(); !holds();) {
    if (M::ticks() - begin >= patient) return false;
    glance<M, std::uint64_t>(this->word_, [](std::uint64_t word) { return word != base::resumed; });
  }
  return true;
}

}  // namespace callisto::workers
