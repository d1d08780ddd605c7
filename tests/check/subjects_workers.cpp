// Subjects: sets of workers: tickets, and activations that stop and go on elsewhere, with their real stacks.
#include "subject.hpp"

#include <callisto/waiting/latch.hpp>
#include <callisto/waiting/suspendable.hpp>
#include <callisto/workers/activations/context_provider.hpp>
#include <callisto/workers/activations/worker_set.hpp>

#include <array>
#include <mutex>

namespace callisto::check {
namespace {

/// A machine with two slots in a work signal, which are enough.
struct small : machine::checked {
  static constexpr unsigned max_slots = 2;
};

using activation = workers::activation<small>;
using ticket = workers::ticket<small>;
using workers::ticket_state;

/// Thread 0 is the application; the others are workers.
template <unsigned Workers>
class job {
 public:
  static constexpr unsigned threads = 1 + Workers;

 protected:
  explicit job(workers::context_provider<small>* with = nullptr)
      : set_({.workers = Workers,
              .stack_bytes = std::size_t{32} << 10,
              .warm_stacks = 1,
              .spin_ticks = 0,
              .with = with}) {}

  waiting::plain_thread<small> main_{0};  // it stops spinning when a wait ends early
  workers::worker_set<small> set_;
};

/// Tickets one after the other, each of so many pieces of work that activations claim one at a time.
template <unsigned Workers, unsigned Bound, unsigned Pieces, unsigned Tickets>
class claimers : public job<Workers> {
 public:
  void run(unsigned thread) {
    if (thread != 0) return this->set_.run(thread - 1);
    for (unsigned t = 0; t < Tickets; ++t) {
      left_.store(Pieces, order::relaxed);
      const ticket name = this->set_.create_ticket(&call, this, Bound);
      this->set_.wait_complete(name, this->main_);
      require(this->set_.state_of(name) == ticket_state::complete, "what is complete stays so");
      this->set_.set_drained(name);  // does nothing for a ticket that is complete
      for (auto& d : done_) {
        require(d == t + 1, "each piece was done once, and that is visible");
      }
      require(inside_.load(order::relaxed) == 0, "no activation is left");
    }
    this->set_.finish();
  }

 private:
  static void call(activation& self, void* data, ticket of) {
    auto& me = *static_cast<claimers*>(data);
    require(self.local(0) == nullptr, "an activation starts without state of its own");
    self.local(0) = &self;
    require(me.inside_.fetch_add(1, order::relaxed) < Bound, "no more activations at once than the bound");
    const unsigned left = me.left_.fetch_sub(1, order::relaxed);
    // The activation that claims the last piece says so, and so does one that comes too late.
    if (left <= 1 || left > Pieces) me.set_.set_drained(of);
    if (left >= 1 && left <= Pieces) me.done_[left - 1] = me.done_[left - 1] + 1;
    me.inside_.fetch_sub(1, order::relaxed);
  }

  atomic<unsigned> left_{0};
  atomic<unsigned> inside_{0};
  std::array<plain<unsigned>, Pieces> done_{};
};

/// Two activations: the first waits for the second through an SVar, and goes on wherever there is a worker.
template <unsigned Workers>
class waiters : public job<Workers> {
 public:
  void run(unsigned thread) {
    if (thread != 0) return this->set_.run(thread - 1);
    const ticket name = this->set_.create_ticket(&call, this, 2);
    this->set_.wait_drained(name, this->main_);
    require(this->set_.state_of(name) != ticket_state::active, "what is drained stays so");
    this->set_.wait_complete(name, this->main_);
    require(ended_ == 2, "both ended, and that is visible");
    this->set_.finish();
  }

 private:
  static void call(activation& self, void* data, ticket of) {
    auto& me = *static_cast<waiters*>(data);
    self.local(0) = &self;
    const bool first = me.begun_.fetch_add(1, order::relaxed) == 0;
    if (first) {
      plain<unsigned> mine{7};  // on the activation's stack, on any worker
      waiting::sync_wait_value(me.said_, [](std::uint64_t v) { return v == 1; }, self);
      require(me.written_ == 1, "what was written before is visible");
      require(mine == 7, "the stack is as it was left");
      require(self.local(0) == &self, "state goes along");
    } else {
      me.set_.set_drained(of);
      me.written_ = 1;
      const std::scoped_lock held(me.latch_);
      me.said_.write(1);
    }
    const std::scoped_lock held(me.latch_);
    me.ended_ = me.ended_ + 1;
  }

  waiting::latch<small> latch_;
  waiting::svar<small> said_{latch_, 0};
  atomic<unsigned> begun_{0};
  plain<unsigned> written_{0};
  plain<unsigned> ended_{0};
};

/// Activations of one worker that all wait for the application's thread, which resumes them at once.
template <unsigned Activations>
class awaited : public job<1> {
 public:
  void run(unsigned thread) {
    if (thread != 0) return set_.run(thread - 1);
    const ticket name = set_.create_ticket(&call, this, Activations);
    set_.wait_drained(name, main_);
    {
      const std::scoped_lock held(latch_);
      written_ = 1;
      said_.write(1);
    }
    set_.wait_complete(name, main_);
    require(ended_ == Activations, "all went on, and that is visible");
    set_.finish();
  }

 private:
  static void call(activation& self, void* data, ticket of) {
    auto& me = *static_cast<awaited*>(data);
    if (++me.begun_ == Activations) me.set_.set_drained(of);
    waiting::sync_wait_value(me.said_, [](std::uint64_t v) { return v == 1; }, self);
    require(me.written_ == 1, "what was written before is visible");
    me.ended_ = me.ended_ + 1;
  }

  waiting::latch<small> latch_;
  waiting::svar<small> said_{latch_, 0};
  unsigned begun_ = 0;
  plain<unsigned> written_{0};
  plain<unsigned> ended_{0};
};

/// Two activations, with SuspendAct and ResumeAct alone.
class suspenders : public job<2> {
 public:
  void run(unsigned thread) {
    if (thread != 0) return set_.run(thread - 1);
    const ticket name = set_.create_ticket(&call, this, 2);
    set_.wait_complete(name, main_);
    require(written_ == 2, "the suspended one went on");
    set_.finish();
  }

 private:
  static void call(activation& self, void* data, ticket of) {
    auto& me = *static_cast<suspenders*>(data);
    if (me.begun_.fetch_add(1, order::relaxed) == 0) {
      me.first_.store(&self, order::release);
      self.suspend();
      require(me.written_ == 1, "what the resumer wrote is visible");
      me.written_ = 2;
    } else {
      me.set_.set_drained(of);
      me.written_ = 1;
      // The first one has begun, and stores without waiting.
      waiting::suspendable<small>* other = nullptr;
      while (other == nullptr) {
        other = small::wait_while(
            me.first_, [](waiting::suspendable<small>* p) { return p == nullptr; }, machine::patience::brief);
      }
      other->resume();
    }
  }

  atomic<unsigned> begun_{0};
  atomic<waiting::suspendable<small>*> first_{nullptr};
  plain<unsigned> written_{0};
};

/// A provider for a job that is asked for one of its contexts. The worker hands the context over for a while; its
/// activation is an orphan meanwhile, which another worker may take up.
class asked final : public workers::context_provider<small> {
 public:
  const workers::context_watch<small>& watch(unsigned) noexcept override { return watch_; }
  bool hand_over(unsigned) noexcept override {
    watch_.request.store(0, order::relaxed);
    ++handed_over;
    return true;
  }
  bool comes_too_late(unsigned) noexcept override { return true; }
  void ask() { watch_.request.store(1, order::relaxed); }
  unsigned handed_over = 0;

 private:
  workers::context_watch<small> watch_;
};

class asked_first {
 protected:
  asked asked_;
};

class yielders : private asked_first, public job<1> {
 public:
  yielders() : job(&asked_) {}
  void run(unsigned thread) {
    if (thread != 0) return set_.run(thread - 1);
    const ticket name = set_.create_ticket(&call, this, 1);
    set_.wait_complete(name, main_);
    require(steps_ == 2, "both steps were done");
    require(asked_.handed_over == 1, "the context was handed over once, when it was asked for");
    set_.finish();
  }

 private:
  static void call(activation& self, void* data, ticket of) {
    auto& me = *static_cast<yielders*>(data);
    me.set_.set_drained(of);
    me.steps_ = 1;
    require(!self.should_yield(), "the context is not wanted yet");
    self.yield_point();
    me.asked_.ask();
    self.yield_point();
    require(!self.should_yield(), "the context was handed over meanwhile");
    require(me.steps_ == 1, "the activation goes on where it was");
    me.steps_ = 2;
  }

  plain<unsigned> steps_{0};
};

/// Two activations that step aside for each other until one sees the other.
class steppers : public job<1> {
 public:
  void run(unsigned thread) {
    if (thread != 0) return set_.run(thread - 1);
    const ticket name = set_.create_ticket(&call, this, 2);
    set_.wait_complete(name, main_);
    require(turns_ == 4, "each had two turns");
    set_.finish();
  }

 private:
  static void call(activation& self, void* data, ticket of) {
    auto& me = *static_cast<steppers*>(data);
    if (++me.begun_ == 2) me.set_.set_drained(of);
    me.turns_ = me.turns_ + 1;
    self.step_aside();
    me.turns_ = me.turns_ + 1;
  }

  unsigned begun_ = 0;
  plain<unsigned> turns_{0};
};

/// The application's thread is attached. It and activations wait for each other in turns, on its own context and, if
/// there are more workers, on others. In between it goes away and comes again, and lets activations have its context.
/// If it `WaitsAway`, workers may have the context meanwhile.
template <unsigned Workers, unsigned Activations, bool WaitsAway = false>
class hosts {
 public:
  static constexpr unsigned threads = 1 + Workers;
  void run(unsigned thread) {
    if (thread != 0) return set_.run(thread - 1);
    {
      workers::attached_thread<small> self(set_, 0);
      const auto wait = [&] {
        waiting::sync_wait_value(said_, [](std::uint64_t v) { return v == Activations; }, self);
      };
      if (WaitsAway) self.pause();
      const ticket name = set_.create_ticket(&call, this, Activations);
      if (WaitsAway) {
        self.step_aside();
        wait();
      } else {
        self.pause();
      }
      self.proceed();
      self.step_aside();
      wait();
      require(written_ == Activations, "what activations wrote is visible to the attached thread");
      {
        const std::scoped_lock held(latch_);
        written_ = written_ + 1;
        said_.write(Activations + 1);
      }
      set_.wait_complete(name, self);
      require(written_ == 1 + 2 * Activations, "all went on");
    }
    set_.finish();
  }

 private:
  static void call(activation& self, void* data, ticket of) {
    auto& me = *static_cast<hosts*>(data);
    if (me.begun_.fetch_add(1, order::relaxed) + 1 == Activations) me.set_.set_drained(of);
    {
      const std::scoped_lock held(me.latch_);
      me.written_ = me.written_ + 1;
      me.said_.write(me.said_.read() + 1);
    }
    waiting::sync_wait_value(me.said_, [](std::uint64_t v) { return v == Activations + 1; }, self);
    const std::scoped_lock held(me.latch_);
    require(me.written_ > Activations, "what the attached thread wrote is visible");
    me.written_ = me.written_ + 1;
  }

  workers::worker_set<small> set_{
      {.workers = Workers, .stack_bytes = std::size_t{32} << 10, .warm_stacks = 1, .spin_ticks = 0, .attached = 1}};
  waiting::latch<small> latch_;
  waiting::svar<small> said_{latch_, 0};
  atomic<unsigned> begun_{0};
  plain<unsigned> written_{0};
};

constexpr const char* completes = "work is done once, within the bound; complete means all of it is visible";
constexpr const char* moves = "a suspended activation goes on once, as it was, wherever there is a worker";
constexpr const char* hosted = "an attached thread that waits works, and goes on when it is resumed";
constexpr const char* yields = "an activation that yields becomes an orphan and goes on";

/// Executions with few preemptions in which loads return one of the two newest values, since a set has many words.
machine::checking::options few(unsigned bound) {
  machine::checking::options o = preemptions(bound, {0, 0});
  o.stale = 1;
  return o;
}

const registered<claimers<1, 1, 1, 1>> claim_1("set.claim.1x1", completes, few(1), few(2));
const registered<claimers<1, 1, 2, 2>> claim_2("set.claim.again", completes, pct(3, 10'000, {1, 0}), few(1));
const registered<claimers<2, 1, 2, 1>> claim_3("set.claim.bound", completes, pct(3, 10'000, {1, 0}), few(1));
const registered<claimers<2, 2, 2, 1>> claim_4("set.claim.2x2", completes, pct(3, 10'000, {1, 0}), few(1));
const registered<waiters<1>> wait_1("set.wait.1", moves, pct(3, 10'000, {1, 0}), few(1));
const registered<waiters<2>> wait_2("set.wait.2", moves, pct(3, 10'000, {1, 0}), few(1));
const registered<awaited<1>> await_1("set.await.1", moves, few(1), few(2));
const registered<awaited<2>> await_2("set.await.2", moves, pct(3, 10'000, {1, 0}), few(1));
const registered<suspenders> suspend_2("set.suspend.2", moves, pct(3, 10'000, {1, 0}), few(1));
const registered<yielders> yield_1("set.yield.1", yields, few(1), few(2));
const registered<hosts<1, 1>> host_1("set.host.1", hosted, pct(3, 10'000, {1, 0}), few(1));
const registered<hosts<1, 2>> host_2("set.host.1x2", hosted, pct(3, 10'000, {1, 0}), few(1));
const registered<hosts<2, 2>> host_3("set.host.2x2", hosted, pct(3, 10'000, {1, 0}), few(1));
const registered<hosts<1, 1, true>> host_4("set.host.away", hosted, pct(3, 10'000, {1, 0}), few(1));
const registered<steppers> step_1("set.step_aside.1", yields, few(1), few(2));

}  // namespace
}  // namespace callisto::check
