// The workers of a job: what each does next, the tickets that they work on, and the orphans that they go on with
// (Callisto, EuroSys 2014, sections 2.2 and 2.3).
//
// Orphans, which are activations that can go on, come before new activations: other activations wait for what orphans
// hold, and an orphan has a stack already. An orphan that steps aside again and again, because it waits for an
// activation that has not begun, would keep that activation from beginning. So a worker that has taken up
// most_orphans_in_a_row orphans starts a new activation, if it may. Tickets with room take turns.
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
#include <callisto/machine/ticks_of.hpp>
#include <callisto/waiting/latch.hpp>
#include <callisto/waiting/suspendable.hpp>
#include <callisto/waiting/work_signal.hpp>
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
#include <callisto/workers/activations/ticket_list.hpp>
#include <callisto/workers/activations/worker.hpp>
#include <callisto/workers/preemption/interruption.hpp>
#include <callisto/workers/preemption/runaway_timer.hpp>
#include <callisto/workers/preemption/spin_sites.hpp>
#include <callisto/workers/preemption/tick_decision.hpp>
#include <callisto/workers/preemption/tick_policy.hpp>
#include <callisto/workers/preemption/timer_gate.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace callisto::workers {

using waiting::work_signal;

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
  /// memory for the stacks; then nothing has happened. From any thread. Takes a microsecond or less if there are stacks
  /// enough. A preemptible caller passes itself as `preemptible`, and is shielded only where it must be. While the call
  /// allocates, the caller is not shielded: a preempted activation may hold malloc's lock, and needs this context to go
  /// on.
  ticket<M> create_ticket(activate<M> call, void* data, unsigned max_concurrency,
                          suspendable<M>* preemptible = nullptr);

  /// SetTicketDrained: no more up-calls begin. Once is enough; more often is harmless, also after completion.
  void set_drained(ticket<M> t) noexcept;

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

  /// WaitTicketComplete: blocks until the ticket is complete. The writes of its activations are visible then, and they
  /// no longer touch their data.
  void wait_complete(ticket<M> t, suspendable<M>& self) {
    sync_wait_value(t.record_->stage, [t](std::uint64_t stage) { return t.is_complete(stage); }, self);
  }

  /// Runs activations until finish(): the life of a worker. Called once for each number, each on another thread.
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
  bool tick(unsigned number, const interruption& at) noexcept;

  /// In the handler of a tick on an alternate stack: returns a free stack of what runs on thread `number`; null:
  /// nothing does that may be left now. Shielded code may stand on that stack itself.
  void* stack_for_handler(unsigned number) noexcept;

  /// In the handler of a signal of the program's on thread `number`. If `put_off`, the program's handler had better not
  /// run now. It might wait for other threads, and what it interrupted holds a lock, or keeps the thread's context from
  /// them meanwhile. The caller blocks the signal, and sends it again, so that it comes once it can. Does not allocate,
  /// and takes no lock.
  signal_fate put_off_signal(unsigned number, std::uint64_t signal) noexcept;

  /// Sends a signal to an attached thread by send(), or has it send the signal to itself where it works as a worker.
  /// Returns send()'s result, else 0. From any thread; an activation is shielded.
  template <class Send>
  int send(attached_thread<M>& to, unsigned signal, Send send_it) noexcept;

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
  /// True if another worker would find work, or would have in the last `ticks` M::ticks(); a hint. From any thread.
  bool had_work(std::uint64_t ticks) const noexcept {
    return work_signal_.has_work() || M::ticks() - orphans_.newest_at() < ticks;
  }
  /// True if finish() was called; a hint. From any thread.
  bool is_finished() const noexcept { return work_signal_.is_finished(); }

  /// Registers thread `number`'s timer and starts it.
  void has_timer(unsigned number) noexcept {
    if (gate_.add(number)) start_timer(number);
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

  // Ticks (tick_response.hpp):

  /// Returns what a tick needs to know before it looks. `g`: the attached thread that runs its own code.
  tick_facts facts_of(const worker<M>* w, const attached_thread<M>* g, const interruption& at) const noexcept;
  /// Looks for a wait, and acts. True if what ran was left, and has come back.
  bool look(unsigned number, worker<M>* w, attached_thread<M>* g, const interruption& at) noexcept;
  /// True if what runs waits: it stands still, or is where activations have waited before.
  bool finds_wait(ticked_thread<M>& self, suspendable<M>* runs, const interruption& at, std::uint64_t now,
                  bool crowded) noexcept;
  /// Lets the timer of thread `number` rest, unless demand arises meanwhile. Notices may be stale; then home looks in
  /// vain, once.
  template <class HasDemand>
  void rest(unsigned number, HasDemand has_demand) noexcept;
  /// Ends the turn of what runs as this worker, or of this attached thread. True if it was left, and has come back;
  /// false if it is left at the end of its shield.
  bool end_turn(worker<M>* w, attached_thread<M>* g) noexcept;
  /// True if what made a system call that waits can wait without a context.
  bool lets_block(worker<M>* w, attached_thread<M>* g, std::uint64_t now) noexcept;
  /// After a tick with demand. An activation that computes is hardly disturbed by quick ticks, since it can get but
  /// few.
  void adapt_ticks(unsigned number, ticked_thread<M>& self, bool waits, std::uint64_t now) noexcept;
  /// By the thread, also in the handler.
  void start_own_timer(unsigned number, ticked_thread<M>& self) noexcept;

  /// A thread of this set can be interrupted from now on, as a worker or, if `as` is null, as an attached thread.
  /// wanted() says whether its context is.
  template <class Wanted>
  void arrive(unsigned number, ticked_thread<M>& self, worker<M>* as, Wanted wanted) noexcept;
  void leave(unsigned number, ticked_thread<M>& self) noexcept;

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

  void start_timer(unsigned number) noexcept;
  void start_timer(unsigned number, std::uint64_t now, tick_rate rate) noexcept;
  void stop_timer(unsigned number) noexcept {
    if (timer_ != nullptr) timer_->set_rate(number, tick_rate::none);
  }

  // For attached threads (hosting.hpp):

  /// The attached thread leaves its context as it is, unless an activation has a use for it already.
  void let_pause(attached_thread<M>& g) noexcept;

  enum class hosting : std::uint8_t { done, nothing_to_do, lost_context, has_mail };  ///< or mail is on its way

  /// The thread of an attached thread that has a context works as that context's worker, until done(), asked between
  /// two activations, or until nothing has been to do for as long as `patient`, in M::ticks(). A handler of a tick has
  /// a separate stack. There signals come only while the mailbox keeps those for the thread itself.
  template <class Done>
  hosting host(attached_thread<M>& g, Done done, std::uint64_t patient, bool in_handler = false) noexcept;
  /// Works as `w` until done(). Signals of the thread come to the mailbox meanwhile.
  template <class Done>
  hosting work_as(worker<M>& w, attached_thread<M>& g, Done done, std::uint64_t patient) noexcept;
  /// Another job may want the context: blocks until the thread that works as `w` may run there again; false: the
  /// context is lost. Without ticks, each of which would take the processor from that job.
  bool look_again(attached_thread<M>& g, ticked_thread<M>& self, worker<M>& w) noexcept;

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
    if (a != nullptr && (tickets_.empty() || w.orphans_in_a_row_ < most_orphans_in_a_row)) {
      ++w.orphans_in_a_row_;
      if (orphans_.pop()) work_signal_.withdraw(orphans_notice);
      return a;
    }
    w.orphans_in_a_row_ = 0;
    if (a == nullptr) work_signal_.withdraw(orphans_notice);
    if (tickets_.empty()) {
      work_signal_.withdraw(tickets_notice);
      return nullptr;
    }
    record& r = *tickets_.first();
    tickets_.unlist(r);
    r.running = r.running + 1;
    // At the end of the list, so that the other tickets have their turns.
    if (r.running < r.bound) tickets_.list(r);
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

  // On threads of activations' own (own_thread_run.hpp):

  /// Makes the worker that works on the activation's own thread, should it need one. Throws std::bad_alloc.
  void provide_own_thread(act& a) const;
  /// On the activation's own thread: runs it until it goes back to the workers. Another worker may run it, under the
  /// same identity, before this returns: from that moment on this touches no thread-local data. Calls of the system
  /// that succeed leave errno alone. Signals are blocked here, since the stack has little room.
  static void go_on_own_thread(void* an_activation) noexcept;

  // Tickets (ticket_life.hpp):

  /// `a` has returned to `w`.
  void finished(worker<M>& w, act& a) noexcept;
  /// With the latch held.
  void complete(record& r) noexcept;
  /// Returns a record for a ticket with this number of activations, which are promised from now on. Makes the stacks
  /// that are missing.
  record& claim_record(unsigned activations, suspendable<M>* preemptible);

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
  ticket_list<M> tickets_;
  activation_pool<M> pool_;
};

}  // namespace callisto::workers

// The members that are only declared above, a file a subject:
#include <callisto/workers/activations/hosting.hpp>
#include <callisto/workers/activations/own_thread_run.hpp>
#include <callisto/workers/activations/program_signals.hpp>
#include <callisto/workers/activations/tick_response.hpp>
#include <callisto/workers/activations/ticket_life.hpp>
