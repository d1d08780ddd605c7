// Teams on real threads: how a leader publishes items, and followers work on them.
#include <callisto/machine/native.hpp>
#include <callisto/workers/teams/team.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace callisto::workers {
namespace {

using machine::native;
using namespace std::chrono_literals;

/// An item that counts its iterations; alive only while `lead` runs, which `run` checks.
struct counted_item final : work_item<native> {
  static constexpr std::uint32_t alive = 0xa11fe;
  std::atomic<std::uint32_t> mark{alive};
  std::atomic<int> left;
  std::atomic<int> done{0};
  explicit counted_item(int n) : left(n) {}
  ~counted_item() { mark = 0; }
  void run(unsigned, publication* published, context_lease<native>*) noexcept override {
    if (mark != alive) std::abort();
    for (int i = left.fetch_sub(1); i > 0; i = left.fetch_sub(1)) {
      if (i == 1 && published != nullptr) published->withdraw();
      done.fetch_add(1);
    }
    if (mark != alive) std::abort();
  }
};

/// A team with followers of its own.
class followed_team {
 public:
  followed_team(unsigned followers, unsigned gates) : team_(gates * per_gate) {
    for (unsigned i = 1; i <= followers; ++i)
      threads_.emplace_back([this, i, gates] { team_.follow(i, i % gates * per_gate); });
  }
  ~followed_team() { team_.finish(); }
  team<native>* operator->() { return &team_; }

 private:
  static constexpr unsigned per_gate = team<native>::threads_per_gate;
  team<native> team_;
  std::vector<std::jthread> threads_;
};

TEST(Team, ManyItemsInTurn) {
  followed_team t(3, 2);
  for (int round = 0; round < 5000; ++round) {
    counted_item item(round % 7);
    t->lead(item);
    ASSERT_EQ(item.done, round % 7);
  }
}

TEST(Team, AlternatesBetweenWorkAndSleep) {
  followed_team t(3, 1);
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(round % 2 == 0 ? 1ms : 100us);
    for (int i = 0; i < 20; ++i) {
      counted_item item(50);
      t->lead(item);
      ASSERT_EQ(item.done, 50);
    }
  }
}

TEST(Team, SeveralLeadersShareTheFollowers) {
  followed_team t(2, 1);
  std::vector<std::jthread> leaders;
  std::atomic<int> wrong{0};
  for (int l = 0; l < 20; ++l) {
    leaders.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        counted_item item(10);
        t->lead(item);
        if (item.done != 10) wrong.fetch_add(1);
      }
    });
  }
  leaders.clear();
  EXPECT_EQ(wrong, 0);
}

TEST(Team, WithoutFollowersTheLeaderDoesEverything) {
  team<native> t(1);
  counted_item item(100);
  t.lead(item);
  EXPECT_EQ(item.done, 100);
}

/// On a context that another job has until it gives it back.
class borrowed final : public context_lease<native> {
 public:
  borrowed() : context_lease(word) {}
  bool stay(bool) noexcept override { return true; }
  void idle() noexcept override {}

  static inline const native::atomic<std::uint64_t> word{0};
  std::atomic<bool> back{false};

 private:
  bool arrive(const std::function<bool()>& over) noexcept override {
    away_ = true;
    while (!back) {
      if (over()) return false;
    }
    away_ = false;
    at_ = {};
    return true;
  }
};

TEST(Team, KnowsWhichFollowersAreAway) {
  team<native> t(3);
  borrowed on;
  std::jthread follower([&] { t.follow(2, 2, &on); });
  EXPECT_EQ(t.absent().count(), 0u);
  // It comes to a loop, finds that it has no context, and goes on waiting for one.
  while (t.absent().count() == 0) {
    counted_item item(100'000);
    t.lead(item);
  }
  EXPECT_EQ(t.absent().word(0), 0b100u);
  on.back = true;
  while (t.absent().count() != 0) {
    counted_item item(100'000);
    t.lead(item);
  }
  EXPECT_EQ(t.absent().word(0), 0u);
  t.finish();
}

}  // namespace
}  // namespace callisto::workers
