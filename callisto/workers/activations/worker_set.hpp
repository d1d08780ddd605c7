// The workers of a job: what each does next, the tickets that they work on, and the orphans that they go on with
// (Callisto, EuroSys 2014, sections 2.2 and 2.3).
//
// Orphans, which are activations that can go on, come before new activations: other activations wait for what orphans
// hold, and an orphan has a stack already. Orphans that step aside again and again, because they look for something
// that an activation does which has not begun, would keep that from beginning. So a worker that has taken up
// most_orphans_in_a_row orphans starts a new activation, if it may. Tickets with room for another activation take
// turns.
//
// One latch guards all lists and the tickets' states, so that Callisto waits for its own tickets as runtimes wait for
// theirs. It is one word for all workers: an activation passes it once to start and once to end, or to suspend and go
// on. On the simulated SPARC T5-8, when all workers want it at once, a pass takes 0.5 us with 2 contexts, 2.4 us with
// 64, and 2.5 to 4.6 us with 256 and 1,024, mostly since all waiters try when it is free (simulated_latch_test.cpp). So
// a set of 1,024 starts a team of activations in some 3 ms, and is for activations that last longer than that. Teams
// that stay, as OpenMP's do, do not come here between regions, nor do loops and tasks.
//
// Idle workers watch a work signal (waiting/work_signal.hpp) of two notices: there are orphans; there are tickets with
// room. A thread that puts something into a list announces it afterwards, without the latch; a worker that finds a list
// empty withdraws its notice with the latch held. So a withdrawal comes before any announcement of what was put in
// later, and a notice that is left standing costs one vain look.
#pragma once

#include <callisto/machine/fibers/fiber.hpp>
#include <callisto/machine/policy.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/ticks_of.hpp>
#include <callisto/workers/activations/activation.hpp>
#include <callisto/workers/activations/activation_pool.hpp>
#include <callisto/workers/activations/attached_thread.hpp>
#include <callisto/workers/activations/context_owners.hpp>
#include <callisto/workers/activations/context_provider.hpp>
#include <callisto/workers/activations/debugger.hpp>
#include <callisto/workers/activations/descheduled_peer_wait.hpp>
#include <callisto/workers/activations/orphan_queue.hpp>
#include <callisto/workers/activations/set_options.hpp>
#include <callisto/workers/activations/ticket.hpp>
#include <callisto/workers/activations/worker.hpp>
#include <callisto/workers/preemption/interruption.hpp>
#include <callisto/workers/preemption/loop_traps.hpp>
#include <callisto/workers/preemption/runaway_timer.hpp>
#include <callisto/workers/preemption/spin_sites.hpp>
#include <callisto/workers/preemption/tick_policy.hpp>
#include <callisto/workers/preemption/timer_gate.hpp>
#include <callisto/workers/waiting/latch.hpp>
#include <callisto/workers/waiting/suspendable.hpp>
#include <callisto/workers/waiting/work_signal.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace callisto::workers {

template <machine::policy M>
class worker_set {
  using order = machine::order;
  using act = activation<M>;
  using record = ticket_record<M>;
  using role = typename ticked_thread<M>::role;

 public:
  explicit worker_set(const set_options<M>& how)
      : spin_ticks_(how.spin_ticks),
        own_owners_(how.attached != 0 && how.owners == nullptr ? how.workers : 0),
        owners_(how.owners != nullptr ? *how.owners : own_owners_),
        with_(how.attached != 0     ? static_cast<context_provider<M>&>(owners_)
              : how.with != nullptr ? *how.with
                                    : alone_),
        timer_(how.timer),
        peers_(how.peers),
        turn_ticks_(machine::ticks_of<M>(how.turn_ns)),
        has_own_threads_(how.own_threads),
        gate_(how.timer != nullptr || how.attached != 0 ? how.workers + how.attached : 0),
        slots_(how.attached),
        threads_(new ticked_thread<M>[how.workers + how.attached]),
        pool_(latch_, how.stack_bytes, how.warm_stacks, how.workers) {
    for (unsigned n = 0; n < how.workers; ++n)
      workers_.push_back(std::unique_ptr<worker<M>>(new worker<M>(n, with_.watch(n))));
  }

  /// Every worker has returned from run() before. No ticket may be active or drained.
  ~worker_set() = default;
  worker_set(const worker_set&) = delete;
  worker_set& operator=(const worker_set&) = delete;

  unsigned workers() const noexcept { return static_cast<unsigned>(workers_.size()); }
  const worker<M>& worker_of(unsigned number) const noexcept { return *workers_[number]; }

  /// CreateWorkTicket: from now on workers call `call` with `data`, at most `max_concurrency` times at once, suspended
  /// calls included, until the ticket is drained. Throws usage_error if that is 0, and std::bad_alloc if there is no
  /// memory for so many stacks; then nothing has happened. From any thread. Takes a microsecond or less if there are
  /// stacks enough. A preemptible caller passes itself as `preemptible`, and is shielded only where it must be. While
  /// the call allocates, the caller is not shielded: a preempted activation may hold malloc's lock, and needs this
  /// context to go on.
  ticket<M> create_ticket(activate<M> call, void* data, unsigned max_concurrency,
                          suspendable<M>* preemptible = nullptr) {
    if (max_concurrency == 0)
      throw usage_error("create_work_ticket: a ticket with at most 0 concurrent activations would never be worked on");
    record& r = claim_record(max_concurrency, preemptible);
    const typename suspendable<M>::shielded_if shield(preemptible);
    std::unique_lock held(latch_);
    r.bound = max_concurrency;
    r.call = call;
    r.data = data;
    const ticket<M> name(r);
    list(r);
    held.unlock();
    work_signal_.announce(tickets_notice);
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

  /// WaitTicketDrained: blocks until the ticket is drained or complete.
  void wait_drained(ticket<M> t, suspendable<M>& self) {
    sync_wait_value(t.record_->stage, [t](std::uint64_t stage) { return t.is_drained(stage); }, self);
  }

  /// WaitTicketComplete: blocks until the ticket is complete. What its activations wrote is visible then, and they no
  /// longer touch their data.
  void wait_complete(ticket<M> t, suspendable<M>& self) {
    sync_wait_value(t.record_->stage, [t](std::uint64_t stage) { return t.is_complete(stage); }, self);
  }

  /// Runs activations until finish(): the life of a worker. Called once for each number, each on a thread of its own.
  void run(unsigned number) {
    worker<M>& w = *workers_[number];
    ticked_thread<M>& self = threads_[number];
    w.own_home_.become_this_threads();
    // How the worker waits for work: it spins only while no other thread has its context.
    for (auto patience = machine::patience::lasting;;) {
      const auto too_late = [&] { return with_.comes_too_late(number); };
      if (work_signal_.wait_for_work([] {}, patience, too_late).finished) return;
      patience = machine::patience::none;
      if (!with_.come_back(number)) continue;
      bool here = true;
      bool waits = false;  // whether what it ran last will go on; after the last activation the worker does not spin
      while (here) {
        w.home_ = &w.own_home_;
        const auto next = [this, &w] { return w.should_yield() ? nullptr : take(w); };
        // The first activation is taken before anything is announced: if it was all, no ticks are needed.
        if (act* a = next(); a != nullptr) {
          busy_.fetch_add(1, order::relaxed);  // relaxed, both: a hint
          arrive(number, self, &w, [&w] { return w.should_yield(); });
          for (; a != nullptr; a = next()) waits = go(self, w, *a);
          leave(number, self);
          busy_.fetch_sub(1, order::relaxed);
        }
        if (!w.should_yield()) break;
        here = with_.hand_over(number);
      }
      if (here && with_.fall_idle(number) && waits && !is_full()) patience = machine::patience::lasting;
    }
  }

  /// Ends the workers, once no ticket is left.
  void finish() noexcept { work_signal_.finish(); }

  /// A tick of the runaway timer of thread `number`, a worker's or an attached one, in a handler of signals on it. May
  /// leave what runs there. Then it returns true when that goes on, an activation maybe on another worker. Does not
  /// allocate, and takes no lock.
  bool tick(unsigned number, const interruption& at) noexcept {
    ticked_thread<M>& self = threads_[number];
    const role does = self.does.get();
    if (does == role::elsewhere) {
      // The timer was started too late.
      timer_->set_rate(number, tick_rate::none);
      return false;
    }
    worker<M>* const w = does == role::worker ? self.works_as : nullptr;
    // relaxed: written by this thread, which is attached.
    attached_thread<M>* const g = w == nullptr ? slots_[number - workers()].of.load(order::relaxed) : nullptr;
    // Since it was blocked it runs without a context.
    if (g != nullptr && g->context_ == context_owners<M>::none) {
      // One that is about to handle a signal does not take a context.
      if (g->is_asked() || at.is_call) return g->answers();
      return g->looks_back(at.is_in_call) && g->end_turn();
    }
    if (w != nullptr && w->current_ != nullptr && w->current_->call_.is_called()) return w->current_->end_turn();
    if (w != nullptr && w->host_ != nullptr && w->host_->has_signals()) return end_turn(w, g);
    // A signal that it blocks would come for the activations that run on its thread.
    if (g != nullptr && (g->is_asked() || at.has_held)) return g->answers();
    if (at.is_call) return false;
    const bool wanted = w != nullptr ? w->should_yield() : g->should_yield();
    const auto has_demand = [&] { return wanted || work_signal_.has_work() || (w != nullptr && has_ready_host(*w)); };
    const bool crowded = is_crowded();
    if (crowded && g != nullptr && g->context_ != context_owners<M>::none) peers_->go_to(g->context_);
    if (crowded) peers_->end_waits();
    const auto demand = self.ticks.count(has_demand());
    if (demand == tick_policy::demand::absent_for_long) rest(number, has_demand);
    const bool is_idle = demand != tick_policy::demand::present;
    if (is_idle && !crowded) return false;
    const std::uint64_t now = M::ticks();
    const auto seen = self.ticks.see(at, machine::ticks_of<M>(at.period), self.turn.get(), now, crowded);
    bool waits = seen.asks_sites && sites_.has(at.instruction);
    suspendable<M>* const runs = w == nullptr ? static_cast<suspendable<M>*>(g) : w->current_;
    if (!waits && (seen.stands_still || timer_->waits_at(at.instruction))) {
      // The same one was found twice in the same place: that is no coincidence.
      if (runs != nullptr && interruption::are_near(at.instruction, std::exchange(runs->waited_at_, at.instruction)))
        sites_.add(at.instruction);
      waits = true;
    }
    if (is_idle) {
      // No activation could use the context, but maybe another process can. A tick that was due in such a wait comes
      // right after it: the thread must run before it waits again.
      self.has_waited = waits && !self.has_waited && !at.is_in_call && runs != nullptr && !runs->is_shielded();
      if (self.has_waited) peers_->wait(number, g != nullptr ? g->context_ : descheduled_peer_wait::pinned);
      return false;
    }
    if (at.is_in_call && self.has_blocked(timer_->times_blocked()) && runs != nullptr && !runs->is_shielded() &&
        lets_block(w, g, now)) {
      adapt_ticks(number, self, true, now);
      return end_turn(w, g);
    }
    const bool is_trapped = waits && sites_.has(at.instruction) && timer_->trap(at.instruction);
    adapt_ticks(number, self, waits && !is_trapped, now);
    return self.ticks.ends_turn(wanted, waits, now, turn_ticks_) && end_turn(w, g);
  }

  /// In the handler of a tick on an alternate stack: returns a free stack of what runs on thread `number`; null:
  /// nothing does that may be left now. What is shielded may stand on that stack itself.
  void* stack_for_handler(unsigned number) noexcept {
    const ticked_thread<M>& self = threads_[number];
    const role does = self.does.get();
    if (does == role::elsewhere) return nullptr;
    if (does == role::attached_thread) {
      // relaxed: written by this thread.
      const attached_thread<M>& g = *slots_[number - workers()].of.load(order::relaxed);
      return g.is_shielded() ? nullptr : g.stack_for_handler_;
    }
    const act* const runs = self.works_as->current_;
    return runs == nullptr || runs->is_shielded() ? nullptr : runs->context_.free_stack();
  }

  /// In the handler of a signal of the program's on thread `number`. If `put_off`, the program's handler had better not
  /// run now. It might wait for others, and what it interrupted holds a lock, or keeps the thread's context from them
  /// meanwhile. The caller blocks the signal, and sends it again, so that it comes once it can. Does not allocate, and
  /// takes no lock.
  signal_fate put_off_signal(unsigned number, std::uint64_t signal) noexcept {
    const ticked_thread<M>& self = threads_[number];
    const bool works = self.does.get() == role::worker;
    act* const runs = works ? static_cast<act*>(self.works_as->current_) : nullptr;
    if (number < workers()) {
      if (runs != nullptr && runs->is_reachable()) return signal_fate::handled;
      workers_[number]->put_off_.set(workers_[number]->put_off_.get() | signal);
      if (runs != nullptr) runs->turn_is_over();
      return signal_fate::any_thread;
    }
    // relaxed: written by this thread.
    attached_thread<M>* const g = slots_[number - workers()].of.load(order::relaxed);
    const suspendable<M>* const reached = works ? static_cast<const suspendable<M>*>(runs) : g;
    if (g == nullptr || (reached != nullptr && reached->is_reachable())) return signal_fate::handled;
    g->put_off_.set(g->put_off_.get() | signal);
    if (runs != nullptr) {
      runs->turn_is_over();
    } else if (!works) {
      g->turn_is_over();
    }
    return signal_fate::this_thread;
  }

  /// Lets busy threads look soon whether their contexts are wanted, again and again: jobs have come or gone, or an
  /// attached thread wants a context. From any thread.
  void look_for_others() noexcept {
    const std::uint64_t now = M::ticks();
    const bool come_rarely = is_calm(now);
    reason_at_.store(now, order::relaxed);
    start_ticks();
    if (come_rarely && has_gate()) gate_.for_each_ticking([this](unsigned n) { start_timer(n); });
  }
  /// Lets busy threads look once whether their contexts are wanted. From any thread.
  void look_soon() noexcept { start_ticks(); }
  /// True if another worker would find work, or would have in the last so many M::ticks(); a hint. From any thread.
  bool had_work(std::uint64_t ticks) const noexcept {
    return work_signal_.has_work() || M::ticks() - orphans_.newest_at() < ticks;
  }
  /// True if finish() was called; a hint. From any thread.
  bool is_finished() const noexcept { return work_signal_.is_finished(); }

  /// Says that the timer of thread `number` can be started from now on; it ticks at first.
  void has_timer(unsigned number) noexcept {
    if (gate_.add(number)) start_timer(number);
  }

  /// Sends a signal to an attached thread by send(), or has it send the signal to itself where it works as a worker.
  /// Returns send()'s result, else 0. From any thread; an activation is shielded.
  template <class Send>
  int send(attached_thread<M>& to, unsigned signal, Send send_it) noexcept {
    int result = 0;
    const auto send_now = [&] {
      if (threads_[to.number_].does.get() == role::attached_thread) {
        to.asked_.store(true, order::relaxed);  // relaxed: a hint
        timer_->call(to.number_);
      }
      result = send_it();
    };
    if (to.mail_.post(signal, send_now)) timer_->call(to.number_);
    return result;
  }

  /// Unmaps the stacks that no ticket and no worker may need now; returns how many. From any thread.
  std::size_t trim() noexcept { return pool_.trim(); }

  /// Returns how many stacks are mapped.
  std::size_t stacks() noexcept { return pool_.stacks(); }

 private:
  friend class activation<M>;
  friend class activation_pool<M>;
  friend class attached_thread<M>;

  static constexpr unsigned orphans_notice = 0;
  static constexpr unsigned tickets_notice = 1;
  static_assert(work_signal<M>::max_slots > tickets_notice);
  static constexpr unsigned most_orphans_in_a_row = 16;
  /// A worker that sleeps takes up an orphan within 100 us if its context is free, in most cases within 50 us.
  static constexpr std::uint64_t arrivals_per_second = 10'000;

  // Ticks:

  /// In the handler: lets the timer of thread `number` rest, unless demand arises meanwhile. Notices may be stale; then
  /// home looks in vain, once.
  template <class HasDemand>
  void rest(unsigned number, HasDemand has_demand) noexcept {
    const auto stop = [this](unsigned n) {
      timer_->set_rate(n, tick_policy::resting(is_watched(context_of(n)), demanded_rate(n, M::ticks())));
    };
    gate_.rest(number, stop, has_demand, wake());
  }

  /// In the handler: ends the turn of what runs as this worker, or of this attached thread. True if it was left, and
  /// has come back; false if it is left at the end of its shield.
  bool end_turn(worker<M>* w, attached_thread<M>* g) noexcept {
    if (w == nullptr) return g->end_turn();
    return w->current_ != nullptr && w->current_->end_turn();
  }

  /// In the handler of a tick that found a system call which waits: true if what made it can wait without a context.
  bool lets_block(worker<M>* w, attached_thread<M>* g, std::uint64_t now) noexcept {
    return w == nullptr ? g->lets_block(now) : w->current_->own_.want(now);
  }

  /// In the handler, after a tick with demand. An activation that computes is hardly disturbed by quick ticks, since it
  /// can get but few.
  void adapt_ticks(unsigned number, ticked_thread<M>& self, bool waits, std::uint64_t now) noexcept {
    if (tick_policy::is_reason(waits, contexts_used())) reason_at_.store(now, order::relaxed);
    switch (self.ticks.adapt(waits, demanded_rate(number, now))) {
      case tick_policy::change::none:
        break;
      case tick_policy::change::quick:
        timer_->set_rate(number, tick_rate::quick);
        break;
      case tick_policy::change::restart:
        start_own_timer(number, self);
    }
  }

  /// relaxed, always: a hint.
  bool is_calm(std::uint64_t now) const noexcept {
    return tick_policy::is_calm(now - reason_at_.load(order::relaxed), M::ticks_per_second());
  }
  /// An activation that computes ends its turn by itself, sooner or later. But a worker may be where another job has
  /// high priority, and wants the context back (rule 3); an attached thread has the main thread's context (rule 1).
  tick_rate demanded_rate(unsigned number, std::uint64_t now) const noexcept {
    return tick_policy::demanded(is_calm(now), is_crowded(), number < workers() && with_.may_be_asked(number));
  }
  /// Returns how many contexts have something to do; a hint.
  unsigned contexts_used() const noexcept { return owners_.lent_contexts() + busy_.load(order::relaxed); }

  /// True if other processes compete for the processors: then ticks look for waits, too.
  bool is_crowded() const noexcept { return peers_ != nullptr && peers_->crowded(); }
  /// True if there are ticks without demand on context `c`, which may be `none`.
  bool is_watched(unsigned c) const noexcept {
    return is_crowded() || (c != context_owners<M>::none && with_.may_be_asked(c));
  }
  /// Returns the context that the calling thread has; `none`: it has none.
  unsigned context_of(unsigned number) const noexcept {
    // relaxed: written by this thread, if it is attached.
    return number < workers() ? number : slots_[number - workers()].of.load(order::relaxed)->context_;
  }
  /// True if attached threads may want all the processors. Those that are elsewhere may sleep; the set cannot know.
  bool has_attached_everywhere() const noexcept {
    return attached_.load(order::relaxed) >= workers();  // relaxed: a hint
  }
  /// True if threads that are no workers may want all processors: then workers do not spin on theirs.
  bool is_full() const noexcept { return has_attached_everywhere() || is_crowded(); }
  /// The thread has something to do from now on, or has nothing.
  void set_present(unsigned number, bool is) noexcept {
    if (peers_ != nullptr) peers_->set_present(number, is);
  }

  /// Called after a notice was announced.
  void start_ticks() noexcept {
    if (has_gate()) gate_.demand(wake());
  }

  /// Returns what is done for a thread with a timer at rest when there is demand.
  auto wake() noexcept {
    return [this](unsigned n, bool here) {
      if (here) {
        start_timer(n);
      } else if (n >= workers()) {
        // relaxed: the attached thread wrote it before its timer rested.
        owners_.reclaim(slots_[n - workers()].left.load(order::relaxed));
      }
    };
  }

  void start_timer(unsigned number) noexcept {
    if (timer_ != nullptr) timer_->set_rate(number, demanded_rate(number, M::ticks()));
  }
  /// By the thread, also in the handler.
  void start_own_timer(unsigned number, ticked_thread<M>& self) noexcept {
    if (timer_ == nullptr) return;
    const tick_rate rate = demanded_rate(number, M::ticks());
    self.ticks.start(rate);
    timer_->set_rate(number, rate);
  }
  void stop_timer(unsigned number) noexcept {
    if (timer_ != nullptr) timer_->set_rate(number, tick_rate::none);
  }

  /// A thread of this set can be interrupted from now on, as a worker or, if `as` is null, as an attached thread.
  /// wanted() says whether its context is.
  template <class Wanted>
  void arrive(unsigned number, ticked_thread<M>& self, worker<M>* as, Wanted wanted) noexcept {
    self.works_as = as;
    self.ticks.arrive();
    self.does.set(as != nullptr ? role::worker : role::attached_thread);
    set_present(number, true);
    if (!has_gate()) return;
    const bool is_to_tick = gate_.arrive(number);
    const auto has_demand = [this, wanted] { return wanted() || work_signal_.has_work(); };
    if (is_watched(context_of(number)) || (is_to_tick && has_demand())) {
      if (!is_to_tick) gate_.add(number);  // so that demand need not start the timer again
      start_own_timer(number, self);
    } else if (is_to_tick) {
      // The timer does not tick yet: there was demand while the thread was elsewhere, and there is none now.
      gate_.rest(number, [](unsigned) {}, has_demand, wake());
    }
  }
  void leave(unsigned number, ticked_thread<M>& self) noexcept {
    self.does.set(role::elsewhere);
    set_present(number, false);
    if (has_gate() && (gate_.leave(number) || is_watched(context_of(number)))) stop_timer(number);
  }

  // For attached threads:

  /// The attached thread leaves its context as it is, unless an activation has a use for it already.
  void let_pause(attached_thread<M>& g) noexcept {
    threads_[g.number_].does.set(role::elsewhere);
    set_present(g.number_, false);
    const unsigned c = g.context_;
    const bool has_context = c != context_owners<M>::none;
    const auto has_demand = [this] { return work_signal_.has_work(); };
    if (has_context && has_demand()) {
      g.give_back();
    } else if (has_context) {
      // relaxed: ordered by the operations on the gate below.
      slots_[g.number_ - workers()].left.store(c, order::relaxed);
      owners_.step_away(c);
    }
    if (gate_.leave(g.number_)) {
      gate_.rest(g.number_, [this](unsigned n) { stop_timer(n); }, has_demand, wake());
    } else {
      if (is_watched(c)) stop_timer(g.number_);
      if (has_context) gate_.look_again(has_demand, [this, c] { owners_.reclaim(c); });
    }
  }

  enum class hosting : std::uint8_t { done, nothing_to_do, lost_context, has_mail };  ///< or mail is on its way

  /// The thread of an attached thread that has a context works as that context's worker, until done(), asked between
  /// two activations, or until nothing has been to do for as long as `patient`, in M::ticks(). A handler of a tick has
  /// a stack of its own. There signals come only while the mailbox keeps those for the thread itself.
  template <class Done>
  hosting host(attached_thread<M>& g, Done done, std::uint64_t patient, bool in_handler = false) noexcept {
    // Their handlers may wait for threads that have no context, and had better not run here.
    const bool has_mask = g.has_own_mask() && !in_handler;
    if ((has_mask && timer_->has_held()) || g.put_off_.get() != 0) return hosting::has_mail;
    if (!g.mail_.open()) return hosting::has_mail;
    const std::uint64_t mask = has_mask ? timer_->put_off_mask(false) : 0;
    if (has_mask) g.has_own_mask(!timer_->is_usual(mask));
    worker<M>& w = *workers_[g.context_];
    ticked_thread<M>& self = threads_[g.number_];
    w.home_ = &g.home_;
    w.host_ = &g;
    g.works_as_ = self.works_as = &w;
    self.does.set(role::worker);
    if (in_handler) timer_->unblock();
    hosting found = hosting::done;
    while (!done()) {
      if (g.has_signals()) {
        found = hosting::has_mail;
        break;
      }
      if (w.should_yield() && !look_again(g, self, w)) {
        found = hosting::lost_context;
        break;
      }
      if (act* const a = take(w); a != nullptr) {
        const bool counts = processor_time::is_counted();
        const std::uint64_t before = counts ? processor_time::of_thread() : 0;
        go(self, w, *a);
        if (counts) g.time_of_others_ += processor_time::of_thread() - before;
      } else if (!g.awaits([&] { return done() || work_signal_.has_work() || w.should_yield() || g.has_signals(); },
                           patient)) {
        found = hosting::nothing_to_do;
        break;
      }
    }
    if (in_handler) timer_->block();
    if (has_mask) {
      timer_->put_on_mask(mask);
      g.put_off_.set(g.put_off_.get() & ~mask);  // what the thread blocks itself stays pending
    }
    g.letters_ |= g.mail_.close();
    self.turn.set(self.turn.get() + 1);
    self.does.set(role::attached_thread);
    g.works_as_ = nullptr;
    w.host_ = nullptr;
    w.home_ = nullptr;
    return found;
  }

  /// Another job may want the context: blocks until the thread that works as `w` may run there again; false: the
  /// context is lost. Without ticks, each of which would take the processor from that job.
  bool look_again(attached_thread<M>& g, ticked_thread<M>& self, worker<M>& w) noexcept {
    leave(g.number_, self);
    if (!owners_.look(g.context_)) return false;
    arrive(g.number_, self, &w, [&w] { return w.should_yield(); });
    return true;
  }

  /// True if an attached thread works as this worker and could go on itself.
  static bool has_ready_host(const worker<M>& w) noexcept { return w.host_ != nullptr && w.host_->is_ready(); }

  /// Returns how many activations have a turn before an attached thread that made way has its own again.
  unsigned fair_turns() const noexcept { return std::max(1U, orphans_.count() / workers()); }

  bool has_gate() const noexcept { return timer_ != nullptr || !slots_.empty(); }

  // Activations:

  /// True if an activation that spins keeps its worker from one that could go on. Hints.
  bool has_orphans() const noexcept {
    if (orphans_.first() == nullptr) return false;
    if (orphans_.count() + contexts_used() > with_.contexts_at_hand(workers()) || has_attached_everywhere())
      return true;
    // Workers that have contexts at hand are on their way, and had better go on with the orphans; but only for a time.
    // That holds beside processes that are no jobs, too: a thread that has slept gets a processor before those that
    // computed, as a rule.
    return M::ticks() - orphans_.newest_at() > M::ticks_per_second() / arrivals_per_second;
  }

  /// Makes an orphan of an activation that may go on. The caller must not touch it afterwards.
  void push_orphan(act& a) noexcept {
    {
      const std::scoped_lock held(latch_);
      a.listing_.state = debugger::orphaned;
      orphans_.push(a, M::ticks());
    }
    work_signal_.announce(orphans_notice);
    start_ticks();
  }

  /// Returns what `w` does next; null: there is nothing.
  act* take(worker<M>& w) noexcept {
    const std::scoped_lock held(latch_);
    act* const a = orphans_.first();
    if (a != nullptr && (first_ticket_ == nullptr || w.orphans_in_a_row_ < most_orphans_in_a_row)) {
      ++w.orphans_in_a_row_;
      if (orphans_.pop()) work_signal_.withdraw(orphans_notice);
      return a;
    }
    w.orphans_in_a_row_ = 0;
    if (a == nullptr) work_signal_.withdraw(orphans_notice);
    if (first_ticket_ == nullptr) {
      work_signal_.withdraw(tickets_notice);
      return nullptr;
    }
    record& r = *first_ticket_;
    unlist(r);
    r.running = r.running + 1;
    // At the end of the list, so that the other tickets have their turns.
    if (r.running < r.bound) list(r);
    // Never null: it was promised.
    act* const fresh = w.spare_ != nullptr ? std::exchange(w.spare_, nullptr) : pool_.take();
    fresh->of_ = &r;
    return fresh;
  }

  /// Runs `a` on `w` until it comes home for good. True: it will go on, perhaps soon.
  bool go(ticked_thread<M>& self, worker<M>& w, act& a) noexcept {
    const auto number = static_cast<std::uint32_t>(&self - threads_.get());
    for (;;) {
      while (a.call_.enter(number) && !a.own_.want_for_call()) a.call_.forget_calls();
      if (a.own_.is_wanted()) {
        a.own_.identity->run(go_on_own_thread, &a);
        return true;
      }
      a.worker_ = &w;
      a.listing_.worker = w.number_;
      a.listing_.state = debugger::running;
      w.current_ = &a;
      if ((w.host_ != nullptr ? w.host_->put_off_ : w.put_off_).get() != 0) a.turn_is_over();
      self.turn.set(self.turn.get() + 1);
      a.time_.begin_turn();
      if (a.lender_ == nullptr) {
        machine::fiber::switch_to(*w.home_, a.context_);
      } else {
        a.lender_->enter();
      }
      a.time_.end_turn();
      w.current_ = nullptr;
      switch (static_cast<homecoming>(a.came_as_)) {
        case homecoming::finished:
          finished(w, a);
          return false;
        case homecoming::preempted:
          timer_->unblock();
          [[fallthrough]];
        case homecoming::expired:
          w.orphans_in_a_row_ = most_orphans_in_a_row;
          [[fallthrough]];
        case homecoming::yielded:
          push_orphan(a);
          return true;
        case homecoming::blocked:
          timer_->unblock();
          [[fallthrough]];
        case homecoming::called:
          a.own_.identity->run(go_on_own_thread, &a);
          return true;
        case homecoming::suspended: {
          a.listing_.state = debugger::suspended;
          const auto found = a.settle_or_called();
          if (found == act::settlement::called) {
            a.own_.want_for_call();
            a.own_.identity->run(go_on_own_thread, &a);
          }
          if (found != act::settlement::resumed) return true;
          // It was resumed on its way here.
          break;
        }
        case homecoming::moved:
          break;
      }
    }
  }

  /// What works on the activation's own thread, should it need one. Throws std::bad_alloc.
  void provide_own_thread(act& a) const {
    if (has_own_threads_ && timer_ != nullptr) a.own_.works_as.reset(new worker<M>(workers(), calm_));
  }

  /// On the activation's own thread: runs it until it goes back to the workers. Another worker may run it, under the
  /// same identity, before this returns: from that moment on this touches no thread-local data. Calls of the system
  /// that succeed leave errno alone. Signals are blocked here, since the stack has little room.
  static void go_on_own_thread(void* an_activation) noexcept {
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

  void finished(worker<M>& w, act& a) noexcept {
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
      // Before the promise may end that the activation was started on: a worker that starts another counts on it.
      if (!keep) pool_.put(a, cold);
      if (r.stage.read() % 2 != 0) {
        if (r.running == 0) complete(r);
      } else if (!r.listed) {
        list(r);
        again = true;
      }
    }
    if (!again) return;
    work_signal_.announce(tickets_notice);
    start_ticks();
  }

  // Tickets, with the latch held:

  void complete(record& r) noexcept {
    r.stage.write((r.stage.read() / 2 + 1) * 2);
    pool_.take_back(r.bound);
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

  // Without:

  /// Returns a record for a ticket with so many activations, which are promised from now on. Makes the stacks that are
  /// missing.
  record& claim_record(unsigned activations, suspendable<M>* preemptible) {
    for (std::unique_ptr<record> made;;) {
      bool room = false;
      {
        const typename suspendable<M>::shielded_if shield(preemptible);
        const std::scoped_lock held(latch_);
        room = pool_.can_promise(activations);
        if (room && made != nullptr) {
          made->next = static_cast<record*>(free_records_);
          free_records_ = made.get();
          records_.add(std::exchange(made, nullptr));
        }
        if (room && free_records_ != nullptr) {
          pool_.promise(activations);
          record& r = *free_records_;
          free_records_ = static_cast<record*>(r.next);
          return r;
        }
      }
      if (room) {
        made = std::make_unique<record>(latch_);
      } else {
        pool_.add(*this, spin_ticks_, preemptible);
      }
    }
  }

  const std::uint64_t spin_ticks_;
  context_provider<M> alone_;
  context_owners<M> own_owners_;
  context_owners<M>& owners_;
  context_provider<M>& with_;
  runaway_timer* const timer_;
  descheduled_peer_wait* const peers_;
  const std::uint64_t turn_ticks_;
  const bool has_own_threads_;
  const context_watch<M> calm_;  ///< of activations' own threads, which have no context
  spin_sites<M> sites_;
  /// When there was last a reason for ticks to come soon (tick_policy::is_reason(), look_for_others()), in M::ticks().
  machine::atomic_of<M, std::uint64_t> reason_at_{M::ticks()};
  timer_gate<M> gate_;
  std::vector<std::unique_ptr<worker<M>>> workers_;
  work_signal<M> work_signal_;
  machine::atomic_of<M, unsigned> busy_{0};  ///< workers that have found something to do

  /// An attached thread's, by its number behind those of the workers.
  struct slot {
    machine::atomic_of<M, attached_thread<M>*> of{nullptr};  ///< null: it is free
    machine::atomic_of<M, unsigned> left{0};                 ///< the context that the thread had when it stepped away
  };
  std::vector<slot> slots_;
  machine::atomic_of<M, unsigned> attached_{0};  ///< slots in use, also by threads that are elsewhere
  std::unique_ptr<ticked_thread<M>[]> threads_;  ///< the workers', then the attached ones

  latch<M> latch_;  ///< guards what follows
  orphan_queue<M> orphans_;
  machine::plain_of<M, record*> first_ticket_{nullptr};  ///< of those that may start an activation
  machine::plain_of<M, record*> last_ticket_{nullptr};
  machine::plain_of<M, record*> free_records_{nullptr};
  ticket_records<M> records_;
  activation_pool<M> pool_;
};

}  // namespace callisto::workers
