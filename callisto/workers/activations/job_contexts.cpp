// The threads behind contexts that are shared with other jobs.
#include <callisto/workers/activations/job_contexts.hpp>

#include <callisto/broker/client.hpp>
#include <callisto/cosched/settings.hpp>
#include <callisto/machine/host/placement.hpp>
#include <callisto/machine/shared_memory.hpp>
#include <callisto/machine/system/blocked_signals.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/small_thread.hpp>
#include <callisto/machine/timed_park.hpp>
#include <callisto/waiting/attendance.hpp>
#include <callisto/waiting/late_step.hpp>

#include <algorithm>
#include <chrono>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

namespace callisto::workers {

using machine::native;

struct job_contexts::state {
  struct proxy_thread {
    job_contexts* of;
    unsigned context;
    context_request<native> request;
    pthread_t thread{};
    bool runs = false;
    // Written by the thread of this process that has the context:
    int runs_for = 0;        ///< that thread, as the kernel numbers it; 0: an attached thread, which is pinned nowhere
    bool was_known = false;  ///< other jobs know the worker's thread, and so may have moved it
    bool present = false;    ///< that thread is counted in `users`
    // Read by any thread:
    native::atomic<unsigned> at_hand{0};      ///< why a worker can have it at once: `own`, `kept`
    native::atomic<bool> may_be_asked{true};  ///< another job has high priority there, always or by turns
  };
  static constexpr unsigned own = 1;   ///< the job has high priority there for more than half of the time
  static constexpr unsigned kept = 2;  ///< the job had it last, and has not found since that another job has it

  // relaxed, all: a hint, and each bit has one writer.
  void put_at_hand(unsigned c, unsigned why) noexcept {
    if (proxies[c].at_hand.fetch_or(why, machine::order::relaxed) == 0) at_hand.fetch_add(1, machine::order::relaxed);
  }
  void take_off_hand(unsigned c, unsigned why) noexcept {
    if (proxies[c].at_hand.fetch_and(~why, machine::order::relaxed) == why)
      at_hand.fetch_sub(1, machine::order::relaxed);
  }

  /// Adds the context to those of the job, or removes it. False: it stays one, since it is the last; the system runs
  /// the threads elsewhere then. Called by proxy threads, so it allocates nothing.
  bool set_there(unsigned c, bool there) {
    const std::scoped_lock held(by_lost);
    lost[c] = !there;
    left.clear();
    for (unsigned i = 0; i < os_index.size(); ++i) {
      if (!lost[i]) left.push_back(os_index[i]);
    }
    if (left.empty()) {
      lost[c] = false;
      return false;
    }
    job->set_contexts(left);
    return true;
  }

  std::unique_ptr<cosched::job> job;  ///< null until the process has joined
  // Until then, for the lookout thread:
  cosched::membership how;
  std::vector<std::string> folders;  ///< of tables
  std::uint64_t joins_after = 0;     ///< in nanoseconds
  /// The lookout thread makes `job`. No lock: a member that forks may be preempted in between.
  waiting::late_step<native> joining;
  std::vector<unsigned> os_index;
  std::vector<double> shares;  ///< the job's part of the time, by context; for the lookout thread
  // Set before there is a thread:
  user* by = nullptr;
  context_owners<native>* owners = nullptr;
  cosched::timing delays;
  std::deque<proxy_thread> proxies;
  native::atomic<bool> with_others{false};
  native::atomic<unsigned> main{none};    ///< the main thread's context
  native::atomic<unsigned> at_hand{0};    ///< contexts that are at hand, for whatever reason
  native::atomic<std::uint64_t> ends{0};  ///< 1: the lookout thread is to end; 2: it does
  waiting::attendance<native> users;      ///< threads that have a context, or want one
  std::mutex by_lost;
  std::vector<bool> lost;      ///< by context: it was unplugged, or taken from the process
  std::vector<unsigned> left;  ///< contexts that are not lost, by the system's numbers
  pthread_t lookout{};
  bool looks_out = false;
  bool has_proxies = false;
};

namespace {

/// The time at work between two looks, as a part of the time between them, from which on a light job may soon be none.
constexpr double least_work = 0.125;

/// Looks in a row, without a thread that has or wants a context, after which the lookout thread rests.
constexpr unsigned looks_before_rest = 10;

/// Returns false if the system refuses the thread. The thread names itself: another one would write a file.
bool start_thread(pthread_t& thread, void* (*main)(void*), void* argument) {
  const machine::blocked_signals blocked;
  return machine::start_small_thread(thread, main, argument) == 0;
}

}  // namespace

job_contexts::job_contexts(const std::vector<unsigned>& contexts) : where_(contexts), state_(new state) {}

std::unique_ptr<job_contexts> job_contexts::join(std::vector<unsigned> contexts, std::string& refusal,
                                                 std::uint64_t after_ns) {
  const cosched::settings how = cosched::settings::from_environment();
  if (!how.wanted) {
    refusal = "CALLISTO_COSCHED=off";
    return nullptr;
  }
  const int here = sched_getcpu();
  std::unique_ptr<job_contexts> made(new job_contexts(contexts));
  state& s = *made->state_;
  s.how = {.contexts = contexts,
           .main = here < 0 ? std::nullopt : std::optional(static_cast<unsigned>(here)),
           .weight = how.weight.value_or(1),
           .follows_priority = !how.weight,
           .delays = how.delays,
           .may_step_aside = !how.told_if_not,
           .broker = broker::find};
  // Now: the program may change its environment while the lookout thread reads it.
  s.folders = machine::shared_folders();
  s.joins_after = how.told_if_not ? 0 : after_ns;
  if (s.joins_after == 0) {
    s.job = cosched::job::join(s.how, s.folders, refusal);
    if (s.job == nullptr) return nullptr;
  }
  s.delays = how.delays;
  for (unsigned c = 0; c < contexts.size(); ++c) {
    auto& p = s.proxies.emplace_back();
    p.of = made.get();
    p.context = c;
  }
  s.lost.resize(contexts.size());
  s.shares.resize(contexts.size());
  s.left.reserve(contexts.size());
  s.os_index = std::move(contexts);
  return made;
}

void job_contexts::look_out(user& by, context_owners<native>& owners) {
  state& s = *state_;
  s.by = &by;
  s.owners = &owners;
  s.looks_out = start_thread(
      s.lookout,
      [](void* of) -> void* {
        pthread_setname_np(pthread_self(), "lookout");
        auto& self = *static_cast<job_contexts*>(of);
        if (self.join_late()) self.watch_for_others();
        self.state_->ends.store(2, machine::order::relaxed);  // relaxed: pthread_join orders the rest
        native::unpark(self.state_->ends, 1);
        return nullptr;
      },
      this);
  if (!s.looks_out) throw error("create_workers: the system refuses a thread that looks out for other jobs");
}

job_contexts::~job_contexts() {
  state& s = *state_;
  if (s.looks_out) {
    s.joining.put_off();
    // relaxed, all: pthread_join orders the rest. 2 already: it could not join.
    std::uint64_t runs = 0;
    s.ends.compare_exchange(runs, 1, machine::order::relaxed);
    native::unpark(s.ends, 1);
    // The lookout thread sleeps on a word of the table, or rests by one that is soon as it was: wake it again and
    // again, in case it was about to sleep.
    while (s.ends.load(machine::order::relaxed) == 1) {
      if (s.job != nullptr) s.job->wake_watchers();
      s.users.arrive();
      s.users.depart();
      machine::park_for(s.ends, 1, 1'000'000);
    }
    pthread_join(s.lookout, nullptr);
  }
  for (auto& p : s.proxies) {
    if (!p.runs) continue;
    p.request.end();
    pthread_join(p.thread, nullptr);
  }
}

void job_contexts::leave() {
  state_->joining.forbid();
  if (state_->job != nullptr) state_->job->leave();
}

void job_contexts::before_fork() noexcept { state_->joining.put_off(); }
void job_contexts::after_fork() noexcept { state_->joining.let_go(); }

bool job_contexts::with_others() const noexcept {
  return state_->with_others.load(machine::order::relaxed);  // relaxed: a hint; a proxy thread tells what counts
}

bool job_contexts::may_be_asked(unsigned c) const noexcept {
  // relaxed: as in with_others().
  return with_others() && state_->proxies[c].may_be_asked.load(machine::order::relaxed);
}

/// Joins at the end of the time that join() was given, unless the process ends before. False: the process runs alone.
bool job_contexts::join_late() {
  state& s = *state_;
  if (s.job != nullptr) return true;
  for (;;) {
    machine::park_for(s.ends, 0, s.joins_after);
    if (s.ends.load(machine::order::relaxed) != 0) return false;  // relaxed: a flag by itself
    if (s.joining.begin()) break;
    if (s.joining.is_forbidden()) return false;
  }
  std::string refusal;
  s.job = cosched::job::join(s.how, s.folders, refusal);
  s.joining.end();
  return s.job != nullptr;
}

/// The life of the lookout thread. When jobs come and go, and every P_high, it finds out whether there are other jobs,
/// and does what jobs do for each other. While the process stands aside, it is as alone. Where the process has been
/// idle for a second and shares with no job, the lookout thread rests until a job comes or a thread wants a context: an
/// idle process does not wake up by itself.
void job_contexts::watch_for_others() {
  state& s = *state_;
  std::uint64_t last = s.job->generation();
  std::int64_t worked = native::working_time();
  auto looked = std::chrono::steady_clock::now();
  unsigned in_vain = 0;  // looks since a thread last had a context
  while (s.ends.load(machine::order::relaxed) == 0) {
    s.job->look_around();
    const bool aside = s.job->stands_aside();
    const std::uint64_t seen = s.job->generation();
    const bool others = !aside && !s.job->alone() && s.job->member();
    const bool had_others = s.with_others.load(machine::order::relaxed);  // relaxed: written by this thread
    const bool news = others != had_others || seen != last;
    if (others) {
      start_proxies();
      // Each thread that has a context now obtains it from the other jobs, or has that looked at again: the main thread
      // of another job may have been asleep, and cannot ask (rule 1).
      find_main_context();
      s.job->shares_of(s.os_index, s.shares);
      for (auto& p : s.proxies) {
        const double share = s.shares[p.context];
        p.may_be_asked.store(share < 1, machine::order::relaxed);  // relaxed: news is told to all workers
        if (share > 0.5) {
          s.put_at_hand(p.context, state::own);
        } else {
          s.take_off_hand(p.context, state::own);
        }
      }
      s.with_others.store(true, machine::order::release);  // release: publishes the proxies to acquire()'s acquire
    } else {
      // relaxed: a thread that still obtains its context gives it back when another job asks, or when it has no work.
      s.with_others.store(false, machine::order::relaxed);
    }
    if (others || had_others) {
      for (auto& p : s.proxies) {
        s.owners->request_look(p.context);
        // From an attached thread that is away for long; one that stepped away just now pays a hand-over.
        s.owners->reclaim(p.context);
      }
    }
    last = seen;
    s.by->look(others || had_others, news);
    // A light job that begins to work soon shares.
    const std::int64_t worked_before = std::exchange(worked, native::working_time());
    const auto looked_before = std::exchange(looked, std::chrono::steady_clock::now());
    const bool works = static_cast<double>(worked - worked_before) >
                       least_work * static_cast<double>(std::chrono::nanoseconds(looked - looked_before).count());
    in_vain = s.users.any() ? 0 : in_vain + 1;
    if (in_vain > looks_before_rest && (aside || s.job->alone())) {
      s.users.rest([&](const native::atomic<std::uint64_t>& word, std::uint32_t low) {
        // Where the kernel cannot wait for two words, the thread looks on.
        if (!s.job->wait_for_change_or(seen, word, low)) s.job->wait_for_change(seen, s.delays.p_high);
      });
      s.job->look_after();
      continue;
    }
    s.job->wait_for_change(seen, aside && works && s.job->stands_aside_as_light() ? s.delays.h_low : s.delays.p_high);
    s.job->look_after();
  }
}

void job_contexts::start_proxies() {
  state& s = *state_;
  // Once, since other threads read `runs`. If the system refuses one, the context goes without.
  if (std::exchange(s.has_proxies, true)) return;
  for (auto& p : s.proxies) {
    p.runs = start_thread(
        p.thread,
        [](void* of) -> void* {
          pthread_setname_np(pthread_self(), "proxy");
          auto& self = *static_cast<state::proxy_thread*>(of);
          self.of->serve(self.context);
          return nullptr;
        },
        &p);
    if (p.runs) machine::pin(p.thread, s.os_index[p.context]);
  }
}

/// The life of the proxy thread of context `c`.
void job_contexts::serve(unsigned c) {
  state& s = *state_;
  struct seat {
    job_contexts& of;
    unsigned context;
    cosched::job::seat at;
    bool there = true;

    /// True if threads may run on the context. The proxy thread itself belongs there, so it tries.
    bool is_there() {
      const bool now = machine::keep_this_thread_on(at.context());
      if (now != there && of.state_->set_there(context, now)) there = now;
      return there;
    }
    bool keep() { return is_there() && at.keep(); }
    bool take(bool pressing) {
      const bool taken = wait_for(pressing);
      if (taken) {
        of.state_->put_at_hand(context, state::kept);
      } else {
        of.state_->take_off_hand(context, state::kept);
      }
      return taken;
    }
    bool wait_for(bool pressing) {
      if (!is_there()) {
        at.idle();
        if (pressing) {
          of.find_main_context();
        } else {
          // The worker asks again as long as there is work; other workers do that work.
          machine::park_for(of.state_->ends, 0, of.state_->delays.h_low);
        }
        return false;
      }
      const auto give_up = [this, pressing] {
        of.state_->take_off_hand(context, state::kept);
        if (!is_there()) return true;
        if (pressing) return !of.state_->job->has_turns_on(at.context());
        // An attached thread that waits for the worker had better ask the job itself.
        if (of.state_->owners->is_awaited(context)) return true;
        return of.state_->by->is_over() || !of.state_->by->had_work(of.state_->delays.h_low);
      };
      if (at.take(give_up)) return true;
      if (pressing) of.find_main_context();
      return false;
    }
    void idle() { at.idle(); }
    void sleep(const native::atomic<std::uint64_t>& word, std::uint32_t low) {
      // The context's owner, if it sleeps as a whole, may wake up in code that cannot ask (rule 1).
      while (at.look_within() != 0) {
        if (!machine::park_for(word, low, at.look_within())) return;
        at.look_at_owner();
      }
      native::park(word, low);
    }
  } has{*this, c, cosched::job::seat(*s.job, s.os_index[c])};
  s.proxies[c].request.serve(has, [&] {
    // The thread that has the context waits for this, so no other thread reads these.
    context_watch<native>& watch = s.owners->watch_of(c);
    watch.word = &has.at.word();
    watch.calm = has.at.calm();
    has.at.set_thread(s.proxies[c].runs_for);
  });
}

unsigned job_contexts::main_context() const noexcept {
  // relaxed: a thread that comes with the old value is denied that context.
  return with_others() ? state_->main.load(machine::order::relaxed) : none;
}

void job_contexts::find_main_context() {
  state& s = *state_;
  const auto at = std::find(s.os_index.begin(), s.os_index.end(), s.job->main_context());
  s.main.store(at == s.os_index.end() ? none : static_cast<unsigned>(at - s.os_index.begin()),
               machine::order::relaxed);  // relaxed: as in main_context()
}

bool job_contexts::is_at_hand(unsigned c) const noexcept {
  return !with_others() || state_->proxies[c].at_hand.load(machine::order::relaxed) != 0;  // relaxed: a hint
}

bool job_contexts::comes_too_late(unsigned c) noexcept { return !is_at_hand(c); }

unsigned job_contexts::contexts_at_hand(unsigned all) const noexcept {
  // relaxed: a hint.
  return with_others() ? state_->at_hand.load(machine::order::relaxed) : all;
}

bool job_contexts::acquire(unsigned c, context_watch<native>& watch, bool attached) noexcept {
  state& s = *state_;
  watch.request.fetch_and(~context_watch<native>::look_request, machine::order::relaxed);  // relaxed: a request
  auto& p = s.proxies[c];
  if (!std::exchange(p.present, true)) s.users.arrive();
  // acquire: pairs with watch_for_others()'s release; the proxies that were started are visible.
  if (!s.with_others.load(machine::order::acquire) || !p.runs) {
    watch.word = nullptr;
    p.request.leave();  // what it obtained before the other jobs left, or this one stepped aside
    if (!attached && std::exchange(p.was_known, false)) machine::keep_this_thread_on(s.os_index[c]);
    return true;
  }
  p.runs_for = attached ? 0 : gettid();
  if (!p.request.obtain(attached)) {
    p.present = false;
    s.users.depart();
    return false;
  }
  if (!attached) {
    // Another job, which did not get an answer in time, may have moved the worker's thread elsewhere.
    p.was_known = true;
    machine::keep_this_thread_on(s.os_index[c]);
  }
  return true;
}

void job_contexts::release(unsigned c) noexcept {
  auto& p = state_->proxies[c];
  p.request.leave();  // does nothing if the context was not obtained
  if (std::exchange(p.present, false)) state_->users.depart();
}

}  // namespace callisto::workers
