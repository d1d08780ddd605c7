// The table as readers see it while real processes are jobs, and what resetting it does to them.
#include <callisto/cosched/job.hpp>
#include <callisto/cosched/table_reader.hpp>
#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/shared_memory.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/scratch_folder.hpp>

#include "../forked_child.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <sys/stat.h>

namespace callisto::cosched {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

bool never() { return false; }

using tests::child;

class Visits : public testing::Test {
 protected:
  std::string path() const { return folder + "/" + table_name(); }

  std::unique_ptr<job> join(unsigned weight, bool with_main) {
    membership how{.contexts = {context}, .main = std::nullopt, .weight = weight};
    if (with_main) how.main = context;
    std::string why;
    auto me = job::join(how, {folder}, why);
    if (me == nullptr) _exit(2);
    return me;
  }

  /// Joins, says 'j', takes the context, says 'r', and works until it is killed, checking in.
  void work(const child::say& say, unsigned weight, bool with_main) {
    const auto me = join(weight, with_main);
    job::seat here(*me, context);
    say('j');
    here.take(never);
    say('r');
    for (auto looked = clock::now();;) {
      const bool due = clock::now() - looked > 100ms;  // P_high: for unannounced changes
      if (due) looked = clock::now();
      if ((due || !here.undisturbed()) && !here.keep()) here.take(never);
    }
  }

  std::unique_ptr<table_reader> visit() {
    auto table = table_reader::visit({folder}, refusal);
    EXPECT_NE(table, nullptr) << refusal;
    return table;
  }

  /// Reads the table until `holds`, or for ten seconds.
  template <class F>
  bool comes_to(table_reader& table, F holds) {
    for (const auto begin = clock::now(); clock::now() - begin < 60s; std::this_thread::sleep_for(1ms)) {
      if (holds(table.jobs(), at_context(table))) return true;
    }
    return false;
  }

  context_picture at_context(table_reader& table) const {
    for (const context_picture& c : table.contexts()) {
      if (c.context == context) return c;
    }
    ADD_FAILURE() << "the context is not in the table";
    return {};
  }

  const machine::scratch_folder scratch;
  const std::string& folder = scratch.path();
  std::string refusal;
  const unsigned context = machine::affinity_at_start().front();
};

TEST_F(Visits, WithoutATableThereIsNothingToSee) {
  refusal = "x";
  EXPECT_EQ(table_reader::visit({folder, folder + "/nowhere"}, refusal), nullptr);
  EXPECT_EQ(refusal, "");
  EXPECT_FALSE(reset({folder}, refusal));
  EXPECT_EQ(refusal, "");
  EXPECT_TRUE(fs::is_empty(folder)) << "a visit makes no table";
}

TEST_F(Visits, WhatIsNoTableIsRefusedInOneLine) {
  std::ofstream(path()) << "not a table";
  fs::permissions(path(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(table_reader::visit({folder}, refusal), nullptr);
  EXPECT_NE(refusal.find("expected"), std::string::npos) << refusal;
  EXPECT_EQ(refusal.find('\n'), std::string::npos);
  EXPECT_FALSE(reset({folder}, refusal));
  EXPECT_NE(refusal, "");
}

TEST_F(Visits, ShowWhichJobRunsAndWhichWaits) {
  child first([&](const child::say& say) { work(say, 3, true); });
  ASSERT_EQ(first.hear(), 'j');
  ASSERT_EQ(first.hear(), 'r');
  child second([&](const child::say& say) { work(say, 1, false); });  // no main thread, so no time slices
  ASSERT_EQ(second.hear(), 'j');
  const auto table = visit();
  ASSERT_TRUE(table->whole());
  EXPECT_EQ(table->path(), path());
  ASSERT_TRUE(comes_to(*table, [](const auto&, const context_picture& c) { return (c.wants & only(1)) != 0; }));
  const std::vector<job_picture> jobs = table->jobs();
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].pid, static_cast<std::uint64_t>(first.pid()));
  EXPECT_EQ(jobs[1].pid, static_cast<std::uint64_t>(second.pid()));
  EXPECT_EQ(jobs[0].weight, 3u);
  EXPECT_EQ(jobs[0].contexts, std::vector<unsigned>{context});
  EXPECT_EQ(jobs[0].main, context);
  EXPECT_EQ(jobs[0].share, 1.0);
  EXPECT_EQ(jobs[1].share, 0.0);
  EXPECT_TRUE(jobs[0].alive && jobs[1].alive);
  EXPECT_FALSE(jobs[0].name.empty());
  EXPECT_GT(jobs[0].processor_time, 0u);
  const context_picture c = at_context(*table);
  EXPECT_EQ(c.priority, 0u);
  EXPECT_EQ(c.turns, 1u);
  EXPECT_EQ(c.runs, 0u);
  EXPECT_FALSE(c.idle);
  EXPECT_EQ(c.unanswered, 0u);
  EXPECT_GE(c.hand_overs, 1u);
  EXPECT_LE(c.since, machine::shared_nanoseconds());
  const holdings of_first = holdings_of(0, {c});
  EXPECT_EQ(of_first.runs, 1u);
  EXPECT_EQ(of_first.waits + of_first.kept + of_first.borrowed + of_first.lent, 0u);
  const holdings of_second = holdings_of(1, {c});
  EXPECT_EQ(of_second.waits, 1u);
  EXPECT_EQ(of_second.runs, 0u);
}

TEST_F(Visits, LookingCostsNoJobItsLock) {
  child owner([&](const child::say& say) { work(say, 1, true); });
  ASSERT_EQ(owner.hear(), 'j');
  ASSERT_EQ(owner.hear(), 'r');
  for (int i = 0; i < 20; ++i) {
    const auto table = visit();
    const std::vector<job_picture> jobs = table->jobs();
    ASSERT_EQ(jobs.size(), 1u);
    ASSERT_TRUE(jobs[0].alive);
  }
  EXPECT_EQ(owner.hear(50ms), '\0') << "it has not lost its context";
}

TEST_F(Visits, AHolderThatDoesNotAnswerIsShownAsSuch) {
  child owner([&](const child::say& say) { work(say, 1, true); });
  ASSERT_EQ(owner.hear(), 'j');
  ASSERT_EQ(owner.hear(), 'r');
  child runaway([&](const child::say& say) {
    const auto me = join(1, false);
    job::seat here(*me, context);
    say('j');
    here.take(never);
    say('r');
    for (;;) {  // never looks again
    }
  });
  ASSERT_EQ(runaway.hear(), 'j');
  // The owner sleeps as a whole: lends even the context of its main thread, and wants it back when it wakes up.
  owner.kill(SIGSTOP);
  ASSERT_EQ(runaway.hear(), 'r');
  const auto table = visit();
  EXPECT_EQ(table->jobs().at(0).state, 'T');
  context_picture c = at_context(*table);
  EXPECT_EQ(c.runs, 1u);
  EXPECT_EQ(holdings_of(1, {c}).borrowed, 1u);
  EXPECT_EQ(holdings_of(0, {c}).lent, 1u);
  owner.kill(SIGCONT);
  ASSERT_TRUE(comes_to(*table, [](const auto&, const context_picture& now) { return now.unanswered != 0; }));
  c = at_context(*table);
  EXPECT_EQ(c.unanswered_by, 1u);
  EXPECT_LT(c.unanswered_for, 10'000'000'000u);
  EXPECT_TRUE(holdings_of(1, {c}).silent);
  EXPECT_FALSE(holdings_of(0, {c}).silent);

  // The loss is recorded, but not under the job that gets the number next.
  runaway.end();
  child next([&](const child::say& say) {
    const auto me = join(1, false);
    say('j');
    pause();
  });
  ASSERT_EQ(next.hear(), 'j');
  c = at_context(*table);
  EXPECT_EQ(c.unanswered, 1u);
  EXPECT_EQ(c.unanswered_by, no_job);
  EXPECT_FALSE(holdings_of(1, {c}).silent);

  // Resetting forgets it, and takes nothing from jobs that run.
  const std::optional<cleared> done = reset({folder}, refusal);
  ASSERT_TRUE(done) << refusal;
  EXPECT_EQ(done->living, 2u);
  EXPECT_EQ(done->reaped, 0u);
  EXPECT_FALSE(done->header);
  EXPECT_EQ(done->path, path());
}

TEST_F(Visits, ARequestThatOutlivesItsJobBelongsToNone) {
  join(1, false).reset();
  const machine::shared_file file(path(), sizeof(shared_table), machine::shared_file::access::write);
  auto& entry = reinterpret_cast<shared_table*>(file.data())->at(context);
  entry.request_for(0);
  EXPECT_EQ(at_context(*visit()).wants, 0u);
  const auto next = join(1, false);
  ASSERT_EQ(next->number(), 0u);
  EXPECT_EQ(entry.wants(), 0u);
}

TEST_F(Visits, AnEndThatNoJobNoticedIsShownAndCleared) {
  child owner([&](const child::say& say) { work(say, 1, true); });
  ASSERT_EQ(owner.hear(), 'j');
  ASSERT_EQ(owner.hear(), 'r');
  owner.end();
  const auto table = visit();
  std::vector<job_picture> jobs = table->jobs();
  ASSERT_EQ(jobs.size(), 1u);
  EXPECT_FALSE(jobs[0].alive);
  EXPECT_EQ(jobs[0].state, 0);
  EXPECT_EQ(at_context(*table).runs, 0u);
  const std::optional<cleared> done = reset({folder}, refusal);
  ASSERT_TRUE(done) << refusal;
  EXPECT_EQ(done->living, 0u);
  EXPECT_EQ(done->reaped, 1u);
  EXPECT_EQ(done->freed, 1u);
  EXPECT_TRUE(table->jobs().empty());
  EXPECT_EQ(at_context(*table).runs, no_job);
}

TEST_F(Visits, ADamagedTableIsMendedUnderJobsThatGoOn) {
  child owner([&](const child::say& say) { work(say, 1, true); });
  ASSERT_EQ(owner.hear(), 'j');
  ASSERT_EQ(owner.hear(), 'r');
  std::mt19937_64 random(7);
  for (int round = 0; round < 5; ++round) {
    {
      machine::shared_file file(path(), sizeof(shared_table), machine::shared_file::access::write);
      for (std::size_t at = 0; at + 8 <= sizeof(shared_table); at += 8) {
        if (random() % 4 != 0) continue;
        const std::uint64_t noise = random();
        std::memcpy(file.data() + at, &noise, 8);
      }
    }
    EXPECT_FALSE(visit()->whole());
    EXPECT_FALSE(visit()->contexts().empty()) << "those of this machine";
    const std::optional<cleared> done = reset({folder}, refusal);
    ASSERT_TRUE(done) << refusal;
    EXPECT_TRUE(done->header);
    EXPECT_EQ(done->living, 1u);
    EXPECT_TRUE(visit()->whole());
  }
  // The job mends its slot itself; then it is the only one, and runs.
  const auto table = visit();
  EXPECT_TRUE(comes_to(*table, [&](const std::vector<job_picture>& jobs, const context_picture& c) {
    return jobs.size() == 1 && jobs[0].pid == static_cast<std::uint64_t>(owner.pid()) && c.runs == 0 && !c.idle;
  }));
}

TEST_F(Visits, AJobThatReapsASlotIsNoJobThere) {
  join(1, false).reset();
  const machine::shared_file file(path(), sizeof(shared_table), machine::shared_file::access::write);
  auto& table = *reinterpret_cast<shared_table*>(file.data());
  constexpr unsigned slot = 3;
  table.write(slot, {.pid = max_pid, .start = 1});
  ASSERT_TRUE(file.try_lock(shared_table::lock_of(slot)));
  const std::uint64_t before = table.generation();
  std::thread reaps([&] {
    while (table.generation() == before) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    file.unlock(shared_table::lock_of(slot));
  });
  const std::optional<cleared> done = reset({folder}, refusal);
  reaps.join();
  ASSERT_TRUE(done) << refusal;
  EXPECT_EQ(done->living, 0u);
  EXPECT_EQ(done->reaped, 1u);
}

TEST_F(Visits, ResettingAllTheTimeDisturbsNoJob) {
  child first([&](const child::say& say) { work(say, 1, true); });
  ASSERT_EQ(first.hear(), 'j');
  ASSERT_EQ(first.hear(), 'r');
  child second([&](const child::say& say) { work(say, 1, true); });
  ASSERT_EQ(second.hear(), 'j');
  ASSERT_EQ(second.hear(), 'r') << "they take turns";
  for (int i = 0; i < 200; ++i) {
    const std::optional<cleared> done = reset({folder}, refusal);
    ASSERT_TRUE(done) << refusal;
    ASSERT_EQ(done->living, 2u);
    ASSERT_EQ(done->reaped, 0u);
    ASSERT_EQ(done->freed, 0u);
  }
  const auto table = visit();
  const std::uint32_t before = at_context(*table).hand_overs;
  EXPECT_TRUE(comes_to(*table, [&](const auto& jobs, const context_picture& c) {
    return jobs.size() == 2 && c.hand_overs - before > 4;
  })) << "they go on taking turns";
}

}  // namespace
}  // namespace callisto::cosched
