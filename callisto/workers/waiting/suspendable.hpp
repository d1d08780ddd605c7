// Who can be suspended and resumed: the protocol between the one who stops and the one who lets him go on.
//
// Whoever waits hands a reference to himself to somebody else (in a latch's queue, say), then stops. The other may be
// so quick that he resumes who has not stopped yet: the context is still running, and must not be run a second time.
// One word settles that:
//
//   running --settle()--> suspended --resume()--> resumed; the resumer makes the party go on
//                         suspended --fall_asleep()--> asleep --resume()--> resumed; he has to wake it for that
//   running --resume()--> resumed --settle()--> the party was resumed before it stopped, and goes on at once
//
// All write by exchange, so exactly one of two finds what the other wrote, and that one is to make the party go on.
// Scheduler activations (Anderson et al., SOSP'91) and Callisto (EuroSys 2014, figure 6: SuspendAct, ResumeAct) leave
// this to the reader.
#pragma once

#include <callisto/machine/system/handler_word.hpp>
#include <callisto/machine/policy.hpp>

#include <cstdint>
#include <optional>

namespace callisto::workers {

/// How long who waits spins before he stops, in M::ticks(): the paper's 100k cycles, 40 microseconds.
template <machine::policy M>
std::uint64_t default_spin_ticks() noexcept {
  return M::ticks_per_second() / 25'000;
}

template <machine::policy M>
class worker_set;

/// An activation, or a thread of the application. suspend() is for the party itself, resume() for anybody.
template <machine::policy M>
class suspendable {
  using order = machine::order;

 public:
  explicit suspendable(std::uint64_t spin_ticks) noexcept : spin_ticks_(spin_ticks) {}
  virtual ~suspendable() = default;
  suspendable(const suspendable&) = delete;
  suspendable& operator=(const suspendable&) = delete;

  /// SuspendAct: returns once resume() was called, as often as suspend(): each suspension has one resume(), which may
  /// come first, but not before the last one ended. What the resumer did before is visible then.
  void suspend() noexcept {
    // acquire: what the resumer did.
    if (word_.load(order::acquire) != resumed) stop();
    // relaxed: who resumes next was told of it by us, later.
    word_.store(running, order::relaxed);
  }

  /// ResumeAct. Never waits.
  void resume() noexcept {
    // release: who goes on sees what we did. acquire: so does whom we hand a context to that was saved by another.
    const std::uint64_t found = word_.exchange(resumed, order::acq_rel);
    if (found == suspended || found == asleep) go_on(found == asleep);
  }

  /// Calls f(), which may be left at any instruction outside of `shielded` scopes while others have the party's
  /// context: it must not use this library but in these. For the party itself. Where it cannot be left so, f runs as
  /// ever.
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

  /// While it lives, the party keeps its context; if its turn ended meanwhile, it makes way at the end. Nests. Costs
  /// some loads and stores of the party's own.
  class shielded {
   public:
    explicit shielded(suspendable& self) noexcept : self_(self) { self.keep_on(); }
    ~shielded() { self_.let_leave(); }
    shielded(const shielded&) = delete;
    shielded& operator=(const shielded&) = delete;

   private:
    suspendable& self_;
  };

  /// The same for a party that there may be; null: there is none.
  class shielded_if {
   public:
    explicit shielded_if(suspendable* self) noexcept {
      if (self != nullptr) shield_.emplace(*self);
    }

   private:
    std::optional<shielded> shield_;
  };

  /// Whether it is not to be left where it is: for the party itself.
  bool is_shielded() const noexcept { return shields_.get() != 0; }

  /// How long it spins for something, in M::ticks(), if it has nothing better to do.
  std::uint64_t spin_ticks() const noexcept { return spin_ticks_; }
  /// That long from now on. For the party itself.
  void spin_for(std::uint64_t ticks) noexcept { spin_ticks_ = ticks; }

  /// Whether to stop spinning for something: another job wants the context, or there is orphaned work (section 2.4).
  virtual bool has_better_to_do() const noexcept = 0;

  /// Lets others have the context that it has, and returns when it is its turn again. For the party itself, shielded.
  virtual void step_aside() noexcept {}

  /// The same if it has something better to do; false: it has not. For the party itself, shielded or not.
  bool give_way() noexcept {
    const shielded shield(*this);
    if (!has_better_to_do()) return false;
    step_aside();
    return true;
  }

 protected:
  /// Called by the party, once: to stop, and to return when it is resumed. Somebody has to settle() what is saved.
  virtual void stop() noexcept = 0;
  /// Called by resume() for a party that has settled, and `sleeps` since it fell asleep: makes stop() return. Nobody
  /// else does, but it may be destroyed as soon as that happens.
  virtual void go_on(bool sleeps) noexcept = 0;

  /// When all is saved that is needed to go on. False: it was resumed already, and is the caller's to go on with.
  bool settle() noexcept {
    // release: what was saved. acquire: if it was resumed, what the resumer did.
    return word_.exchange(suspended, order::acq_rel) != resumed;
  }

  /// When it has settled: from now on it has to be woken; sleep() waits for that. False: it was resumed already.
  bool fall_asleep() noexcept {
    while (!is_resumed()) {
      std::uint64_t found = suspended;
      if (word_.compare_exchange(found, asleep, order::relaxed)) return true;  // relaxed: nothing is handed on
    }
    return false;
  }
  void sleep() noexcept {
    // acquire: what the resumer did. Not a spin: park blocks, but may return early.
    while (word_.load(order::acquire) == asleep) M::park(word_, asleep);
  }
  /// By go_on() of who sleeps.
  void wake() noexcept { M::unpark(word_, 1); }
  /// By the party, which has settled.
  bool is_resumed() const noexcept { return word_.load(order::acquire) == resumed; }  // acquire: what the resumer did

  /// Where the party makes way to others when its turn is over.
  enum class place { shield_end, handler };
  /// Returns when it has a context again.
  virtual void make_way(place where) noexcept { static_cast<void>(where); }

  /// In the handler of a tick that interrupted the party: its turn is over. True: it was left, and has come back.
  bool end_turn() noexcept {
    if (shields_.get() == 0) {
      leave(place::handler);
      return true;
    }
    overdue_.set(true);
    return false;
  }
  /// It goes by itself: nothing is overdue.
  void forget_turn() noexcept { overdue_.set(false); }
  void set_may_be_left(bool may) noexcept { may_be_left_ = may; }

  static constexpr std::uint64_t running = 0;
  static constexpr std::uint64_t suspended = 1;
  static constexpr std::uint64_t resumed = 2;
  static constexpr std::uint64_t asleep = 3;

  machine::atomic_of<M, std::uint64_t> word_{running};

 private:
  void keep_on() noexcept { shields_.set(shields_.get() + 1); }
  void let_leave() noexcept {
    shields_.set(shields_.get() - 1);
    if (shields_.get() == 0 && overdue_.get()) leave(place::shield_end);
  }
  void leave(place where) noexcept {
    shields_.set(1);
    overdue_.set(false);
    make_way(where);
    shields_.set(0);
  }

  friend class worker_set<M>;

  std::uint64_t spin_ticks_;
  std::uintptr_t waited_at_ = 0;                ///< where it was last found to get nowhere; of the handler
  machine::signal_safe<unsigned> shields_{1};  ///< 0: it may be left
  machine::signal_safe<bool> overdue_{false};  ///< it would have been
  bool may_be_left_ = false;
};

/// A thread that is no worker, such as the one that creates a ticket and waits for it. It stops in the operating
/// system. One that others may still be resuming must not be destroyed: resume() looks at it last.
template <machine::policy M>
class plain_thread : public suspendable<M> {
  using base = suspendable<M>;

 public:
  explicit plain_thread(std::uint64_t spin_ticks = default_spin_ticks<M>()) noexcept : base(spin_ticks) {}

  /// It has nothing else to do.
  bool has_better_to_do() const noexcept override { return false; }

 private:
  void stop() noexcept override {
    if (this->settle() && this->fall_asleep()) this->sleep();
  }

  void go_on(bool sleeps) noexcept override {
    if (sleeps) this->wake();
  }
};

}  // namespace callisto::workers
