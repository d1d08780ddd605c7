// The threads behind contexts that are shared with other jobs.
#include <callisto/workers/activations/job_contexts.hpp>

#include <callisto/cosched/settings.hpp>
#include <callisto/machine/system/blocked_signals.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/host/placement.hpp>
#include <callisto/machine/shared_memory.hpp>
#include <callisto/machine/timed_park.hpp>

#include <algorithm>
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
    context_request<native> has;
    pthread_t thread{};
    bool runs = false;
    // Written by who has the context among the threads of this process.
    int runs_for = 0;        ///< his thread, as the kernel numbers it; 0: a guest's, which is pinned nowhere
    bool was_known = false;  ///< others were told the worker's thread, and so may have moved it
    native::atomic<unsigned> at_hand{0};      ///< why a worker can have it at once: `own`, `kept`
    native::atomic<bool> may_be_asked{true};  ///< another job has high priority there, always or by turns
  };
  static constexpr unsigned own = 1;   ///< the job has high priority there, mostly
  static constexpr unsigned kept = 2;  ///< the job got it last, and has not found since that another job has

  /// relaxed, all: a hint, and one bit has one writer.
  void put_at_hand(unsigned c, unsigned why) noexcept {
    if (deputies[c].at_hand.fetch_or(why, machine::order::relaxed) == 0) at_hand.fetch_add(1, machine::order::relaxed);
  }
  void take_off_hand(unsigned c, unsigned why) noexcept {
    if (deputies[c].at_hand.fetch_and(~why, machine::order::relaxed) == why)
      at_hand.fetch_sub(1, machine::order::relaxed);
  }

  /// The context is one of the job's again, or it is not any more. False: it stays one, since it is the last; the
  /// system runs the threads somewhere. Deputies ask, so it allocates nothing.
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

  std::unique_ptr<cosched::job> job;
  std::vector<unsigned> os_index;
  std::vector<double> shares;  ///< of the time, by context; the lookout's
  user* by = nullptr;          ///< there is one before there is a thread
  cosched::timing delays;
  std::deque<proxy_thread> deputies;
  native::atomic<bool> with_others{false};
  native::atomic<unsigned> main{none};    ///< of the contexts, the main thread's
  native::atomic<unsigned> at_hand{0};    ///< contexts that are, for whatever reason
  native::atomic<std::uint64_t> ends{0};  ///< 1: the lookout is to end; 2: it does
  std::mutex by_lost;
  std::vector<bool> lost;      ///< by context: it was unplugged, or taken from the process
  std::vector<unsigned> left;  ///< where the job may run then
  pthread_t lookout{};
  bool looks_out = false;
  bool has_deputies = false;
};

namespace {

/// False if the system refuses it.
bool start_thread(pthread_t& thread, const char* name, void* (*main)(void*), void* argument) {
  const machine::blocked_signals blocked;
  const bool started = pthread_create(&thread, nullptr, main, argument) == 0;
  if (started) pthread_setname_np(thread, name);
  return started;
}

}  // namespace

job_contexts::job_contexts(const std::vector<unsigned>& contexts) : pinned_contexts(contexts), state_(new state) {}

std::unique_ptr<job_contexts> job_contexts::join(std::vector<unsigned> contexts, std::string& refusal) {
  const cosched::settings how = cosched::settings::from_environment();
  if (!how.wanted) {
    refusal = "CALLISTO_COSCHED=off";
    return nullptr;
  }
  const int here = sched_getcpu();
  auto job = cosched::job::join({.contexts = contexts,
                                 .main = here < 0 ? std::nullopt : std::optional(static_cast<unsigned>(here)),
                                 .weight = how.weight,
                                 .delays = how.delays},
                                machine::shared_folders(), refusal);
  if (job == nullptr) return nullptr;
  std::unique_ptr<job_contexts> made(new job_contexts(contexts));
  state& s = *made->state_;
  s.job = std::move(job);
  s.delays = how.delays;
  for (unsigned c = 0; c < contexts.size(); ++c) {
    auto& d = s.deputies.emplace_back();
    d.of = made.get();
    d.context = c;
  }
  s.lost.resize(contexts.size());
  s.shares.resize(contexts.size());
  s.left.reserve(contexts.size());
  s.os_index = std::move(contexts);
  return made;
}

void job_contexts::look_out(user& by) {
  state& s = *state_;
  s.by = &by;
  s.looks_out = start_thread(
      s.lookout, "lookout",
      [](void* of) -> void* {
        static_cast<job_contexts*>(of)->watch_for_others();
        return nullptr;
      },
      this);
  if (!s.looks_out) throw error("create_workers: the system refuses a thread that looks out for other jobs");
}

job_contexts::~job_contexts() {
  state& s = *state_;
  if (s.looks_out) {
    s.ends.store(1, machine::order::relaxed);  // relaxed, all: pthread_join orders the rest
    // It sleeps on a word of the table's that does not change for this: again if it was about to.
    do {
      s.job->wake_watchers();
      machine::park_for(s.ends, 1, 1'000'000);
    } while (s.ends.load(machine::order::relaxed) == 1);
    pthread_join(s.lookout, nullptr);
  }
  for (auto& d : s.deputies) {
    if (!d.runs) continue;
    d.has.end();
    pthread_join(d.thread, nullptr);
  }
}

void job_contexts::leave() { state_->job->leave(); }

bool job_contexts::with_others() const noexcept {
  return state_->with_others.load(machine::order::relaxed);  // relaxed: a hint; who needs more is told by a deputy
}

bool job_contexts::may_be_asked(unsigned worker) const noexcept {
  // relaxed: as above.
  return with_others() && state_->deputies[worker].may_be_asked.load(machine::order::relaxed);
}

/// When jobs come and go, and every P_high: whether there are others, and what jobs do for each other.
void job_contexts::watch_for_others() {
  state& s = *state_;
  std::uint64_t last = s.job->generation();
  while (s.ends.load(machine::order::relaxed) == 0) {
    const std::uint64_t seen = s.job->generation();
    const bool others = !s.job->alone() && s.job->member();
    // relaxed: this thread's own.
    const bool news = others != s.with_others.load(machine::order::relaxed) || seen != last;
    if (others) {
      start_deputies();
      // Whoever has a context obtains a permit for it, or has his looked at: the main thread of another job may have
      // been asleep, and cannot ask (rule 1).
      find_main_context();
      s.job->shares_of(s.os_index, s.shares);
      for (auto& d : s.deputies) {
        const double share = s.shares[d.context];
        d.may_be_asked.store(share < 1, machine::order::relaxed);  // relaxed: news is told to all
        if (share > 0.5) {
          s.put_at_hand(d.context, state::own);
        } else {
          s.take_off_hand(d.context, state::own);
        }
      }
      s.with_others.store(true, machine::order::release);  // release: deputies are there
      for (auto& d : s.deputies) {
        watch_of(d.context).request.fetch_or(look_request, machine::order::relaxed);
        // Of a guest that is away for long, or was just now, which costs him a hand-over.
        reclaim(d.context);
      }
    } else {
      s.with_others.store(false, machine::order::relaxed);  // relaxed: permits that are held go on holding
    }
    last = seen;
    s.by->look(others, news);
    s.job->wait_for_change(seen, s.delays.p_high);
    s.job->look_after();
  }
  s.ends.store(2, machine::order::relaxed);
  native::unpark(s.ends, 1);
}

void job_contexts::start_deputies() {
  state& s = *state_;
  // Once: others read `runs`. Where the system refuses one, the context goes without.
  if (std::exchange(s.has_deputies, true)) return;
  for (auto& d : s.deputies) {
    d.runs = start_thread(
        d.thread, "deputy",
        [](void* of) -> void* {
          auto& self = *static_cast<state::proxy_thread*>(of);
          self.of->serve(self.context);
          return nullptr;
        },
        &d);
    if (d.runs) machine::pin(d.thread, s.os_index[d.context]);
  }
}

void job_contexts::serve(unsigned c) {
  state& s = *state_;
  struct seat {
    job_contexts& of;
    unsigned context;
    cosched::job::seat at;
    bool there = true;

    /// Whether threads may run on the context. The deputy itself belongs there, so it tries.
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
          // The worker asks again as long as there is work, which others do.
          machine::park_for(of.state_->ends, 0, of.state_->delays.h_low);
        }
        return false;
      }
      const auto give_up = [this, pressing] {
        of.state_->take_off_hand(context, state::kept);
        if (!is_there()) return true;
        if (pressing) return !of.state_->job->has_turns_on(at.context());
        // A guest who waits for the worker had better find out for himself. relaxed: a wish.
        if ((of.watch_of(context).request.load(machine::order::relaxed) & attached_request) != 0) return true;
        return of.state_->by->is_over() || !of.state_->by->had_work(of.state_->delays.h_low);
      };
      if (at.take(give_up)) return true;
      if (pressing) of.find_main_context();
      return false;
    }
    void idle() { at.idle(); }
    void sleep(const native::atomic<std::uint64_t>& word, std::uint32_t low) {
      // An owner who sleeps as a whole may wake up in code that cannot ask (rule 1).
      while (at.look_within() != 0) {
        if (!machine::park_for(word, low, at.look_within())) return;
        at.look_at_owner();
      }
      native::park(word, low);
    }
  } has{*this, c, cosched::job::seat(*s.job, s.os_index[c])};
  s.deputies[c].has.serve(has, [&] {
    // The holder waits for this, so nobody else reads them.
    context_watch<native>& watch = watch_of(c);
    watch.word = &has.at.word();
    watch.calm = has.at.calm();
    has.at.set_thread(s.deputies[c].runs_for);
  });
}

unsigned job_contexts::main_context() const noexcept {
  // relaxed: who comes too late is denied the old one.
  return with_others() ? state_->main.load(machine::order::relaxed) : none;
}

void job_contexts::find_main_context() {
  state& s = *state_;
  const auto at = std::find(s.os_index.begin(), s.os_index.end(), s.job->main_context());
  s.main.store(at == s.os_index.end() ? none : static_cast<unsigned>(at - s.os_index.begin()),
               machine::order::relaxed);  // relaxed: as above
}

bool job_contexts::comes_too_late(unsigned worker) noexcept {
  // relaxed: as above.
  return with_others() && state_->deputies[worker].at_hand.load(machine::order::relaxed) == 0;
}

unsigned job_contexts::contexts_at_hand(unsigned of) const noexcept {
  // relaxed: as above.
  return with_others() ? state_->at_hand.load(machine::order::relaxed) : of;
}

bool job_contexts::occupy(unsigned c, bool attached_thread) noexcept {
  state& s = *state_;
  context_watch<native>& watch = watch_of(c);
  watch.request.fetch_and(~look_request, machine::order::relaxed);  // relaxed: a wish
  // acquire: the deputies that were started.
  auto& d = s.deputies[c];
  if (!s.with_others.load(machine::order::acquire) || !d.runs) {
    watch.word = nullptr;
    if (!attached_thread && std::exchange(d.was_known, false)) machine::keep_this_thread_on(s.os_index[c]);
    return true;
  }
  d.runs_for = attached_thread ? 0 : gettid();
  if (!d.has.obtain(attached_thread)) return false;
  if (!attached_thread) {
    // It may not have answered in time, and have been moved off.
    d.was_known = true;
    machine::keep_this_thread_on(s.os_index[c]);
  }
  return true;
}

void job_contexts::vacate(unsigned c) noexcept {
  // Without a permit it does nothing.
  state_->deputies[c].has.leave();
}

}  // namespace callisto::workers
