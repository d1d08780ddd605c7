// Suspendables, which can be suspended and resumed: the protocol between a waiter that stops and the thread that lets
// it go on.
//
// A waiter publishes a reference to itself, for example in a latch's queue, then suspends. resume() may come before the
// waiter has left its stack: the context is still running, and must not run a second time. One word decides:
//
//   running --settle()--> suspended --resume()--> resumed; the resumer makes the suspendable go on
//                         suspended --fall_asleep()--> asleep --resume()--> resumed; the resumer must wake it
//   running --settle_asleep()--> asleep; as above, for one that has saved nothing, so that no thread but its own goes
//   on running --resume()--> resumed --settle...()--> it was resumed before it stopped, and goes on at once
//
// One that can go on elsewhere without being resumed, as an activation can upon its own thread, may be called there:
//
//   suspended --call_up()--> called; the caller makes it go on elsewhere, where it settles asleep, or finds itself
//                            resumed
//   running --call_up()--> called --settle_or_called()--> it goes on elsewhere instead of stopping here
//   called --resume()--> resumed, as for running
//
// All sides write by exchange, so exactly one of two sides finds what its peer wrote, and that side makes the
// suspendable go on. Scheduler activations (Anderson et al., SOSP 1991) and Callisto (EuroSys 2014, figure 6:
// SuspendAct, ResumeAct) leave this to the reader.
#pragma once

#include <callisto/machine/policy.hpp>
#include <callisto/machine/system/signal_safe.hpp>

#include <cstdint>
#include <optional>

namespace callisto::workers {
template <machine::policy M>
class worker_set;
}  // namespace callisto::workers

namespace callisto::waiting {

/// Returns how long a waiter spins before it stops, in M::ticks(): the paper's 100k cycles, 40 us.
template <machine::policy M>
std::uint64_t default_spin_ticks() noexcept {
  return M::ticks_per_second() / 25'000;
}

/// An activation, or a thread of the application. Only the suspendable itself calls suspend(); any thread calls
/// resume().
template <machine::policy M>
class suspendable {
  using order = machine::order;

 public:
  explicit suspendable(std::uint64_t spin_ticks) noexcept : spin_ticks_(spin_ticks) {}
  virtual ~suspendable() = default;
  suspendable(const suspendable&) = delete;
  suspendable& operator=(const suspendable&) = delete;

  /// Blocks until resume(): the paper's SuspendAct. Each suspension has exactly one resume(), which may come first, but
  /// not before the last suspension ended. All that the resumer did before is visible afterwards.
  void suspend() noexcept {
    // acquire: pairs with the release in resume().
    if (word_.load(order::acquire) != resumed) stop();
    // relaxed: this thread will publish itself to the next resumer later.
    word_.store(running, order::relaxed);
  }

  /// Lets the suspendable go on: the paper's ResumeAct. Never waits.
  void resume() noexcept {
    // release: publishes this thread's actions to the resumed one. acquire: pairs with settle(), so the thread that
    // gets a context saved by another sees it whole.
    const std::uint64_t found = word_.exchange(resumed, order::acq_rel);
    if (found == suspended || found == asleep) go_on(found == asleep);
  }

  /// Calls f(), which may be interrupted at any instruction outside of `shielded` scopes while other suspendables or
  /// jobs have this suspendable's context. Outside of these scopes f must not use this library. Called by the
  /// suspendable itself. If it cannot be interrupted, f runs as usual.
  template <class F>
  void preemptible(F f) {
    if (!may_be_left_) return f();
    let_leave();
    struct again {
      suspendable& self;
      ~again() { self.keep_on(); }
    } const end{*this};
    f();
  }

  /// Keeps the context of the suspendable while it lives. If its turn ends meanwhile, it makes way at the end of the
  /// scope. Nests. Costs some loads and stores of the suspendable's data.
  class shielded {
   public:
    explicit shielded(suspendable& self) noexcept : self_(self) { self.keep_on(); }
    ~shielded() { self_.let_leave(); }
    shielded(const shielded&) = delete;
    shielded& operator=(const shielded&) = delete;

   private:
    suspendable& self_;
  };

  /// A `shielded` for a suspendable that may not exist; null: none.
  class shielded_if {
   public:
    explicit shielded_if(suspendable* self) noexcept {
      if (self != nullptr) shield_.emplace(*self);
    }

   private:
    std::optional<shielded> shield_;
  };

  /// True if it must not be interrupted here. Called by the suspendable itself.
  bool is_shielded() const noexcept { return shields_.get() != 0; }

  /// True if handlers of the program's, which may wait for other threads, may run on top of it: it is not shielded, or
  /// reachable. Called by itself, or in a handler on its thread.
  bool is_reachable() const noexcept { return shields_.get() <= reachable_.get(); }

  /// Returns how long it spins while it has nothing better to do, in M::ticks().
  std::uint64_t spin_ticks() const noexcept { return spin_ticks_; }
  /// Sets spin_ticks(). Called by the suspendable itself.
  void spin_for(std::uint64_t ticks) noexcept { spin_ticks_ = ticks; }

  /// Says that the program has set a mask of signals for it, which it keeps wherever it runs. Called by the suspendable
  /// itself. One that is never left needs no care for that.
  void has_own_mask(bool has) noexcept { has_own_mask_ = has && may_be_left_; }

  /// True if it should stop spinning: another job wants the context, there is orphaned work (section 2.4), or its turn
  /// has ended, as when new work waits for a context.
  virtual bool has_better_to_do() const noexcept = 0;

  /// Lets other suspendables or jobs have its context, and returns when its turn comes again. Called by the suspendable
  /// itself, shielded.
  virtual void step_aside() noexcept {}

  /// Steps aside if it has something better to do; false if it has not. Called by the suspendable itself, shielded or
  /// not.
  bool give_way() noexcept {
    const shielded shield(*this);
    if (!has_better_to_do()) return false;
    step_aside();
    return true;
  }

 protected:
  /// Stops, and returns when it is resumed. Called once by the suspendable itself. A thread must settle() what is
  /// saved.
  virtual void stop() noexcept = 0;
  /// Makes stop() return. Called only by resume(), for a suspendable that has settled, and `sleeps` if it has fallen
  /// asleep. The suspendable may be destroyed as soon as stop() returns.
  virtual void go_on(bool sleeps) noexcept = 0;

  /// Says that all is saved that is needed to go on. False if it was already resumed; the caller then goes on with it.
  bool settle() noexcept {
    // release: publishes what was saved to resume()'s acquire. acquire: pairs with resume() if that came first.
    return word_.exchange(suspended, order::acq_rel) != resumed;
  }

  /// Calls f(), in which it holds no lock and no context: handlers of the program's may run.
  template <class F>
  void reachably(F f) noexcept {
    const unsigned before = reachable_.get();
    reachable_.set(shields_.get());
    f();
    reachable_.set(before);
  }
  /// Says whether it is reachable from now on, however shielded.
  void set_reachable(bool is) noexcept { reachable_.set(is ? ~0U : 0); }

  /// Returns the signals that were put off on its thread, and are to come now (worker_set::put_off_signal()). In a
  /// handler they come at its end.
  virtual std::uint64_t take_put_off() noexcept { return 0; }
  /// Lets them come. Called where it may be interrupted.
  virtual void let_come(std::uint64_t signals) noexcept { static_cast<void>(signals); }

  enum class settlement { stopped, resumed, called };
  /// settle() for what may be called. `called`: it has not stopped, and must go on elsewhere.
  settlement settle_or_called() noexcept {
    for (;;) {
      // acquire: pairs with resume() if that came first.
      std::uint64_t found = word_.load(order::acquire);
      if (found == called) return settlement::called;
      if (found == resumed) return settlement::resumed;
      // release: publishes what was saved to the acquires of resume() and call_up().
      if (word_.compare_exchange(found, suspended, order::release)) return settlement::stopped;
    }
  }

  /// Calls it. True: it has stopped, and the caller makes it go on elsewhere. False: it runs, and hears of the call
  /// when it stops; or it goes on anyway. From any thread.
  bool call_up() noexcept {
    for (std::uint64_t found = word_.load(order::relaxed); found == running || found == suspended;) {
      // acquire: pairs with settle_or_called(), so what was saved is seen whole.
      if (word_.compare_exchange(found, called, order::acquire)) return found == suspended;
    }
    return false;
  }

  /// Says that it stops without having saved anything, and must be woken; sleep() then waits. False as for settle().
  bool settle_asleep() noexcept {
    // acquire: pairs with resume() if that came first. Publishes nothing.
    return word_.exchange(asleep, order::acquire) != resumed;
  }

  /// Says, after it has settled, that it must be woken; sleep() then waits. False if it was already resumed.
  bool fall_asleep() noexcept {
    while (!is_resumed()) {
      std::uint64_t found = suspended;
      if (word_.compare_exchange(found, asleep, order::relaxed)) return true;  // relaxed: publishes nothing
    }
    return false;
  }
  void sleep() noexcept {
    // acquire: pairs with resume(). Not a spin: park blocks, but may return early.
    while (word_.load(order::acquire) == asleep) M::park(word_, asleep);
  }
  /// Wakes a sleeping one; called by go_on().
  void wake() noexcept { M::unpark(word_, 1); }
  /// True if it was resumed; called by the suspendable itself after it has settled.
  bool is_resumed() const noexcept { return word_.load(order::acquire) == resumed; }  // acquire: pairs with resume()

  /// The place where it makes way when its turn is over.
  enum class place { shield_end, handler };
  /// Makes way; returns when it has a context again.
  virtual void make_way(place where) noexcept { static_cast<void>(where); }

  /// Ends its turn; called in the handler of a tick that interrupted it. True if it was left and has come back.
  bool end_turn() noexcept {
    if (shields_.get() == 0) {
      leave(place::handler);
      return true;
    }
    overdue_.set(true);
    return false;
  }
  /// True if its turn has ended while it was shielded. Called by the suspendable itself.
  bool is_overdue() const noexcept { return overdue_.get(); }
  /// Forgets an overdue turn: it makes way by itself.
  void forget_turn() noexcept { overdue_.set(false); }
  /// Lets it make way at the end of its shield.
  void turn_is_over() noexcept { overdue_.set(true); }
  void set_may_be_left(bool may) noexcept { may_be_left_ = may; }
  bool has_own_mask() const noexcept { return has_own_mask_; }

  static constexpr std::uint64_t running = 0;
  static constexpr std::uint64_t suspended = 1;
  static constexpr std::uint64_t resumed = 2;
  static constexpr std::uint64_t asleep = 3;
  static constexpr std::uint64_t called = 4;

  machine::atomic_of<M, std::uint64_t> word_{running};

 private:
  void keep_on() noexcept { shields_.set(shields_.get() + 1); }
  void let_leave() noexcept {
    shields_.set(shields_.get() - 1);
    while (shields_.get() == 0 && overdue_.get()) leave(place::shield_end);
  }
  void leave(place where) noexcept {
    shields_.set(1);
    overdue_.set(false);
    make_way(where);
    const std::uint64_t signals = take_put_off();
    shields_.set(0);
    if (signals != 0 && where == place::shield_end) let_come(signals);
  }

  friend class workers::worker_set<M>;

  std::uint64_t spin_ticks_;
  std::uintptr_t waited_at_ = 0;                 ///< the place where a tick last found it spinning; used by the handler
  machine::signal_safe<unsigned> shields_{1};    ///< 0: it may be interrupted
  machine::signal_safe<bool> overdue_{false};    ///< a turn ended while it was shielded
  machine::signal_safe<unsigned> reachable_{0};  ///< with at most this number of shields it is reachable
  bool may_be_left_ = false;
  bool has_own_mask_ = false;
};

/// A thread that is no worker, such as one that creates a ticket and waits for it. It stops in the operating system. It
/// must not be destroyed while another thread may still be in resume(), which accesses it last.
template <machine::policy M>
class plain_thread : public suspendable<M> {
  using base = suspendable<M>;

 public:
  explicit plain_thread(std::uint64_t spin_ticks = default_spin_ticks<M>()) noexcept : base(spin_ticks) {}

  /// Returns false: it has nothing else to do.
  bool has_better_to_do() const noexcept override { return false; }

 private:
  void stop() noexcept override {
    if (this->settle() && this->fall_asleep()) this->sleep();
  }

  void go_on(bool sleeps) noexcept override {
    if (sleeps) this->wake();
  }
};

}  // namespace callisto::waiting
