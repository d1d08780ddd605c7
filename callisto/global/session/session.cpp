// The cores of a rank, and the end of phases.
#include <callisto/global/session/session.hpp>

#include <callisto/global/session/failure.hpp>
#include <callisto/global/session/timeline.hpp>
#include <callisto/global/session/watch.hpp>
#include <callisto/global/session/wave.hpp>
#include <callisto/global/transport/environment.hpp>
#include <callisto/global/transport/open.hpp>
#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/system/output_file.hpp>
#include <callisto/machine/system/secure_environment.hpp>
#include <callisto/machine/ticks_of.hpp>
#include <callisto/workers/teams/long_work.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <deque>
#include <latch>
#include <mutex>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace callisto::global {
namespace {

constexpr std::size_t most_threads = 1024;
constexpr std::size_t most_stolen = 1024;
/// A thief that finds nothing asks again after so long, in nanoseconds.
constexpr std::uint64_t least_patience = 10'000;
constexpr std::uint64_t most_patience = 2'000'000;
/// So many workers that wait will make work for their core.
constexpr std::size_t enough_waiting = 64;
/// A core that sleeps for the so manieth time in a row lends its context: after about a millisecond.
constexpr unsigned sleeps_before_lending = 4;
/// It gives back the memory of workers without a task at its so manieth sleep: after some 10 milliseconds.
constexpr unsigned sleeps_before_trim = 8;
/// A core asks so often, at most, whether another job wants its context.
constexpr std::uint64_t check_in_every = 100'000;
constexpr std::uint64_t no_phase = ~std::uint64_t{0};
/// What fits beside the rest of a message.
constexpr std::size_t most_text = 2000;

/// Makes what was thrown from what another rank tells of it.
phase_failure failure_of(int rank, std::uint32_t kind, std::span<const std::byte> text) {
  return {.rank = rank,
          .kind = kind,
          .text = {reinterpret_cast<const char*>(text.data()), text.size()},
          .original = nullptr};
}

/// Adds objects that came as the bytes of a message.
template <class T>
void append(std::vector<T>& to, std::span<const std::byte> bytes) {
  const std::size_t before = to.size();
  to.resize(before + bytes.size() / sizeof(T));
  std::memcpy(&to[before], bytes.data(), bytes.size());
}

}  // namespace

session_options session_options::from_environment() {
  session_options how;
  how.threads = static_cast<unsigned>(number_from("CALLISTO_GLOBAL_THREADS", 1, most_threads, 0));
  how.stack_bytes = number_from("CALLISTO_GLOBAL_STACK", std::size_t{16} << 10, std::size_t{1} << 30, 0);
  how.workers = number_from("CALLISTO_GLOBAL_WORKERS", 1, std::size_t{1} << 30, 0);
  how.statistics = machine::file_variable("CALLISTO_GLOBAL_STATISTICS");
  how.timeline = machine::file_variable("CALLISTO_GLOBAL_TIMELINE");
  return how;
}

struct session::state final : core_duties {
  state(std::unique_ptr<transport> by, const session_options& wish, session& of);
  ~state() override;

  bool poll(core& c) override;
  bool find_work(core& c) override;
  void sleep(core& c, unsigned idle) override;
  void resume(core& c) override;
  void offer(core& c) override;
  void failed(core& c, std::exception_ptr thrown) noexcept override;

  static state& here();

  // The phase.
  void note_failure(phase_failure failure);
  /// Cancels a phase at this rank; false if it is already.
  bool cancel(std::uint64_t of);
  void broadcast_cancel();
  void show_cancelled();
  std::uint64_t running_phase() const;
  void take_report(const activity_sums& sums, phase_failure failure);
  void take_next_wave();
  void take_end(phase_failure failure);
  bool report_if_quiet();
  bool steal_from_cores(core& thief);
  bool ask_another_rank(core& thief);
  void give_to(int thief);
  void take_answer(std::uint64_t given);
  std::optional<activity_sums> quiet_sums();
  void tell_children_next();
  void tell_children_end(const phase_failure& failure);
  void job_broke(std::exception_ptr why) noexcept;

  void join_other_jobs();
  void check_in(core& c);
  void say_idle(bool is_idle) noexcept;
  void run_core(unsigned number);
  void stop_cores();
  std::string report();

  session& self;
  rank_context context;
  std::unique_ptr<transport> net;
  std::unique_ptr<message_engine> engine;
  std::optional<watch> watcher;  ///< of a job with several processes
  session_options how;
  core_options each_core;

  std::optional<core> first;        ///< of the thread that runs main
  std::vector<core*> cores;         ///< all, while they exist
  std::vector<std::thread> others;  ///< threads of the other cores
  std::optional<std::latch> started;
  std::optional<std::barrier<>> ended;
  std::atomic<bool> ending{false};
  std::atomic<bool> watched{false};  ///< a core sleeps at the network
  std::atomic<int> asleep{0};        ///< cores that sleep
  std::atomic<bool> said_idle{false};
  std::vector<std::minstd_rand> random;

  // Stealing from other ranks, one request at a time:
  std::atomic<bool> asking{false};
  std::atomic<std::uint64_t> ask_again_at{0};  ///< ticks
  std::atomic<std::uint64_t> patience{
      least_patience};  ///< nanoseconds until the next request, doubled by each vain one
  struct {
    std::atomic<std::uint64_t> requests{0};
    std::atomic<std::uint64_t> vain{0};
    std::atomic<std::uint64_t> tasks{0};
    std::atomic<std::uint64_t> within{0};
  } steals;

  /// A core's hold on its context, where other jobs share the machine. Only the core's thread uses it.
  struct lease {
    workers::context_lease<machine::native>* on = nullptr;         ///< null: no other job counts
    std::shared_ptr<workers::context_lease<machine::native>> own;  ///< of cores above 0
    unsigned context = 0;
    std::uint64_t ask_at = 0;  ///< ticks
    bool is_lent = false;
  };
  std::vector<lease> leases;  ///< by core; empty: ranks in one process, or one rank

  const std::uint64_t began = machine::native::ticks();
  std::vector<rank_statistics> gathered;  ///< in rank 0, by handlers
  const double began_by_clock =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  std::optional<timeline_recorder> recorder;  ///< core 0's thread alone looks at it
  double phase_began = 0;                     ///< the phase's of this rank, in seconds since `began`
  std::vector<rank_timeline> timelines;       ///< in rank 0, by rank, by handlers
  double seconds() const noexcept {
    return static_cast<double>(machine::native::ticks() - began) /
           static_cast<double>(machine::native::ticks_per_second());
  }

  std::mutex lock;
  // Under the lock:
  std::uint64_t phase = 0;  ///< the phase that runs, or the next one
  bool waiting = false;     ///< main is in end_phase()
  bool over = false;        ///< the phase that main waits for has ended
  wave search;
  phase_failure failure;                         ///< in `phase`: the lowest rank's, as far as this rank knows
  phase_failure outcome;                         ///< of the phase that is over
  phase_failure next_failure;                    ///< in the next phase, which other ranks have begun
  std::exception_ptr broken_job;                 ///< why the job failed
  std::optional<std::uint64_t> cancelled_phase;  ///< the last one

  std::atomic<std::uint64_t> current_phase{no_phase};
  const int uncaught = std::uncaught_exceptions();
  bool inside = false;  ///< main is between begin_phase() and the end; main's
};

session::state& session::state::here() { return static_cast<state&>(this_core().duties()); }

session::state::state(std::unique_ptr<transport> by, const session_options& wish, session& of)
    : self(of), net(std::move(by)), how(wish), search(net->rank(), net->ranks()) {
  const unsigned contexts = machine::default_threads(machine::limits::current());
  const auto rivals = static_cast<unsigned>(net->rivals());
  if (how.threads == 0) how.threads = std::max(contexts / rivals, 1U);
  if (how.stack_bytes == 0) how.stack_bytes = core_options{}.stack_bytes;
  if (how.workers == 0) how.workers = core_options{}.plenty;
  context.threads = static_cast<int>(how.threads);
  each_core = {.stack_bytes = how.stack_bytes, .plenty = how.workers};
  // The work that a core waits for may need its context.
  if (how.threads * rivals > contexts) each_core.patience = std::chrono::microseconds(5);
  engine = std::make_unique<message_engine>(context, *net);
  cores.resize(how.threads);
  for (unsigned c = 0; c != how.threads; ++c) {
    random.emplace_back(
        static_cast<unsigned>(how.seed * 7919 + static_cast<std::uint64_t>(context.rank) * 1009 + c + 1));
  }
  started.emplace(how.threads);
  ended.emplace(how.threads);
  if (!how.timeline.empty()) recorder.emplace();
  join_other_jobs();
  set_here(&context);
  try {
    first.emplace(*this, each_core);
  } catch (...) {
    set_here(nullptr);
    throw;
  }
  first->set_interrupt([this] { engine->wake(); });
  cores[0] = &*first;
  for (unsigned c = 1; c != how.threads; ++c) others.emplace_back([this, c] { run_core(c); });
  started->arrive_and_wait();
  if (net->owns_process()) watcher.emplace(*engine, [this] { return report(); });
}

session::state::~state() {
  watcher.reset();
  stop_cores();
  first.reset();
  context.slots.clear();
  engine.reset();
  set_here(nullptr);
}

void session::state::run_core(unsigned number) {
  set_here(&context);
  if (!leases.empty()) {
    lease& l = leases[number];
    l.own = workers::lease_on(l.context);
    l.on = l.own.get();
  }
  {
    core_options mine = each_core;
    mine.number = number;
    core c(*this, mine);
    c.set_interrupt([this] { engine->wake(); });
    cores[number] = &c;
    started->arrive_and_wait();
    try {
      // acquire: pairs with stop_cores()
      while (!ending.load(std::memory_order_acquire)) c.suspend();
    } catch (const error&) {
      // The job has failed, which main tells.
    }
    ended->arrive_and_wait();
  }
  if (!leases.empty()) leases[number].own.reset();
  set_here(nullptr);
}

/// Makes the process a job of the co-scheduler, if it is a rank among others. A rank of one core may run on each of its
/// contexts; one of several takes as many as it has cores, beside those of other ranks.
void session::state::join_other_jobs() {
  if (!net->owns_process() || context.ranks == 1) return;
  std::vector<unsigned> contexts = machine::limits::current().cpus;
  std::ranges::sort(contexts);
  leases.resize(how.threads);
  for (unsigned c = 0; c != how.threads; ++c) {
    const std::size_t place = static_cast<std::size_t>(net->place_among_rivals()) * how.threads + c;
    leases[c].context = contexts[place % contexts.size()];
  }
  if (how.threads > 1) {
    contexts.clear();
    for (const lease& l : leases) contexts.push_back(l.context);
    std::ranges::sort(contexts);
    contexts.erase(std::ranges::unique(contexts).begin(), contexts.end());
  }
  workers::join_for_long_work(std::move(contexts));
  leases[0].on = workers::lease_of_this_leader();
}

/// Gives the context up if another job is to have it, and waits until this one gets it again.
void session::state::check_in(core& c) {
  if (leases.empty()) return;
  lease& l = leases[c.number()];
  if (l.on == nullptr || l.is_lent) return;
  const std::uint64_t now = machine::native::ticks();
  if (l.on->undisturbed(now) || now < l.ask_at) return;
  l.on->stay(false);
  l.ask_at = machine::native::ticks() + machine::ticks_of<machine::native>(check_in_every);
}

void session::state::resume(core& c) {
  if (leases.empty() || !std::exchange(leases[c.number()].is_lent, false)) return;
  while (!leases[c.number()].on->come([] { return false; })) {
  }
}

void session::state::stop_cores() {
  if (cores.empty()) return;
  // release: other roots see what main did.
  ending.store(true, std::memory_order_release);
  for (unsigned c = 1; c != cores.size(); ++c) wake(cores[c]->root());
  // No core uses another one afterwards.
  ended->arrive_and_wait();
  for (std::thread& t : others) t.join();
  others.clear();
  cores.clear();
}

bool session::state::poll(core& c) {
  check_in(c);
  try {
    if (c.number() == 0 && recorder && recorder->is_due(seconds())) recorder->add(self.own_statistics());
    const bool any = engine->progress();
    if (any) say_idle(false);
    return any;
  } catch (...) {
    job_broke(std::current_exception());
    return false;
  }
}

/// Other ranks send what they have collected to one that waits for work.
void session::state::say_idle(bool is_idle) noexcept {
  // relaxed, both: a hint
  if (said_idle.load(std::memory_order_relaxed) == is_idle) return;
  said_idle.store(is_idle, std::memory_order_relaxed);
  net->say_idle(is_idle);
}

bool session::state::find_work(core& c) {
  if (cores.size() > 1 && steal_from_cores(c)) return true;
  say_idle(true);
  try {
    engine->flush();
    const bool asked = ask_another_rank(c);
    return (c.number() == 0 && report_if_quiet()) || asked;
  } catch (...) {
    job_broke(std::current_exception());
    return false;
  }
}

void session::state::sleep(core& c, unsigned idle) {
  // Core 0 finds out when the rank is quiet.
  if (c.number() != 0 && idle == 0) cores[0]->nudge();
  if (idle == sleeps_before_lending && !leases.empty() && leases[c.number()].on != nullptr) {
    leases[c.number()].on->idle();
    leases[c.number()].is_lent = true;
  }
  if (idle == sleeps_before_trim) c.trim();
  const std::chrono::microseconds most(std::min(100U << std::min(idle, 6U), 5000U));
  try {
    asleep.fetch_add(1, std::memory_order_relaxed);  // relaxed, here and below: a hint
    // acquire, release: only one thread waits at the network at a time, and then another.
    if (!watched.exchange(true, std::memory_order_acquire)) {
      if (c.lie_down_elsewhere()) {
        engine->wait(most);
        c.get_up();
      }
      watched.store(false, std::memory_order_release);
    } else {
      c.park(most);
    }
    asleep.fetch_sub(1, std::memory_order_relaxed);
  } catch (...) {
    watched.store(false, std::memory_order_release);
    job_broke(std::current_exception());
  }
}

// --- stealing

bool session::state::steal_from_cores(core& thief) {
  const std::size_t begin = random[thief.number()]() % cores.size();
  for (std::size_t i = 0; i != cores.size(); ++i) {
    core& victim = *cores[(begin + i) % cores.size()];
    if (&victim == &thief) continue;
    const std::size_t count = thief.steal_from(victim, most_stolen);
    if (count == 0) continue;
    steals.within.fetch_add(count, std::memory_order_relaxed);  // relaxed: statistics
    return true;
  }
  return false;
}

void session::state::offer(core& c) {
  // relaxed: a hint. A core that has just lain down looks again within milliseconds.
  if (cores.size() == 1 || asleep.load(std::memory_order_relaxed) == 0) return;
  cores[(c.number() + 1 + random[c.number()]() % (cores.size() - 1)) % cores.size()]->nudge();
}

bool session::state::ask_another_rank(core& thief) {
  // A core with many workers that wait will have work soon.
  if (context.ranks == 1 || thief.workers_with_task() >= enough_waiting) return false;
  const std::uint64_t now = machine::native::ticks();
  if (now < ask_again_at.load(std::memory_order_relaxed)) return false;         // relaxed: a time
  if (current_phase.load(std::memory_order_relaxed) >= no_phase) return false;  // relaxed: a hint
  // relaxed: the answer comes by a message, which orders all.
  if (asking.exchange(true, std::memory_order_relaxed)) return false;
  auto victim = static_cast<int>(random[thief.number()]() % static_cast<unsigned>(context.ranks - 1));
  victim += victim >= context.rank ? 1 : 0;
  steals.requests.fetch_add(1, std::memory_order_relaxed);
  send_system(victim, [me = context.rank] { state::here().give_to(me); });
  engine->flush();
  return false;
}

/// Answers a thief: handles its request at the victim.
void session::state::give_to(int thief) {
  core& me = this_core();
  std::vector<task> taken;
  for (core* victim : cores) victim->public_tasks().steal(most_stolen, [&](const task& t) { taken.push_back(t); });
  for (task& t : taken) {
    t.travel(thief);
    me.count_departure();
  }
  send_system(thief, [given = std::uint64_t{taken.size()}] { state::here().take_answer(given); });
}

void session::state::take_answer(std::uint64_t given) {
  // relaxed, all: each is one core's business at a time, and a time or a count.
  if (given == 0) {
    const std::uint64_t longer = std::min(2 * patience.load(std::memory_order_relaxed), most_patience);
    steals.vain.fetch_add(1, std::memory_order_relaxed);
    patience.store(longer, std::memory_order_relaxed);
    ask_again_at.store(machine::native::ticks() + machine::ticks_of<machine::native>(longer),
                       std::memory_order_relaxed);
  } else {
    steals.tasks.fetch_add(given, std::memory_order_relaxed);
    patience.store(least_patience, std::memory_order_relaxed);
    ask_again_at.store(0, std::memory_order_relaxed);
  }
  asking.store(false, std::memory_order_relaxed);
}

void session::state::job_broke(std::exception_ptr why) noexcept {
  {
    const std::scoped_lock guard(lock);
    if (broken_job == nullptr) broken_job = why;
  }
  this_core().break_off(why);
  // The other cores find out by themselves, as each of them looks at the network.
}

void session::state::failed(core&, std::exception_ptr thrown) noexcept {
  try {
    std::rethrow_exception(thrown);
  } catch (const job_failed&) {
    return job_broke(thrown);
  } catch (...) {
    note_failure(phase_failure::of(context.rank, thrown));
  }
}

// --- the phase

void session::state::note_failure(phase_failure of) {
  {
    const std::scoped_lock guard(lock);
    if (!(running_phase() == phase ? failure : next_failure).take(std::move(of))) return;
  }
  broadcast_cancel();
}

void session::state::broadcast_cancel() {
  std::uint64_t of = 0;
  {
    const std::scoped_lock guard(lock);
    of = running_phase();
  }
  if (!cancel(of)) return;
  for (int r = 0; r != context.ranks; ++r) {
    if (r != context.rank) send_system(r, [of] { state::here().cancel(of); });
  }
}

bool session::state::cancel(std::uint64_t of) {
  const std::scoped_lock guard(lock);
  if (cancelled_phase >= of) return false;
  cancelled_phase = of;
  show_cancelled();
  return true;
}

/// Returns the phase of the tasks that run here now: this rank's or, once another rank was in the next one, that.
/// Nothing of this rank's is under way then. Under the lock.
std::uint64_t session::state::running_phase() const {
  const std::uint32_t latest = context.latest_phase.load(std::memory_order_relaxed);  // relaxed: see hear_of_phase()
  return phase + (static_cast<std::int32_t>(latest - static_cast<std::uint32_t>(phase)) > 0 ? 1 : 0);
}

/// Says what tasks are to know. Under the lock.
void session::state::show_cancelled() {
  context.is_cancelled.store(cancelled_phase == running_phase(), std::memory_order_relaxed);  // relaxed: a hint
}

std::optional<activity_sums> session::state::quiet_sums() {
  activity_sums sums;
  // Ends before beginnings, as in sum_of().
  for (const core* c : cores) sums.ended += c->tasks().ended();
  const message_counts messages = engine->counts();
  for (const core* c : cores) sums.begun += c->tasks().begun() + c->posted().begun();
  if (sums.begun != sums.ended) return std::nullopt;
  sums.begun += messages.sent;
  sums.ended += messages.handled;
  return sums;
}

bool session::state::report_if_quiet() {
  wave::step step = wave::step::wait;
  activity_sums sums;
  phase_failure told;
  {
    const std::scoped_lock guard(lock);
    if (!waiting || over || !search.is_due()) return false;
    const std::optional<activity_sums> own = quiet_sums();
    if (!own) return false;
    step = search.add_own(*own);
    sums = search.sums();
    told = failure;
    if (step == wave::step::next_wave) search.begin_next();
  }
  if (told.text.size() > most_text) told.text.resize(most_text);
  if (step == wave::step::report) {
    send_system(
        search.parent(),
        [sums, rank = told.rank, kind = told.kind](std::span<const std::byte> text) {
          state::here().take_report(sums, failure_of(rank, kind, text));
        },
        std::as_bytes(std::span(told.text)));
  } else if (step == wave::step::next_wave) {
    tell_children_next();
  } else if (step == wave::step::end) {
    take_end(told);
    tell_children_end(told);
  }
  engine->flush();
  return true;
}

void session::state::tell_children_next() {
  search.for_children([](int child) { send_system(child, [] { state::here().take_next_wave(); }); });
}

/// After take_end(): a child that is told may report for the next phase at once, to another core.
void session::state::tell_children_end(const phase_failure& told) {
  search.for_children([&](int child) {
    send_system(
        child,
        [rank = told.rank, kind = told.kind](std::span<const std::byte> text) {
          state& s = state::here();
          const phase_failure why = failure_of(rank, kind, text);
          s.take_end(why);
          s.tell_children_end(why);
        },
        std::as_bytes(std::span(told.text)));
  });
}

// Messages about a wave name no phase: a child reports when it was asked to, or at the begin of the next phase.
void session::state::take_report(const activity_sums& sums, phase_failure told) {
  {
    const std::scoped_lock guard(lock);
    search.take_report(sums);
    failure.take(std::move(told));
  }
  cores[0]->nudge();
}

void session::state::take_next_wave() {
  {
    const std::scoped_lock guard(lock);
    search.begin_next();
  }
  tell_children_next();
  cores[0]->nudge();
}

void session::state::take_end(phase_failure told) {
  {
    const std::scoped_lock guard(lock);
    over = true;
    // This rank may have the original.
    outcome = told.rank == failure.rank ? std::move(failure) : std::move(told);
    failure = std::exchange(next_failure, {});
    search.begin_phase();
    ++phase;
    context.hear_of_phase(static_cast<std::uint32_t>(phase));
    show_cancelled();
  }
  wake(cores[0]->root());
}

// --- the session

session::session(std::unique_ptr<transport> net, const session_options& how)
    : state_(std::make_unique<state>(std::move(net), how, *this)) {}

session::session(int /*argc*/, const char* const* /*argv*/, const session_options& how)
    : session(open_transport(handler_table::get().hash()), how) {}

session::~session() {
  state& s = *state_;
  bool broken = false;
  {
    const std::scoped_lock guard(s.lock);
    broken = s.broken_job != nullptr;
  }
  if (std::uncaught_exceptions() > s.uncaught && !broken) {
    s.net->abort("callisto: rank " + std::to_string(rank()) + ": an exception left the program's main part");
  } else if (!broken) {
    try {
      if (s.recorder) write_timeline();
      if (!s.how.statistics.empty() && s.how.statistics != "0") write_statistics();
      run_phase([] {});  // nothing is under way in any rank
      s.watcher.reset();
      s.stop_cores();     // the network is this thread's from now on
      s.engine->flush();  // what another core's last handler has sent
      s.net->leave();
    } catch (...) {
      // The job failed meanwhile; the rank that failed has said so.
    }
  }
}

session& session::here() { return state::here().self; }

int session::rank() const noexcept { return state_->context.rank; }
int session::ranks() const noexcept { return state_->context.ranks; }
unsigned session::threads() const noexcept { return state_->how.threads; }

void session::begin_phase() {
  state& s = *state_;
  if (core::here() != &*s.first || &this_worker() != &s.first->root()) {
    throw usage_error("callisto::global: a phase begins in main, not in a task");
  }
  if (s.inside) throw usage_error("callisto::global: a phase is running: phases do not nest");
  s.inside = true;
  if (s.recorder) s.phase_began = s.seconds();
  const std::scoped_lock guard(s.lock);
  s.current_phase.store(s.phase, std::memory_order_relaxed);  // relaxed: a hint
}

void session::fail_phase(std::exception_ptr thrown) { state_->failed(this_core(), std::move(thrown)); }

void session::end_phase() {
  state& s = *state_;
  {
    const std::scoped_lock guard(s.lock);
    s.waiting = true;
  }
  const auto is_over = [&s] {
    const std::scoped_lock guard(s.lock);
    return s.over;
  };
  try {
    while (!is_over()) s.first->suspend();
  } catch (...) {
    s.inside = false;
    throw;
  }
  phase_failure failed;
  {
    const std::scoped_lock guard(s.lock);
    s.waiting = false;
    s.over = false;
    failed = std::exchange(s.outcome, {});
    s.current_phase.store(no_phase, std::memory_order_relaxed);  // relaxed: a hint
  }
  s.inside = false;
  if (s.recorder) s.recorder->add(phase_span{s.phase_began, s.seconds()});
  if (failed.rank >= 0) failed.rethrow();
}

rank_statistics session::own_statistics() {
  state& s = *state_;
  rank_statistics of;
  of.rank = s.context.rank;
  of.cores = s.how.threads;
  const auto per_second = static_cast<double>(machine::native::ticks_per_second());
  of.seconds = static_cast<double>(machine::native::ticks() - s.began) / per_second;
  const message_statistics m = s.engine->statistics();
  of.messages = m.messages;
  of.message_bytes = m.message_bytes;
  of.packets = m.packets;
  of.waits_for_window = m.full_waits;
  std::uint64_t looks = 0;
  std::uint64_t workers = 0;
  std::uint64_t ready = 0;
  for (const core* c : s.cores) {
    const core_counts n = c->counts();
    of.tasks += n.tasks_finished;
    of.switches += n.switches;
    of.most_workers = std::max(of.most_workers, n.most_workers);
    of.idle_seconds += static_cast<double>(n.idle_nanoseconds) / 1e9;
    looks += n.looks;
    workers += n.workers_at_looks;
    ready += n.ready_at_looks;
  }
  of.looks = looks;
  if (looks != 0) {
    of.workers = static_cast<double>(workers) / static_cast<double>(looks);
    of.ready = static_cast<double>(ready) / static_cast<double>(looks);
  }
  // relaxed, all: counts
  of.steals_tried = s.steals.requests.load(std::memory_order_relaxed);
  of.steals_made = of.steals_tried - std::min(of.steals_tried, s.steals.vain.load(std::memory_order_relaxed));
  of.tasks_stolen = s.steals.tasks.load(std::memory_order_relaxed);
  of.tasks_moved = s.steals.within.load(std::memory_order_relaxed);
  return of;
}

std::vector<rank_statistics> session::statistics() {
  state& s = *state_;
  run_phase([&] { send(0, [own = own_statistics()] { state::here().gathered.push_back(own); }); });
  std::ranges::sort(s.gathered, {}, &rank_statistics::rank);
  return std::exchange(s.gathered, {});
}

void session::write_statistics() {
  const std::vector<rank_statistics> ranks = statistics();
  if (rank() != 0) return;
  const std::string& to = state_->how.statistics;
  if (to == "1") {
    const std::string table = statistics_table(ranks);
    std::fwrite(table.data(), 1, table.size(), stderr);
    return;
  }
  try {
    machine::output_file file(to);
    file.append(statistics_json(ranks));
    file.commit();
  } catch (const error& e) {
    std::fprintf(stderr, "callisto: CALLISTO_GLOBAL_STATISTICS: %s\n", e.what());
  }
}

/// Sends what each rank kept to rank 0, in pieces, and writes the file there.
void session::write_timeline() {
  state& s = *state_;
  s.recorder->add(own_statistics());
  const timeline_recorder own = std::move(*s.recorder);
  s.recorder.reset();
  if (rank() == 0) s.timelines.resize(static_cast<std::size_t>(ranks()));
  run_phase([&] {});  // rank 0 has room
  run_phase([&] {
    const auto send_all = [](auto take, const auto& all) {
      const std::size_t most = most_payload / sizeof(all[0]);
      for (std::size_t at = 0; at < all.size(); at += most) {
        send(0, take, std::as_bytes(std::span(all).subspan(at, std::min(most, all.size() - at))));
      }
    };
    send(0, [of = rank(), began = s.began_by_clock, left_out = own.phases_left_out()] {
      rank_timeline& t = state::here().timelines[static_cast<std::size_t>(of)];
      t.rank = of;
      t.began = began;
      t.phases_left_out = left_out;
    });
    send_all(
        [of = rank()](std::span<const std::byte> bytes) {
          append(state::here().timelines[static_cast<std::size_t>(of)].samples, bytes);
        },
        own.samples());
    send_all(
        [of = rank()](std::span<const std::byte> bytes) {
          append(state::here().timelines[static_cast<std::size_t>(of)].phases, bytes);
        },
        own.phases());
  });
  if (rank() != 0) return;
  for (rank_timeline& t : s.timelines) {
    t.host = s.net->host_of(t.rank);
    // Pieces come in any order.
    std::ranges::sort(t.samples, {}, &rank_statistics::seconds);
    std::ranges::sort(t.phases, {}, &phase_span::begin);
  }
  try {
    machine::output_file file(s.how.timeline);
    file.append(timeline_json(s.timelines));
    file.commit();
  } catch (const error& e) {
    std::fprintf(stderr, "callisto: CALLISTO_GLOBAL_TIMELINE: %s\n", e.what());
  }
}

/// Also on the watch's thread, which begins after the cores and ends before them.
std::string session::state::report() {
  const std::string me = net->name_of(context.rank) + ": ";
  std::string text;
  {
    const std::scoped_lock guard(lock);
    if (!waiting) {
      text += me + "main runs, or waits for a far operation\n";
    } else {
      text += me + "main waits for the end of phase " + std::to_string(phase) + ", ";
      text += search.is_due()     ? "this rank has tasks that have not ended\n"
              : search.reported() ? "other ranks have not all ended their parts\n"
                                  : "ranks below it in the tree have not reported\n";
    }
  }
  for (const core* c : cores) {
    const core_counts n = c->counts();
    text += me + "core " + std::to_string(c->number()) + ": " + std::to_string(n.workers) + " workers have a task, " +
            std::to_string(n.ready) + " of them are ready, " + std::to_string(n.queued_tasks) +
            " tasks wait for a worker\n";
  }
  const message_counts m = engine->counts();
  text += me + std::to_string(m.sent) + " messages sent, " + std::to_string(m.handled) + " handled\n";
  return text;
}

std::string session::report() { return state_->report() + state_->engine->report(); }

void session::post_to(unsigned core, const task& t) { state_->cores[core]->post(t); }

void session::cancel_phase() { state_->broadcast_cancel(); }

bool session::phase_cancelled() const noexcept {
  return state_->context.is_cancelled.load(std::memory_order_relaxed);  // relaxed: a hint
}

bool session::in_phase() const noexcept { return state_->inside; }

void run_in_process(const in_process_job& job, const std::function<void(session&)>& main) {
  const auto ranks = static_cast<std::size_t>(job.net.ranks);
  in_process_cluster cluster(job.net);
  std::vector<std::exception_ptr> thrown(ranks);
  std::vector<std::thread> threads;
  for (std::size_t r = 0; r != ranks; ++r) {
    threads.emplace_back([&, r] {
      auto net = cluster.attach(static_cast<int>(r));
      transport& by = *net;
      try {
        session s(std::move(net), job.how);
        try {
          main(s);
        } catch (const job_failed&) {
          throw;
        } catch (const std::exception& e) {
          by.abort("callisto: rank " + std::to_string(r) + ": " + e.what());
          throw;
        }
      } catch (...) {
        thrown[r] = std::current_exception();
      }
    });
  }
  for (std::thread& t : threads) t.join();
  std::exception_ptr first;
  for (const std::exception_ptr& e : thrown) {
    if (e == nullptr) continue;
    try {
      std::rethrow_exception(e);
    } catch (const job_failed&) {
      if (first == nullptr) first = e;
    } catch (...) {
      std::rethrow_exception(e);
    }
  }
  if (first != nullptr) std::rethrow_exception(first);
}

}  // namespace callisto::global
