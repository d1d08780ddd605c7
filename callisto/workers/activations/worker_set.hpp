// The workers of a job: what each does next, the tickets that they work on, and the orphans that they go on with
// (Callisto, EuroSys 2014, sections 2.2 and 2.3).
//
// Orphans, which are activations that can go on, come before new activations: they hold what others wait for, and they
// have a stack already. But not for ever: orphans that step aside again and again, because they look for something that
// an activation does which has not begun, would keep it from beginning. So a worker that has taken up so many orphans
// in a row starts a new activation, if it may. Of the tickets with room for another activation each has its turn.
//
// One latch guards all lists and the tickets' states, so that Callisto waits for its own tickets as runtimes wait for
// theirs. It is one word for all workers: an activation passes it once to start and once to end, or to suspend and go
// on. On the simulated SPARC T5-8, when all want it at once, a pass takes 0.5 microseconds with 2 contexts, 2.4 with
// 64, and 2.5 to 4.6 with 256 and 1,024, mostly since all who wait try when it is free (simulated_latch_test.cpp). So a
// set of 1,024 gets a team of activations started in some three milliseconds, and is for activations that last longer
// than that; teams that stay, as OpenMP's do, do not come here between regions, nor do loops and tasks. Idle workers
// watch a board (board.hpp) of two notices: there are orphans; there are tickets with room. Who puts something into a
// list announces it afterwards, without the latch; who finds a list empty withdraws its notice with the latch held. So
// a withdrawal comes before any announcement of what was put in later, and a notice that is left standing costs one
// vain look.
#pragma once

#include <callisto/machine/fibers/fiber.hpp>
#include <callisto/machine/policy.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/handler_word.hpp>
#include <callisto/machine/ticks_of.hpp>
#include <callisto/workers/activations/activation.hpp>
#include <callisto/workers/activations/activation_pool.hpp>
#include <callisto/workers/activations/attached_thread.hpp>
#include <callisto/workers/activations/context_loans.hpp>
#include <callisto/workers/activations/context_provider.hpp>
#include <callisto/workers/activations/debugger.hpp>
#include <callisto/workers/activations/descheduled_peer_wait.hpp>
#include <callisto/workers/activations/ticket.hpp>
#include <callisto/workers/preemption/loop_traps.hpp>
#include <callisto/workers/preemption/runaway_timer.hpp>
#include <callisto/workers/preemption/timer_gate.hpp>
#include <callisto/workers/waiting/latch.hpp>
#include <callisto/workers/waiting/suspendable.hpp>
#include <callisto/workers/waiting/work_signal.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace callisto::workers {

/// One thread's worth of running activations, fixed to a hardware context.
template <machine::policy M>
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
  machine::fiber own_home_;  ///< of its own thread
  // Of the thread that works as this worker, its own or that of a guest who has the context; the context's word hands
  // them on.
  machine::plain_of<M, machine::fiber*> home_{nullptr};
  const attached_thread<M>* host_ = nullptr;  ///< the guest; null: its own thread

  activation<M>* spare_ = nullptr;  ///< idle, for the next ticket
  activation<M>* current_ = nullptr;
  unsigned orphans_in_a_row_ = 0;
};

/// A thread that can have a timer, as ticks know it: a worker's or a guest's.
template <machine::policy M>
struct alignas(M::line_size) ticked_thread {
  enum class role : std::uint8_t { elsewhere, attached_thread, worker };

  // Written by the thread itself.
  machine::signal_safe<role> does{role::elsewhere};
  machine::signal_safe<unsigned> turn{0};  ///< how often what runs on it has changed
  worker<M>* works_as = nullptr;           ///< where it does what workers do

  // Of the handler.
  unsigned turn_seen = 0;       ///< at the last tick
  unsigned idle_ticks = 0;      ///< in a row that nobody had a use for
  std::uint64_t last_tick = 0;  ///< when
  std::uint64_t began = 0;      ///< the turn, as the first tick found it
  interruption last;
  unsigned eager_ticks = 0;   ///< so many are still to come quickly, if none finds a wait; 0: they do not
  bool ticks_rarely = false;  ///< since it said so last
};

/// Where threads were seen to get nowhere, a few places: who is found there again is believed to wait at once. Any
/// thread, also in handlers.
template <machine::policy M>
class spin_sites {
  using order = machine::order;

 public:
  bool has(std::uintptr_t instruction) const noexcept {
    // relaxed: hints, all of them.
    return std::any_of(places_.begin(), places_.end(), [instruction](const auto& p) {
      return interruption::are_near(instruction, p.load(order::relaxed));
    });
  }
  void add(std::uintptr_t instruction) noexcept {
    if (has(instruction)) return;
    places_[oldest_.fetch_add(1, order::relaxed) % places_.size()].store(instruction, order::relaxed);
  }

 private:
  std::array<machine::atomic_of<M, std::uintptr_t>, 8> places_{};
  machine::atomic_of<M, unsigned> oldest_{0};
};

/// Who computes is looked at so often in his turn.
inline constexpr std::uint64_t ticks_in_turn = 4;

/// What a set of workers is made with.
template <machine::policy M>
struct set_options {
  unsigned workers = 1;
  /// Of each activation. A guard page stands below.
  std::size_t stack_bytes = std::size_t{256} << 10;
  /// Idle stacks that keep their memory, beside one for each worker.
  std::size_t warm_stacks = 64;
  /// How long an activation that waits spins, in M::ticks(), unless it has better to do.
  std::uint64_t spin_ticks = default_spin_ticks<M>();
  /// Who shares contexts out; null: this job has them for itself. Must outlive the set.
  context_provider<M>* with = nullptr;
  /// How many threads of the application may be guests at once (guest.hpp). With them `loans` lends the contexts.
  unsigned attached = 0;
  /// Null: the set's own, which shares with no other job. Must outlive the set. create_workers() makes one that does.
  context_loans<M>* loans = nullptr;
  /// For create_workers(): the process is a job among others with these workers (docs/explanation/co-scheduling.md), if CALLISTO_COSCHED
  /// does not say otherwise and it can be. It takes guests.
  bool coscheduled = false;
  /// How long an activation that may be preempted keeps its worker while others could go on, in nanoseconds, or a
  /// quarter longer; 0: for ever.
  std::uint64_t turn_ns = 0;
  /// How long one that watches a flag does so, about.
  std::uint64_t wait_ns = 20'000;
  /// For create_workers(): where ticks end turns, loops of the program that wait get these traps
  /// (spin_traps::of_this_process()); null: none. The caller sees to it that the program neither blocks SIGTRAP nor
  /// puts another action in place.
  loop_traps* traps = nullptr;
  /// For create_workers(): its threads take the signals that their creator does, as threads that the program itself
  /// made there would: code of the program runs on them that sends itself some, or starts processes, which inherit the
  /// mask. Else none but those that instructions cause.
  bool take_signals = false;
  /// Ends turns; null: nobody does. Must outlive the set. create_workers() makes one.
  runaway_timer* timer = nullptr;
  /// Of its threads and guests; null: nobody naps. Must outlive the set. create_workers() makes one.
  naps* rest = nullptr;
};

template <machine::policy M>
class worker_set {
  using order = machine::order;
  using act = activation<M>;
  using record = ticket_record<M>;
  using role = typename ticked_thread<M>::role;

 public:
  explicit worker_set(const set_options<M>& how)
      : spin_ticks_(how.spin_ticks),
        own_loans_(how.attached != 0 && how.loans == nullptr ? how.workers : 0),
        loans_(how.loans != nullptr ? *how.loans : own_loans_),
        with_(how.attached != 0     ? static_cast<context_provider<M>&>(loans_)
              : how.with != nullptr ? *how.with
                                    : alone_),
        timer_(how.timer),
        naps_(how.rest),
        turn_ticks_(machine::ticks_of<M>(how.turn_ns)),
        switch_(how.timer != nullptr || how.attached != 0 ? how.workers + how.attached : 0),
        places_(how.attached),
        threads_(new ticked_thread<M>[how.workers + how.attached]),
        pool_(latch_, how.stack_bytes, how.warm_stacks, how.workers) {
    for (unsigned n = 0; n < how.workers; ++n)
      workers_.push_back(std::unique_ptr<worker<M>>(new worker<M>(n, with_.watch(n))));
  }

  /// After every worker has returned from run(). No ticket may be active or drained.
  ~worker_set() = default;
  worker_set(const worker_set&) = delete;
  worker_set& operator=(const worker_set&) = delete;

  unsigned workers() const noexcept { return static_cast<unsigned>(workers_.size()); }
  const worker<M>& worker_of(unsigned number) const noexcept { return *workers_[number]; }

  /// CreateWorkTicket: from now on workers call `call` with `data`, at most `max_concurrency` times at once, suspended
  /// calls included, until the ticket is drained. Throws usage_error if that is 0, and std::bad_alloc if there is no
  /// memory for so many stacks: then nothing has happened. From any thread. With stacks at hand a microsecond or less.
  /// A party that is preemptible names itself and is shielded here only where it must be: not while it allocates, as
  /// the lock of malloc() may be that of a party that is preempted and needs this context to go on.
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

  /// WaitTicketDrained. Returns when the ticket is drained or complete.
  void wait_drained(ticket<M> t, suspendable<M>& self) {
    sync_wait_value(t.record_->stage, [t](std::uint64_t stage) { return t.is_drained(stage); }, self);
  }

  /// WaitTicketComplete. What its activations wrote is visible then, and they do not touch their data any more.
  void wait_complete(ticket<M> t, suspendable<M>& self) {
    sync_wait_value(t.record_->stage, [t](std::uint64_t stage) { return t.is_complete(stage); }, self);
  }

  /// The life of a worker: runs activations until finish(). Called once for each number, each on a thread of its own.
  void run(unsigned number) {
    worker<M>& w = *workers_[number];
    ticked_thread<M>& self = threads_[number];
    w.own_home_.become_this_threads();
    // As it waits for work: none where somebody else runs.
    for (auto patience = machine::patience::lasting;;) {
      const auto too_late = [&] { return with_.comes_too_late(number); };
      if (work_signal_.wait_for_work([] {}, patience, too_late).finished) return;
      patience = machine::patience::none;
      if (!with_.come_back(number)) continue;
      bool here = true;
      bool waits = false;  // what it ran last: who is done with all activations leaves the processor at once
      while (here) {
        w.home_ = &w.own_home_;
        const auto next = [this, &w] { return w.should_yield() ? nullptr : take(w); };
        // What it is to do comes first: if that was all, nobody needs ticks.
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

  /// A tick of the runaway timer of a worker or guest, in a handler of signals on its thread. May leave what runs
  /// there, and return when that goes on, an activation maybe on another worker: then true. Does not allocate, and
  /// takes no lock.
  bool tick(unsigned number, const interruption& at) noexcept {
    ticked_thread<M>& self = threads_[number];
    const role does = self.does.get();
    if (does == role::elsewhere) {
      // Started too late.
      timer_->rest(number, false, false);
      return false;
    }
    worker<M>* const w = does == role::worker ? self.works_as : nullptr;
    // relaxed: this is the guest's own thread.
    attached_thread<M>* const g = w == nullptr ? places_[number - workers()].of.load(order::relaxed) : nullptr;
    const bool wanted = w != nullptr ? w->should_yield() : g->should_yield();
    const auto has_demand = [&] { return wanted || work_signal_.has_work() || (w != nullptr && has_ready_host(*w)); };
    const bool crowded = is_crowded();
    if (crowded && g != nullptr && g->context_ != context_loans<M>::none) naps_->go_to(g->context_);
    if (crowded) naps_->is_back();
    const bool is_idle = rests(number, self.idle_ticks, has_demand);
    if (is_idle && !crowded) return false;
    const unsigned turn = self.turn.get();
    const std::uint64_t now = M::ticks();
    const interruption last = std::exchange(self.last, at);
    // A tick that comes at once after the last one, or long after it, may have found the thread before it did anything.
    const std::uint64_t elapsed = now - std::exchange(self.last_tick, now);
    const std::uint64_t period = machine::ticks_of<M>(at.period);
    const bool in_time = !at.is_late && elapsed > period / 2 && elapsed < 2 * period;
    const bool is_first = std::exchange(self.turn_seen, turn) != turn;
    if (is_first) self.began = now;
    bool waits = (is_first || self.eager_ticks != 0 || crowded) && waits_known_.has(at.instruction);
    suspendable<M>* const who = w == nullptr ? static_cast<suspendable<M>*>(g) : w->current_;
    if (!waits && ((!is_first && in_time && at.gets_nowhere_since(last)) || timer_->waits_at(at.instruction))) {
      // Twice by the same in the same place: that is no coincidence.
      if (who != nullptr && interruption::are_near(at.instruction, std::exchange(who->waited_at_, at.instruction)))
        waits_known_.add(at.instruction);
      waits = true;
    }
    if (is_idle) {
      // Nobody here could use the context, but maybe another process can.
      if (waits && who != nullptr && !who->is_shielded()) naps_->nap(number, g != nullptr ? g->context_ : naps::pinned);
      return false;
    }
    const bool is_met_at_once = waits && waits_known_.has(at.instruction) && timer_->trap(at.instruction);
    adapt_ticks(number, self, waits && !is_met_at_once, now);
    if (!wanted && !waits && (self.began == now || now - self.began < turn_ticks_)) return false;
    return ends_turn(w, g);
  }

  /// What runs on the thread of a worker or guest waits, and does nothing else: it came by a trap. In the handler of
  /// the trap's signal, as tick().
  trap_outcome meet_wait(unsigned number) noexcept {
    ticked_thread<M>& self = threads_[number];
    const role does = self.does.get();
    if (does == role::elsewhere) return trap_outcome::no_demand;
    worker<M>* const w = does == role::worker ? self.works_as : nullptr;
    // relaxed: this is the guest's own thread.
    attached_thread<M>* const g = w == nullptr ? places_[number - workers()].of.load(order::relaxed) : nullptr;
    if (w == nullptr && g->context_ == context_loans<M>::none) return trap_outcome::no_demand;
    const bool wanted = w != nullptr ? w->should_yield() : g->should_yield();
    if (!wanted && !work_signal_.has_work() && (w == nullptr || !has_ready_host(*w))) return trap_outcome::no_demand;
    return ends_turn(w, g) ? trap_outcome::yielded : trap_outcome::deferred;
  }

  /// Others may want contexts from now on, so who works is to look at that, and soon. From any thread.
  void look_for_others() noexcept {
    const std::uint64_t now = M::ticks();
    const bool come_rarely = are_rare(now);
    attentive_at_.store(now, order::relaxed);
    start_ticks();
    if (come_rarely && has_switch()) switch_.for_each_ticking([this](unsigned n) { start_timer(n); });
  }
  /// Who works is to look once whether somebody wants its context. From any thread.
  void look_soon() noexcept { start_ticks(); }
  /// Whether somebody could use a worker, or could have in the last so many M::ticks(); a hint. From any thread.
  bool had_work(std::uint64_t ticks) const noexcept {
    return work_signal_.has_work() || M::ticks() - orphaned_.load(order::relaxed) < ticks;  // relaxed: a hint
  }
  /// Whether finish() was called; a hint. From any thread.
  bool is_finished() const noexcept { return work_signal_.is_finished(); }

  /// The timer of a worker or guest can be started from now on; it ticks at first.
  void has_timer(unsigned number) noexcept {
    if (switch_.add(number)) start_timer(number);
  }

  /// Unmaps the stacks that no ticket and no worker may need now; returns how many. From any thread.
  std::size_t trim() noexcept { return pool_.trim(); }

  /// What is on the activations' stacks can be executed from now on (machine::stacks_hold_code()): some microseconds
  /// for each that was made before. From any thread.
  void let_stacks_hold_code() noexcept { pool_.let_hold_code(); }

  /// Stacks that are mapped.
  std::size_t stacks() noexcept { return pool_.stacks(); }

 private:
  friend class activation<M>;
  friend class attached_thread<M>;

  static constexpr unsigned orphans_notice = 0;
  static constexpr unsigned tickets_notice = 1;
  static_assert(work_signal<M>::max_slots > tickets_notice);
  static constexpr unsigned most_orphans_in_a_row = 16;
  static constexpr unsigned idle_ticks_before_rest = 3;
  /// A worker that sleeps takes up an orphan within 100 microseconds, where its context is free: most within 50.
  static constexpr std::uint64_t arrivals_per_second = 10'000;
  static constexpr unsigned eager_ticks_after_wait = 16;

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
    threads_[number].eager_ticks = 0;
    switch_.rest(
        number, [this](unsigned n) { timer_->rest(n, ticks_slowly(context_of(n)), ticks_rarely(n, M::ticks())); },
        has_demand, wake());
    return true;
  }

  /// In a handler, of what runs as this worker, or of this guest: true if it was left, and has come back.
  bool ends_turn(worker<M>* w, attached_thread<M>* g) noexcept {
    if (w == nullptr) return g->end_turn();
    return w->current_ != nullptr && w->current_->end_turn();
  }

  /// Where waits are found ticks come quickly, for a time: who computes is hardly disturbed by those that he can get.
  void adapt_ticks(unsigned number, ticked_thread<M>& self, bool waits, std::uint64_t now) noexcept {
    if (waits && self.eager_ticks == 0) timer_->hurry(number);
    // Of several contexts one may have more to do than another: turns even that out.
    if (waits || contexts_used() > 1) attentive_at_.store(now, order::relaxed);
    if (waits) {
      self.eager_ticks = eager_ticks_after_wait;
    } else if (self.eager_ticks != 0 ? --self.eager_ticks == 0 : self.ticks_rarely != ticks_rarely(number, now)) {
      start_own_timer(number, self);
    }
  }

  /// Whether ticks have found nothing for a tenth of a second that could not have been found later.
  bool are_rare(std::uint64_t now) const noexcept {
    return now - attentive_at_.load(order::relaxed) > M::ticks_per_second() / 10;  // relaxed, always: a hint
  }
  /// Who computes ends his turn by himself then, sooner or later. But a worker may be where another job has high
  /// priority, and wants the context back (rule 3); a guest has the main thread's (rule 1).
  bool ticks_rarely(unsigned number, std::uint64_t now) const noexcept {
    return are_rare(now) && !is_crowded() && (number >= workers() || !with_.may_be_asked(number));
  }
  /// How many contexts have something to do; a hint.
  unsigned contexts_used() const noexcept { return loans_.lent_contexts() + busy_.load(order::relaxed); }

  /// Whether others compete for the processors: then ticks look for waits, too.
  bool is_crowded() const noexcept { return naps_ != nullptr && naps_->crowded(); }
  /// Where context `c` may be wanted there are ticks without demand here.
  bool ticks_slowly(unsigned c) const noexcept {
    return is_crowded() || (c != context_loans<M>::none && with_.may_be_asked(c));
  }
  /// The context that the calling thread, a worker's or guest's, has; `none`.
  unsigned context_of(unsigned number) const noexcept {
    // relaxed: the guest's own thread.
    return number < workers() ? number : places_[number - workers()].of.load(order::relaxed)->context_;
  }
  /// Whether guests' threads may want all the processors. Those that are elsewhere may sleep there, but nobody here can
  /// know.
  bool has_attached_everywhere() const noexcept {
    return attached_.load(order::relaxed) >= workers();  // relaxed: a hint
  }
  /// Whether threads that are no workers may: then workers had better not spin on theirs.
  bool is_full() const noexcept { return has_attached_everywhere() || is_crowded(); }
  /// The thread has something to do from now on, or has nothing.
  void set_present(unsigned number, bool is) noexcept {
    if (naps_ != nullptr) naps_->set_present(number, is);
  }

  /// After a notice was put on the board.
  void start_ticks() noexcept {
    if (has_switch()) switch_.demand(wake());
  }

  /// What is done for a thread whose timer rests when there is demand.
  auto wake() noexcept {
    return [this](unsigned n, bool here) {
      if (here) {
        start_timer(n);
      } else if (n >= workers()) {
        // relaxed: the guest wrote it before it rested.
        loans_.reclaim(places_[n - workers()].left.load(order::relaxed));
      }
    };
  }

  void start_timer(unsigned number) noexcept {
    if (timer_ != nullptr) timer_->start(number, ticks_rarely(number, M::ticks()));
  }
  /// By the thread, also in the handler.
  void start_own_timer(unsigned number, ticked_thread<M>& self) noexcept {
    if (timer_ == nullptr) return;
    self.ticks_rarely = ticks_rarely(number, M::ticks());
    timer_->start(number, self.ticks_rarely);
  }
  void stop_timer(unsigned number) noexcept {
    if (timer_ != nullptr) timer_->rest(number, false, false);
  }

  /// A thread of this set that can be interrupted from now on, as a worker or, null, as a guest. `wanted`: its context
  /// is.
  template <class Wanted>
  void arrive(unsigned number, ticked_thread<M>& self, worker<M>* as, Wanted wanted) noexcept {
    self.works_as = as;
    self.eager_ticks = 0;
    self.does.set(as != nullptr ? role::worker : role::attached_thread);
    set_present(number, true);
    if (!has_switch()) return;
    const bool is_to_tick = switch_.arrive(number);
    const auto has_demand = [this, wanted] { return wanted() || work_signal_.has_work(); };
    if (ticks_slowly(context_of(number)) || (is_to_tick && has_demand())) {
      if (!is_to_tick) switch_.add(number);  // who makes demand need not start it again
      start_own_timer(number, self);
    } else if (is_to_tick) {
      // It does not tick yet: there was demand while the thread was elsewhere, and there is none now.
      switch_.rest(number, [](unsigned) {}, has_demand, wake());
    }
  }
  void leave(unsigned number, ticked_thread<M>& self) noexcept {
    self.does.set(role::elsewhere);
    set_present(number, false);
    if (has_switch() && (switch_.leave(number) || ticks_slowly(context_of(number)))) stop_timer(number);
  }

  // For guests:

  /// It leaves its context as it is, unless somebody has a use for it already.
  void let_pause(attached_thread<M>& g) noexcept {
    threads_[g.number_].does.set(role::elsewhere);
    set_present(g.number_, false);
    const unsigned c = g.context_;
    const bool has_context = c != context_loans<M>::none;
    const auto has_demand = [this] { return work_signal_.has_work(); };
    if (has_context && has_demand()) {
      g.give_back();
    } else if (has_context) {
      // relaxed: ordered by what follows.
      places_[g.number_ - workers()].left.store(c, order::relaxed);
      loans_.step_away(c);
    }
    if (switch_.leave(g.number_)) {
      switch_.rest(g.number_, [this](unsigned n) { stop_timer(n); }, has_demand, wake());
    } else {
      if (ticks_slowly(c)) stop_timer(g.number_);
      if (has_context) switch_.look_again(has_demand, [this, c] { loans_.reclaim(c); });
    }
  }

  enum class hosting : std::uint8_t { done, nothing_to_do, lost_context };

  /// The thread of a guest that has a context works as that context's worker, until done(), asked between two
  /// activations, or until nothing has been to do for as long as `patient`, in M::ticks().
  template <class Done>
  hosting host(attached_thread<M>& g, Done done, std::uint64_t patient) noexcept {
    worker<M>& w = *workers_[g.context_];
    ticked_thread<M>& self = threads_[g.number_];
    w.home_ = &g.home_;
    w.host_ = &g;
    g.works_as_ = self.works_as = &w;
    self.does.set(role::worker);
    hosting found = hosting::done;
    while (!done()) {
      if (w.should_yield() && !look_again(g, self, w)) {
        found = hosting::lost_context;
        break;
      }
      if (act* const a = take(w); a != nullptr) {
        go(self, w, *a);
      } else if (!g.awaits([&] { return done() || work_signal_.has_work() || w.should_yield(); }, patient)) {
        found = hosting::nothing_to_do;
        break;
      }
    }
    self.turn.set(self.turn.get() + 1);
    self.does.set(role::attached_thread);
    g.works_as_ = nullptr;
    w.host_ = nullptr;
    w.home_ = nullptr;
    return found;
  }

  /// Another job wants the context, perhaps: the guest whose thread works as `w` waits until it may run again; false:
  /// the context is lost. Without ticks: each would take the processor from that job.
  bool look_again(attached_thread<M>& g, ticked_thread<M>& self, worker<M>& w) noexcept {
    leave(g.number_, self);
    if (!loans_.look(g.context_)) return false;
    arrive(g.number_, self, &w, [&w] { return w.should_yield(); });
    return true;
  }

  /// Whether the guest whose thread works as this worker would go on.
  static bool has_ready_host(const worker<M>& w) noexcept { return w.host_ != nullptr && w.host_->is_ready(); }

  /// How many activations have a turn before it is that of a guest again.
  unsigned fair_turns() const noexcept {
    return std::max(1U, orphans_.load(order::relaxed) / workers());  // relaxed: a hint
  }

  bool has_switch() const noexcept { return timer_ != nullptr || !places_.empty(); }

  /// Whether an activation that spins keeps its worker from one that could go on.
  bool has_orphans() const noexcept {
    // relaxed, all: hints.
    if (first_orphan_.load(order::relaxed) == nullptr) return false;
    if (orphans_.load(order::relaxed) + contexts_used() > with_.contexts_at_hand(workers()) ||
        has_attached_everywhere())
      return true;
    // Workers are on their way, whose contexts are at hand: they had better go on with them. But not for ever. Also
    // beside processes that are no jobs: who has slept has a processor before those who computed, as a rule.
    return M::ticks() - orphaned_.load(order::relaxed) > M::ticks_per_second() / arrivals_per_second;
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
      orphans_.store(orphans_.load(order::relaxed) + 1, order::relaxed);
      orphaned_.store(M::ticks(), order::relaxed);
    }
    work_signal_.announce(orphans_notice);
    start_ticks();
  }

  /// What `w` does next; null: there is nothing.
  act* take(worker<M>& w) noexcept {
    const std::scoped_lock held(latch_);
    act* const a = first_orphan_.load(order::relaxed);
    if (a != nullptr && (first_ticket_ == nullptr || w.orphans_in_a_row_ < most_orphans_in_a_row)) {
      ++w.orphans_in_a_row_;
      first_orphan_.store(a->next_, order::relaxed);
      orphans_.store(orphans_.load(order::relaxed) - 1, order::relaxed);
      if (a->next_ == nullptr) work_signal_.withdraw(orphans_notice);
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
    // At the end: the others' turn.
    if (r.running < r.bound) list(r);
    // Never null: it was promised.
    act* const fresh = w.spare_ != nullptr ? std::exchange(w.spare_, nullptr) : pool_.take();
    fresh->of_ = &r;
    return fresh;
  }

  /// Runs `a` on `w` until it comes home for good. True: it will go on when somebody resumes it, perhaps soon.
  bool go(ticked_thread<M>& self, worker<M>& w, act& a) noexcept {
    for (;;) {
      a.worker_ = &w;
      a.listing_.worker = w.number_;
      a.listing_.state = debugger::running;
      w.current_ = &a;
      self.turn.set(self.turn.get() + 1);
      if (a.lender_ == nullptr) {
        machine::fiber::switch_to(*w.home_, a.context_);
      } else {
        a.lender_->enter();
      }
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
        case homecoming::suspended:
          a.listing_.state = debugger::suspended;
          if (a.settle()) return true;
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
        cold = pool_.is_warm_enough();
      }
      if (cold) a.context_.let_go();
    }
    bool again = false;
    {
      const std::scoped_lock held(latch_);
      record& r = *a.of_;
      r.running = r.running - 1;
      // Before the promise that it was started on may end: who starts another counts on it.
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

  // With the latch held:

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

  /// A record for a ticket with so many activations, which are promised from now on. Makes the stacks that are missing.
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
  context_loans<M> own_loans_;
  context_loans<M>& loans_;
  context_provider<M>& with_;
  runaway_timer* const timer_;
  naps* const naps_;
  const std::uint64_t turn_ticks_;
  spin_sites<M> waits_known_;
  /// When there was last a reason for ticks to come soon: one found a wait that no trap meets, or orphans beside
  /// several contexts, or who wants contexts may have changed. In M::ticks().
  machine::atomic_of<M, std::uint64_t> attentive_at_{M::ticks()};
  timer_gate<M> switch_;
  std::vector<std::unique_ptr<worker<M>>> workers_;
  work_signal<M> work_signal_;
  machine::atomic_of<M, unsigned> busy_{0};  ///< workers that have found something to do

  /// Of guests, by number.
  struct place {
    machine::atomic_of<M, attached_thread<M>*> of{nullptr};  ///< null: no thread has it
    machine::atomic_of<M, unsigned> left{0};                 ///< the context where it was when it went away
  };
  std::vector<place> places_;
  machine::atomic_of<M, unsigned> attached_{0};  ///< how many there are, also of those that are elsewhere
  std::unique_ptr<ticked_thread<M>[]> threads_;  ///< the workers', then the guests'

  latch<M> latch_;                                       ///< guards what follows
  machine::atomic_of<M, act*> first_orphan_{nullptr};    ///< read without it, too
  machine::plain_of<M, act*> last_orphan_{nullptr};      ///< unless there is none
  machine::atomic_of<M, unsigned> orphans_{0};           ///< how many; read without it, too
  machine::atomic_of<M, std::uint64_t> orphaned_{0};     ///< when the last one became one; read without it, too
  machine::plain_of<M, record*> first_ticket_{nullptr};  ///< of those that may start an activation
  machine::plain_of<M, record*> last_ticket_{nullptr};
  machine::plain_of<M, record*> free_records_{nullptr};
  ticket_records<M> records_;
  activation_pool<M> pool_;
};

}  // namespace callisto::workers
