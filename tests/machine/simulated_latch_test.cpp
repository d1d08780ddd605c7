// A latch that up to 1,024 contexts of the simulated SPARC T5-8 want at once, as the latch of a set of workers.
#include "../sanitizers.hpp"
#include "simulated_machines.hpp"

#include <callisto/waiting/latch.hpp>

#include <cstdint>
#include <cstdio>

#include <gtest/gtest.h>

namespace callisto::machine::simulation {
namespace {

TEST(SimulatedLatch, AllWantItAtOnce) {
  for (const unsigned n : {1U, 2U, 8U, 64U, tests::sanitized ? 128U : 1024U}) {
    const description d = parse_description(sparc_t5_8, "T5-8");
    engine e(d);
    auto& latch = e.make<waiting::latch<simulated>>();
    constexpr unsigned rounds = 20;
    bool held = false;
    std::uint64_t passes = 0;
    for (unsigned c = 0; c < n; ++c) {
      e.spawn(d.spread(c, n), [&] {
        for (unsigned r = 0; r < rounds; ++r) {
          latch.lock();
          EXPECT_FALSE(held);
          held = true;
          simulated::work(50);  // a list or two
          held = false;
          ++passes;
          latch.unlock();
          simulated::work(1000);
        }
      });
    }
    const outcome o = e.run();
    ASSERT_TRUE(o.finished) << o.stuck;
    EXPECT_EQ(passes, std::uint64_t{n} * rounds);
    std::printf("%u contexts: a pass each %.0f cycles\n", n,
                static_cast<double>(o.cycles) / static_cast<double>(passes));
    // All waiters try when the latch is free: worse than a hand-over or two, but not by their number.
    EXPECT_LE(o.cycles / passes, 20'000) << n;
  }
}

}  // namespace
}  // namespace callisto::machine::simulation
