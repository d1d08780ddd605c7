#include <callisto/global/session/rank_stealing.hpp>

#include <callisto/global/session/session_state.hpp>
#include <callisto/global/transport/limits.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace callisto::global {

bool rank_stealing::steal_from_cores(core& thief) {
  const std::vector<core*>& cores = rank_.cores;
  const std::size_t begin = rank_.random[thief.number()]() % cores.size();
  for (std::size_t i = 0; i != cores.size(); ++i) {
    core& victim = *cores[(begin + i) % cores.size()];
    if (&victim == &thief) continue;
    const std::size_t count = thief.steal_from(victim, rank_limits::most_stolen);
    if (count == 0) continue;
    counts_.within.fetch_add(count, std::memory_order_relaxed);  // relaxed: statistics
    return true;
  }
  return false;
}

void rank_stealing::nudge_another(const core& c) {
  const std::vector<core*>& cores = rank_.cores;
  cores[(c.number() + 1 + rank_.random[c.number()]() % (cores.size() - 1)) % cores.size()]->nudge();
}

/// The rank in the eyes of a core, which the calling thread runs.
class rank_stealing::seen_by_core {
 public:
  seen_by_core(rank_stealing& of, core& c) noexcept : of_(of), core_(c) {}

  std::uint32_t phase() const noexcept {
    return of_.rank_.context.latest_phase.load(std::memory_order_relaxed);  // relaxed: see hear_of_phase()
  }
  static std::uint64_t ticks() noexcept { return rank_clock::ticks(); }
  static std::uint64_t ticks_of(std::uint64_t nanoseconds) noexcept { return rank_clock::ticks_of(nanoseconds); }
  unsigned pick(unsigned below) { return static_cast<unsigned>(of_.rank_.random[core_.number()]() % below); }

  std::vector<task> take_half(std::size_t most) {
    std::vector<task> taken;
    const auto take = [&taken](const task& t) { taken.push_back(t); };
    core_.public_tasks().take_half(most, take);
    for (core* victim : of_.rank_.cores)
      if (victim != &core_) victim->public_tasks().steal(most, take);
    return taken;
  }
  void travel(task& t, int rank) {
    t.travel(rank);
    core_.count_departure();
  }
  static void tell_request(int rank, const steal_request& r) {
    send_system(rank, [r] { at_handler([&](protocol& p, seen_by_core& here, steal_counts&) { p.give_to(here, r); }); });
  }
  static void tell_answer(int rank, const steal_answer& a) {
    send_system(rank, [a] {
      at_handler([&](protocol& p, seen_by_core& here, steal_counts& counts) {
        // relaxed, both: statistics
        if (a.given == 0)
          counts.vain.fetch_add(1, std::memory_order_relaxed);
        else
          counts.tasks.fetch_add(a.given, std::memory_order_relaxed);
        p.take_answer(here, a);
      });
    });
  }
  static void tell_gift(int rank, const steal_answer& a) {
    send_system(rank, [a] {
      at_handler([&](protocol& p, seen_by_core& here, steal_counts& counts) {
        counts.tasks.fetch_add(a.given, std::memory_order_relaxed);  // relaxed: statistics
        p.take_gift(here, a);
      });
    });
  }

 private:
  template <class F>
  static void at_handler(const F& f) {
    rank_stealing& stealing = session_state::here().stealing;
    seen_by_core here(stealing, this_core());
    f(stealing.between_ranks_, here, stealing.counts_);
  }

  rank_stealing& of_;
  core& core_;
};

void rank_stealing::ask_another_rank(core& thief) {
  if (rank_.context.ranks == 1 || thief.workers_with_task() >= rank_limits::enough_waiting || !phase_.is_running())
    return;
  seen_by_core here(*this, thief);
  if (!between_ranks_.ask(here)) return;
  counts_.requests.fetch_add(1, std::memory_order_relaxed);  // relaxed: statistics
  rank_.engine->flush();
}

void rank_stealing::give_to_waiting(core& c) {
  seen_by_core here(*this, c);
  if (between_ranks_.has_waiting(here.phase()) && between_ranks_.give_to_waiting(here)) rank_.engine->flush();
}

}  // namespace callisto::global
