// Runs a tree of tasks over each kind of queues on the contexts of a simulated machine.
#include <lab/simulate/task_queues.hpp>

#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/table.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/progress_bar.hpp>
#include <callisto/app/cli/result.hpp>
#include <callisto/app/cli/run_options.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/tasks/task_deque.hpp>
#include <callisto/machine/simulated/machine.hpp>
#include <callisto/machine/system/error.hpp>
#include <lab/simulate/figures.hpp>
#include <lab/simulate/machines.hpp>
#include <lab/simulate/options.hpp>
#include <lab/simulate/report.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace callisto::lab {
namespace {

using machine::order;
using machine::simulation::description;
using on = machine::simulated;
template <class T>
using simulated_word = machine::atomic_of<on, T>;

void wait_a_little() {
  if (auto* const e = machine::simulation::engine::running()) e->execute(50, machine::simulation::activity::waiting);
}

/// A lock that is looked at before it is tried, as the combiner's.
class tried_lock {
 public:
  void lock() noexcept {
    while (!try_lock()) wait();
  }
  // acquire, release: pair with each other.
  bool try_lock() noexcept { return held_.load(order::relaxed) == 0 && held_.exchange(1, order::acquire) == 0; }
  void unlock() noexcept { held_.store(0, order::release); }
  void wait() const noexcept {
    on::wait_while(held_, [](std::uint32_t held) { return held != 0; }, machine::patience::brief);
  }

 private:
  simulated_word<std::uint32_t> held_{0};
};

/// A task that waits: the height of its tree.
struct waiting_task {
  unsigned height;
};

/// A queue for the threads of a core or of a cache. The newest task is taken first by its members, the oldest by
/// others.
class shared_queue {
 public:
  explicit shared_queue(unsigned members)
      : slots_(std::make_unique<slot_line[]>((members + 7) / 8)), members_(members) {}

  bool looks_empty() const noexcept { return size_.load(order::relaxed) == 0; }

  void push(unsigned height) noexcept {
    const std::scoped_lock held(lock_);
    put(height);
  }
  /// Takes the newest; false if there is none.
  bool pop(unsigned& height) noexcept {
    if (looks_empty()) return false;
    const std::scoped_lock held(lock_);
    return take_newest(height);
  }
  /// Takes half of what is there, the oldest, at most `most`.
  unsigned steal(unsigned* heights, unsigned most) noexcept {
    // A thief that finds the lock held goes on to another queue.
    if (looks_empty() || !lock_.try_lock()) return 0;
    const std::lock_guard held(lock_, std::adopt_lock);
    const unsigned n = std::min(most, (last_ - first_ + 1) / 2);
    for (unsigned i = 0; i < n; ++i) heights[i] = items_[first_++ % capacity].load(order::relaxed);
    size_.store(last_ - first_, order::relaxed);
    return n;
  }

  // With combining. A request stands in the member's slot until a thread that has the lock has served it.

  void push_combined(unsigned member, unsigned height) noexcept {
    auto& mine = slot(member);
    // relaxed, here and below: the simulated machine has one order of all operations.
    if (mine.load(order::relaxed) != idle) serve_until([&] { return mine.load(order::relaxed) == idle; });
    mine.store(request(height), order::relaxed);
    if (lock_.try_lock()) serve_and_unlock();  // else the thread that has the lock, or the next, serves it
  }
  bool pop_combined(unsigned member, unsigned& height, std::uint64_t& combined) noexcept {
    auto& mine = slot(member);
    if (mine.load(order::relaxed) != idle) serve_until([&] { return mine.load(order::relaxed) == idle; });
    if (looks_empty() && !any_asks()) return false;
    mine.store(wants_one, order::relaxed);
    const bool self = serve_until([&] { return mine.load(order::relaxed) != wants_one; });
    const std::uint64_t answer = mine.load(order::relaxed);
    mine.store(idle, order::relaxed);
    combined += self ? 0 : 1;
    if (answer == none) return false;
    height = static_cast<unsigned>(answer >> 3);
    return true;
  }

 private:
  static constexpr unsigned capacity = 1 << 14;
  static constexpr std::uint64_t idle = 0;
  static constexpr std::uint64_t wants_one = 1;
  static constexpr std::uint64_t none = 2;
  static constexpr std::uint64_t request(unsigned height) noexcept { return std::uint64_t{height} << 3 | 3; }
  static constexpr std::uint64_t answer(unsigned height) noexcept { return std::uint64_t{height} << 3 | 4; }

  struct alignas(on::line_size) slot_line {
    std::array<simulated_word<std::uint64_t>, 8> slots;
  };
  simulated_word<std::uint64_t>& slot(unsigned member) const noexcept { return slots_[member / 8].slots[member % 8]; }

  bool any_asks() const noexcept {
    for (unsigned m = 0; m < members_; ++m) {
      if ((slot(m).load(order::relaxed) & 7) == 3) return true;
    }
    return false;
  }
  /// Serves requests, or waits for a thread that does, until `done`. True if the caller has served.
  template <class Done>
  bool serve_until(Done done) noexcept {
    for (;;) {
      if (lock_.try_lock()) {
        if (done()) {
          lock_.unlock();
          return false;
        }
        serve_and_unlock();
        return true;
      }
      lock_.wait();
      if (done()) return false;
    }
  }
  void serve_and_unlock() noexcept {
    for (unsigned m = 0; m < members_; ++m) {
      const std::uint64_t asked = slot(m).load(order::relaxed);
      if ((asked & 7) != 3) continue;
      put(static_cast<unsigned>(asked >> 3));
      slot(m).store(idle, order::relaxed);
    }
    for (unsigned m = 0; m < members_; ++m) {
      if (slot(m).load(order::relaxed) != wants_one) continue;
      unsigned height = 0;
      slot(m).store(take_newest(height) ? answer(height) : none, order::relaxed);
    }
    lock_.unlock();
  }

  void put(unsigned height) noexcept {
    items_[last_++ % capacity].store(height, order::relaxed);
    size_.store(last_ - first_, order::relaxed);
  }
  bool take_newest(unsigned& height) noexcept {
    if (first_ == last_) return false;
    height = items_[--last_ % capacity].load(order::relaxed);
    size_.store(last_ - first_, order::relaxed);
    return true;
  }

  alignas(on::line_size) tried_lock lock_;
  alignas(on::line_size) simulated_word<std::uint32_t> size_{0};
  unsigned first_ = 0;  ///< behind the lock, as last_ and the items
  unsigned last_ = 0;
  std::unique_ptr<slot_line[]> slots_;
  const unsigned members_;
  std::array<simulated_word<std::uint32_t>, capacity> items_{};
};

/// The tree, its queues, and what each thread does.
class tree_of_queues {
 public:
  tree_of_queues(const description& m, const task_queue_setup& what)
      : what_(what), total_((std::uint64_t{2} << what.height) - 1), figures_(what.threads) {
    for (unsigned h = 0; h <= what.height; ++h) by_height_.push_back({h});
    if (what.queues == task_queues::of_threads) {
      for (unsigned t = 0; t < what.threads; ++t) deques_.push_back(std::make_unique<deque>());
      return;
    }
    // Groups in the order of the machine: neighbours are near.
    std::vector<unsigned> groups(what.threads);
    for (unsigned t = 0; t < what.threads; ++t) {
      const unsigned context = m.spread(t, what.threads);
      groups[t] = what.queues == task_queues::of_caches_combined ? m.cache_of(context) : m.core_of(context);
    }
    std::vector<unsigned> distinct = groups;
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    std::vector<unsigned> members(distinct.size());
    for (const unsigned g : groups) {
      const auto of = static_cast<unsigned>(std::lower_bound(distinct.begin(), distinct.end(), g) - distinct.begin());
      places_.push_back({of, members[of]++});
    }
    for (const unsigned n : members) queues_.push_back(std::make_unique<shared_queue>(n));
  }

  void run(unsigned thread) {
    figures& mine = figures_[thread];
    std::uint64_t ran = 0;
    unsigned height = what_.height;
    bool has = thread == 0;
    mine.victim = thread;
    for (;;) {
      if (has || take(thread, mine, height)) {
        has = false;
        for (;; --height) {
          on::work(what_.cycles);
          ++ran;
          if (height == 0) break;
          give(thread, height - 1);
        }
        mine.last_end = on::ticks();
        continue;
      }
      if (ran != 0) ended_.fetch_add(std::exchange(ran, 0), order::relaxed);
      if (ended_.load(order::relaxed) == total_) break;
      wait_a_little();
    }
    mine.left = on::ticks();
  }

  void count(task_queue_outcome& out, std::uint64_t begin) const {
    std::uint64_t last_end = 0;
    std::uint64_t left = 0;
    for (const figures& f : figures_) {
      last_end = std::max(last_end, f.last_end);
      left = std::max(left, f.left);
      out.steals += f.steals;
      out.combined += f.combined;
    }
    out.cycles = last_end - begin;
    out.end_cycles = left - last_end;
    out.tasks = total_;
  }

 private:
  using deque = loop::task_deque<on, waiting_task>;
  struct figures {
    unsigned victim = 0;
    std::uint64_t steals = 0;
    std::uint64_t combined = 0;
    std::uint64_t last_end = 0;
    std::uint64_t left = 0;
  };
  struct place {
    unsigned queue;
    unsigned member;
  };
  bool combines() const noexcept { return what_.queues != task_queues::of_cores; }

  void give(unsigned thread, unsigned height) {
    if (what_.queues == task_queues::of_threads) {
      static_cast<void>(deques_[thread]->push(by_height_[height]));  // at most one task a height waits in it
    } else if (const place at = places_[thread]; combines()) {
      queues_[at.queue]->push_combined(at.member, height);
    } else {
      queues_[at.queue]->push(height);
    }
  }

  /// Takes a task of the own queue, or of another one, looking at each once; false if there is none.
  bool take(unsigned thread, figures& mine, unsigned& height) {
    if (what_.queues == task_queues::of_threads) {
      const waiting_task* found = deques_[thread]->pop();
      for (unsigned k = 0; found == nullptr && k < what_.threads; ++k) {
        const unsigned victim = (mine.victim + k) % what_.threads;
        if (deques_[victim]->looks_empty()) continue;
        found = deques_[victim]->steal();
        if (found == nullptr) continue;
        mine.victim = victim;
        ++mine.steals;
      }
      if (found == nullptr) return false;
      height = found->height;
      return true;
    }
    const place at = places_[thread];
    shared_queue& own = *queues_[at.queue];
    if (combines() ? own.pop_combined(at.member, height, mine.combined) : own.pop(height)) return true;
    const auto all = static_cast<unsigned>(queues_.size());
    for (unsigned k = 1; k < all; ++k) {
      std::array<unsigned, 8> stolen{};
      const unsigned n = queues_[(at.queue + k) % all]->steal(stolen.data(), static_cast<unsigned>(stolen.size()));
      if (n == 0) continue;
      ++mine.steals;
      // The others are for the rest of the core.
      for (unsigned i = 1; i < n; ++i) give(thread, stolen[i]);
      height = stolen[0];
      return true;
    }
    return false;
  }

  const task_queue_setup what_;
  const std::uint64_t total_;
  std::vector<figures> figures_;
  std::vector<waiting_task> by_height_;
  std::vector<std::unique_ptr<deque>> deques_;
  std::vector<place> places_;
  std::vector<std::unique_ptr<shared_queue>> queues_;
  alignas(on::line_size) simulated_word<std::uint64_t> ended_{0};
};

struct task_queue_options {
  std::string machine;
  std::vector<unsigned> threads;
  std::uint64_t cycles = 1000;
  unsigned height = 16;
  run_options run;
};

void run(const task_queue_options& o, const std::stop_token& stop) {
  std::vector<std::string> names{o.machine};
  if (o.machine.empty()) names = {"sparc-t5-8", "epyc-9754"};
  progress_bar bar(o.run.progress_wanted());
  const stopwatch time;
  std::uint64_t events = 0;
  std::string text;
  json simulated = json::array();
  for (const std::string& name : names) {
    const description m = load_machine(name);
    const std::vector<unsigned> threads = o.threads.empty() ? halves(m.total_contexts(), 4) : o.threads;
    check_threads(m, threads);
    const auto ways = task_queue_ways();
    std::vector<task_queue_outcome> all(ways.size() * threads.size());
    bar.begin(m.name, all.size(), "computations");
    parallel_for(std::size_t{0}, all.size(),
                 [&](std::size_t i) {
                   all[i] = simulate_task_queues(m, {.queues = ways[i / threads.size()].queues,
                                                     .threads = threads[i % threads.size()],
                                                     .height = o.height,
                                                     .cycles = o.cycles});
                   bar.advance(1);
                 },
                 {.batch = 1, .stop = stop});
    if (stop.stop_requested()) throw graph::cancelled();
    const auto rate = [&](const task_queue_outcome& r) {
      return static_cast<double>(r.tasks) / static_cast<double>(r.cycles) * m.clock * 1e-6;
    };
    const auto ends = [&](const task_queue_outcome& r) { return static_cast<double>(r.end_cycles) / m.clock * 1e6; };
    text += title_of(m) + '\n';
    json runs = json::array();
    for (const bool at_end : {false, true}) {
      std::vector<table::column> columns{
          {at_end ? "us from the last task until all know it, by threads" : "tasks a us, by threads",
           table::align::left}};
      for (const unsigned t : threads) columns.push_back({with_separators(t)});
      table rows(std::move(columns));
      for (std::size_t w = 0; w < ways.size(); ++w) {
        std::vector<std::string> cells{ways[w].name};
        for (std::size_t t = 0; t < threads.size(); ++t) {
          const task_queue_outcome& r = all[w * threads.size() + t];
          cells.push_back(fmt::format("{:.3g}", at_end ? ends(r) : rate(r)));
          if (at_end) continue;
          events += r.events;
          runs.push_back({{"queues", ways[w].name},
                          {"threads", threads[t]},
                          {"tasks", r.tasks},
                          {"cycles", r.cycles},
                          {"tasks_a_microsecond", rate(r)},
                          {"end_microseconds", ends(r)},
                          {"steals", r.steals},
                          {"combined", r.combined}});
        }
        rows.add_row(std::move(cells));
      }
      text += rows.render(2) + '\n';
    }
    simulated.push_back({{"machine", describe(m)}, {"runs", std::move(runs)}});
  }
  bar.finish();
  const double seconds = time.seconds();
  if (!o.run.as_json) return print(text + simulation_speed(events, seconds));
  print(to_text(json{{"figure", "tasks"},
                     {"simulated", std::move(simulated)},
                     {"cycles", o.cycles},
                     {"height", o.height},
                     {"events", events},
                     {"seconds", {{"simulate", seconds}}}}));
}

}  // namespace

std::span<const task_queue_way> task_queue_ways() {
  static constexpr task_queue_way all[] = {
      {task_queues::of_threads, "a deque for each thread"},
      {task_queues::of_cores, "a locked queue for each core"},
      {task_queues::of_cores_combined, "a combining queue for each core"},
      {task_queues::of_caches_combined, "a combining queue for each cache"},
  };
  return all;
}

task_queue_outcome simulate_task_queues(const description& m, const task_queue_setup& setup) {
  const auto begin = static_cast<std::uint64_t>(m.wait_lasting) + 1000;
  machine::simulation::options how;
  how.start_within = begin / 2;
  machine::simulation::engine engine(m, std::move(how));
  tree_of_queues* all = nullptr;
  std::uint64_t began = 0;
  for (unsigned t = 0; t < setup.threads; ++t) {
    engine.spawn(m.spread(t, setup.threads), [&, t] {
      if (t == 0) all = &engine.make<tree_of_queues>(m, setup);
      engine.execute(begin - std::min(begin, engine.now()), machine::simulation::activity::waiting);
      if (t == 0) began = on::ticks();
      all->run(t);
    });
  }
  const machine::simulation::outcome run = engine.run();
  if (!run.stuck.empty()) throw error("simulate: the simulated machine came to a halt: " + run.stuck);
  if (!run.finished) throw error("simulate tasks: the simulated machine ran for longer than can be simulated");
  task_queue_outcome out;
  all->count(out, began);
  out.events = run.events;
  return out;
}

command add_task_queues(const command_parser& simulate) {
  const command_parser parser =
      simulate.add_subcommand("tasks", "Compare queues of tasks, one a thread and one a core with combining");
  const auto o = std::make_shared<task_queue_options>();
  add_machine(parser, "MACHINE", o->machine, "sparc-t5-8 and epyc-9754");
  add_parsed(
      parser, "--threads", "LIST", [o](const std::string& text) { o->threads = parse_threads(text); },
      "Numbers of threads [all contexts, half of them, a quarter, an eighth]");
  add_parsed(
      parser, "--cycles", "C",
      [o](const std::string& text) { o->cycles = parse_count("--cycles", text, 0, most_cycles); },
      "Cycles of a task [1000]");
  add_parsed(
      parser, "--height", "H",
      [o](const std::string& text) { o->height = static_cast<unsigned>(parse_count("--height", text, 1, 24)); },
      "The tree has 2^(H+1) - 1 tasks [16]");
  o->run.add_reporting_to(parser);
  parser.footer(
      "A task runs one of its two children itself, and the other waits in a queue. A thread without tasks looks at the "
      "other\n"
      "queues, and ends when all tasks have been counted. A queue of a core is behind a lock; with combining, threads "
      "leave\n"
      "requests in slots, which the thread that has the lock serves.\n\n"
      "Examples:\n"
      "  callisto-lab simulate tasks\n"
      "  callisto-lab simulate tasks sparc-t5-8 --threads 128,1024 --cycles 200 --json");
  return {parser, [o](const std::stop_token& stop) { run(*o, stop); }};
}

}  // namespace callisto::lab
