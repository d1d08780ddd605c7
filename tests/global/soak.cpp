// Random programs over ranks in one process, against a sequential model: tasks that stay or may be stolen, messages,
// far reads that wait, delegates, completion events, exceptions; with random delays, and ranks that die.
//
// With --simulated R, R ranks run on a simulated cluster instead, on one thread and without deaths. Messages take one,
// two or three hops, or as many as ranks choose, by the seed of the round.
//
// Usage: soak [--seconds S] [--seed X] [--rounds N] [--simulated R]. Prints the seed of a round that failed, and exits
// with status 1.
#include <callisto/global.hpp>
#include <callisto/global/memory/delegates.hpp>
#include <callisto/global/memory/global_heap.hpp>
#include <callisto/global/session/session.hpp>
#include <callisto/global/simulated/cluster.hpp>
#include <callisto/global/synchronization/completion_event.hpp>

#include "simulated_networks.hpp"

#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace callisto::global {
namespace {

std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 31;
  x *= 0x9e3779b97f4a7c15U;
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9U;
  return x ^ x >> 32;
}

/// An action of a program. What it does follows from its seed, so that any rank can do it, and the model, too.
struct action {
  std::uint64_t seed;
  std::uint32_t depth;

  std::uint32_t children() const { return depth == 0 ? 0 : static_cast<std::uint32_t>(mixed(seed) % 4); }
  action child(std::uint32_t c) const { return {mixed(seed + 0x1000 + c), depth - 1}; }
  /// How child `c` is begun: 0 to 5.
  std::uint64_t way(std::uint32_t c) const { return mixed(seed + 0x2000 + c) % 6; }
  /// A number that picks a rank.
  std::uint64_t place(std::uint32_t c) const { return mixed(seed + 0x3000 + c); }
  std::uint64_t value() const { return mixed(seed + 0x4000); }
};

/// What a program adds up.
struct totals {
  std::uint64_t actions = 0;
  std::uint64_t sum = 0;
};

void model(const action& a, totals& t) {
  ++t.actions;
  t.sum += a.value();
  for (std::uint32_t c = 0; c != a.children(); ++c) model(a.child(c), t);
}

/// What ranks of one round share: they are in one process.
struct world {
  int ranks = 1;
  std::uint64_t thrower = 0;         ///< the action with this seed throws; 0: none does
  std::vector<std::uint64_t> cells;  ///< a sum a rank, changed by delegates only
  std::atomic<std::uint64_t> actions{0};
};
world* round_of_all = nullptr;

global_address<std::uint64_t> cell(std::uint64_t place) {
  const auto rank = static_cast<int>(place % static_cast<std::uint64_t>(round_of_all->ranks));
  return global_address<std::uint64_t>::at(rank, &round_of_all->cells[static_cast<std::size_t>(rank)]);
}

void act(const action& a) {
  if (a.seed == round_of_all->thrower) throw std::range_error("seed " + std::to_string(a.seed));
  round_of_all->actions.fetch_add(1, std::memory_order_relaxed);
  completion_event event;
  for (std::uint32_t c = 0; c != a.children(); ++c) {
    const action next = a.child(c);
    const auto rank = static_cast<int>(a.place(c) % static_cast<std::uint64_t>(round_of_all->ranks));
    switch (a.way(c)) {
      case 0:
        spawn([next] { act(next); });
        break;
      case 1:
        spawn_public([next] { act(next); });
        break;
      case 2:
        send(rank, [next] { spawn([next] { act(next); }); });
        break;
      case 3:
        send(rank, [next] { spawn_public([next] { act(next); }); });
        break;
      case 4:
        spawn(event, [next] { act(next); });  // ends also if the child throws: the waiter must go on
        break;
      default:
        yield();
        act(next);
        break;
    }
  }
  // One delegate that waits, and one that does not.
  const std::uint64_t half = a.value() / 2;
  if (a.seed % 3 == 0) {
    fetch_add(cell(a.place(100)), half);
  } else {
    increment(cell(a.place(100)), half);
  }
  fetch_add(cell(a.place(101)), a.value() - half);
  event.wait();
}

struct picker {
  std::uint64_t state;
  std::uint64_t operator()(std::uint64_t below) {
    state = mixed(state + 0x9e3779b97f4a7c15U);
    return state % below;
  }
};

/// A job of `ranks` simulated ranks, with the delays of another one.
void run_simulated(const in_process_job& job, const std::function<void(session&)>& main) {
  simulation::cluster_options how;
  how.net = simulation::parse_network(simulation::test::network_text, "test network");
  how.ranks_per_node = static_cast<unsigned>(job.net.ranks_per_node);
  how.nodes = static_cast<unsigned>(job.net.ranks) / how.ranks_per_node;
  how.seed = job.net.seed;
  how.most_delay = std::chrono::duration<double, std::nano>(job.net.most_delay).count();
  ::setenv("CALLISTO_GLOBAL_HOPS", std::to_string(job.net.seed % 4).c_str(), 1);  // 0: ranks choose
  simulation::run_sessions(how, job.how, main);
}

/// Runs one random program on a random job; on a simulated cluster of so many ranks, if any. Returns what went wrong.
std::optional<std::string> run_round(std::uint64_t seed, std::uint64_t simulated) {
  picker pick{seed};
  constexpr std::array<int, 6> sizes{1, 2, 3, 5, 7, 16};
  in_process_job job;
  job.net.ranks = sizes[pick(sizes.size())];
  job.net.ranks_per_node = static_cast<int>(1 + pick(3));
  job.net.seed = seed;
  job.net.most_delay = std::chrono::microseconds(pick(3) == 0 ? 0 : pick(400));
  job.how.threads = static_cast<unsigned>(1 + pick(job.net.ranks > 5 ? 1 : 3));
  if (simulated != 0) {
    job.net.ranks = static_cast<int>(simulated);
    while (job.net.ranks % job.net.ranks_per_node != 0) --job.net.ranks_per_node;
    job.how.threads = 1;
  }
  job.how.workers = 1 + pick(200);
  job.how.seed = seed;
  const bool dies = pick(4) == 0 && job.net.ranks > 1 && simulated == 0;
  const auto victim = static_cast<int>(pick(static_cast<std::uint64_t>(job.net.ranks)));
  if (dies) {
    job.net.failures = {{.rank = victim, .after = 1 + pick(400), .way = planned_failure::ways::dies}};
  }
  const bool throws = pick(5) == 0;

  world shared;
  shared.ranks = job.net.ranks;
  shared.cells.resize(static_cast<std::size_t>(job.net.ranks));
  round_of_all = &shared;
  const std::uint64_t phases = 1 + pick(3);
  std::vector<action> roots;
  totals expected;
  for (std::uint64_t p = 0; p != phases; ++p) {
    for (int r = 0; r != job.net.ranks; ++r) {
      roots.push_back({mixed(seed * 31 + roots.size() + 1), static_cast<std::uint32_t>(3 + pick(6))});
      model(roots.back(), expected);
    }
  }
  if (throws) shared.thrower = roots[pick(roots.size())].seed;

  std::atomic<int> thrown{0};
  try {
    (simulated != 0 ? run_simulated : run_in_process)(job, [&](session& s) {
      for (std::uint64_t p = 0; p != phases; ++p) {
        try {
          s.run_phase([&] {
            spawn([a = roots[p * static_cast<std::uint64_t>(s.ranks()) + static_cast<std::uint64_t>(s.rank())]] {
              act(a);
            });
          });
        } catch (const std::range_error&) {
          ++thrown;
        }
      }
    });
  } catch (const job_failed& e) {
    const std::string named = "rank " + std::to_string(victim) + " of ";
    if (dies && std::string(e.what()).find(named) != std::string::npos) return std::nullopt;
    return std::string("the job failed: ") + e.what();
  } catch (const std::exception& e) {
    return std::string("an exception reached the caller: ") + e.what();
  }
  if (throws) {
    if (thrown == job.net.ranks) return std::nullopt;
    return "one action threw; " + std::to_string(thrown) + " of " + std::to_string(job.net.ranks) + " ranks caught it";
  }
  std::uint64_t sum = 0;
  for (const std::uint64_t c : shared.cells) sum += c;
  if (shared.actions == expected.actions && sum == expected.sum) return std::nullopt;
  return std::to_string(shared.actions) + " actions with the sum " + std::to_string(sum) + "; the model has " +
         std::to_string(expected.actions) + " with " + std::to_string(expected.sum);
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace
}  // namespace callisto::global

int main(int argc, char** argv) {
  using namespace callisto::global;
  std::uint64_t seconds = 0;
  std::uint64_t seed = 1;
  std::uint64_t rounds = ~std::uint64_t{0};
  std::uint64_t simulated = 0;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view flag = argv[i];
    std::uint64_t* const place = flag == "--seconds"     ? &seconds
                                 : flag == "--seed"      ? &seed
                                 : flag == "--rounds"    ? &rounds
                                 : flag == "--simulated" ? &simulated
                                                         : nullptr;
    const std::optional<std::uint64_t> value = i + 1 < argc ? number(argv[i + 1]) : std::nullopt;
    if (place == nullptr || !value) {
      std::fputs("usage: soak_global [--seconds S] [--seed X] [--rounds N] [--simulated R], each a whole number\n",
                 stderr);
      return 2;
    }
    *place = *value;
  }
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  std::uint64_t done = 0;
  do {
    const std::uint64_t mine = seed + done;
    if (const std::optional<std::string> wrong = run_round(mine, simulated)) {
      std::printf("soak_global: --seed %llu --rounds 1 --simulated %llu: %s\n", static_cast<unsigned long long>(mine),
                  static_cast<unsigned long long>(simulated), wrong->c_str());
      return 1;
    }
    ++done;
  } while (done < rounds && (rounds != ~std::uint64_t{0} || std::chrono::steady_clock::now() < until));
  std::printf("soak_global: %llu rounds from seed %llu\n", static_cast<unsigned long long>(done),
              static_cast<unsigned long long>(seed));
}
