#include <callisto/global/session/rank_stealing.hpp>

#include <callisto/global/session/session_state.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace callisto::global {
namespace {

/// The most tasks that one theft takes of a core.
constexpr std::size_t most_stolen = 1024;
/// A core with at least this many suspended workers does not ask other ranks: one of the workers will soon be ready.
constexpr std::size_t enough_waiting = 64;

}  // namespace

bool rank_stealing::steal_from_cores(core& thief) {
  const std::vector<core*>& cores = rank_.cores;
  const std::size_t begin = rank_.random[thief.number()]() % cores.size();
  for (std::size_t i = 0; i != cores.size(); ++i) {
    core& victim = *cores[(begin + i) % cores.size()];
    if (&victim == &thief) continue;
    const std::size_t count = thief.steal_from(victim, most_stolen);
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

void rank_stealing::ask_another_rank(core& thief) {
  if (rank_.context.ranks == 1 || thief.workers_with_task() >= enough_waiting) return;
  const std::uint64_t now = rank_clock::ticks();
  if (now < ask_again_at_.load(std::memory_order_relaxed)) return;  // relaxed: a time
  if (!phase_.is_running()) return;
  // relaxed: the answer comes by a message, which orders all.
  if (asking_.exchange(true, std::memory_order_relaxed)) return;
  const int me = rank_.context.rank;
  auto victim = static_cast<int>(rank_.random[thief.number()]() % static_cast<unsigned>(rank_.context.ranks - 1));
  victim += victim >= me ? 1 : 0;
  counts_.requests.fetch_add(1, std::memory_order_relaxed);
  send_system(victim, [me] { session_state::here().stealing.give_to(me); });
  rank_.engine->flush();
}

/// Answers a thief: handles its request at the victim.
void rank_stealing::give_to(int thief) {
  core& me = this_core();
  std::vector<task> taken;
  for (core* victim : rank_.cores) {
    victim->public_tasks().steal(most_stolen, [&](const task& t) { taken.push_back(t); });
  }
  for (task& t : taken) {
    t.travel(thief);
    me.count_departure();
  }
  send_system(thief, [given = std::uint64_t{taken.size()}] { session_state::here().stealing.take_answer(given); });
}

void rank_stealing::take_answer(std::uint64_t given) {
  // relaxed, all: each is one core's business at a time, and a time or a count.
  if (given == 0) {
    const std::uint64_t longer = std::min(2 * pause_.load(std::memory_order_relaxed), most_pause);
    counts_.vain.fetch_add(1, std::memory_order_relaxed);
    pause_.store(longer, std::memory_order_relaxed);
    ask_again_at_.store(rank_clock::ticks() + rank_clock::ticks_of(longer), std::memory_order_relaxed);
  } else {
    counts_.tasks.fetch_add(given, std::memory_order_relaxed);
    pause_.store(least_pause, std::memory_order_relaxed);
    ask_again_at_.store(0, std::memory_order_relaxed);
  }
  asking_.store(false, std::memory_order_relaxed);
}

}  // namespace callisto::global
