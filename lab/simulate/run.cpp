// Runs leader, followers and loop body on the simulated machine.
#include <lab/simulate/run.hpp>

#include <callisto/app/base/text.hpp>
#include <callisto/distributor/compose.hpp>
#include <callisto/graph/csr/counter_random.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/loop/loop_item.hpp>
#include <callisto/machine/simulated/machine.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/team.hpp>
#include <lab/simulate/chunk_queues.hpp>
#include <lab/simulate/recorder.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

namespace callisto::lab {
namespace {

using machine::simulated;
namespace simulation = machine::simulation;

/// A loop body that spends the time of its iterations and computes nothing.
struct timed_body {
  class participant {
   public:
    explicit participant(timed_body& of) noexcept : body_(of) {}
    void work(std::uint64_t first, std::uint64_t last) noexcept {
      simulated::work(body_.time_of(first, last));
      body_.iterations += last - first;
      ++body_.batches;
    }
    void join() noexcept {}

   private:
    timed_body& body_;
  };

  std::uint64_t time_of(std::uint64_t first, std::uint64_t last) const noexcept {
    const std::uint64_t cycles = loop.cost(first, last);
    if (jitter == 0) return cycles;
    // A number from -1 to 1 that depends only on the seed and on the iterations.
    const double random = 2 * graph::to_unit(graph::counter_random(seed)(first)) - 1;
    return static_cast<std::uint64_t>(static_cast<double>(cycles) * (1 + jitter * random));
  }

  const workload& loop;
  double jitter = 0;
  std::uint64_t seed = 0;
  std::uint64_t iterations = 0;  ///< not atomic: one thread runs the whole simulation
  std::uint64_t batches = 0;
};

template <class Distributor>
run_outcome run_with(const simulation::description& m, const workload& loop, const distributor::layout& where,
                     std::span<const distributor::stage> stages, const run_setup& setup, const std::stop_token& stop) {
  // Followers begin to wait at different times within one period of their polling. The leader begins when all of them
  // wait.
  const auto settle = static_cast<std::uint64_t>(std::max(m.wait_lasting, 1000.0));
  const std::uint64_t begin = 2 * settle;
  run_outcome out;
  simulation::options how;
  how.seed = setup.seed;
  how.start_within = settle;
  how.random_absence_cycles = setup.noise.length;
  how.random_absence_every = setup.noise.period;
  const double cap = std::min(setup.cap, setup.threads / 4.0);  // few threads cannot have a large speed-up
  if (cap > 0) how.max_cycles = begin + static_cast<std::uint64_t>(static_cast<double>(loop.total()) / cap);
  if (setup.timeline) {
    how.trace = [&](const simulation::span& s) {
      if (s.end > begin && s.begin < s.end) out.timeline.push_back(s);
    };
  }
  simulation::engine engine(m, std::move(how));

  timed_body body{loop, setup.jitter, setup.seed};
  using item_type = loop::loop_item<simulated, Distributor>;
  auto& item = engine.make<item_type>(body, loop.size(), where, stages, setup.batch, stop, std::uint64_t{1},
                                      loop::recorder<simulated>(out.counts));
  std::uint64_t ended = 0;
  unsigned inside = setup.threads;
  const auto context_of = [&](unsigned t) { return m.spread(t, setup.threads); };
  if (setup.joined) {
    for (unsigned t = 0; t < setup.threads; ++t) {
      engine.spawn(context_of(t), [&, t] {
        engine.execute(begin - engine.now(), simulation::activity::waiting);
        item.run(t, nullptr, nullptr);
        if (--inside == 0) ended = engine.now();
      });
    }
  } else {
    std::vector<unsigned> in_order;  // neighbouring numbers are contexts that are close to each other
    for (unsigned t = 0; t < setup.threads; ++t) in_order.push_back(context_of(t));
    std::sort(in_order.begin(), in_order.end());
    auto& team = engine.make<workers::team<simulated>>(setup.threads);
    engine.spawn(context_of(0), [&] {
      engine.execute(begin - engine.now(), simulation::activity::waiting);
      team.lead(item);
      ended = engine.now();
      team.finish();
    });
    for (unsigned t = 1; t < setup.threads; ++t) {
      const auto at = std::lower_bound(in_order.begin(), in_order.end(), context_of(t));
      engine.spawn(context_of(t),
                   [&team, t, position = static_cast<unsigned>(at - in_order.begin())] { team.follow(t, position); });
    }
  }
  const simulation::outcome run = engine.run();
  if (stop.stop_requested()) throw graph::cancelled();
  if (!run.stuck.empty()) throw error("simulate: the simulated machine came to a halt: " + run.stuck);

  out.complete = ended != 0;
  out.cycles = (out.complete ? ended : run.cycles) - std::min(begin, run.cycles);
  out.speedup = static_cast<double>(loop.total()) / static_cast<double>(std::max<std::uint64_t>(1, out.cycles));
  out.events = run.events;
  out.hash = run.hash;
  out.iterations = body.iterations;
  out.batches = body.batches;
  out.spent = run.total();
  // Subtracts the time for which threads wait before and after the loop.
  std::uint64_t all = 0;
  for (const std::uint64_t cycles : out.spent.cycles) all += cycles;
  std::uint64_t& waiting = out.spent.cycles[static_cast<unsigned>(simulation::activity::waiting)];
  const std::uint64_t whole = out.cycles * setup.threads;
  waiting -= std::min(waiting, all > whole ? all - whole : 0);
  for (simulation::span& s : out.timeline) {
    s.begin = std::max(s.begin, begin) - begin;
    s.end -= begin;
  }
  return out;
}

}  // namespace

distributor::layout layout_of(const simulation::description& machine, unsigned threads) {
  std::vector<distributor::seat> seats;
  for (unsigned t = 0; t < threads; ++t) {
    const unsigned context = machine.spread(t, threads);
    const unsigned core = machine.core_of(context);
    const unsigned socket = machine.socket_of(context);
    seats.push_back({.core = core, .l2 = core, .l3 = machine.cache_of(context), .numa = socket, .socket = socket});
  }
  return distributor::layout(seats);
}

run_outcome run_simulated(const simulation::description& machine, const workload& loop, const run_setup& setup,
                          const std::stop_token& stop) {
  if (setup.threads == 0 || setup.threads > machine.total_contexts()) {
    throw usage_error(fmt::format("--threads: {} has {}, found {}", machine.name,
                                  counted(machine.total_contexts(), "context"), setup.threads));
  }
  simulation::description m = machine;
  m.hold = setup.hold;
  const distributor::layout where = layout_of(m, setup.threads);
  if (setup.chunk_queues) return run_with<chunk_queues<simulated>>(m, loop, where, {}, setup, stop);
  const schedule how = setup.how.automatic() ? schedule::best(where, false) : setup.how;
  return distributor::with_distributor<simulated>(how.stages(), [&]<class Distributor>() {
    return run_with<Distributor>(m, loop, where, how.stages(), setup, stop);
  });
}

}  // namespace callisto::lab
