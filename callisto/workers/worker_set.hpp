// The workers of a job: what each does next, the tickets that they work on, the orphans that they go on with, and the
// stacks that activations run on (Callisto, EuroSys 2014, sections 2.2 and 2.3).
//
// Orphans, which are activations that can go on, come before new activations: they hold what others wait for, and they
// have a stack already. But not for ever: orphans that step aside again and again, because they look for something that
// an activation does which has not begun, would keep it from beginning. So a worker that has taken up so many orphans
// in a row starts a new activation, if it may. Of the tickets with room for another activation each has its turn.
//
// One latch guards all lists and the tickets' states, so that Callisto waits for its own tickets as runtimes wait for
// theirs. Idle workers watch a board (board.hpp) of two notices: there are orphans; there are tickets with room. Who
// puts something into a list announces it afterwards, without the latch; who finds a list empty withdraws its notice
// with the latch held. So a withdrawal comes before any announcement of what was put in later, and a notice that is
// left standing costs one vain look.
//
// Stacks. A ticket promises at most so many activations, and create_ticket() sees to it that there are stacks for all
// promises, so that starting one cannot fail. Idle activations keep their stacks: each worker one, the set so many that
// are warm; those beyond leave their memory to the system if it gets short (MADV_FREE), until trim() unmaps them.
#pragma once

#include <callisto/machine/error.hpp>
#include <callisto/machine/fiber.hpp>
#include <callisto/machine/handler_word.hpp>
#include <callisto/machine/policy.hpp>
#include <callisto/workers/activation.hpp>
#include <callisto/workers/board.hpp>
#include <callisto/workers/context_loans.hpp>
#include <callisto/workers/debugger.hpp>
#include <callisto/workers/guest.hpp>
#include <callisto/workers/latch.hpp>
#include <callisto/workers/party.hpp>
#include <callisto/workers/runaway_timer.hpp>
#include <callisto/workers/sharing.hpp>
#include <callisto/workers/tick_switch.hpp>
#include <callisto/workers/ticket.hpp>

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace callisto::workers {

/// One thread's worth of running activations, fixed to a hardware context.
template <class M>
class alignas(M::line_size) worker {
 public:
  unsigned number() const noexcept { return number_; }

  /// What runs on it; null: nothing. For code on this worker.
  activation<M>* current() const noexcept { return current_; }

  /// ShouldYield: somebody else wants the context.
  bool should_yield() const noexcept { return watch_.should_yield(); }

 private:
  friend class activation<M>;
  friend class worker_set<M>;

  worker(unsigned number, const context_watch<M>& watch) noexcept : number_(number), watch_(watch) {}

  unsigned number_;
  const context_watch<M>& watch_;
  machine::fiber home_;
  activation<M>* spare_ = nullptr;  ///< idle, for the next ticket
  activation<M>* current_ = nullptr;
  unsigned orphans_in_a_row_ = 0;

  // Of the runaway timer.
  machine::handler_word<unsigned> turn_{0};  ///< how often it was given to an activation
  unsigned turn_seen_ = 0;                   ///< at the last tick
  unsigned idle_ticks_ = 0;                  ///< ticks in a row that nobody had a use for
};

/// What a set of workers is made with.
template <class M>
struct set_options {
  unsigned workers = 1;
  /// Of each activation. A guard page stands below.
  std::size_t stack_bytes = std::size_t{256} << 10;
  /// Idle stacks that keep their memory, beside one for each worker.
  std::size_t warm_stacks = 64;
  /// How long an activation that waits spins, in M::ticks(), unless it has better to do.
  std::uint64_t spin_ticks = default_spin_ticks<M>();
  /// Who shares contexts out; null: this job has them for itself. Must outlive the set.
  sharing<M>* with = nullptr;
  /// How many threads of the application may be guests at once (guest.hpp). With them `loans` lends the contexts.
  unsigned guests = 0;
  /// Null: the set's own, which shares with no other job. Must outlive the set. create_workers() makes one that does.
  context_loans<M>* loans = nullptr;
  /// For create_workers(): the process is a job among others with these workers (docs/cosched.md), if CALLISTO_COSCHED
  /// does not say otherwise and it can be. It takes guests.
  bool coscheduled = false;
  /// How long an activation that may be preempted keeps its worker while others could go on, in nanoseconds, or twice
  /// as long; 0: for ever.
  std::uint64_t quantum_ns = 0;
  /// Ticks every quantum; null: there are none. Must outlive the set. create_workers() makes one.
  runaway_timer* timer = nullptr;
};

template <class M>
class worker_set {
  using order = machine::order;
  using act = activation<M>;
  using record = ticket_record<M>;

 public:
  explicit worker_set(const set_options<M>& how)
      : stack_bytes_(how.stack_bytes),
        warm_limit_(how.warm_stacks),
        spin_ticks_(how.spin_ticks),
        own_loans_(how.guests != 0 && how.loans == nullptr ? how.workers : 0),
        loans_(how.loans != nullptr ? *how.loans : own_loans_),
        with_(how.guests != 0       ? static_cast<sharing<M>&>(loans_)
              : how.with != nullptr ? *how.with
                                    : alone_),
        timer_(how.timer),
        switch_(how.timer != nullptr ? how.workers + how.guests : 0),
        guests_(how.guests) {
    for (auto& g : guests_) g.store(nullptr, order::relaxed);  // nobody else knows it yet
    for (unsigned n = 0; n < how.workers; ++n)
      workers_.push_back(std::unique_ptr<worker<M>>(new worker<M>(n, with_.watch(n))));
    debugger::add(listing_);
  }

  /// After every worker has returned from run(). No ticket may be active or drained.
  ~worker_set() {
    debugger::remove(listing_);
    while (listing_.first != nullptr) {
      const auto* const a = static_cast<act*>(listing_.first->owner);
      listing_.first = listing_.first->next;
      delete a;
    }
  }
  worker_set(const worker_set&) = delete;
  worker_set& operator=(const worker_set&) = delete;

  unsigned workers() const noexcept { return static_cast<unsigned>(workers_.size()); }
  const worker<M>& worker_of(unsigned number) const noexcept { return *workers_[number]; }

  /// CreateWorkTicket: from now on workers call `call` with `data`, at most `max_concurrency` times at once, suspended
  /// calls included, until the ticket is drained. Throws usage_error if that is 0, and std::bad_alloc if there is no
  /// memory for so many stacks: then nothing has happened. From any thread. With stacks at hand a microsecond or less.
  ticket<M> create_ticket(activate<M> call, void* data, unsigned max_concurrency) {
    if (max_concurrency == 0)
      throw usage_error("create_work_ticket: a ticket with at most 0 concurrent activations would never be worked on");
    record& r = claim_record(max_concurrency);
    std::unique_lock held(latch_);
    r.bound = max_concurrency;
    r.call = call;
    r.data = data;
    const ticket<M> name(r);
    list(r);
    held.unlock();
    board_.announce(tickets_notice);
    start_ticks();
    return name;
  }

  /// SetTicketDrained: no more up-calls begin. Once is enough; more often is harmless, also after completion.
  void set_drained(ticket<M> t) noexcept {
    const std::scoped_lock held(latch_);
    record& r = *t.record_;
    if (t.is_drained(r.stage.read())) return;
    if (r.listed) unlist(r);
    if (r.running == 0) {
      complete(r);
    } else {
      r.stage.write(r.stage.read() + 1);
    }
  }

  ticket_state state_of(ticket<M> t) const noexcept {
    const std::uint64_t stage = t.record_->stage.read();
    return t.is_complete(stage)  ? ticket_state::complete
           : t.is_drained(stage) ? ticket_state::drained
                                 : ticket_state::active;
  }

  /// WaitTicketDrained. Returns when the ticket is drained or complete.
  void wait_drained(ticket<M> t, party<M>& self) {
    sync_wait_value(t.record_->stage, [t](std::uint64_t stage) { return t.is_drained(stage); }, self);
  }

  /// WaitTicketComplete. What its activations wrote is visible then, and they do not touch their data any more.
  void wait_complete(ticket<M> t, party<M>& self) {
    sync_wait_value(t.record_->stage, [t](std::uint64_t stage) { return t.is_complete(stage); }, self);
  }

  /// The life of a worker: runs activations until finish(). Called once for each number, each on a thread of its own.
  void run(unsigned number) {
    worker<M>& w = *workers_[number];
    for (;;) {
      if (board_.wait_for_work([] {}).finished) return;
      bool here = with_.come_back(number);
      while (here) {
        if (w.should_yield() && !with_.hand_over(number)) {
          here = false;
        } else if (act* const a = take(w); a != nullptr) {
          go(w, *a);
        } else {
          break;
        }
      }
      if (here) with_.fall_idle(number);
    }
  }

  /// Ends the workers, once no ticket is left.
  void finish() noexcept { board_.finish(); }

  /// A tick of the runaway timer, in a handler of signals on the worker's thread. May leave the running activation, and
  /// return when it goes on, on another worker. Does not allocate, and takes no lock.
  void tick(unsigned number) noexcept {
    if (number >= workers()) return tick_of_guest(number);
    worker<M>& w = *workers_[number];
    const unsigned turn = w.turn_.get();
    const bool had_its_turn = std::exchange(w.turn_seen_, turn) == turn;
    if (rests(number, w.idle_ticks_, [&] { return board_.has_work() || w.should_yield(); })) return;
    if (act* const a = w.current_; a != nullptr && had_its_turn) a->end_turn();
  }

  /// Other jobs may want contexts from now on, so who works is to look at that. From any thread.
  void look_for_others() noexcept { start_ticks(); }
  /// Whether somebody could use a worker; a hint. From any thread.
  bool has_work() const noexcept { return board_.has_work(); }

  /// The timer of a worker or guest can be started from now on; it ticks at first.
  void has_timer(unsigned number) noexcept {
    switch_.add(number, [this](unsigned n) { timer_->start(n); });
  }

  /// Unmaps the stacks that no ticket and no worker may need now; returns how many. From any thread.
  std::size_t trim() noexcept {
    act* spare = nullptr;
    std::size_t count = 0;
    {
      const std::scoped_lock held(latch_);
      while (stacks_ > promised_ + workers_.size()) {
        act* const a = take_idle();
        if (a == nullptr) break;
        a->next_ = spare;
        spare = a;
        forget(*a);
        --stacks_;
        ++count;
      }
    }
    while (spare != nullptr) delete std::exchange(spare, static_cast<act*>(spare->next_));
    return count;
  }

  /// Stacks that are mapped.
  std::size_t stacks() noexcept {
    const std::scoped_lock held(latch_);
    return stacks_;
  }

 private:
  friend class activation<M>;
  friend class guest<M>;
  using stack_list = typename M::template plain<act*>;

  static constexpr unsigned orphans_notice = 0;
  static constexpr unsigned tickets_notice = 1;
  static_assert(board<M>::max_slots > tickets_notice);
  static constexpr unsigned most_orphans_in_a_row = 16;
  static constexpr unsigned idle_ticks_before_rest = 3;

  void tick_of_guest(unsigned number) noexcept {
    // relaxed: the guest's own thread wrote it, or nobody is there any more.
    guest<M>* const g = guests_[number - workers()].load(order::relaxed);
    const bool wanted_by_others = g != nullptr && g->should_yield();
    if (g == nullptr || rests(number, g->idle_ticks_, [&] { return wanted_by_others || board_.has_work(); })) return;
    // As long a turn as workers have at least.
    if (!wanted_by_others && (!g->has_better_to_do() || ++g->ticks_ < 2)) return;
    g->ticks_ = 0;
    g->end_turn();
  }

  /// A tick: true if it found nobody who could use the context, for whom alone there are ticks. Notices may be stale:
  /// then home looks in vain, once.
  template <class HasDemand>
  bool rests(unsigned number, unsigned& idle_ticks, HasDemand has_demand) noexcept {
    if (has_demand()) {
      idle_ticks = 0;
      return false;
    }
    if (++idle_ticks < idle_ticks_before_rest) return true;
    idle_ticks = 0;
    switch_.rest(
        number, [this](unsigned n) { timer_->rest(n, with_.with_others()); }, has_demand,
        [this](unsigned n) { timer_->start(n); });
    return true;
  }

  /// After a notice was put on the board.
  void start_ticks() noexcept {
    if (timer_ == nullptr) return;
    switch_.demand([this](unsigned n) { timer_->start(n); });
  }

  /// Whether an activation that spins keeps its worker from one that could go on.
  bool has_orphans() const noexcept {
    // relaxed: a hint.
    return first_orphan_.load(order::relaxed) != nullptr;
  }

  /// Of an activation that may go on: the caller must not touch it afterwards.
  void push_orphan(act& a) noexcept {
    {
      const std::scoped_lock held(latch_);
      a.listing_.state = debugger::orphaned;
      a.next_ = nullptr;
      // relaxed, as elsewhere in the list: under the latch.
      if (first_orphan_.load(order::relaxed) == nullptr) {
        first_orphan_.store(&a, order::relaxed);
      } else {
        last_orphan_->next_ = &a;
      }
      last_orphan_ = &a;
    }
    board_.announce(orphans_notice);
    start_ticks();
  }

  /// What `w` does next; null: there is nothing.
  act* take(worker<M>& w) noexcept {
    const std::scoped_lock held(latch_);
    act* const a = first_orphan_.load(order::relaxed);
    if (a != nullptr && (first_ticket_ == nullptr || w.orphans_in_a_row_ < most_orphans_in_a_row)) {
      ++w.orphans_in_a_row_;
      first_orphan_.store(a->next_, order::relaxed);
      if (a->next_ == nullptr) board_.withdraw(orphans_notice);
      return a;
    }
    w.orphans_in_a_row_ = 0;
    if (a == nullptr) board_.withdraw(orphans_notice);
    if (first_ticket_ == nullptr) {
      board_.withdraw(tickets_notice);
      return nullptr;
    }
    record& r = *first_ticket_;
    unlist(r);
    r.running = r.running + 1;
    // At the end: the others' turn.
    if (r.running < r.bound) list(r);
    // Never null: see make_room_for().
    act* const fresh = w.spare_ != nullptr ? std::exchange(w.spare_, nullptr) : take_idle();
    fresh->of_ = &r;
    return fresh;
  }

  /// Runs `a` on `w` until it comes home for good.
  void go(worker<M>& w, act& a) noexcept {
    for (;;) {
      a.worker_ = &w;
      a.listing_.worker = w.number_;
      a.listing_.state = debugger::running;
      w.current_ = &a;
      w.turn_.set(w.turn_.get() + 1);
      if (a.lender_ == nullptr) {
        machine::fiber::switch_to(w.home_, a.context_);
      } else {
        a.lender_->enter();
      }
      w.current_ = nullptr;
      switch (static_cast<homecoming>(a.came_as_)) {
        case homecoming::finished:
          return finished(w, a);
        case homecoming::preempted:
          timer_->unblock();
          [[fallthrough]];
        case homecoming::expired:
          w.orphans_in_a_row_ = most_orphans_in_a_row;
          [[fallthrough]];
        case homecoming::yielded:
          return push_orphan(a);
        case homecoming::suspended:
          a.listing_.state = debugger::suspended;
          if (a.settle()) return;
          // Resumed while it was on its way here.
          break;
        case homecoming::moved:
          break;
      }
    }
  }

  void finished(worker<M>& w, act& a) noexcept {
    a.local_ = {};
    a.listing_.state = debugger::idle;
    const bool keep = w.spare_ == nullptr;
    bool cold = false;
    if (keep) {
      w.spare_ = &a;
    } else {
      {
        const std::scoped_lock held(latch_);
        cold = warm_count_ >= warm_limit_;
      }
      if (cold) a.context_.let_go();
    }
    bool again = false;
    {
      const std::scoped_lock held(latch_);
      record& r = *a.of_;
      r.running = r.running - 1;
      // Before the promise that it was started on may end: who starts another counts on it.
      if (!keep) {
        push(cold ? cold_ : warm_, a);
        if (!cold) warm_count_ = warm_count_ + 1;
      }
      if (r.stage.read() % 2 != 0) {
        if (r.running == 0) complete(r);
      } else if (!r.listed) {
        list(r);
        again = true;
      }
    }
    if (!again) return;
    board_.announce(tickets_notice);
    start_ticks();
  }

  // With the latch held:

  void complete(record& r) noexcept {
    r.stage.write((r.stage.read() / 2 + 1) * 2);
    promised_ -= r.bound;
    r.next = free_records_;
    free_records_ = &r;
  }

  void list(record& r) noexcept {
    r.listed = true;
    r.next = nullptr;
    if (first_ticket_ == nullptr) {
      first_ticket_ = &r;
    } else {
      last_ticket_->next = &r;
    }
    last_ticket_ = &r;
  }

  void unlist(record& r) noexcept {
    r.listed = false;
    record* before = nullptr;
    for (record* other = first_ticket_; other != &r; other = other->next) before = other;
    if (before == nullptr) {
      first_ticket_ = static_cast<record*>(r.next);
    } else {
      before->next = static_cast<record*>(r.next);
    }
    if (last_ticket_ == &r) last_ticket_ = before;
  }

  void push(stack_list& idle, act& a) noexcept {
    a.next_ = static_cast<act*>(idle);
    idle = &a;
  }

  act* take_idle() noexcept {
    stack_list& from = warm_ != nullptr ? warm_ : cold_;
    act* const a = from;
    if (a == nullptr) return nullptr;
    if (&from == &warm_) warm_count_ = warm_count_ - 1;
    from = static_cast<act*>(a->next_);
    return a;
  }

  // Without:

  /// A record for a ticket with so many activations, which are promised from now on. Makes the stacks that are missing.
  /// A worker may keep one for itself, so there are as many beyond those promised as workers: a start always finds one.
  record& claim_record(unsigned activations) {
    for (std::unique_ptr<record> made_record;;) {
      {
        const std::scoped_lock held(latch_);
        const bool room = promised_ + activations + workers_.size() <= stacks_;
        if (room && made_record != nullptr) {
          records_.push_back(std::move(made_record));
          records_.back()->next = static_cast<record*>(free_records_);
          free_records_ = records_.back().get();
        }
        if (room && free_records_ != nullptr) {
          promised_ += activations;
          record& r = *free_records_;
          free_records_ = static_cast<record*>(r.next);
          return r;
        }
        if (room) {
          made_record = std::make_unique<record>(latch_);
          continue;
        }
      }
      add_stack();
    }
  }

  void add_stack() {
    auto made = std::make_unique<act>(*this, stack_bytes_, spin_ticks_);
    const std::scoped_lock held(latch_);
    debugger::activation_entry& entry = made->listing_;
    entry.number = ++made_;
    entry.next = listing_.first;
    if (entry.next != nullptr) entry.next->previous = &entry;
    listing_.first = &entry;
    push(cold_, *made.release());
    stacks_ += 1;
  }

  /// Off the debugger's list.
  void forget(act& a) noexcept {
    debugger::activation_entry& entry = a.listing_;
    (entry.previous != nullptr ? entry.previous->next : listing_.first) = entry.next;
    if (entry.next != nullptr) entry.next->previous = entry.previous;
  }

  const std::size_t stack_bytes_;
  const std::size_t warm_limit_;
  const std::uint64_t spin_ticks_;
  sharing<M> alone_;
  context_loans<M> own_loans_;
  context_loans<M>& loans_;
  sharing<M>& with_;
  runaway_timer* const timer_;
  tick_switch<M> switch_;
  std::vector<std::unique_ptr<worker<M>>> workers_;
  board<M> board_;

  /// By number; null: no thread has it.
  std::vector<typename M::template atomic<guest<M>*>> guests_;

  latch<M> latch_;                                             ///< guards what follows
  typename M::template atomic<act*> first_orphan_{nullptr};    ///< read without it, too
  typename M::template plain<act*> last_orphan_{nullptr};      ///< unless there is none
  typename M::template plain<record*> first_ticket_{nullptr};  ///< of those that may start an activation
  typename M::template plain<record*> last_ticket_{nullptr};
  typename M::template plain<record*> free_records_{nullptr};
  stack_list warm_{nullptr};
  stack_list cold_{nullptr};
  typename M::template plain<std::size_t> warm_count_{0};
  typename M::template plain<std::size_t> promised_{0};  ///< activations that tickets may have
  typename M::template plain<std::size_t> stacks_{0};
  std::vector<std::unique_ptr<record>> records_;
  std::uint64_t made_ = 0;
  debugger::set_entry listing_;  ///< of all activations
};

template <class M>
guest<M>::guest(worker_set<M>& set, std::uint64_t spin_ticks) : base(spin_ticks), set_(set) {
  unsigned free = 0;
  for (guest* nobody = nullptr;; nobody = nullptr, ++free) {
    if (free == set.guests_.size()) {
      throw usage_error("guest: this set of workers was made for " + std::to_string(set.guests_.size()) +
                        " guests at a time");
    }
    // acquire: who was here before is done with it.
    if (set.guests_[free].compare_exchange(nobody, this, order::acquire)) break;
    if (nobody == nullptr) --free;  // without cause
  }
  number_ = set.workers() + free;
  last_ = free % set.workers();
  proceed();
}

template <class M>
guest<M>::~guest() {
  pause();
  set_.guests_[number_ - set_.workers()].store(nullptr, order::release);  // release: for who comes next
}

template <class M>
bool guest<M>::should_yield() const noexcept {
  return context_ != context_loans<M>::none && set_.loans_.watch(context_).should_yield();
}

template <class M>
bool guest<M>::has_better_to_do() const noexcept {
  return context_ != context_loans<M>::none && set_.loans_.is_wanted(context_) && set_.board_.has_work();
}

template <class M>
void guest<M>::make_way(typename base::place) noexcept {
  if (should_yield() && set_.loans_.look(context_)) return;
  pause();
  proceed();
}

template <class M>
void guest<M>::pause() noexcept {
  this->forget_turn();
  if (context_ == context_loans<M>::none) return;
  last_ = std::exchange(context_, context_loans<M>::none);
  set_.loans_.give_back(last_);
}

template <class M>
void guest<M>::proceed() noexcept {
  context_ = set_.loans_.take(last_, [this] { set_.start_ticks(); });
  ticks_ = 0;
}

template <class M>
bool activation<M>::should_yield() const noexcept {
  return worker_->should_yield();
}

template <class M>
bool activation<M>::has_better_to_do() const noexcept {
  return should_yield() || set_.has_orphans();
}

template <class M>
void activation<M>::make_way(typename party<M>::place where) noexcept {
  if (where == party<M>::place::shield_end) return go_home(homecoming::expired);
  go_home(homecoming::preempted);
  set_.timer_->block();
}

template <class M>
void activation<M>::go_on() noexcept {
  set_.push_orphan(*this);
}

template <class M>
void activation<M>::go_home(homecoming as) noexcept {
  this->forget_turn();
  came_as_ = as;
  if (lender_ == nullptr) {
    machine::fiber::switch_to(context_, worker_->home_);
  } else {
    lender_->leave();
  }
}

template <class M>
template <class F>
void activation<M>::run_as(machine::thread_identity& who, F f) noexcept {
  if (void* const block = who.thread_register(); block != nullptr) {
    machine::fiber::take_on(context_, worker_->home_, block);
    this->set_may_be_left(set_.timer_ != nullptr);
    f();
    this->set_may_be_left(false);
    machine::fiber::put_off(context_, worker_->home_);
    return;
  }
  struct call_back {
    activation& self;
    F& f;
  } both{*this, f};
  who.prepare(
      [](void* argument) {
        const auto& [self, call] = *static_cast<call_back*>(argument);
        call();
        // Home, which the lender lets go on when this returns, goes back to the activation's own stack.
        self.came_as_ = homecoming::moved;
        self.lender_ = nullptr;
      },
      &both);
  lender_ = &who;
  came_as_ = homecoming::moved;
  machine::fiber::switch_to(context_, worker_->home_);
}

template <class M>
void activation<M>::live() noexcept {
  for (;;) {
    ticket_record<M>& of = *of_;
    (*of.call)(*this, of.data, ticket<M>(of));
    go_home(homecoming::finished);
  }
}

}  // namespace callisto::workers
