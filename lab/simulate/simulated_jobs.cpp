// Runs the table's code, unchanged, on a simulated machine: the jobs of `bench manners`, with sharing and without.
//
// A context is its kernel, too: the threads that are pinned there have its processor by weight, in slices of 3 ms, and
// a woken thread runs before one that has had more. What a job's threads do in a loop is modelled: they claim batches
// of 50 us, and those that find none poll, then sleep. Charged: the bodies, all accesses to the table with their lines'
// journeys, the division of contexts, wake-ups, a look at the kernel's accounts. The policies are those of the library:
// context_entry, divide(), surroundings.
#include <lab/simulate/simulated_jobs.hpp>

#include <callisto/cosched/context_assignment.hpp>
#include <callisto/cosched/surroundings.hpp>
#include <callisto/cosched/table.hpp>
#include <callisto/machine/simulated/machine.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace callisto::lab {
namespace {

using cosched::job_set;
using cosched::no_job;
using cosched::only;
using machine::simulated;
using machine::simulation::activity;
using machine::simulation::description;
using machine::simulation::engine;

constexpr std::uint64_t us = 1000;
constexpr std::uint64_t ms = 1000 * us;
constexpr std::uint64_t never = ~std::uint64_t{0};

// The loops. A step is half a batch, so that the kernel can take the processor in the middle of one.
constexpr std::uint64_t step = 25 * us;
constexpr unsigned steps_of_batch = 2;
constexpr unsigned light_batches = 2;
constexpr std::uint64_t light_sleeps = 5 * ms;
constexpr std::uint64_t poll = 5 * us;
constexpr unsigned polls = 10;  ///< before a thread sleeps
// The kernel.
constexpr std::uint64_t slice = 3 * ms;          ///< less up to a third, so that contexts do not change in step
constexpr std::uint64_t sleepers_lead = 2 * ms;  ///< how far a woken thread may be behind the others
constexpr std::uint64_t granularity = 1 * ms;    ///< by how much, to run at once
constexpr std::uint64_t usual_weight = 1024;
constexpr std::uint64_t nice_weight = 15;  ///< at nice level 19
/// divide() for 16 jobs and 128 contexts.
constexpr std::uint64_t division_time = 20 * us;
/// The kernel's accounts of all processors.
constexpr std::uint64_t accounts_time = 300 * us;

class machine_of_jobs {
 public:
  machine_of_jobs(const description& machine, const manners_setup& setup)
      : described_(machine),
        setup_(setup),
        end_(setup.warm_up + setup.length),
        engine_(described_),
        kernels_(setup.contexts),
        jobs_(setup.actors.size()) {
    core_of_.assign(cosched::max_contexts, cosched::no_core);
    for (unsigned c = 0; c < setup_.contexts; ++c) {
      core_of_[c] = described_.core_of(c);
      known_.add(c);
    }
    table_.make_header(core_of_);
    for (unsigned j = 0; j < jobs_.size(); ++j) start(j);
    for (unsigned c = 0; c < setup_.contexts; ++c) engine_.spawn(c, [this, c] { run_context(c); });
    engine_.run();
  }

  manners_outcome outcome_of(job_kind kind) {
    std::vector<std::uint64_t> all;
    for (unsigned j = 0; j < jobs_.size(); ++j) {
      if (setup_.actors[j] == kind) all.insert(all.end(), jobs_[j].times.begin(), jobs_[j].times.end());
    }
    if (all.empty()) return {};
    std::sort(all.begin(), all.end());
    return {.loops = all.size(), .median = all[all.size() / 2], .slow = all[all.size() * 99 / 100]};
  }

 private:
  enum class doing { nothing, batch, waiting };
  struct thread {
    unsigned job = 0;
    bool leads = false;
    unsigned context = 0;
    doing what = doing::nothing;
    unsigned left = 0;      ///< steps of its batch
    unsigned polled = 0;    ///< times since it last found work
    std::uint64_t due = 0;  ///< when it is runnable; never: another thread wakes it
    std::uint64_t had = 0;  ///< processor time by weight
    bool asleep = true;     ///< it was not runnable when the kernel last looked
    bool leased = false;
    bool wants = false;
    cosched::lease mine{};
    cosched::request request{};
  };
  struct process {
    job_kind kind = job_kind::batch;
    std::uint64_t weight = usual_weight;  ///< to the kernel
    unsigned number = no_job;
    cosched::aside aside = cosched::aside::no;
    cosched::surroundings<cosched::table<simulated>> around;
    std::uint64_t aside_looked_at = 0;
    std::uint64_t looked_around_at = 0;
    std::shared_ptr<const cosched::context_assignment> divided;
    std::uint64_t divided_for = never;
    std::uint64_t used = 0;
    std::uint64_t last_ran = 0;
    std::uint64_t began = never;  ///< its loop; never: none
    unsigned unclaimed = 0;
    unsigned inside = 0;
    unsigned waiting = 0;                          ///< threads that wait for contexts
    std::vector<std::unique_ptr<thread>> threads;  ///< the first leads
    std::vector<std::uint64_t> times;
  };
  struct kernel {
    std::vector<thread*> threads;
    thread* runs = nullptr;
    std::uint64_t until = 0;    ///< its slice
    std::uint64_t look_at = 0;  ///< when the next thread is due
    std::uint64_t least = 0;    ///< a clock of processor time by weight
    std::uint64_t busy = 0;
    std::uint64_t random = 0;
  };

  /// The table's World, as a thread of job `me` on a context sees it.
  struct world {
    machine_of_jobs& of;
    process* me;
    unsigned context;

    std::uint64_t now() const { return of.nanoseconds(simulated::ticks()) + ms; }
    void unpark(simulated::atomic<std::uint64_t>& /*word*/, job_set which) const {
      of.engine_.execute(static_cast<std::uint64_t>(of.described_.unpark), activity::claiming);
      for (thread* t : of.kernels_[context].threads) {
        const unsigned number = of.jobs_[t->job].number;
        if (t->wants && number != no_job && (which & only(number)) != 0) of.wake(*t);
      }
    }
    bool gone(unsigned /*job*/) const { return false; }
    bool dormant(unsigned job) const {
      for (const process& p : of.jobs_) {
        if (p.number == job) return of.time() - p.last_ran >= of.delays_.h_high;
      }
      return false;
    }
    unsigned waiting() const { return me->waiting; }
  };
  struct slot_locks {
    mutable std::array<bool, cosched::max_jobs + 1> held{};
    bool locked_by_another(std::size_t l) const { return held[l]; }
    bool try_lock(std::size_t l) const { return !std::exchange(held[l], true); }
    void unlock(std::size_t l) const { held[l] = false; }
  };

  std::uint64_t nanoseconds(std::uint64_t cycles) const {
    return static_cast<std::uint64_t>(static_cast<double>(cycles) * 1e9 / described_.clock);
  }
  void work(std::uint64_t time) const {
    simulated::work(static_cast<std::uint64_t>(static_cast<double>(time) * described_.clock / 1e9));
  }
  std::uint64_t time() const { return nanoseconds(engine_.time()); }

  void start(unsigned j) {
    process& p = jobs_[j];
    p.kind = setup_.actors[j];
    if (p.kind == job_kind::nice) p.weight = nice_weight;
    const auto contexts = setup_.contexts;
    const auto home = static_cast<unsigned>(std::uint64_t{j} * contexts / jobs_.size());
    for (unsigned i = 0; i < (p.kind == job_kind::plain ? 1 : contexts); ++i) {
      p.threads.push_back(std::make_unique<thread>(
          thread{.job = j, .leads = i == 0, .context = (home + i) % contexts, .due = i == 0 ? 0 : never}));
      kernels_[p.threads.back()->context].threads.push_back(p.threads.back().get());
    }
    if (!setup_.sharing || p.kind == job_kind::plain) return;
    world w{*this, &p, home};
    cosched::job_record r{.pid = 1 + j, .main = 1 + home, .contexts = known_};
    r.priority = std::max<std::uint64_t>(1, machine::usual_priority * p.weight / usual_weight);
    p.number = table_.join(locks_, w, r).value_or(no_job);
  }

  void wake(thread& t, std::uint64_t after = 0) {
    const std::uint64_t when = time() + after + nanoseconds(static_cast<std::uint64_t>(described_.wake));
    t.due = std::min(t.due, when);
    kernels_[t.context].look_at = std::min(kernels_[t.context].look_at, t.due);
  }

  // --- the policies

  std::shared_ptr<const cosched::context_assignment> assignment(process& p) {
    if (const std::uint64_t now = table_.generation(); now != p.divided_for) {
      std::vector<cosched::job_demand> demands;
      for (unsigned j = 0; j < cosched::max_jobs; ++j) {
        if (const auto demand = table_.claim_of(j, known_)) demands.push_back(*demand);
      }
      p.divided = std::make_shared<const cosched::context_assignment>(cosched::divide(core_of_, demands));
      p.divided_for = now;
      work(division_time);
    }
    return p.divided;
  }

  /// Does what job::stands_aside() does, and job::look_around() for a thread without work.
  bool stands_aside(process& p, bool has_no_work = false) {
    if (p.number == no_job) return true;
    const std::uint64_t now = time() + ms;
    std::uint64_t& last = has_no_work ? p.looked_around_at : p.aside_looked_at;
    if (now - last < (has_no_work ? cosched::sharing_limits::outsiders_window : ms))
      return p.aside != cosched::aside::no;
    last = now;
    const cosched::aside why = p.around.look(
        table_, p.number, now, p.used, has_no_work, [this](std::uint64_t number) { return jobs_[number - 1].used; },
        [this](const cosched::context_set& /*contexts*/) {
          work(accounts_time);
          std::uint64_t busy = 0;
          for (const kernel& k : kernels_) busy += k.busy;
          return busy;
        });
    if (why != std::exchange(p.aside, why)) table_.tell_aside(p.number, why);
    return p.aside != cosched::aside::no;
  }

  /// True if the thread may run here. Otherwise it waits for the context, or has lost it.
  bool has_context(thread& t) {
    process& p = jobs_[t.job];
    auto& entry = table_.at(t.context);
    world w{*this, &p, t.context};
    if (stands_aside(p)) {
      give_up(t);
      return true;
    }
    const auto now = assignment(p);
    const unsigned main = now->main[p.number];
    if (t.leads && main != cosched::context_assignment::no_context && main != t.context) {
      give_up(t);
      move(t, main);
      return false;
    }
    const cosched::time_slices& high = now->high[t.context];
    if (t.leased) {
      if (entry.undisturbed(t.mine) || entry.keep(w, p.number, high, t.mine)) return true;
      t.leased = false;
    }
    std::uint64_t wait = 0;
    if (!std::exchange(t.wants, true)) ++p.waiting;
    const auto missed = entry.unanswered().times;
    const std::uint64_t before = t.due;
    t.due = never;  // a wake-up from here on counts
    if (!entry.try_take(w, p.number, high, delays_, t.request, t.mine, wait)) {
      t.due = std::min(t.due, time() + std::min(wait, cosched::sharing_limits::watch_period));
      return false;
    }
    t.due = before;
    no_longer_waits(t);
    t.leased = true;
    if (const auto unanswered = entry.unanswered(); unanswered.times != missed) displace(unanswered.last, t.context);
    return true;
  }

  void no_longer_waits(thread& t) {
    if (std::exchange(t.wants, false)) --jobs_[t.job].waiting;
    t.request = {};
  }

  void give_up(thread& t) {
    process& p = jobs_[t.job];
    if (t.wants) table_.at(t.context).withdraw(p.number);
    no_longer_waits(t);
    if (!std::exchange(t.leased, false)) return;
    world w{*this, &p, t.context};
    const auto now = assignment(p);
    table_.at(t.context).leave(w, p.number, now->high[t.context]);
  }

  void move(thread& t, unsigned to) {
    kernel& from = kernels_[t.context];
    std::erase(from.threads, &t);
    if (from.runs == &t) from.runs = nullptr;
    t.had = kernels_[to].least;
    t.context = to;
    kernels_[to].threads.push_back(&t);
    kernels_[to].look_at = 0;
  }

  /// Does what job::impl::displace() does: the thread that did not answer goes beside its job's main thread.
  void displace(unsigned number, unsigned context) {
    for (process& p : jobs_) {
      if (p.number != number || number == no_job) continue;
      const unsigned main = assignment(p)->main[number];
      if (main == cosched::context_assignment::no_context || main == context) return;
      for (const auto& t : p.threads) {
        if (t->context == context && !t->leads) return move(*t, main);
      }
    }
  }

  // --- what threads do: each function runs one step

  void run_step(thread& t) {
    process& p = jobs_[t.job];
    if (p.kind == job_kind::plain) return work(step);
    if (p.kind == job_kind::silent && t.what == doing::batch) return work(step);
    if (t.what == doing::batch) {
      work(step);
      if (--t.left != 0) return;
      --p.inside;
      t.what = doing::nothing;
      if (p.unclaimed == 0 && p.inside == 0) wake(*p.threads.front());
    }
    if (t.leads) return lead(t, p);
    if (p.unclaimed != 0) {
      if (has_context(t) && p.unclaimed != 0) claim(t, p);  // time has passed
    } else if (t.polled++ < polls) {
      work(poll);
    } else {
      if (p.aside != cosched::aside::no) stands_aside(p, true);
      t.due = never;
      if (t.wants) give_up(t);
      if (std::exchange(t.leased, false)) {
        world w{*this, &p, t.context};
        const auto now = assignment(p);
        table_.at(t.context).idle(w, p.number, now->high[t.context]);
      }
    }
  }

  void lead(thread& t, process& p) {
    if (p.began == never) {
      p.began = time();
      t.what = doing::waiting;
    }
    if (t.what == doing::waiting) {
      if (!has_context(t)) return;
      t.what = doing::nothing;
      p.unclaimed = p.kind == job_kind::light ? light_batches : 2 * setup_.contexts;
      engine_.execute(static_cast<std::uint64_t>(described_.unpark), activity::claiming);
      // Woken threads wake others, as in a tree.
      const std::size_t wanted = std::min<std::size_t>(p.threads.size(), p.unclaimed);
      for (std::size_t i = 1; i < wanted; ++i) {
        if (p.threads[i]->due != never) continue;
        wake(*p.threads[i], nanoseconds(static_cast<std::uint64_t>(described_.unpark)) *
                                static_cast<std::uint64_t>(std::bit_width(i)));
      }
    }
    if (p.unclaimed != 0) {
      if (has_context(t) && p.unclaimed != 0) claim(t, p);  // time has passed
    } else if (p.inside != 0) {
      if (t.polled++ < polls) return work(poll);
      t.due = never;
    } else {
      if (time() >= setup_.warm_up) p.times.push_back(time() - p.began);
      p.began = never;
      t.polled = 0;
      if (p.kind == job_kind::light) t.due = time() + light_sleeps;
    }
  }

  static void claim(thread& t, process& p) {
    t.polled = 0;
    --p.unclaimed;
    ++p.inside;
    t.what = doing::batch;
    t.left = steps_of_batch;
  }

  // --- the kernel of a context

  /// Chooses the thread that runs next: the one that has had least.
  void choose(kernel& k, std::uint64_t now) {
    k.look_at = never;
    thread* best = nullptr;
    for (thread* t : k.threads) {
      if (t->due > now) {
        k.look_at = std::min(k.look_at, t->due);
        t->asleep = true;
        continue;
      }
      if (std::exchange(t->asleep, false)) t->had = std::max(t->had, k.least - std::min(k.least, sleepers_lead));
      if (best == nullptr || t->had < best->had) best = t;
    }
    const bool goes_on = k.runs != nullptr && k.runs->due <= now && now < k.until;
    if (best != nullptr && goes_on && k.runs->had < best->had + granularity) best = k.runs;
    if (best != k.runs || now >= k.until) {
      k.random = k.random * 6364136223846793005u + 1442695040888963407u;
      k.until = now + slice - (k.random >> 33) % (slice / 3);
    }
    k.runs = best;
    if (best != nullptr) k.least = std::max(k.least, best->had);
  }

  void run_context(unsigned c) {
    kernel& k = kernels_[c];
    k.random = c + setup_.seed * 1'000'003;
    for (std::uint64_t now = 0; now < end_; now = time()) {
      if (k.runs == nullptr || k.runs->due > now || now >= k.until || now >= k.look_at) choose(k, now);
      thread* const t = k.runs;
      if (t == nullptr) {
        work(poll);
        continue;
      }
      process& p = jobs_[t->job];
      if (t->due != 0 && t->due <= now) t->due = 0;
      run_step(*t);
      const std::uint64_t took = time() - now;
      t->had += took * usual_weight / p.weight;
      p.used += took;
      p.last_ran = now + took;
      k.busy += took;
    }
  }

  const description described_;
  const manners_setup& setup_;
  const std::uint64_t end_;
  engine engine_;
  cosched::table<simulated>& table_ = engine_.make<cosched::table<simulated>>();
  const cosched::timing delays_{};
  slot_locks locks_;
  cosched::context_set known_;
  std::vector<unsigned> core_of_;
  std::vector<kernel> kernels_;
  std::vector<process> jobs_;
};

}  // namespace

std::vector<manners_outcome> simulate_manners(const description& machine, const manners_setup& setup,
                                              const std::vector<job_kind>& kinds) {
  machine_of_jobs run(machine, setup);
  std::vector<manners_outcome> all;
  for (const job_kind kind : kinds) all.push_back(run.outcome_of(kind));
  return all;
}

}  // namespace callisto::lab
