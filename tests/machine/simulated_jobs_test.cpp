// 16 jobs on the simulated SPARC T5-8's 1,024 contexts. They run the code of the table by which jobs share contexts
// (EuroSys 2014, section 2.1), with arrivals, departures, idling, stops and crashes. Measured: its cost in cycles, each
// job's share, and how soon contexts change hands.
//
// A context is its kernel, too: it runs the threads of the jobs that are pinned there, each when it is due or was
// woken. Charged: all accesses to the table with their lines' journeys, clocks, wake-ups, and the computing of a
// context assignment, once in each job. Not charged: how a job tells its threads that there is work
// (simulated_loop_test.cpp).
#include "../sanitizers.hpp"
#include "simulated_machines.hpp"

#include <callisto/cosched/context_assignment.hpp>
#include <callisto/cosched/table.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace callisto::machine::simulation {
namespace {

using cosched::job_set;
using cosched::no_job;
using cosched::only;

constexpr std::uint64_t us = 1000;
constexpr std::uint64_t ms = 1000 * us;
constexpr std::uint64_t never = ~std::uint64_t{0};

constexpr unsigned jobs = 16;
/// At least two cores of 8 contexts for each job: otherwise light jobs share theirs by time slices, which last longer
/// than a test here.
constexpr unsigned contexts = tests::sanitized ? 256 : 1024;
/// The time that a thread works between two check-ins.
constexpr std::uint64_t batch = 10 * us;
/// divide() for 16 jobs and 1,024 contexts: 50 to 90 us where we measured it.
constexpr std::uint64_t division_time = 100 * us;

/// Many measured times of one thing, in nanoseconds.
class times {
 public:
  void add(std::uint64_t t) { all_.push_back(t); }
  std::size_t count() const { return all_.size(); }
  /// Returns the p-quantile: the part `p` of them took no longer.
  std::uint64_t quantile(double p) {
    if (all_.empty()) return never;
    std::sort(all_.begin(), all_.end());
    return all_[static_cast<std::size_t>(p * static_cast<double>(all_.size() - 1))];
  }

 private:
  std::vector<std::uint64_t> all_;
};

class machine_of_jobs {
 public:
  explicit machine_of_jobs(std::array<unsigned, jobs> weights) : described_(describe()), engine_(described_) {
    core_of_.assign(cosched::max_contexts, cosched::no_core);
    for (unsigned c = 0; c < contexts; ++c) core_of_[c] = described_.core_of(c);
    table_.make_header(core_of_);
    for (unsigned c = 0; c < contexts; ++c) {
      known_.add(c);
      engine_.spawn(c, [this, c] { run_context(c); });
    }
    for (unsigned j = 0; j < jobs; ++j) each_[j].weight = weights[j];
  }

  /// Lets an event happen to a job at a given time, by a thread of its own.
  enum class event { join, idle, busy, stop, crash, leave };
  void at(std::uint64_t time, unsigned job, event what) { script_[home_of(job)].push_back({time, job, what}); }
  /// No process stops before that time.
  void quiet_until(std::uint64_t time) { quiet_until_ = time; }
  /// Measures what each job does between these times.
  void measure_from_to(std::uint64_t from, std::uint64_t to) { from_ = from, to_ = to; }

  outcome run(std::uint64_t end) {
    end_ = end;
    return engine_.run();
  }

  double share_of(unsigned job) const {
    double all = 0;
    for (const process& p : each_) all += static_cast<double>(p.batches);
    return static_cast<double>(each_[job].batches) / all;
  }
  unsigned running(unsigned job) const {
    unsigned n = 0;
    for (unsigned c = 0; c < contexts; ++c) n += threads_[c][job].running ? 1 : 0;
    return n;
  }

  times lease_poll;  ///< cycles of a poll that finds no request
  times joining;     ///< join(), by the job that joins
  times arrived;     ///< from a job's arrival until it runs on all contexts where it has high priority
  times answered;    ///< from a thread's first question until it has the context
  times lent;        ///< from the time when its job is idle until another job's thread runs on a context
  times returned;    ///< from the time when its job is busy again until it runs on all contexts of its own
  times left;        ///< from a job's end until another's thread runs on a context that it had
  times crashed;
  times stopped;
  std::uint64_t wrong = 0;

 private:
  struct scripted {
    std::uint64_t time;
    unsigned job;
    event what;
  };
  enum class state { absent, alive, stopped, dead };
  struct process {
    state is = state::absent;
    bool busy = false;
    unsigned weight = 1;
    unsigned number = no_job;
    std::uint64_t since = 0;  ///< when the last event happened to it
    times machine_of_jobs::* kind = nullptr;
    alignas(simulated::line_size) simulated::atomic<std::uint64_t> looking{0};
    alignas(simulated::line_size) std::array<simulated::atomic<std::uint64_t>, cosched::max_contexts> owners{};
    std::uint64_t divided_for = never;
    std::shared_ptr<const cosched::context_assignment> divided;
    unsigned owns = 0;  ///< contexts where it has high priority
    unsigned got = 0;   ///< of those, since the last event
    std::uint64_t batches = 0;
  };
  struct thread {
    bool running = false;
    bool wants = false;
    std::uint64_t due = 0;
    std::uint64_t asked_at = 0;  ///< its question that is not answered yet; 0: none
    std::shared_ptr<const cosched::context_assignment> knows;
    std::uint64_t knows_for = 0;
    cosched::lease mine;
    cosched::request request;
  };

  /// The table's World, as a thread of job `me`, or the slot with that number, sees it.
  struct world {
    machine_of_jobs& of;
    unsigned me;

    std::uint64_t now() const { return of.read_clock(); }
    void unpark(simulated::atomic<std::uint64_t>& word, job_set which) const {
      of.engine_.execute(static_cast<std::uint64_t>(of.described_.unpark), activity::claiming);
      const auto* const place = reinterpret_cast<const char*>(&word);
      const auto c = static_cast<unsigned>((place - reinterpret_cast<const char*>(&of.table_.at(0))) /
                                           static_cast<std::ptrdiff_t>(sizeof(of.table_.at(0))));
      const std::uint64_t when = of.time() + of.nanoseconds(static_cast<std::uint64_t>(of.described_.wake));
      for (unsigned n = 0; n < jobs; ++n) {
        if ((which & only(n)) == 0) continue;
        for (unsigned j = 0; j < jobs; ++j) {
          if (of.each_[j].number == n) of.threads_[c][j].due = std::min(of.threads_[c][j].due, when);
        }
      }
    }
    bool gone(unsigned job) { return job != me && of.table_.gone(of.locks_, *this, job); }
    unsigned waiting() const { return contexts; }  // all but a few, where all are busy
    bool dormant(unsigned job) const {
      const process* const p = of.process_of(job);
      return p != nullptr && p->is == state::stopped && of.time() - p->since >= of.delays_.h_high;
    }
  };
  /// The slots' locks, which the kernel drops with a process.
  struct slot_locks {
    mutable std::array<bool, cosched::max_jobs + 1> held{};
    bool locked_by_another(std::size_t l) const { return held[l]; }
    bool try_lock(std::size_t l) const {
      if (held[l]) return false;
      return held[l] = true;
    }
    void unlock(std::size_t l) const { held[l] = false; }
  };

  static description describe() {
    description d = parse_description(sparc_t5_8, "T5-8");
    d.sockets = contexts / (d.total_contexts() / d.sockets);
    return d;
  }
  static unsigned home_of(unsigned job) { return job * (contexts / jobs); }

  // The engine's time costs nothing; a program's look at the clock does.
  std::uint64_t nanoseconds(std::uint64_t cycles) const { return cycles * 10 / 36; }
  std::uint64_t cycles(std::uint64_t nanoseconds) const { return nanoseconds * 36 / 10; }
  std::uint64_t time() const { return nanoseconds(engine_.time()); }
  std::uint64_t read_clock() { return nanoseconds(simulated::ticks()) + ms; }

  process* process_of(unsigned number) {
    for (process& p : each_) {
      if (p.number == number && p.is != state::absent) return &p;
    }
    return nullptr;
  }

  /// Does what job::seat::learn() does, which is no template. False if another thread of the job computes the
  /// assignment at the moment; a word for each context keeps that.
  bool learn(process& p, thread& t, unsigned c) {
    for (;;) {
      const std::uint64_t generation = table_.generation();
      if (t.knows != nullptr && generation == t.knows_for) return true;
      if (p.owners[c].load(order::relaxed) == generation) {
        t.knows = p.divided;
        t.knows_for = generation;
        return true;
      }
      if (p.looking.load(order::relaxed) != 0 || p.looking.exchange(1, order::acquire) != 0) return false;
      if (generation != p.divided_for) {
        std::vector<cosched::job_demand> claims;
        for (unsigned j = 0; j < cosched::max_jobs; ++j) {
          if (const auto claim = table_.claim_of(j, known_)) claims.push_back(*claim);
        }
        simulated::work(cycles(division_time));
        p.divided = std::make_shared<const cosched::context_assignment>(cosched::divide(core_of_, claims));
        p.divided_for = generation;
        p.owns = static_cast<unsigned>(
            std::ranges::count_if(p.divided->high, [&](const auto& who) { return who.holder(0) == p.number; }));
        for (auto& word : p.owners) word.store(generation, order::relaxed);
      }
      p.looking.store(0, order::release);
    }
  }

  void happen(const scripted& e) {
    process& p = each_[e.job];
    const std::uint64_t begin = time();
    world w{*this, p.number};
    p.since = begin;
    p.got = 0;
    switch (e.what) {
      case event::join: {
        cosched::job_record r{.pid = 1 + e.job, .weight = p.weight, .main = 1 + home_of(e.job)};
        for (unsigned c = 0; c < contexts; ++c) r.contexts.add(c);
        const std::optional<unsigned> number = table_.join(locks_, w, r);
        joining.add(time() - begin);
        p.number = number.value_or(no_job);
        p.is = state::alive;
        p.busy = true;
        p.kind = &machine_of_jobs::arrived;
        break;
      }
      case event::idle:
        p.busy = false;
        p.kind = &machine_of_jobs::lent;
        break;
      case event::busy:
        p.busy = true;
        p.kind = &machine_of_jobs::returned;
        break;
      case event::stop:
        p.is = state::stopped;
        p.kind = &machine_of_jobs::stopped;
        break;
      case event::crash:
        p.is = state::dead;
        p.kind = &machine_of_jobs::crashed;
        locks_.unlock(table_.lock_of(p.number));
        break;
      case event::leave:
        p.kind = &machine_of_jobs::left;
        p.is = state::absent;
        table_.leave(w, p.number);
        locks_.unlock(table_.lock_of(p.number));
        break;
    }
    if (p.is == state::dead || p.is == state::absent) {
      for (auto& of_context : threads_) of_context[e.job].running = of_context[e.job].wants = false;
    }
  }

  /// Runs one step of a thread that has no context: it requests one if its job has work.
  void attempt(unsigned c, unsigned j) {
    process& p = each_[j];
    thread& t = threads_[c][j];
    world w{*this, p.number};
    auto& entry = table_.at(c);
    if (!p.busy) {
      if (std::exchange(t.wants, false)) entry.withdraw(p.number);
      t.due = never;
      return;
    }
    t.wants = true;
    t.due = never;
    std::uint64_t wait = 0;
    if (!learn(p, t, c)) {
      t.due = time() + 10 * us;
      return;
    }
    const cosched::time_slices& who = t.knows->high[c];
    const bool taken = entry.try_take(w, p.number, who, delays_, t.request, t.mine, wait);
    if (!taken) {
      if (t.request.asked_at == 0) {
        t.asked_at = 0;
      } else if (t.asked_at == 0) {
        t.asked_at = time();
      }
      t.due = std::min(t.due, time() + std::min(wait, cosched::sharing_limits::watch_period));
      return;
    }
    t.running = true;
    t.request = {};
    // Other jobs may be stopped, and then do not answer.
    if (const std::uint64_t asked = std::exchange(t.asked_at, 0); asked != 0 && time() < quiet_until_)
      answered.add(time() - asked);
    count(c, j, who.holder(time() + ms) == p.number);
  }

  /// Records that thread j of context c has the context.
  void count(unsigned c, unsigned j, bool owns) {
    process& before = each_[last_[c]];
    const bool leaves = before.kind == &machine_of_jobs::lent || before.kind == &machine_of_jobs::left ||
                        before.kind == &machine_of_jobs::crashed || before.kind == &machine_of_jobs::stopped;
    if (last_[c] != j && leaves && counted_[c] != before.since) {
      counted_[c] = before.since;
      (this->*before.kind).add(time() - before.since);
    }
    process& p = each_[j];
    if (owns && ++p.got == p.owns && (p.kind == &machine_of_jobs::arrived || p.kind == &machine_of_jobs::returned)) {
      (this->*p.kind).add(time() - p.since);
      p.kind = nullptr;
    }
    last_[c] = j;
  }

  /// Runs a batch, and the check-in after it.
  void go_on(unsigned c, unsigned j) {
    process& p = each_[j];
    thread& t = threads_[c][j];
    world w{*this, p.number};
    auto& entry = table_.at(c);
    simulated::work(cycles(batch));
    if (p.is != state::alive) return;
    if (time() >= from_ && time() < to_) ++p.batches;
    if (!p.busy) {
      learn(p, t, c);
      entry.idle(w, p.number, t.knows->high[c]);
      t.running = t.wants = false;
      t.due = never;
      return;
    }
    const std::uint64_t before = engine_.time();
    const bool undisturbed = entry.undisturbed(t.mine);
    if (undisturbed) {
      lease_poll.add(engine_.time() - before);
      if (entry.state().runs != p.number) ++wrong;
      return;
    }
    if (!learn(p, t, c)) return;
    t.running = entry.keep(w, p.number, t.knows->high[c], t.mine);
    t.due = time();
  }

  void run_context(unsigned c) {
    std::size_t next = 0;
    for (std::uint64_t now = 0; now < end_; now = time()) {
      const auto& script = script_[c];
      for (; next < script.size() && script[next].time <= now; ++next) happen(script[next]);
      bool ran = false;
      for (unsigned j = 0; j < jobs; ++j) {
        process& p = each_[j];
        thread& t = threads_[c][j];
        if (p.is != state::alive) continue;
        if (t.running) {
          ran = true;
          go_on(c, j);
        } else if (time() >= t.due || (p.busy && !t.wants)) {
          attempt(c, j);
        }
      }
      if (!ran) simulated::work(cycles(us));
    }
  }

  const description described_;
  engine engine_;
  cosched::table<simulated>& table_ = engine_.make<cosched::table<simulated>>();
  const cosched::timing delays_{.h_high = ms, .h_low = ms, .p_high = 10 * ms, .p_low = 100 * us};
  slot_locks locks_;
  cosched::context_set known_;
  std::vector<unsigned> core_of_;
  std::array<process, jobs> each_;
  std::vector<std::array<thread, jobs>> threads_ = std::vector<std::array<thread, jobs>>(contexts);
  std::array<unsigned, contexts> last_{};          ///< the job that ran last
  std::array<std::uint64_t, contexts> counted_{};  ///< the event of the one before that was counted last
  std::array<std::vector<scripted>, contexts> script_;
  std::uint64_t from_ = 0;
  std::uint64_t to_ = 0;
  std::uint64_t quiet_until_ = never;
  std::uint64_t end_ = 0;
};

void print(const char* what, times& t, const char* unit, double scale) {
  std::printf("| %s | %zu | %.1f | %.1f | %.1f | %s |\n", what, t.count(), static_cast<double>(t.quantile(0.5)) / scale,
              static_cast<double>(t.quantile(0.99)) / scale, static_cast<double>(t.quantile(1)) / scale, unit);
}

using event = machine_of_jobs::event;

/// Jobs join one after the other; all are there at `settled`.
void arrive(machine_of_jobs& m) {
  for (unsigned j = 0; j < jobs; ++j) m.at(j * 2 * ms, j, event::join);
}
constexpr std::uint64_t settled = jobs * 2 * ms + ms;
/// The longest time between two looks of any job at whether the one with high priority lives.
constexpr std::uint64_t noticed = cosched::sharing_limits::watch_period + ms;

TEST(SimulatedJobs, SixteenOnAThousandContexts) {
  std::array<unsigned, jobs> weights{};
  weights.fill(1);
  machine_of_jobs m(weights);
  arrive(m);
  m.measure_from_to(settled, settled + 2 * ms);
  constexpr std::uint64_t idle = settled + 2 * ms;
  for (unsigned j = 0; j < jobs; j += 2) m.at(idle, j, event::idle);
  for (unsigned j = 0; j < jobs; j += 2) m.at(idle + 3 * ms, j, event::busy);
  constexpr std::uint64_t ends = idle + 5 * ms;
  m.quiet_until(ends);
  m.at(ends, 1, event::stop);
  m.at(ends, 2, event::crash);
  m.at(ends, 3, event::leave);
  const outcome o = m.run(ends + noticed);
  EXPECT_TRUE(o.finished) << o.stuck;
  EXPECT_EQ(m.wrong, 0u) << "who is undisturbed has it";

  std::printf("| what | times | median | 99 %% | most | |\n|---|--:|--:|--:|--:|---|\n");
  print("check-in", m.lease_poll, "cycles", 1);
  print("joining", m.joining, "us", 1000);
  print("arrival, until it has all its contexts", m.arrived, "us", 1000);
  print("a question, until the context is its own", m.answered, "us", 1000);
  print("idle, until another has the context (H_high: 1,000)", m.lent, "us", 1000);
  print("busy again, until it has all its contexts", m.returned, "us", 1000);
  print("end, until another has its context", m.left, "us", 1000);
  print("crash, until another has its context", m.crashed, "us", 1000);
  print("stop, until another has its context", m.stopped, "us", 1000);

  for (unsigned j = 0; j < jobs; ++j) EXPECT_NEAR(m.share_of(j) * jobs, 1, 0.02) << "job " << j;
  // A load of a line that no other context has, and what the machine takes for its instructions.
  EXPECT_LE(m.lease_poll.quantile(0.99), 12);
  EXPECT_EQ(m.arrived.count(), jobs);
  EXPECT_LE(m.arrived.quantile(1), 2 * ms);
  EXPECT_LE(m.answered.quantile(0.99), 1100 * us) << "the paper's P_low and 100 us";
  EXPECT_EQ(m.lent.count(), contexts / 2);
  EXPECT_LE(m.lent.quantile(0.99), ms + 50 * us) << "H_high and 50 us";
  EXPECT_EQ(m.returned.count(), jobs / 2);
  EXPECT_LE(m.returned.quantile(1), ms);
  for (times* t : {&m.left, &m.crashed, &m.stopped}) {
    EXPECT_EQ(t->count(), contexts / jobs);
    EXPECT_LE(t->quantile(1), noticed);
  }
  unsigned all = 0;
  for (unsigned j = 0; j < jobs; ++j) all += j >= 1 && j <= 3 ? 0 : m.running(j);
  EXPECT_EQ(all, contexts) << "who lives has everything";
}

TEST(SimulatedJobs, WeightsShareCores) {
  // 4 of weight 3, 12 of weight 1: 16 cores each, and 5 or 6.
  std::array<unsigned, jobs> weights{};
  for (unsigned j = 0; j < jobs; ++j) weights[j] = j % 4 == 0 ? 3 : 1;
  machine_of_jobs m(weights);
  arrive(m);
  m.measure_from_to(settled, settled + 2 * ms);
  const outcome o = m.run(settled + 2 * ms);
  EXPECT_TRUE(o.finished) << o.stuck;
  EXPECT_EQ(m.wrong, 0u);
  const double core = 8.0 / contexts;
  for (unsigned j = 0; j < jobs; ++j) EXPECT_NEAR(m.share_of(j), weights[j] / 24.0, core + 0.001) << "job " << j;
}

}  // namespace
}  // namespace callisto::machine::simulation
