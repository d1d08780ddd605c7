// Checks nested loops on simulated machines: the threads of each loop (ATC'15, figure 2), on up to 1,024 contexts.
#include "../machine/simulated_machines.hpp"
#include "../sanitizers.hpp"

#include <lab/simulate/machines.hpp>
#include <lab/simulate/nesting.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace callisto::lab {
namespace {

using machine::simulated;
using machine::simulation::description;
using machine::simulation::outcome;

using threads = std::set<unsigned>;

/// The machine of figure 2: 2 sockets of 4 threads, t1 to t4 (here 0 to 3) and t5 to t8 (4 to 7).
class Figure2 : public ::testing::Test {
 protected:
  static description machine() {
    description d = machine::simulation::simple_machine();
    d.caches = 1;
    d.cores = 4;
    d.contexts = 1;
    return d;
  }
  nested_program program_{machine(), {0, 1, 2, 3, 4, 5, 6, 7}, nesting::parse("1:socket", "test")};
  const threads all_{0, 1, 2, 3, 4, 5, 6, 7};
  const threads first_{0, 1, 2, 3};
  const threads second_{4, 5, 6, 7};

  /// Runs a loop at level 0 that is long enough for all threads to join. Returns the threads that joined.
  threads flat() {
    threads seen;
    program_.loop(0, 64, [&](std::uint64_t) {
      seen.insert(program_.thread());
      simulated::work(20'000);
    });
    return seen;
  }
};

TEST_F(Figure2, AThenB_ALoopAtLevel0RunsOnAllThreads) {
  threads seen;
  EXPECT_TRUE(program_.run([&] { seen = flat(); }).finished);
  EXPECT_EQ(seen, all_);
}

TEST_F(Figure2, C_ALoopAtLevel1RunsOnTheFirstThreadOfEachSocket) {
  threads seen;
  const outcome o = program_.run([&] {
    program_.loop(1, 64, [&](std::uint64_t) {
      seen.insert(program_.thread());
      simulated::work(20'000);
    });
  });
  EXPECT_TRUE(o.finished);
  EXPECT_EQ(seen, (threads{0, 4}));
}

TEST_F(Figure2, D_ALoopInsideRunsOnTheSocketOfTheThreadThatMeetsIt) {
  std::vector<threads> by_leader(8);
  const outcome o = program_.run([&] {
    for (int round = 0; round < 3; ++round) {
      program_.loop(1, 8, [&](std::uint64_t) {
        const threads seen = flat();
        by_leader[program_.thread()].insert(seen.begin(), seen.end());
        EXPECT_EQ(seen, program_.thread() == 0 ? first_ : second_) << "round " << round;
      });
      EXPECT_EQ(flat(), all_) << "afterwards everybody follows the root again";
    }
  });
  EXPECT_TRUE(o.finished);
  EXPECT_EQ(by_leader[0], first_);
  EXPECT_EQ(by_leader[4], second_);
}

TEST_F(Figure2, ASocketKeepsItsThreadsUntilTheWholeLoopHasEnded) {
  // One iteration of many loops, while the other socket has nothing left: its threads do not come over.
  int last_ones = 0;
  const outcome o = program_.run([&] {
    program_.loop(1, 2, [&](std::uint64_t i) {
      EXPECT_EQ(program_.thread() == 0, i == 0);
      for (int inner = 0; inner < (i == 0 ? 1 : 20); ++inner) {
        EXPECT_EQ(flat(), i == 0 ? first_ : second_);
        ++last_ones;
      }
    });
  });
  EXPECT_TRUE(o.finished);
  EXPECT_EQ(last_ones, 21);
}

TEST_F(Figure2, WhereNoLevelIsLeftALoopRunsOnItsThread) {
  const outcome o = program_.run([&] {
    program_.loop(1, 2, [&](std::uint64_t) {
      const unsigned outer = program_.thread();
      program_.loop(1, 4, [&](std::uint64_t) {
        EXPECT_EQ(program_.thread(), outer) << "a level 1 loop inside of one";
        EXPECT_EQ(flat(), outer == 0 ? first_ : second_);
      });
      program_.loop(0, 16, [&](std::uint64_t) {
        const unsigned inner = program_.thread();
        EXPECT_EQ(flat(), threads{inner}) << "inside of a loop at level 0";
        program_.loop(1, 2, [&](std::uint64_t) { EXPECT_EQ(program_.thread(), inner); });
      });
    });
  });
  EXPECT_TRUE(o.finished);
}

TEST_F(Figure2, AnExceptionInsideReachesTheOuterCaller) {
  int caught = 0;
  const outcome o = program_.run([&] {
    for (int round = 0; round < 2; ++round) {
      try {
        program_.loop(1, 8, [&](std::uint64_t) {
          program_.loop(0, 8, [&](std::uint64_t j) {
            if (j == 3) throw std::runtime_error("inner");
          });
        });
      } catch (const std::runtime_error&) {
        ++caught;
      }
    }
    EXPECT_EQ(flat(), all_);
  });
  EXPECT_TRUE(o.finished);
  EXPECT_EQ(caught, 2);
}

constexpr unsigned most_sockets = tests::sanitized ? 1 : 8;

/// Runs three levels of loops on `sockets` sockets of the T5-8, with threads placed as Callisto places them.
std::uint64_t three_levels(unsigned sockets) {
  description d = load_machine("sparc-t5-8");
  d.sockets = sockets;
  std::vector<unsigned> contexts;
  const unsigned count = d.total_contexts();
  for (unsigned t = 0; t < count; ++t) contexts.push_back(d.spread(t, count));
  nested_program program(d, contexts, nesting::parse("2:socket,1:core", "test"));
  const auto core = [&] { return d.core_of(contexts[program.thread()]); };
  const auto socket = [&] { return d.socket_of(contexts[program.thread()]); };
  const unsigned outer = 2 * sockets;
  const unsigned middle = 2 * d.cores * d.caches;
  constexpr unsigned inner = 32;
  std::vector<int> runs(std::size_t{outer} * middle * inner);
  std::vector<threads> helpers(d.total_cores());
  const outcome o = program.run([&] {
    simulated::work(50'000);
    program.loop(2, outer, [&](std::uint64_t i) {
      const unsigned my_socket = socket();
      program.loop(1, middle, [&](std::uint64_t j) {
        const unsigned my_core = core();
        EXPECT_EQ(socket(), my_socket);
        program.loop(0, inner, [&](std::uint64_t k) {
          EXPECT_EQ(core(), my_core);
          helpers[my_core].insert(program.thread());
          ++runs[(i * middle + j) * inner + k];
          simulated::work(5'000);
        });
      });
    });
  });
  EXPECT_TRUE(o.finished) << o.stuck;
  EXPECT_TRUE(std::all_of(runs.begin(), runs.end(), [](int r) { return r == 1; }));
  for (unsigned c = 0; c < helpers.size(); ++c) EXPECT_EQ(helpers[c].size(), d.contexts) << "core " << c;
  return o.hash;
}

TEST(SimulatedNesting, ThreeLevelsOnUpTo1024Contexts) {
  for (unsigned sockets = 1; sockets <= most_sockets; sockets *= 2) {
    SCOPED_TRACE(sockets);
    const std::uint64_t first = three_levels(sockets);
    const std::uint64_t second = three_levels(sockets);
    // Loops stand in their leaders' frames, so that which of them share lines with what is a matter of addresses.
    if (!tests::frames_are_elsewhere) {
      EXPECT_EQ(first, second) << "comes to the same cycle by cycle";
    }
  }
}

}  // namespace
}  // namespace callisto::lab
