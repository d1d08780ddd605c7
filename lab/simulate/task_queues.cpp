// Runs tasks over each kind of queues on the contexts of a simulated machine.
#include <lab/simulate/task_queues.hpp>

#include <callisto/loop/tasks/task_board.hpp>
#include <callisto/machine/simulated/machine.hpp>
#include <callisto/machine/system/error.hpp>
#include <lab/simulate/queue_models.hpp>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace callisto::lab {

using machine::simulation::description;

namespace queue_models {
namespace {

/// What a thread counts. Costs nothing.
struct thread_figures {
  std::uint64_t ran = 0;
  std::uint64_t steals = 0;
  std::uint64_t stolen = 0;
  std::uint64_t served = 0;
  std::uint64_t last_end = 0;
  std::uint64_t left = 0;
};

/// The tasks, their queues, and what each thread does.
class tasks_in_queues {
 public:
  tasks_in_queues(const description& m, const task_queue_setup& what)
      : what_(what), total_((std::uint64_t{2} << what.height) - 1), members_(what.threads) {
    for (unsigned h = 0; h <= what.height; ++h) by_height_.push_back({h});
    for (unsigned t = 0; t < what.threads; ++t) {
      members_[t].random = t * 2'654'435'769U + 1;
      if (what.queues == task_queues::of_threads) {
        library_deques_.push_back(std::make_unique<library_board::deque>());
        static_cast<void>(board_.add(*library_deques_[t]));
      } else if (!of_cores()) {
        deques_.push_back(std::make_unique<deque_of_several>());
      }
    }
    // Cores in the order of the machine: neighbours are near.
    std::vector<unsigned> cores(what.threads);
    for (unsigned t = 0; t < what.threads; ++t) cores[t] = m.core_of(m.spread(t, what.threads));
    std::vector<unsigned> distinct = cores;
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    threads_of_.resize(distinct.size());
    for (unsigned t = 0; t < what.threads; ++t) {
      members_[t].core =
          static_cast<unsigned>(std::lower_bound(distinct.begin(), distinct.end(), cores[t]) - distinct.begin());
      members_[t].number = static_cast<unsigned>(threads_of_[members_[t].core].size());
      threads_of_[members_[t].core].push_back(t);
    }
    for (const auto& threads : threads_of_)
      queues_.push_back(std::make_unique<core_queue>(static_cast<unsigned>(threads.size())));
  }

  void run(unsigned thread) {
    member& me = members_[thread];
    unsigned height = what_.height;
    bool has = thread == 0;
    for (;;) {
      if (has || take(thread, me, height)) {
        has = false;
        for (;; --height) {
          if (height == 0 && what_.queues == task_queues::of_cores_async && !me.asked) ask(me);
          do_one(me);
          if (height == 0) break;
          if (!give(thread, height - 1)) me.kept.push_back(height - 1);
        }
        continue;
      }
      if (me.is_over) break;
    }
    me.counts.left = on::ticks();
  }

  void count(task_queue_outcome& out, std::uint64_t begin) const {
    std::uint64_t last_end = begin;
    std::uint64_t left = 0;
    for (const member& m : members_) {
      last_end = std::max(last_end, m.counts.last_end);
      left = std::max(left, m.counts.left);
      out.tasks += m.counts.ran;
      out.steals += m.counts.steals;
      out.stolen += m.counts.stolen;
      out.served += m.counts.served;
    }
    out.cycles = last_end - begin;
    out.end_cycles = out.finished ? left - last_end : 0;
  }

 private:
  using library_board = loop::task_board<on, waiting_task>;
  struct member {
    unsigned core = 0;
    unsigned number = 0;  ///< among the threads of its core
    std::uint32_t random = 0;
    std::uint64_t uncounted = 0;  ///< tasks that have ended
    std::uint64_t pause = least_pause;
    bool asked = false;
    bool is_over = false;
    std::vector<unsigned> kept;  ///< tasks for which its queue had no room
    thread_figures counts;

    unsigned any_below(std::size_t n) noexcept {
      random = random * 1'664'525 + 1'013'904'223;
      return static_cast<unsigned>(std::uint64_t{random} * n >> 32);
    }
  };
  bool of_cores() const noexcept { return what_.queues >= task_queues::of_cores; }
  bool combines() const noexcept {
    return what_.queues == task_queues::of_threads_combined || what_.queues == task_queues::of_cores_combined ||
           what_.queues == task_queues::of_cores_async;
  }

  void do_one(member& me) {
    on::work(what_.cycles);
    ++me.uncounted;
    ++me.counts.ran;
    me.counts.last_end = machine::simulation::engine::running()->time();
  }

  bool give(unsigned thread, unsigned height) {
    member& me = members_[thread];
    if (what_.queues == task_queues::of_threads) return library_deques_[thread]->push(by_height_[height]);
    if (!of_cores()) return deques_[thread]->push(height);
    return queues_[me.core]->push(&height, 1, combines(), me.counts.served);
  }

  /// Takes a task. False: there was none, or all is over.
  bool take(unsigned thread, member& me, unsigned& height) {
    if (!me.kept.empty()) return take_kept(me, height);
    if (!of_cores() && pop_own(thread, height)) return true;
    if (combines()) return take_combined(me, height);
    if (of_cores() && queues_[me.core]->pop(height)) return true;
    if (steal_alone(thread, me, height)) return true;
    if (me.uncounted != 0) ended_.fetch_add(std::exchange(me.uncounted, 0), order::relaxed);
    me.is_over = ended_.load(order::relaxed) == total_;
    if (!me.is_over) look_later(me);
    return false;
  }

  static bool take_kept(member& me, unsigned& height) {
    height = me.kept.back();
    me.kept.pop_back();
    return true;
  }

  bool pop_own(unsigned thread, unsigned& height) {
    if (what_.queues != task_queues::of_threads) return deques_[thread]->pop(height);
    const waiting_task* const found = library_deques_[thread]->pop();
    if (found != nullptr) height = found->height;
    return found != nullptr;
  }

  void look_later(member& me) {
    machine::simulation::engine::running()->execute(me.pause, machine::simulation::activity::waiting);
    if (what_.queues != task_queues::of_threads) me.pause = std::min(2 * me.pause, most_pause);
  }

  void count_steal(member& me, unsigned n) {
    me.pause = least_pause;
    ++me.counts.steals;
    me.counts.stolen += n;
  }

  /// Looks at each other queue once, for the calling thread.
  bool steal_alone(unsigned thread, member& me, unsigned& height) {
    if (what_.queues == task_queues::of_threads) {
      const waiting_task* const found = board_.steal(me.random);
      if (found == nullptr) return false;
      height = found->height;
      count_steal(me, 1);
      return true;
    }
    heights found{};
    const bool one = what_.queues == task_queues::of_threads_back_off;
    const std::size_t all = of_cores() ? queues_.size() : deques_.size();
    const unsigned first = me.any_below(all);
    for (std::size_t k = 0; k < all; ++k) {
      const std::size_t victim = (first + k) % all;
      if (victim == (of_cores() ? me.core : thread)) continue;
      unsigned n = 0;
      if (of_cores()) {
        n = queues_[victim]->steal(found, 8);
      } else if (!deques_[victim]->looks_empty()) {
        n = deques_[victim]->steal(found, one ? 1 : most_stolen);
      }
      if (n == 0) continue;
      count_steal(me, n);
      // The last that was taken is the thread's next; it is the newest.
      height = found[n - 1];
      for (unsigned i = 0; i + 1 < n; ++i) {
        if (!give(thread, found[i])) me.kept.push_back(found[i]);
      }
      return true;
    }
    return false;
  }

  void ask(member& me) {
    queues_[me.core]->slot(me.number).store(core_queue::asks, order::relaxed);
    me.asked = true;
  }

  /// Tells what the thread has ended to the one that will count it for the core.
  static void tell_ended(member& me, core_queue& own) {
    if (me.uncounted != 0) own.ended().fetch_add(std::exchange(me.uncounted, 0), order::relaxed);
  }

  bool take_combined(member& me, unsigned& height) {
    core_queue& own = *queues_[me.core];
    auto& mine = own.slot(me.number);
    if (!me.asked) ask(me);
    for (;;) {
      const std::uint64_t word = mine.load(order::relaxed);
      if (word >= core_queue::answered) {
        me.asked = false;
        height = static_cast<unsigned>(word >> 3);
        return true;
      }
      if (word == core_queue::over) {
        me.is_over = true;
        return false;
      }
      if (word == core_queue::again) {
        if (!me.kept.empty()) {  // what it stole for others that were told to ask again
          me.asked = false;
          return take_kept(me, height);
        }
        mine.store(core_queue::asks, order::relaxed);
      }
      if (of_cores() && own.serve_all(mine, me.counts.served)) continue;
      // The exchange makes the request visible: the thief that this thread loses to sees it, now or when it ends.
      if (own.begin_to_steal()) {
        steal_for_core(me, own, mine);
        own.end_stealing();
        own.tell(core_queue::again);
      } else {
        tell_ended(me, own);
        on::wait_while(mine, [](std::uint64_t now) { return now == core_queue::asks; }, machine::patience::brief);
      }
    }
  }

  /// Steals for all that ask on the caller's core, until the caller has a task, or all is over.
  void steal_for_core(member& me, core_queue& own, const simulated_word<std::uint64_t>& mine) {
    while (mine.load(order::relaxed) == core_queue::asks) {
      if (of_cores() && own.serve_all(mine, me.counts.served)) continue;
      unsigned wanted = 0;
      for (unsigned m = 0; m < own.members(); ++m)
        wanted += own.slot(m).load(order::relaxed) == core_queue::asks ? 1 : 0;
      heights found{};
      if (const unsigned n = steal_several(me, found, std::min(wanted, most_stolen)); n != 0) {
        count_steal(me, n);
        unsigned given = 0;
        if (of_cores()) {
          if (own.push(found.data(), n, true, me.counts.served)) given = n;
        } else {
          given = own.answer(found, n, me.number);
          me.counts.served += given - std::min(given, 1U);
        }
        for (unsigned i = given; i < n; ++i) me.kept.push_back(found[i]);
        continue;
      }
      tell_ended(me, own);
      if (own.ended().load(order::relaxed) != 0)
        ended_.fetch_add(own.ended().exchange(0, order::relaxed), order::relaxed);
      if (ended_.load(order::relaxed) == total_) return own.tell(core_queue::over);
      look_later(me);
    }
  }

  unsigned steal_several(member& me, heights& found, unsigned wanted) {
    const std::size_t all = queues_.size();
    const unsigned first = me.any_below(all);
    if (of_cores()) {
      for (std::size_t k = 0; k < all; ++k) {
        const std::size_t victim = (first + k) % all;
        if (victim == me.core) continue;
        if (const unsigned n = queues_[victim]->steal(found, wanted); n != 0) return n;
      }
      return 0;
    }
    const auto from_core = [&](std::size_t core) {
      for (const unsigned t : threads_of_[core]) {
        if (deques_[t]->looks_empty()) continue;
        if (const unsigned n = deques_[t]->steal(found, wanted); n != 0) return n;
      }
      return 0U;
    };
    if (const unsigned n = from_core(me.core); n != 0) return n;
    for (std::size_t k = 0; k < all; ++k) {
      const std::size_t victim = (first + k) % all;
      if (victim == me.core) continue;
      if (const unsigned n = from_core(victim); n != 0) return n;
    }
    return 0;
  }

  const task_queue_setup what_;
  const std::uint64_t total_;
  std::vector<member> members_;
  std::vector<waiting_task> by_height_;
  library_board board_;
  std::vector<std::unique_ptr<library_board::deque>> library_deques_;
  std::vector<std::unique_ptr<deque_of_several>> deques_;
  std::vector<std::vector<unsigned>> threads_of_;
  std::vector<std::unique_ptr<core_queue>> queues_;
  alignas(on::line_size) simulated_word<std::uint64_t> ended_{0};
};

}  // namespace
}  // namespace queue_models

task_queue_outcome simulate_task_queues(const description& m, const task_queue_setup& setup) {
  const auto begin = static_cast<std::uint64_t>(m.wait_lasting) + 1000;
  const std::uint64_t alone = ((std::uint64_t{2} << setup.height) - 1) * (setup.cycles + 400);
  machine::simulation::options how;
  how.start_within = begin / 2;
  if (setup.threads > 32) how.max_cycles = begin + alone / 16;
  machine::simulation::engine engine(m, std::move(how));
  auto& all = engine.make<queue_models::tasks_in_queues>(m, setup);
  for (unsigned t = 0; t < setup.threads; ++t) {
    engine.spawn(m.spread(t, setup.threads), [&, t] {
      engine.execute(begin - std::min(begin, engine.now()), machine::simulation::activity::waiting);
      all.run(t);
    });
  }
  const machine::simulation::outcome run = engine.run();
  if (!run.stuck.empty()) throw error("simulate: the simulated machine came to a halt: " + run.stuck);
  task_queue_outcome out;
  out.finished = run.finished;
  all.count(out, begin);
  out.events = run.events;
  return out;
}

}  // namespace callisto::lab
