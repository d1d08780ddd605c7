// Statistics of loops: what is counted, for which site, through exceptions, stops, nesting, forks and several leaders.
#include "../sanitizers.hpp"

#include <callisto/callisto.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <source_location>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace callisto {
namespace {

using namespace std::chrono_literals;

/// Counts loops while a test runs, beginning with none.
class LoopStatistics : public ::testing::TestWithParam<unsigned> {
 protected:
  void SetUp() override {
    set_threads(GetParam());
    reset_loop_statistics();
    count_loops(true);
  }
  void TearDown() override { count_loops(false); }

  /// Returns the site of the loop on line `line` of this file; fails if there is not exactly one.
  static loop_statistics_of_site at(unsigned line) {
    std::vector<loop_statistics_of_site> found;
    for (auto& site : loop_statistics()) {
      if (site.line == line && site.file == std::source_location::current().file_name()) found.push_back(site);
    }
    EXPECT_EQ(found.size(), 1U) << "line " << line;
    return found.empty() ? loop_statistics_of_site{} : found.front();
  }

  /// Requires that every thread's time adds up to the duration of the loops that it could take part in.
  static void expect_times_add_up(const loop_statistics_of_site& site, unsigned threads) {
    ASSERT_GE(site.threads.size(), threads);
    for (unsigned t = 0; t < threads; ++t) {
      const loop_activity& a = site.threads[t];
      EXPECT_EQ(a.work + a.claiming + a.idle, site.duration) << "thread " << t;
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Threads, LoopStatistics, ::testing::Values(1u, 2u, 4u));

constexpr unsigned line_before(std::source_location where = std::source_location::current()) {
  return where.line() - 1;
}

TEST_P(LoopStatistics, CountsLoopsIterationsAndBatches) {
  unsigned line = 0;
  for (int round = 0; round < 3; ++round) {
    parallel_for(0, 1000, [](int) {}, {.batch = 10});
    line = line_before();
  }
  const loop_statistics_of_site site = at(line);
  const loop_activity all = site.total();
  EXPECT_EQ(site.loops, 3U);
  EXPECT_EQ(site.threw, 0U);
  EXPECT_EQ(site.stopped, 0U);
  EXPECT_EQ(all.iterations, 3000U);
  EXPECT_GE(all.batches, 300U);  // a range that was split may end in a smaller one
  EXPECT_LE(all.batches, 3000U);
  EXPECT_GE(all.visits, 3U);
  EXPECT_GE(site.imbalance(), 1.0);
  EXPECT_LE(site.imbalance(), GetParam() + 1e-9);
  EXPECT_NE(site.function.find("TestBody"), std::string::npos) << site.function;
  expect_times_add_up(site, GetParam());
}

TEST_P(LoopStatistics, CountsNothingWhileOff) {
  count_loops(false);
  parallel_for(0, 1000, [](int) {});
  EXPECT_TRUE(loop_statistics().empty());
}

TEST_P(LoopStatistics, ResetBeginsAnew) {
  for (int round = 0; round < 2; ++round) {
    parallel_for(0, 100, [](int) {});
    EXPECT_EQ(at(line_before()).loops, 1U);
    reset_loop_statistics();
  }
  EXPECT_TRUE(loop_statistics().empty());
}

TEST_P(LoopStatistics, AResetWhileALoopRunsCountsTheWholeLoop) {
  parallel_for(0, 10, [](int i) {
    if (i == 5) reset_loop_statistics();
  });
  EXPECT_EQ(at(line_before() - 2).total().iterations, 10U);
}

void nothing(int) {}

TEST_P(LoopStatistics, PlacesThatShareABodyAreSitesOfTheirOwn) {
  for (int round = 0; round < 2; ++round) {
    parallel_for(0, 10, nothing);
    parallel_for(0, 20, nothing);
    parallel_for(0, 30, nothing);
  }
  const unsigned last = line_before() - 1;
  EXPECT_EQ(at(last - 2).total().iterations, 20U);
  EXPECT_EQ(at(last - 1).total().iterations, 40U);
  EXPECT_EQ(at(last).total().iterations, 60U);
}

template <class T>
void loop_over(T n) {
  parallel_for(T{0}, n, [](T) {});
}

TEST_P(LoopStatistics, InstantiationsOfATemplateAreSitesOfTheirOwn) {
  loop_over(10);
  loop_over(20L);
  const auto sites = loop_statistics();
  ASSERT_EQ(sites.size(), 2U);
  EXPECT_EQ(sites[0].line, sites[1].line);
  EXPECT_NE(sites[0].function, sites[1].function);
  EXPECT_EQ(sites[0].total().iterations + sites[1].total().iterations, 30U);
}

struct summing_loop {
  std::atomic<long> sum{0};
  void work(int i) { sum.fetch_add(i); }
};
struct forking_loop {
  std::atomic<long> sum{0};
  void fork(long& mine) { mine = 0; }
  void work(long& mine, int i) { mine += i; }
  void join(long& mine) { sum.fetch_add(mine); }
};

TEST_P(LoopStatistics, EveryFormCountsForThePlaceThatItIsGiven) {
  const auto here = std::source_location::current();
  const loop_options options;
  std::vector<int> values(10);
  summing_loop shared;
  forking_loop forking;
  parallel_for(0, 10, nothing, options, here);
  parallel_for(values, [](int&) {}, options, here);
  parallel_for(values.begin(), values.end(), [](int&) {}, options, here);
  parallel_for<summing_loop, int>(shared, 0, 10, options, here);
  parallel_for<forking_loop, long, int>(forking, 0, 10, options, here);
  EXPECT_EQ(parallel_reduce(0, 10, 0, [](int i) { return i; }, std::plus<>{}, options, here), 45);
  ASSERT_EQ(loop_statistics().size(), 1U);
  EXPECT_EQ(at(here.line()).loops, 6U);
  EXPECT_EQ(at(here.line()).total().iterations, 60U);
}

TEST_P(LoopStatistics, ALoopThatThrows) {
  EXPECT_THROW(parallel_for(0, 100,
                            [](int i) {
                              if (i == 50) throw std::runtime_error("50");
                            },
                            {.batch = 1}),
               std::runtime_error);
  const auto sites = loop_statistics();
  ASSERT_EQ(sites.size(), 1U);
  EXPECT_EQ(sites[0].loops, 1U);
  EXPECT_EQ(sites[0].threw, 1U);
  EXPECT_EQ(sites[0].stopped, 0U);
  EXPECT_LT(sites[0].total().iterations, 100U);
  expect_times_add_up(sites[0], GetParam());
}

TEST_P(LoopStatistics, ALoopThatIsStopped) {
  std::stop_source stop;
  std::atomic<std::uint64_t> ran{0};
  parallel_for(0, 100000,
               [&](int) {
                 if (ran.fetch_add(1) == 10) stop.request_stop();
               },
               {.batch = 1, .stop = stop.get_token()});
  const auto sites = loop_statistics();
  ASSERT_EQ(sites.size(), 1U);
  EXPECT_EQ(sites[0].stopped, 1U);
  EXPECT_EQ(sites[0].threw, 0U);
  EXPECT_EQ(sites[0].total().iterations, ran);
}

TEST_P(LoopStatistics, NestedLoopsCountForThemselves) {
  const unsigned line = std::source_location::current().line() + 1;
  parallel_for(0, 8, [](int) { parallel_for(0, 100, nothing); }, {.batch = 1});
  const auto sites = loop_statistics();
  ASSERT_EQ(sites.size(), 2U);
  for (const auto& site : sites) {
    EXPECT_EQ(site.line, line);
    EXPECT_EQ(site.total().iterations, site.loops == 1 ? 8U : 800U);
    if (site.loops == 8) {
      EXPECT_EQ(site.imbalance(), 1.0);  // each on one thread
      EXPECT_EQ(site.total().visits, 8U);
    }
  }
}

TEST_P(LoopStatistics, AHugeLoopCountsItsIterations) {
  parallel_for(std::uint64_t{0}, ~std::uint64_t{0}, [](std::uint64_t, std::uint64_t) {},
               {.batch = std::uint64_t{1} << 60});
  EXPECT_EQ(loop_statistics().at(0).total().iterations, ~std::uint64_t{0});
}

TEST_P(LoopStatistics, SeveralLeadersAndNumbersOfThreads) {
  std::atomic<bool> ending{false};
  std::atomic<std::uint64_t> loops{0};
  {
    std::vector<std::jthread> leaders;
    for (int l = 0; l < 3; ++l) {
      leaders.emplace_back([&] {
        while (!ending) {
          loop_over(100);
          loops.fetch_add(1);
        }
      });
    }
    for (unsigned round = 0; round < 20; ++round) {
      set_threads(1 + round % 4);
      static_cast<void>(loop_statistics());
    }
    while (loops == 0) std::this_thread::yield();
    ending = true;
  }
  const auto sites = loop_statistics();
  ASSERT_EQ(sites.size(), 1U);
  EXPECT_EQ(sites[0].loops, loops);
  EXPECT_EQ(sites[0].total().iterations, 100 * loops);
}

TEST_P(LoopStatistics, OneThreadThatHasAllTheWork) {
  parallel_for(0, 2,
               [](int i) {
                 if (i == 0) std::this_thread::sleep_for(20ms);
               },
               {.batch = 1});
  const loop_statistics_of_site site = loop_statistics().at(0);
  EXPECT_NEAR(site.imbalance(), GetParam(), 0.2);
  // The sleep is work; the waiting of the other threads is not.
  const loop_activity all = site.total();
  EXPECT_GE(all.idle + all.claiming, all.work * (GetParam() - 1) * 9 / 10);
}

TEST_P(LoopStatistics, StealsAreCounted) {
  // A thread that comes to the other's share has stolen it.
  for (int attempt = 0; attempt < 100; ++attempt) {
    parallel_for(0, 1000, [](int i) { std::this_thread::sleep_for(std::chrono::microseconds(i == 0 ? 5000 : 0)); },
                 {.batch = 1, .schedule = schedule::parse("counter(thread)", "test")});
    if (loop_statistics().at(0).total().steals != 0) break;
  }
  EXPECT_EQ(loop_statistics().at(0).total().steals != 0, GetParam() > 1);
}

#if defined(CALLISTO_CHILDREN_WORK)
TEST_P(LoopStatistics, AForkedChildBeginsWithNothing) {
  loop_over(10);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    bool right = loop_statistics().empty();
    loop_over(20L);
    const auto sites = loop_statistics();
    right = right && sites.size() == 1 && sites[0].loops == 1 && sites[0].total().iterations == 20;
    _exit(right ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  ASSERT_EQ(loop_statistics().size(), 1U);
  EXPECT_EQ(loop_statistics()[0].total().iterations, 10U);
}

TEST_P(LoopStatistics, AChildForkedWhileLoopsEndWorks) {
  std::atomic<bool> ending{false};
  std::jthread leader([&] {
    while (!ending) loop_over(100);
  });
  for (int round = 0; round < 20; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      loop_over(20L);
      _exit(loop_statistics().size() == 1 ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  ending = true;
}
#endif

TEST(LoopStatisticsText, ATableHasALineForEachSite) {
  loop_statistics_of_site site;
  site.file = "/somewhere/kernel.cpp";
  site.line = 12;
  site.function = "void kernel(int)";
  site.loops = 1234567;
  site.threw = 2;
  site.stopped = 1;
  site.threads.push_back({.visits = 1,
                          .iterations = 5,
                          .batches = 3,
                          .steals = 4,
                          .given_back = 1,
                          .taken_back = 2,
                          .combined = 7,
                          .work = 500,
                          .claiming = 250,
                          .idle = 250});
  site.busiest = 500;
  site.mean = 250;
  const std::string text = loop::to_table(std::vector{site});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
  EXPECT_EQ(text.find("loop "), 0U);
  EXPECT_NE(text.find("\nkernel (kernel.cpp:12), 2 threw, 1 stopped  1,234,567           5        3       4         3  "
                      "       7"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("50.0%     25.0%  25.0%      2.000\n"), std::string::npos) << text;
}

TEST(LoopStatisticsText, JsonEscapesNames) {
  loop_statistics_of_site site;
  site.file = "a\"b\\c\n.cpp";
  EXPECT_NE(loop::to_json(std::vector{site}).find(R"("file":"a\"b\\c\u000a.cpp")"), std::string::npos);
  EXPECT_EQ(loop::to_json({}), "[]");
}

TEST(LoopStatisticsText, ShortNamesOfFunctions) {
  EXPECT_EQ(loop::short_function("int main()"), "main");
  EXPECT_EQ(loop::short_function("main"), "main");
  EXPECT_EQ(loop::short_function("void ns::twice(T) [with T = long int]"), "twice");
  EXPECT_EQ(loop::short_function("std::pair<a, b> ns::{anonymous}::find(const x<y(z)>&, int) [with y = int]"), "find");
  EXPECT_EQ(loop::short_function("auto (anonymous namespace)::run(int)"), "run");
  EXPECT_EQ(loop::short_function("void a<int>::work<b>(c<d>) const [T = e]"), "work");
  EXPECT_EQ(loop::short_function("main()::<lambda(int)>"), "main");
  EXPECT_EQ(loop::short_function("<lambda(int)>"), "<lambda(int)>");
  EXPECT_EQ(loop::short_function(""), "");
}

}  // namespace
}  // namespace callisto
