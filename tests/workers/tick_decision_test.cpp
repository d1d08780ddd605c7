// What a tick does: a test a row of both tables, and which row comes first.
#include <callisto/workers/preemption/tick_decision.hpp>

#include <gtest/gtest.h>

namespace callisto::workers {
namespace {

TEST(TickDecision, ATimerThatWasStartedTooLateStops) {
  EXPECT_EQ(address({.is_elsewhere = true}), tick_address::stop_timer);
  EXPECT_EQ(address({.is_elsewhere = true, .is_call = true}), tick_address::stop_timer);
}

TEST(TickDecision, AnAttachedThreadWithoutContextAnswersBeforeItTakesOne) {
  EXPECT_EQ(address({.is_attached = true, .lacks_context = true, .is_asked = true}), tick_address::answer);
  EXPECT_EQ(address({.is_attached = true, .lacks_context = true, .is_call = true}), tick_address::answer);
}

TEST(TickDecision, AnAttachedThreadWithoutContextLooksBack) {
  EXPECT_EQ(address({.is_attached = true, .lacks_context = true}), tick_address::look_back);
  EXPECT_EQ(address({.is_attached = true, .lacks_context = true, .has_held_signal = true}), tick_address::look_back)
      << "a signal that it blocks cannot come for an activation";
}

TEST(TickDecision, ACalledActivationEndsItsTurn) {
  EXPECT_EQ(address({.runs_called = true}), tick_address::end_turn);
  EXPECT_EQ(address({.is_call = true, .runs_called = true}), tick_address::end_turn) << "the call is for it";
}

TEST(TickDecision, AnActivationEndsItsTurnForTheSignalsOfItsHost) {
  EXPECT_EQ(address({.host_has_signals = true}), tick_address::end_turn);
  EXPECT_EQ(address({.is_call = true, .host_has_signals = true}), tick_address::end_turn);
}

TEST(TickDecision, AnAttachedThreadAnswersForSignals) {
  EXPECT_EQ(address({.is_attached = true, .is_asked = true}), tick_address::answer);
  EXPECT_EQ(address({.is_attached = true, .has_held_signal = true}), tick_address::answer);
  EXPECT_EQ(address({.is_attached = true, .is_asked = true, .is_call = true}), tick_address::answer);
  EXPECT_EQ(address({.has_held_signal = true}), tick_address::look) << "a worker's own thread handles none";
}

TEST(TickDecision, ACallThatIsForNothingHereDoesNothing) {
  EXPECT_EQ(address({.is_call = true}), tick_address::nothing);
  EXPECT_EQ(address({.is_attached = true, .is_call = true}), tick_address::nothing);
}

TEST(TickDecision, OtherTicksLook) {
  EXPECT_EQ(address({}), tick_address::look);
  EXPECT_EQ(address({.is_attached = true}), tick_address::look);
}

constexpr tick_findings sleeper{.is_idle = true, .is_crowded = true, .waits = true, .may_be_left = true};

TEST(TickDecision, AnIdleWaitInACrowdSleepsForAPeer) {
  EXPECT_EQ(decide(sleeper), tick_action::sleep_for_peer);
  tick_findings blocked = sleeper;
  blocked.can_be_blocked = true;
  EXPECT_EQ(decide(blocked), tick_action::sleep_for_peer) << "no activation could use the context";
}

TEST(TickDecision, AnIdleThreadDoesNothingElse) {
  for (auto missing : {&tick_findings::is_crowded, &tick_findings::waits, &tick_findings::may_be_left}) {
    tick_findings of = sleeper;
    of.*missing = false;
    EXPECT_EQ(decide(of), tick_action::nothing);
  }
  for (auto against : {&tick_findings::has_slept, &tick_findings::is_in_call}) {
    tick_findings of = sleeper;
    of.*against = true;
    EXPECT_EQ(decide(of), tick_action::nothing);
  }
  EXPECT_EQ(decide({.is_idle = true, .can_be_blocked = true, .is_turn_over = true}), tick_action::nothing);
}

TEST(TickDecision, ABlockedCallGoesOnUponAThreadOfItsOwn) {
  EXPECT_EQ(decide({.can_be_blocked = true}), tick_action::end_turn_blocked);
  EXPECT_EQ(decide({.can_be_blocked = true, .is_turn_over = true}), tick_action::end_turn_blocked);
}

TEST(TickDecision, ATurnThatIsOverEnds) {
  EXPECT_EQ(decide({.is_turn_over = true}), tick_action::end_turn);
  EXPECT_EQ(decide({.is_crowded = true, .is_turn_over = true}), tick_action::end_turn);
}

TEST(TickDecision, OtherTicksLetItGoOn) {
  EXPECT_EQ(decide({}), tick_action::nothing);
  EXPECT_EQ(decide({.is_crowded = true, .waits = true, .may_be_left = true}), tick_action::nothing)
      << "ends_turn() has the last word";
}

}  // namespace
}  // namespace callisto::workers
