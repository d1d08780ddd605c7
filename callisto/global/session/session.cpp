// Begin and end of a session, the duties of its cores, and ranks in one process.
#include <callisto/global/session/session.hpp>

#include <callisto/global/session/session_state.hpp>
#include <callisto/global/session/uncaught.hpp>
#include <callisto/global/tasks/wait_note.hpp>
#include <callisto/global/transport/environment.hpp>
#include <callisto/global/transport/open.hpp>
#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/system/secure_environment.hpp>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <string>
#include <utility>

namespace callisto::global {
namespace {

constexpr std::size_t most_threads = 1024;

/// Returns the options with a number where the user gave none.
session_options completed(session_options how, const transport& net) {
  const unsigned contexts = machine::default_threads(machine::limits::current());
  if (how.threads == 0) how.threads = std::max(contexts / static_cast<unsigned>(net.rivals()), 1U);
  if (how.stack_bytes == 0) how.stack_bytes = core_options{}.stack_bytes;
  if (how.workers == 0) how.workers = core_options{}.plenty;
  return how;
}

}  // namespace

session_options session_options::from_environment() {
  explain_uncaught_errors();
  session_options how;
  how.threads = static_cast<unsigned>(number_from("CALLISTO_GLOBAL_THREADS", 1, most_threads, 0));
  how.stack_bytes = number_from("CALLISTO_GLOBAL_STACK", std::size_t{16} << 10, std::size_t{1} << 30, 0);
  how.workers = number_from("CALLISTO_GLOBAL_WORKERS", 1, std::size_t{1} << 30, 0);
  how.statistics = machine::file_variable("CALLISTO_GLOBAL_STATISTICS");
  how.timeline = machine::file_variable("CALLISTO_GLOBAL_TIMELINE");
  return how;
}

session_state& session_state::here() { return static_cast<session_state&>(this_core().duties()); }

rank_parts& rank_parts::here() { return session_state::here().rank; }

void rank_parts::end_job(const std::string& line) {
  net->abort(line, 2);
  throw job_failed(line);
}

session_state::session_state(std::unique_ptr<transport> by, const session_options& wish, session& of,
                             int threads_before)
    : self(of), rank(std::move(by)), how(completed(wish, *rank.net)), deadlock(rank, how.threads, threads_before) {
  const unsigned contexts = machine::default_threads(machine::limits::current());
  rank.context.threads = static_cast<int>(how.threads);
  threads.each = {.stack_bytes = how.stack_bytes, .plenty = how.workers};
  // The work that a core waits for may need its context.
  if (how.threads * static_cast<unsigned>(rank.net->rivals()) > contexts) {
    threads.each.patience = std::chrono::microseconds(5);
  }
  rank.engine = std::make_unique<message_engine>(rank.context, *rank.net);
  rank.cores.resize(how.threads);
  for (unsigned c = 0; c != how.threads; ++c) {
    rank.random.emplace_back(
        static_cast<unsigned>(how.seed * 7919 + static_cast<std::uint64_t>(rank.context.rank) * 1009 + c + 1));
  }
  threads.started.emplace(how.threads);
  threads.ended.emplace(how.threads);
  if (!how.timeline.empty()) record.recorder.emplace();
  sleeping.join_other_jobs(how.threads);
  set_here(&rank.context);
  if (rank.net->owns_process()) {
    // Before there are other threads, which read the function. Tasks leave their core to other workers that let
    // messages leave; main may not. Only main's thread looks at the watch here, as it is the one that makes and ends
    // it.
    rank.engine->on_collecting([this] {
      core* const c = core::here();
      if (c != nullptr && c == rank.cores[0] && &c->running() == &c->root() && watcher) watcher->expect_messages();
    });
  }
  try {
    threads.first.emplace(*this, threads.each);
  } catch (...) {
    set_here(nullptr);
    throw;
  }
  threads.first->set_interrupt([this] { rank.engine->wake(); });
  rank.cores[0] = &*threads.first;
  for (unsigned c = 1; c != how.threads; ++c) threads.others.emplace_back([this, c] { run_core(c); });
  threads.started->arrive_and_wait();
  if (rank.net->owns_process()) watcher.emplace(*rank.engine, [this] { return report(); });
  deadlock.count_threads();
}

session_state::~session_state() {
  watcher.reset();
  stop_cores();
  threads.first.reset();
  rank.context.slots.clear();
  rank.engine.reset();
  set_here(nullptr);
}

void session_state::run_core(unsigned number) {
  set_here(&rank.context);
  sleeping.take_lease(number);
  {
    core_options mine = threads.each;
    mine.number = number;
    core c(*this, mine);
    c.set_interrupt([this] { rank.engine->wake(); });
    rank.cores[number] = &c;
    threads.started->arrive_and_wait();
    try {
      // acquire: pairs with stop_cores()
      while (!threads.ending.load(std::memory_order_acquire)) c.suspend();
    } catch (const error&) {
      // The job has failed, which main tells.
    }
    threads.ended->arrive_and_wait();
  }
  sleeping.drop_lease(number);
  set_here(nullptr);
}

void session_state::stop_cores() {
  std::vector<core*>& cores = rank.cores;
  if (cores.empty()) return;
  // release: other roots see what main did.
  threads.ending.store(true, std::memory_order_release);
  for (unsigned c = 1; c != cores.size(); ++c) wake(cores[c]->root());
  // No core uses another one afterwards.
  threads.ended->arrive_and_wait();
  for (std::thread& t : threads.others) t.join();
  threads.others.clear();
  cores.clear();
}

// --- the duties of a core

bool session_state::poll(core& c) {
  sleeping.check_in(c);
  try {
    if (c.number() == 0 && record.recorder && record.recorder->is_due(record.seconds())) {
      record.recorder->add(self.own_statistics());
    }
    const bool any = rank.engine->progress();
    if (any) say_idle(false);
    return any;
  } catch (...) {
    job_broke(std::current_exception());
    return false;
  }
}

/// Other ranks send what they have collected to one that waits for work.
void session_state::say_idle(bool is_idle) noexcept {
  // relaxed, both: a hint
  if (said_idle.load(std::memory_order_relaxed) == is_idle) return;
  said_idle.store(is_idle, std::memory_order_relaxed);
  rank.net->say_idle(is_idle);
}

bool session_state::find_work(core& c) {
  if (rank.cores.size() > 1 && stealing.steal_from_cores(c)) return true;
  say_idle(true);
  try {
    rank.engine->flush_if_sent();
    stealing.ask_another_rank(c);
    return c.number() == 0 && phase.report_if_quiet();
  } catch (...) {
    job_broke(std::current_exception());
    return false;
  }
}

void session_state::sleep(core& c, unsigned idle) {
  // Core 0 finds out when the rank is quiet.
  if (c.number() != 0 && idle == 0) rank.cores[0]->nudge();
  sleeping.give_back(c, idle);
  try {
    deadlock.note_idle(c, idle);
    sleeping.sleep(c, idle);
  } catch (...) {
    job_broke(std::current_exception());
  }
}

void session_state::resume(core& c) {
  deadlock.note_work(c);
  sleeping.come_back(c);
}

void session_state::offer(core& c) {
  // A core that has just lain down looks again within milliseconds.
  if (rank.cores.size() != 1 && sleeping.any()) stealing.nudge_another(c);
  if (rank.context.ranks == 1) return;
  try {
    stealing.give_to_waiting(c);
  } catch (...) {
    job_broke(std::current_exception());
  }
}

void session_state::job_broke(std::exception_ptr why) noexcept {
  {
    const std::scoped_lock guard(rank.lock);
    if (broken_job == nullptr) broken_job = why;
  }
  this_core().break_off(why);
  // The other cores find out by themselves, as each of them looks at the network.
}

void session_state::failed(core&, std::exception_ptr thrown) noexcept {
  try {
    std::rethrow_exception(thrown);
  } catch (const job_failed&) {
    return job_broke(thrown);
  } catch (...) {
    phase.note_failure(phase_failure::of(rank.context.rank, thrown));
  }
}

// --- the session

namespace {

/// Threads of the process before main joined; 0: ranks in one process, beside threads of other ranks.
thread_local int threads_before = 0;

std::unique_ptr<transport> join(const char* header) {
  explain_uncaught_errors();
  threads_before = std::max(threads_of_process(), 1);
  return open_transport(handler_table::get().hash(), header);
}

}  // namespace

session::session(std::unique_ptr<transport> net, const session_options& how)
    : state_(std::make_unique<session_state>(std::move(net), how, *this, threads_before)) {}

session::session(const installation& with, const session_options& how) : session(join(with.header), how) {
  threads_before = 0;
}

session::~session() {
  session_state& s = *state_;
  bool broken = false;
  {
    const std::scoped_lock guard(s.rank.lock);
    broken = s.broken_job != nullptr;
  }
  if (std::uncaught_exceptions() > s.uncaught && !broken) {
    s.rank.net->abort(s.rank.net->name_of(rank()) + ": an exception left the program's main part");
  } else if (!broken) {
    try {
      if (s.record.recorder) write_timeline();
      if (!s.how.statistics.empty() && s.how.statistics != "0") write_statistics();
      // Nothing is under way in any rank afterwards.
      run_phase([] {}, collective{.kind = collective::kinds::leaving});
      s.watcher.reset();
      s.stop_cores();  // the network is this thread's from now on
      // The handler of the end has told the ranks below, perhaps while the network was busy: these messages do not
      // wait.
      s.rank.engine->push_out();
      s.rank.engine->flush();
      s.rank.net->leave();
    } catch (...) {
      // The job failed meanwhile; the rank that failed has said so.
    }
  }
}

session& session::here() { return session_state::here().self; }

int session::rank() const noexcept { return state_->rank.context.rank; }
int session::ranks() const noexcept { return state_->rank.context.ranks; }
unsigned session::threads() const noexcept { return state_->how.threads; }

void session::begin_phase(const collective& what) {
  session_state& s = *state_;
  if (core::here() != &*s.threads.first || &this_worker() != &s.threads.first->root()) {
    throw usage_error("callisto::global: a phase begins in main, not in a task");
  }
  if (s.inside) throw usage_error("callisto::global: a phase is running: phases do not nest");
  enter(what);
  s.inside = true;
  if (s.record.recorder) s.record.phase_began = s.record.seconds();
  s.phase.begin();
}

void session::fail_phase(std::exception_ptr thrown) { state_->failed(this_core(), std::move(thrown)); }

void session::note_failure(std::exception_ptr thrown) { session_state::here().failed(this_core(), std::move(thrown)); }

void session::end_phase(const std::source_location& where) {
  session_state& s = *state_;
  s.phase.expect_end();
  try {
    const noted_wait waits("the end of a phase", where);
    while (!s.phase.is_over()) s.threads.first->suspend();
    if (s.rank.context.ranks != 1) s.rank.engine->flush();  // main may be about to work for long
  } catch (...) {
    s.inside = false;
    throw;
  }
  const phase_failure failed = s.phase.finish();
  s.inside = false;
  if (s.record.recorder) s.record.recorder->add(phase_span{s.record.phase_began, s.record.seconds()});
  if (failed.rank >= 0) failed.rethrow();
}

unsigned session::contexts() const {
  const unsigned all = machine::default_threads(machine::limits::current());
  return std::max(all / static_cast<unsigned>(state_->rank.net->rivals()), 1U);
}

std::string session::name() const { return state_->rank.net->name_of(rank()); }

void session::end_job(const std::string& line, int status) {
  state_->rank.net->abort(line, status);
  throw job_failed(line);
}

told_collective session::enter(const collective& what) { return state_->order.enter(what); }

void session::hear_of(int child, const told_collective& told) { session_state::here().order.hear_of(child, told); }

void session::post_to(unsigned core, const task& t) { state_->rank.cores[core]->post(t); }

void session::cancel_phase() { state_->phase.broadcast_cancel(); }

bool session::phase_cancelled() const noexcept {
  return state_->rank.context.is_cancelled.load(std::memory_order_relaxed);  // relaxed: a hint
}

bool session::in_phase() const noexcept { return state_->inside; }

void run_in_process(const in_process_job& job, const std::function<void(session&)>& main) {
  const auto ranks = static_cast<std::size_t>(job.net.ranks);
  in_process_cluster cluster(job.net);
  std::vector<std::exception_ptr> thrown(ranks);
  std::vector<std::thread> threads;
  for (std::size_t r = 0; r != ranks; ++r) {
    threads.emplace_back([&, r] { thrown[r] = run_rank(cluster.attach(static_cast<int>(r)), job.how, main); });
  }
  for (std::thread& t : threads) t.join();
  rethrow_first(thrown);
}

std::exception_ptr run_rank(std::unique_ptr<transport> net, const session_options& how,
                            const std::function<void(session&)>& main) {
  transport& by = *net;
  try {
    session s(std::move(net), how);
    try {
      main(s);
    } catch (const job_failed&) {
      throw;
    } catch (const std::exception& e) {
      by.abort("callisto: rank " + std::to_string(by.rank()) + ": " + e.what());
      throw;
    }
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

void rethrow_first(std::span<const std::exception_ptr> thrown) {
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
