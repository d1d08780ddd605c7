// Checks a small figure 7: searches find what breadth-first search finds, and nesting at cores keeps their caches.
#include "../sanitizers.hpp"

#include <callisto/graph/bfs/bfs.hpp>
#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/construction/generate.hpp>
#include <callisto/machine/system/error.hpp>
#include <lab/simulate/figure7.hpp>
#include <lab/simulate/machines.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

namespace callisto::lab {
namespace {

using machine::simulation::description;
using narrow = graph::csr_graph<std::uint32_t>;

narrow kronecker(unsigned scale) {
  graph::kronecker_options what;
  what.scale = scale;
  what.degree = 7;
  what.meaning = graph::direction::directed;
  return std::get<narrow>(graph::build_graph(graph::generate_kronecker(what)));
}

/// Returns one or two sockets of the T5-8 with 4 contexts per core. Caches fit a graph of `vertices` vertices: a core's
/// holds one search, and the last-level cache holds those of four cores.
description small_machine(unsigned sockets, unsigned vertices = 512) {
  description d = load_machine("sparc-t5-8");
  d.sockets = sockets;
  d.cores = 4;
  d.contexts = 4;
  d.l2_size = 16 * vertices;
  d.l3_size = 128 * vertices;
  return d;
}

TEST(SearchPattern, IsWhatABreadthFirstSearchFinds) {
  const narrow g = kronecker(9);
  for (const search_pattern& p : draw_sources(g, 5, 1, {})) {
    const auto found = graph::bfs(g, p.order.front());
    std::vector<bool> seen(g.vertices());
    for (std::size_t d = 0; d + 1 < p.levels.size(); ++d) {
      for (std::uint64_t i = p.levels[d]; i < p.levels[d + 1]; ++i) {
        const std::uint32_t v = p.order[i];
        EXPECT_EQ(p.level[v], d);
        EXPECT_EQ(p.place[v], i);
        EXPECT_EQ(found.distances[v], d);
        EXPECT_FALSE(seen[v]);
        seen[v] = true;
        for (std::uint32_t j = p.found[i]; j < p.found[i + 1]; ++j) {
          const auto row = g.out().row(v);
          EXPECT_TRUE(std::find(row.begin(), row.end(), p.order[j]) != row.end());
        }
      }
    }
    EXPECT_EQ(p.levels.back(), p.order.size());
    EXPECT_EQ(found.reached, p.order.size());
    for (std::uint64_t v = 0; v < g.vertices(); ++v) {
      if (!seen[v]) {
        EXPECT_EQ(p.level[v], search_pattern::unreached);
      }
    }
  }
}

TEST(SearchPattern, NeedsEdges) { EXPECT_THROW(draw_sources(narrow(), 5, 1, {}), usage_error); }

TEST(Figure7, EveryFormMakesTheSameSearches) {
  const narrow g = kronecker(9);
  const description d = small_machine(2);
  const std::vector<search_pattern> sources = draw_sources(g, 1, 1, {});
  const nested_outcome flat = run_nested(d, g, sources, nested_form::flat, 1, 1, {});
  EXPECT_EQ(flat.searches, 1u);
  for (const nested_form form : nested_forms) {
    const nested_outcome o = run_nested(d, g, sources, form, 16, 2, {});
    EXPECT_EQ(o.searches, form == nested_form::flat     ? 32u
                          : form == nested_form::core   ? 16u
                          : form == nested_form::socket ? 4u
                                                        : 2u);
    EXPECT_EQ(o.memory.loads, flat.memory.loads * o.searches) << name_of(form);
  }
}

TEST(Figure7, IsTheSameToTheCycleWhateverMallocReturns) {
  if (tests::frames_are_elsewhere) GTEST_SKIP() << "atomics on fibers' stacks are not at the same addresses twice";
  const narrow g = kronecker(9);
  const std::vector<search_pattern> sources = draw_sources(g, 4, 1, {});
  const description d = load_machine("sparc-t5-8");
  // Enough threads to have counters on more lines than a distributor holds inside.
  constexpr unsigned threads = 128;
  std::vector<std::vector<std::byte>> taken;
  for (const nested_form form : nested_forms) {
    const nested_outcome once = run_nested(d, g, sources, form, threads, 1, {});
    // Makes holes of all sizes, so that freed memory is allocated again at other addresses.
    for (std::size_t i = 0; i < 400; ++i) taken.emplace_back(64 + 997 * i % 40'000);
    for (std::size_t i = 0; i < taken.size(); i += 2) taken[i] = {};
    const nested_outcome again = run_nested(d, g, sources, form, threads, 1, {});
    EXPECT_EQ(once.hash, again.hash) << name_of(form);
    EXPECT_EQ(once.cycles, again.cycles);
    EXPECT_EQ(once.memory.missed_loads, again.memory.missed_loads);
  }
}

TEST(Figure7, NestingAtCoresKeepsTheirCachesAndIsFastest) {
  constexpr unsigned scale = 12;
  const narrow g = kronecker(scale);
  const description d = small_machine(2, 1u << scale);
  const unsigned one_a_core = d.total_cores();
  const unsigned all = d.total_contexts();
  const std::vector<search_pattern> sources = draw_sources(g, 16, 1, {});
  const auto run = [&](nested_form form, unsigned threads) { return run_nested(d, g, sources, form, threads, 1, {}); };
  const nested_outcome flat_few = run(nested_form::flat, one_a_core);
  const nested_outcome flat = run(nested_form::flat, all);
  const nested_outcome core_few = run(nested_form::core, one_a_core);
  const nested_outcome core = run(nested_form::core, all);
  EXPECT_NEAR(core_few.rate(d), flat_few.rate(d), 0.02 * flat_few.rate(d)) << "the same with one thread a core";
  EXPECT_GT(flat.miss_rate(), 1.3 * flat_few.miss_rate());
  EXPECT_LT(core.miss_rate(), 1.1 * core_few.miss_rate());
  EXPECT_LT(flat.rate(d), 2.5 * flat_few.rate(d)) << "four times the threads";
  EXPECT_GT(core.rate(d), 1.3 * flat.rate(d));
  EXPECT_LT(run(nested_form::inner, all).rate(d), flat.rate(d));
}

TEST(Figure7, StopsWhenAsked) {
  const narrow g = kronecker(9);
  const std::vector<search_pattern> sources = draw_sources(g, 1, 1, {});
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(run_nested(small_machine(1), g, sources, nested_form::core, 16, 1, {nullptr, stop.get_token()}),
               graph::cancelled);
}

}  // namespace
}  // namespace callisto::lab
