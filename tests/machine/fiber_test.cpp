// Fibers: switching, values kept across switches, restarts, exceptions in flight on several at once.
#include <callisto/machine/fibers/fiber.hpp>

#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace callisto::machine {
namespace {

constexpr std::size_t stack_bytes = 64 * 1024;

/// A fiber that appends its name to a log each time it runs.
struct player {
  explicit player(char called) : name(called), own(stack_bytes, &play, this) {}

  static void play(void* self) {
    auto& me = *static_cast<player*>(self);
    double kept = me.name;  // in a register or on the stack: either way it must survive
    for (;;) {
      me.log->push_back(me.name);
      kept += 0.5;
      fiber::switch_to(me.own, *me.next);
      me.kept = kept;
    }
  }

  char name;
  std::string* log = nullptr;
  fiber* next = nullptr;
  double kept = 0;
  fiber own;
};

TEST(Fiber, TakesTurnsAndKeepsItsValues) {
  fiber main;
  std::string log;
  player a('a');
  player b('b');
  a.log = b.log = &log;
  a.next = &b.own;
  b.next = &main;
  for (int round = 0; round < 1000; ++round) fiber::switch_to(main, a.own);
  ASSERT_EQ(log.size(), 2000U);
  for (std::size_t i = 0; i < log.size(); ++i) ASSERT_EQ(log[i], i % 2 == 0 ? 'a' : 'b');
  EXPECT_EQ(a.kept, 'a' + 0.5 * 999);
}

TEST(Fiber, RestartForgetsWhatWasOnTheStack) {
  constexpr unsigned rounds = 50'000;  // as often as a checker does
  fiber main;
  std::string log;
  player a('a');
  a.log = &log;
  a.next = &main;
  for (unsigned round = 0; round < rounds; ++round) {
    fiber::switch_to(main, a.own);
    a.own.restart(&player::play, &a);
  }
  EXPECT_EQ(log.size(), rounds);
  EXPECT_EQ(a.kept, 0);  // no fiber ever went on after its last switch
}

/// Throws, and switches away inside the handler.
struct thrower {
  explicit thrower(std::string message) : text(std::move(message)), own(stack_bytes, &run, this) {}

  static void run(void* self) {
    auto& me = *static_cast<thrower*>(self);
    try {
      throw std::runtime_error(me.text);
    } catch (const std::runtime_error& e) {
      fiber::switch_to(me.own, *me.main);
      try {
        throw;  // the exception in flight here, whatever was thrown elsewhere meanwhile
      } catch (const std::runtime_error& again) {
        me.seen = again.what();
      }
    }
    fiber::switch_to(me.own, *me.main);
  }

  std::string text;
  fiber* main = nullptr;
  std::string seen;
  fiber own;
};

TEST(Fiber, ExceptionsInFlightStayWithTheirFiber) {
  fiber main;
  std::array<thrower, 3> throwers{thrower("first"), thrower("second"), thrower("third")};
  for (thrower& t : throwers) {
    t.main = &main;
    fiber::switch_to(main, t.own);
  }
  EXPECT_EQ(std::current_exception(), nullptr);
  for (thrower& t : throwers) fiber::switch_to(main, t.own);
  for (const thrower& t : throwers) EXPECT_EQ(t.seen, t.text);
}

TEST(Fiber, ThousandsAtOnce) {
  fiber main;
  std::string log;
  std::vector<std::unique_ptr<player>> players;
  for (int i = 0; i < 2048; ++i) {
    players.push_back(std::make_unique<player>('x'));
    players.back()->log = &log;
    players.back()->next = &main;
    if (i > 0) players[static_cast<std::size_t>(i) - 1]->next = &players.back()->own;
  }
  fiber::switch_to(main, players.front()->own);
  EXPECT_EQ(log.size(), players.size());
}

}  // namespace
}  // namespace callisto::machine
