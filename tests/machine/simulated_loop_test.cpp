// The production code of a parallel loop on the simulated SPARC T5-8: up to 1,024 contexts.
#include "../sanitizers.hpp"
#include "simulated_machines.hpp"

#include <callisto/distributor/compose.hpp>
#include <callisto/distributor/layout.hpp>
#include <callisto/distributor/schedule.hpp>
#include <callisto/loop/loop_item.hpp>
#include <callisto/workers/teams/team.hpp>

#include <algorithm>
#include <cstdint>
#include <stop_token>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace callisto::machine::simulation {
namespace {

constexpr unsigned all_contexts = tests::sanitized ? 128 : 1024;

constexpr std::uint64_t iteration = 140;  // cycles: ATC 2015, section 4.1

/// The paper's even workload, which also counts how often each iteration runs, and whether it runs within the loop.
struct even_body {
  explicit even_body(std::uint64_t n) : runs(n) {}

  struct participant {
    explicit participant(even_body& b) : of(b) {}
    void work(std::uint64_t first, std::uint64_t last) {
      EXPECT_TRUE(of.running);
      for (std::uint64_t i = first; i < last; ++i) ++of.runs[i];
      simulated::work((last - first) * iteration);
      EXPECT_TRUE(of.running);
    }
    void join() {}

    even_body& of;
  };

  std::vector<int> runs;
  bool running = false;
};

const schedule one_counter = schedule::parse("counter(machine)", "test");
const schedule thread_counters = schedule::parse("counter(thread)", "test");
const schedule schedules[] = {
    one_counter,
    schedule::parse("counter(socket)", "test"),
    schedule::parse("counter(core)", "test"),
    thread_counters,
    schedule::parse("combine(core)/counter(core)", "test"),
    schedule::parse("combine(core,async)/counter(core)", "test"),
    schedule::parse("combine(core,async)/combine(socket)/counter(machine)", "test"),
    schedule::parse("ranges", "test"),
};

distributor::layout layout_of(const description& d, unsigned threads) {
  std::vector<distributor::seat> seats;
  for (unsigned t = 0; t < threads; ++t) {
    const unsigned context = d.spread(t, threads);
    const unsigned core = d.core_of(context);
    seats.push_back({core, core, d.cache_of(context), d.socket_of(context), d.socket_of(context)});
  }
  return distributor::layout(seats);
}

struct result {
  double speed_up;
  outcome run;
};

/// Runs `loops` loops of `n` iterations one after the other on one team.
result run_loops(const schedule& how, unsigned threads, std::uint64_t n, std::uint64_t batch, unsigned loops = 1,
                 options options = {}) {
  const description d = parse_description(sparc_t5_8, "T5-8");
  const distributor::layout where = layout_of(d, threads);
  engine e(d, std::move(options));
  auto& team = e.make<workers::team<simulated>>(threads);
  std::uint64_t cycles = 0;
  for (unsigned t = 0; t < threads; ++t) {
    const unsigned context = d.spread(t, threads);
    if (t != 0) {
      e.spawn(context, [&team, &d, t, context, threads] { team.follow(t, context * threads / d.total_contexts()); });
      continue;
    }
    e.spawn(context, [&] {
      simulated::work(20'000);
      for (unsigned l = 0; l < loops; ++l) {
        even_body body(n);
        const std::stop_token never;
        body.running = true;
        const std::uint64_t begin = simulated::ticks();
        distributor::with_distributor<simulated>(how.stages(), [&]<class Distributor>() {
          loop::loop_item<simulated, Distributor> item(body, n, where, how.stages(), batch, never);
          team.lead(item);
          cycles += simulated::ticks() - begin;
          body.running = false;
          EXPECT_TRUE(item.result());
        });
        EXPECT_TRUE(std::all_of(body.runs.begin(), body.runs.end(), [](int r) { return r == 1; }));
      }
      team.finish();
    });
  }
  outcome o = e.run();
  EXPECT_TRUE(o.finished) << o.stuck;
  return {static_cast<double>(n * loops * iteration) / static_cast<double>(cycles), std::move(o)};
}

TEST(SimulatedLoop, RunsOnAllContextsOfTheT5) {
  for (const schedule& how : schedules) {
    SCOPED_TRACE(how.to_string());
    run_loops(how, all_contexts, 1 << 15, 8);
    run_loops(how, all_contexts, 1 << 14, 0);
  }
}

TEST(SimulatedLoop, SomeSmallLoopsInARow) {
  for (const unsigned threads : {1u, 2u, 9u, 64u}) {
    for (const schedule& how : schedules) {
      SCOPED_TRACE(how.to_string());
      run_loops(how, threads, 40, 1, 5);
      run_loops(how, threads, 1, 1, 5);
    }
  }
}

TEST(SimulatedLoop, ASharedCounterCollapsesAtSmallBatches) {
  constexpr unsigned threads = 128;  // one a core
  const double tiny = run_loops(one_counter, threads, 1 << 15, 1).speed_up;
  const double small = run_loops(one_counter, threads, 1 << 16, 8).speed_up;
  const double large = run_loops(one_counter, threads, 1 << 21, 4096).speed_up;
  EXPECT_LT(tiny, 1) << "slower than one context";
  EXPECT_LT(small, 4);
  EXPECT_GT(large, 60);
  const double spread = run_loops(thread_counters, threads, 1 << 18, 8).speed_up;
  EXPECT_GT(spread, 10 * small);
}

TEST(SimulatedLoop, ComesToTheSameCycleByCycle) {
  for (const schedule& how : schedules) {
    SCOPED_TRACE(how.to_string());
    const outcome first = run_loops(how, 64, 1 << 12, 4).run;
    const outcome again = run_loops(how, 64, 1 << 12, 4).run;
    EXPECT_EQ(first.hash, again.hash);
    EXPECT_EQ(first.cycles, again.cycles);
  }
}

TEST(SimulatedLoop, EndsInSpiteOfAbsences) {
  options how;
  how.random_absence_every = 50'000;
  how.random_absence_cycles = 100'000;
  for (how.seed = 1; how.seed <= 3; ++how.seed) {
    for (const schedule& s : schedules) {
      SCOPED_TRACE(s.to_string());
      run_loops(s, 64, 1 << 12, 4, 2, how);
    }
  }
}

}  // namespace
}  // namespace callisto::machine::simulation
