// Phases over ranks and cores: when they end, what they throw, and that they end early.
#include "../sanitizers.hpp"
#include "on_ranks.hpp"

#include <callisto/global/arrays/array.hpp>
#include <callisto/global/loops/parallel_for.hpp>
#include <callisto/global/session/failure.hpp>
#include <callisto/global/session/session.hpp>
#include <callisto/global/session/timeline.hpp>
#include <callisto/global/synchronization/collectives.hpp>
#include <callisto/global/synchronization/mutex.hpp>
#include <callisto/machine/system/scratch_folder.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <mutex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#if defined(CALLISTO_UNDER_ASAN)
// A job that ends by a deadlock drops tasks that wait, with their stacks, and the lines in which they wait.
extern "C" [[gnu::visibility("default")]] const char* __lsan_default_suppressions();
extern "C" [[gnu::visibility("default")]] const char* __lsan_default_suppressions() {
  return "leak:callisto::global::waiting_line\nleak:callisto::global::core::worker_for_task\n";
}
#endif

namespace callisto::global {
namespace {

struct shape {
  int ranks;
  unsigned threads;
  int delay;  ///< microseconds at most
};

class Phases : public testing::TestWithParam<shape> {
 protected:
  static in_process_job job(std::uint64_t seed = 1) {
    in_process_job j;
    j.net.ranks = GetParam().ranks;
    j.net.seed = seed;
    j.net.most_delay = std::chrono::microseconds(GetParam().delay);
    j.how.threads = GetParam().threads;
    return j;
  }
};

INSTANTIATE_TEST_SUITE_P(Shapes, Phases,
                         testing::Values(shape{1, 1, 0}, shape{1, 3, 0}, shape{2, 1, 0}, shape{2, 2, 100},
                                         shape{7, 1, 0}, shape{7, 1, 300}, shape{3, 2, 300}),
                         [](const auto& of) {
                           return std::to_string(of.param.ranks) + "x" + std::to_string(of.param.threads) +
                                  (of.param.delay == 0 ? "" : "delayed");
                         });

TEST_P(Phases, EndWithoutWork) {
  run_in_process(job(), [](session& s) {
    EXPECT_EQ(s.ranks(), GetParam().ranks);
    EXPECT_EQ(s.threads(), GetParam().threads);
    for (int i = 0; i != 20; ++i) s.run_phase([] {});
  });
}

/// Spawns a tree of tasks and messages: each message spawns a task, each task sends two messages to random ranks.
struct tree_step {
  std::atomic<std::int64_t>* ends;
  unsigned depth;
  std::uint64_t seed;
  void operator()() const {
    spawn([step = *this] {
      if (step.seed % 3 == 0) yield();
      if (step.depth != 0) {
        for (std::uint64_t child = 0; child != 2; ++child) {
          const std::uint64_t next = (step.seed * 2 + child + 1) * 0x9e3779b97f4a7c15U >> 7;
          send(static_cast<int>(next % static_cast<std::uint64_t>(here().ranks)),
               tree_step{step.ends, step.depth - 1, next});
        }
      }
      ++*step.ends;
    });
  }
};

TEST_P(Phases, EndAfterAllTasksAndMessages) {
  for (std::uint64_t seed = 1; seed != 6; ++seed) {
    std::atomic<std::int64_t> ends{0};
    std::atomic<int> wrong{0};
    const std::int64_t each = (std::int64_t{1} << 9) - 1;
    run_in_process(job(seed), [&](session& s) {
      for (int phase = 1; phase <= 3; ++phase) {
        s.run_phase([&] { tree_step{&ends, 8, seed}(); });
        if (ends < each * s.ranks() * phase) ++wrong;
        s.run_phase([] {});  // no rank begins the next phase before all have looked
      }
    });
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(ends, each * GetParam().ranks * 3);
  }
}

TEST_P(Phases, RunOnEachCore) {
  std::mutex lock;
  std::set<std::pair<int, unsigned>> ran;
  run_in_process(job(), [&](session& s) {
    s.run_phase([&] {
      s.on_each_core([&](unsigned c) {
        EXPECT_EQ(this_core().number(), c);
        const std::scoped_lock guard(lock);
        ran.emplace(session::here().rank(), c);
      });
    });
    const std::scoped_lock guard(lock);
    for (unsigned c = 0; c != s.threads(); ++c) EXPECT_TRUE(ran.contains({s.rank(), c}));
  });
  EXPECT_EQ(ran.size(), static_cast<std::size_t>(GetParam().ranks) * GetParam().threads);
}

TEST_P(Phases, ThrowWhatATaskThrewInAllRanks) {
  const int thrower = GetParam().ranks / 2;
  std::atomic<int> caught{0};
  run_in_process(job(), [&](session& s) {
    for (int round = 0; round != 3; ++round) {
      try {
        s.run_phase([&] {
          spawn([&, rank = s.rank()] {
            if (rank == thrower) throw std::out_of_range("row " + std::to_string(round));
          });
        });
        ADD_FAILURE() << "no exception in rank " << s.rank();
      } catch (const std::out_of_range& e) {
        EXPECT_EQ(e.what(), "row " + std::to_string(round));
        ++caught;
      }
    }
  });
  EXPECT_EQ(caught, 3 * GetParam().ranks);
}

// A rank may hear of a phase's end later than of what others do in the next one. Each phase has its own failures.
TEST_P(Phases, ThrowWhatATaskThrewBeforeItsRankHeardThatTheyHadBegun) {
  constexpr int rounds = 150;
  std::atomic<int> caught{0};
  run_in_process(job(), [&](session& s) {
    const int last = s.ranks() - 1;
    for (int round = 0; round != rounds; ++round) {
      try {
        s.run_phase([&] {
          if (s.rank() == 0)
            send(last, [round] { spawn([round] { throw std::out_of_range(std::to_string(round)); }); });
        });
        ADD_FAILURE() << "no exception in rank " << s.rank() << " in round " << round;
      } catch (const std::out_of_range& e) {
        EXPECT_EQ(e.what(), std::to_string(round));
        ++caught;
      }
    }
  });
  EXPECT_EQ(caught, rounds * GetParam().ranks);
}

TEST_P(Phases, AreNotCancelledWithTheOneBefore) {
  constexpr int rounds = 150;
  std::atomic<int> early{0};
  std::atomic<int> cancelled{0};
  run_in_process(job(), [&](session& s) {
    const int last = s.ranks() - 1;
    for (int round = 0; round != rounds; ++round) {
      s.run_phase([&] { s.cancel_phase(); });
      s.run_phase([&] {
        if (s.rank() == 0) send(last, [&] { spawn([&] { early += phase_cancelled() ? 1 : 0; }); });
      });
      // A task that cancels its own phase does so for all ranks, even if its rank had not begun it.
      s.run_phase([&] {
        if (s.rank() == 0) send(last, [] { spawn([] { session::here().cancel_phase(); }); });
        spawn([&] {
          while (!phase_cancelled()) yield();
          ++cancelled;
        });
      });
    }
  });
  EXPECT_EQ(early, 0);
  EXPECT_EQ(cancelled, rounds * GetParam().ranks);
}

TEST_P(Phases, ThrowTheBeginOfALongText) {
  for (const int thrower : {0, GetParam().ranks - 1}) {
    std::atomic<int> caught{0};
    run_in_process(job(), [&](session& s) {
      const std::string text(std::size_t{100} << 10, 'x');
      try {
        s.run_phase([&] {
          if (s.rank() == thrower) spawn([&] { throw std::range_error(text); });
        });
        ADD_FAILURE() << "no exception in rank " << s.rank();
      } catch (const std::range_error& e) {
        EXPECT_EQ(std::string(e.what()), text.substr(0, s.rank() == thrower ? text.size() : 2000));
        ++caught;
      }
    });
    EXPECT_EQ(caught, GetParam().ranks);
  }
}

struct own_exception {};

TEST_P(Phases, ThrowTheLowestRanks) {
  run_in_process(job(), [&](session& s) {
    try {
      s.run_phase([&] {
        if (s.rank() == 0) throw std::bad_alloc();
        throw own_exception();
      });
      ADD_FAILURE();
    } catch (const std::bad_alloc&) {
      // as rank 0 threw
    }
    try {
      s.run_phase([&] {
        if (s.rank() == s.ranks() - 1) throw own_exception();
      });
      ADD_FAILURE();
    } catch (const own_exception&) {
      EXPECT_EQ(s.rank(), s.ranks() - 1);
    } catch (const remote_error& e) {
      EXPECT_NE(s.rank(), s.ranks() - 1);
      EXPECT_NE(std::string(e.what()).find("own_exception"), std::string::npos) << e.what();
    }
  });
}

TEST_P(Phases, AreCancelledInAllRanks) {
  std::atomic<int> ended{0};
  run_in_process(job(), [&](session& s) {
    s.run_phase([&] {
      spawn([&] {
        EXPECT_TRUE(session::here().in_phase());
        while (!phase_cancelled()) yield();
        ++ended;
      });
      if (s.rank() == s.ranks() - 1) s.cancel_phase();
    });
    EXPECT_FALSE(s.phase_cancelled());
    s.run_phase([] { spawn([] { EXPECT_FALSE(phase_cancelled()); }); });
  });
  EXPECT_EQ(ended, GetParam().ranks);
}

/// Asks each rank for its number in turn, and waits for each answer.
TEST_P(Phases, MainCanWaitOutsideOfPhases) {
  run_in_process(job(), [&](session& s) {
    struct answer {
      worker* waiter;
      std::atomic<int> from{-1};
    };
    for (int r = 0; r != s.ranks(); ++r) {
      answer a{&this_worker()};
      send(r, [at = &a, asker = s.rank()] {
        send(asker, [at, mine = here().rank] {
          worker& waiter = *at->waiter;  // the answer may be gone once it is there
          at->from = mine;
          wake(waiter);
        });
      });
      flush();
      while (a.from < 0) suspend();
      EXPECT_EQ(a.from, r);
    }
  });
}

TEST_P(Phases, ManyWorkersWaitForFarRanks) {
  std::atomic<int> answers{0};
  run_in_process(job(), [&](session& s) {
    s.run_phase([&] {
      for (int i = 0; i != 300; ++i) {
        spawn([&answers, to = i % s.ranks()] {
          struct {
            worker* waiter = &this_worker();
            std::atomic<bool> come{false};
          } mine;
          send(to, [at = &mine, asker = here().rank] {
            send(asker, [at] {
              worker& waiter = *at->waiter;
              at->come = true;
              wake(waiter);
            });
          });
          while (!mine.come) suspend();
          ++answers;
        });
      }
    });
  });
  EXPECT_EQ(answers, 300 * GetParam().ranks);
}

/// Public tasks that no rank ends before each rank has run one: idle ranks must steal.
TEST_P(Phases, IdleRanksAndCoresSteal) {
  static std::array<std::atomic<int>, 64> ran;
  static std::atomic<int> all;
  static int ranks;
  for (auto& r : ran) r = 0;
  all = 0;
  ranks = GetParam().ranks;
  in_process_job j = job();
  j.how.workers = 4;
  const int tasks = 100 * ranks;
  run_in_process(j, [&](session& s) {
    s.run_phase([&] {
      if (s.rank() != 0) return;
      for (int i = 0; i != tasks; ++i) {
        spawn_public([] {
          ++ran[static_cast<std::size_t>(here().rank)];
          ++all;
          for (int r = 0; r != ranks; ++r) {
            while (ran[static_cast<std::size_t>(r)] == 0) yield();
          }
        });
      }
    });
    EXPECT_EQ(all, tasks);
  });
  for (int r = 0; r != ranks; ++r) EXPECT_GT(ran[static_cast<std::size_t>(r)], 0);
}

/// A tree of public tasks, larger than a line, that grows where it is run.
struct public_tree {
  std::atomic<std::int64_t>* ends;
  unsigned depth;
  std::array<std::uint64_t, 8> filled;
  void operator()() const {
    if (depth != 0) {
      for (int child = 0; child != 3; ++child)
        spawn_public(public_tree{ends, depth - 1, {depth, 2, 3, 4, 5, 6, 7, depth}});
    }
    if (filled[0] == filled[7]) ++*ends;
  }
};

TEST_P(Phases, StolenTasksRunOnce) {
  std::atomic<std::int64_t> ends{0};
  run_in_process(job(), [&](session& s) {
    s.run_phase([&] {
      if (s.rank() == s.ranks() - 1) public_tree{&ends, 9, {}}();
    });
    EXPECT_EQ(ends, (59049 - 1) / 2);
  });
}

TEST_P(Phases, CountWhatRanksDid) {
  const auto ranks = static_cast<std::size_t>(GetParam().ranks);
  run_in_process(job(), [&](session& s) {
    s.run_phase([&] {
      for (int i = 0; i != 10; ++i) {
        spawn([to = (s.rank() + i) % s.ranks()] {
          yield();
          send(to, [] { spawn([] {}); });
        });
      }
    });
    const std::vector<rank_statistics> all = s.statistics();
    ASSERT_EQ(all.size(), s.rank() == 0 ? ranks : 0);
    if (s.rank() != 0) return;
    const rank_statistics sum = merged(all);
    EXPECT_EQ(sum.tasks, 20 * ranks);
    EXPECT_EQ(sum.cores, ranks * s.threads());
    EXPECT_GE(sum.messages, 10 * ranks);
    EXPECT_GE(sum.switches, 1U);
    for (std::size_t r = 0; r != ranks; ++r) EXPECT_EQ(all[r].rank, static_cast<std::int32_t>(r));
    const std::string table = statistics_table(all);
    EXPECT_EQ(std::ranges::count(table, '\n'), static_cast<std::ptrdiff_t>(ranks == 1 ? 2 : ranks + 2));
    const std::string json = statistics_json(all);
    EXPECT_NE(json.find("\"tasks\": " + std::to_string(20 * ranks)), std::string::npos) << json;
    EXPECT_NE(s.report().find("rank 0 of"), std::string::npos);
  });
}

TEST_P(Phases, ATimelineShowsWhatEachRankDid) {
  const machine::scratch_folder scratch;
  in_process_job j = job();
  j.how.timeline = scratch.path() + "/timeline.json";
  constexpr int phases = 3;
  run_in_process(j, [](session& s) {
    for (int i = 0; i < phases; ++i) {
      s.run_phase([&] { send((s.rank() + 1) % s.ranks(), [] { spawn([] { yield(); }); }); });
    }
  });
  std::ifstream file(j.how.timeline);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  for (int r = 0; r < j.net.ranks; ++r) {
    const std::string pid = "\"pid\":" + std::to_string(r) + ",";
    std::istringstream lines(text);
    int spans = 0;
    std::set<std::string> counters;
    for (std::string line; std::getline(lines, line);) {
      if (line.find(pid) == std::string::npos) continue;
      spans += line.find("\"name\":\"phase\"") != std::string::npos ? 1 : 0;
      if (line.find("\"ph\":\"C\"") != std::string::npos) counters.insert(line.substr(0, line.find(pid)));
      EXPECT_EQ(std::ranges::count(line, '{'), std::ranges::count(line, '}')) << line;
    }
    EXPECT_EQ(spans, phases) << "rank " << r;
    EXPECT_EQ(counters.size(), 10U) << "rank " << r;
  }
}

TEST(Timeline, KeepsBoundedSamplesOfTheWholeTime) {
  timeline_recorder recorder;
  double now = 0;
  for (std::uint64_t i = 0; i < 100'000; ++i, now += 0.001) {
    if (recorder.is_due(now)) recorder.add(rank_statistics{.cores = 1, .seconds = now, .messages = i});
    recorder.add(phase_span{now, now});
  }
  EXPECT_LE(recorder.samples().size(), timeline_recorder::most_samples);
  EXPECT_GE(recorder.samples().size(), timeline_recorder::most_samples / 4);
  EXPECT_EQ(recorder.samples().front().seconds, 0);
  EXPECT_GE(recorder.samples().back().seconds, 99);
  EXPECT_EQ(recorder.phases().size() + recorder.phases_left_out(), 100'000U);
}

TEST(Timeline, CountersAreRatesBetweenSamples) {
  const rank_timeline one{
      .rank = 0,
      .host = "a\"b",
      .began = 5,
      .samples = {{.cores = 1, .seconds = 1, .messages = 100, .workers = 4, .looks = 10},
                  {.cores = 1, .seconds = 3, .messages = 700, .workers = 6, .idle_seconds = 1, .looks = 30}},
      .phases = {}};
  const std::string text = timeline_json(std::array{one});
  EXPECT_NE(text.find("rank 0 at host a\\\"b"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("messages/s","pid":0,"ts":1000000.000,"args":{"value":300})"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("active workers","pid":0,"ts":1000000.000,"args":{"value":7})"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("idle %","pid":0,"ts":1000000.000,"args":{"value":50})"), std::string::npos) << text;
}

#if defined(__linux__)
TEST(Session, AnIdleCoreGivesMemoryOfItsWorkersBack) {
  // Without a stream: AddressSanitizer keeps the buffers of those that are gone, so that each look would add two pages.
  const auto resident_pages = [] {
    std::array<char, 128> text{};
    const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    const ssize_t length = ::read(file, text.data(), text.size() - 1);
    ::close(file);
    long long size = 0;
    long long resident = 0;
    EXPECT_TRUE(length > 0 && std::sscanf(text.data(), "%lld %lld", &size, &resident) == 2);
    return std::int64_t{resident};
  };
  constexpr std::size_t workers = tests::sanitized ? 1000 : 4000;
  in_process_job j;
  j.net.ranks = 2;
  j.how.workers = 100;
  std::atomic<std::int64_t> most{0};
  run_in_process(j, [&](session& s) {
    std::vector<worker*> waiting;
    s.run_phase([&] {
      if (s.rank() != 1) return;
      for (std::size_t i = 0; i != workers; ++i) {
        spawn([&] {
          waiting.push_back(&this_worker());
          if (waiting.size() < workers) return suspend();
          most = resident_pages();
          for (worker* const w : waiting) wake(*w);
        });
      }
    });
    // Rank 1 has nothing to do until rank 0 has seen its memory go. A worker uses a page at least.
    if (s.rank() == 0) {
      const auto gone = [&] { return resident_pages() <= most - std::int64_t{workers / 2}; };
      const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
      while (!gone() && std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      EXPECT_TRUE(gone());
    }
    s.run_phase([] {});
  });
}
#endif

TEST(Session, ARankThatDiesEndsAll) {
  for (int after : {0, 3, 40}) {
    in_process_job j;
    j.net.ranks = 5;
    j.net.failures = {{.rank = 3, .after = static_cast<std::uint64_t>(after), .way = planned_failure::ways::dies}};
    std::string told;
    try {
      run_in_process(j, [](session& s) {
        for (;;) s.run_phase([&] { send((s.rank() + 1) % s.ranks(), [] { spawn([] {}); }); });
      });
    } catch (const job_failed& e) {
      told = e.what();
    }
    EXPECT_NE(told.find("rank 3 of 5"), std::string::npos) << told;
  }
}

TEST(Session, WhatMainThrowsEndsAll) {
  in_process_job j;
  j.net.ranks = 3;
  std::atomic<int> failed{0};
  EXPECT_THROW(run_in_process(j,
                              [&](session& s) {
                                try {
                                  if (s.rank() == 1) throw std::length_error("too long");
                                  for (;;) s.run_phase([] {});
                                } catch (const job_failed& e) {
                                  EXPECT_NE(std::string(e.what()).find("rank 1: too long"), std::string::npos)
                                      << e.what();
                                  ++failed;
                                  throw;
                                }
                              }),
               std::length_error);
  EXPECT_EQ(failed, 2);
}

/// Returns what run_in_process() throws.
std::string end_of_job(int ranks, unsigned threads, const std::function<void(session&)>& main) {
  in_process_job job;
  job.net.ranks = ranks;
  job.how.threads = threads;
  try {
    run_in_process(job, main);
  } catch (const job_failed& e) {
    return e.what();
  }
  return "";
}

TEST(Session, TasksThatWaitForEachOtherEndTheJob) {
  for (const auto& [ranks, threads] : {std::pair{1, 1U}, std::pair{3, 1U}, std::pair{2, 3U}}) {
    const std::string text = end_of_job(ranks, threads, [](session& s) {
      auto m = make_array<mutex>(1);
      s.run_phase([&] {
        if (s.rank() == s.ranks() - 1)
          spawn([m] {
            lock(m[0]);
            lock(m[0]);
          });
      });
    });
    EXPECT_NE(text.find("deadlock: no task can go on"), std::string::npos) << text;
    EXPECT_NE(text.find("rank " + std::to_string(ranks - 1) + ": "), std::string::npos) << text;
    EXPECT_NE(text.find("1 task waits for a mutex at "), std::string::npos) << text;
    EXPECT_NE(text.find("session_test.cpp:"), std::string::npos) << text;
  }
}

TEST(Session, WorkOfLongIsNoDeadlock) {
  // Others wait for main of one rank, and for a task, for longer than it takes to tell a deadlock.
  EXPECT_EQ(end_of_job(2, 2,
                       [](session& s) {
                         if (s.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(2500));
                         barrier();
                         s.run_phase([&] {
                           if (s.rank() == 0)
                             spawn([] { std::this_thread::sleep_for(std::chrono::milliseconds(2500)); });
                         });
                       }),
            "");
}

TEST(Session, MainsThatDifferEndTheJob) {
  const std::string bounds = end_of_job(3, 1, [](session& s) { parallel_for(0, s.rank() == 2 ? 20 : 10, [](int) {}); });
  EXPECT_NE(bounds.find("rank 2 of 3"), std::string::npos) << bounds;
  EXPECT_NE(bounds.find("parallel_for over [0, 20) at "), std::string::npos) << bounds;
  EXPECT_NE(bounds.find("parallel_for over [0, 10) at "), std::string::npos) << bounds;
  const std::string first =
      end_of_job(4, 1, [](session& s) { parallel_for(s.rank() == 1 ? 1 : 0, s.rank() == 1 ? 11 : 10, [](int) {}); });
  EXPECT_NE(first.find("parallel_for over [1, 11) at "), std::string::npos) << first;
  const std::string barrier_or_loop = end_of_job(2, 1, [](session& s) {
    if (s.rank() == 0)
      barrier();
    else
      parallel_for(0, 10, [](int) {});
  });
  EXPECT_NE(barrier_or_loop.find("a reduction or barrier at "), std::string::npos) << barrier_or_loop;
  const std::string early = end_of_job(7, 1, [](session& s) {
    for (int i = 0; i < 10; ++i) {
      if (i == 5 && s.rank() == 6) return;
      parallel_for(0, 10, [](int) {});
    }
  });
  EXPECT_NE(early.find("rank 6 of 7"), std::string::npos) << early;
  EXPECT_NE(early.find("main has ended, after 5 collective operations"), std::string::npos) << early;
}

TEST(Session, ReferencesDoNotTravel) {
  const std::string text = [] {
    try {
      test::on_ranks(2, [] {
        std::uint64_t x = 0;
        session::here().run_phase([&] {
          // By reference to main's stack, and by value of what looks like nothing.
          spawn_public([n = std::uint64_t{7}] { static_cast<void>(n); });
          spawn_public([&x] { ++x; });
        });
      });
    } catch (const usage_error& e) {
      return std::string(e.what());
    }
    return std::string();
  }();
  EXPECT_NE(text.find("session_test.cpp:"), std::string::npos) << text;
  EXPECT_NE(text.find("has captured the address of a variable of its caller"), std::string::npos) << text;
}

TEST(Session, PhasesDoNotNest) {
  in_process_job j;
  run_in_process(j, [](session& s) {
    EXPECT_THROW(s.run_phase([&] { s.run_phase([] {}); }), usage_error);
    EXPECT_THROW(s.run_phase([&] { spawn([&s] { s.run_phase([] {}); }); }), usage_error);
    s.run_phase([] {});
  });
}

TEST(Session, HandlersDoNotWait) {
  in_process_job j;
  j.net.ranks = 2;
  std::atomic<int> refused{0};
  run_in_process(j, [&](session& s) {
    s.run_phase([&] {
      send(1 - s.rank(), [at = &refused] {
        try {
          suspend();
        } catch (const usage_error&) {
          ++*at;
        }
      });
    });
  });
  EXPECT_EQ(refused, 2);
}

TEST(Session, BadVariablesAreNamed) {
  setenv("CALLISTO_GLOBAL_THREADS", "many", 1);
  try {
    session_options::from_environment();
    ADD_FAILURE();
  } catch (const usage_error& e) {
    EXPECT_STREQ(e.what(), "CALLISTO_GLOBAL_THREADS=many: expected a number from 1 to 1024");
  }
  unsetenv("CALLISTO_GLOBAL_THREADS");
}

}  // namespace
}  // namespace callisto::global
