// Decides what a tick does: pure functions of facts, apart from the threads that the facts are about. The handler
// (activations/tick_response.hpp) reads the facts once, asks, and does what the answer says.
//
// First, before it looks for a wait (address()); the first row that holds counts:
//
// clang-format off
//   the thread ...                                                          action
//   ----------------------------------------------------------------------  -----------------------------------------
//   is elsewhere: the timer was started too late                            stop_timer
//   is attached, without a context, and is asked or called                  answer: a thread that is about to handle a
//                                                                           signal does not take a context
//   is attached, without a context                                          look_back: it may end its turn, and get one
//   runs an activation that is called                                       end_turn
//   works for an attached thread that has signals                           end_turn
//   is attached, and is asked, or has a signal that it blocks               answer: the signal would come for the
//                                                                           activations that run on the thread
//   is called                                                               nothing: the call has done its part
//   else                                                                    look
//
// Then, after it has looked (decide()):
//
//   the thread ...                                                          action
//   ----------------------------------------------------------------------  -----------------------------------------
//   is idle, in a crowd, waits, may be left, is in no call, and has not     sleep_for_peer: no activation could use the
//   slept at the last tick                                                  context, but maybe another process can
//   is idle                                                                 nothing
//   is blocked in a system call, and can be without a context               end_turn_blocked: on its own thread
//   holds a context that is wanted; or waits; or its turn has lasted long   end_turn
//   else                                                                    nothing
// clang-format on
#pragma once

#include <cstdint>

namespace callisto::workers {

/// Facts that a tick knows before it looks.
struct tick_facts {
  bool is_elsewhere = false;      ///< nothing of the set runs on the thread
  bool is_attached = false;       ///< an attached thread's own code runs
  bool lacks_context = false;     ///< that thread lost its context when it blocked, and runs without one
  bool is_asked = false;          ///< that thread is asked to handle a signal
  bool has_held_signal = false;   ///< a signal that the thread blocks has come
  bool is_call = false;           ///< a thread has called, and no timer ticks
  bool runs_called = false;       ///< the activation that runs is called
  bool host_has_signals = false;  ///< the attached thread that works as the worker has signals to handle
};

enum class tick_address : std::uint8_t { stop_timer, answer, look_back, end_turn, nothing, look };

constexpr tick_address address(const tick_facts& of) noexcept {
  if (of.is_elsewhere) return tick_address::stop_timer;
  if (of.lacks_context) return of.is_asked || of.is_call ? tick_address::answer : tick_address::look_back;
  if (of.runs_called || of.host_has_signals) return tick_address::end_turn;
  if (of.is_attached && (of.is_asked || of.has_held_signal)) return tick_address::answer;
  return of.is_call ? tick_address::nothing : tick_address::look;
}

/// Facts that a tick knows after it has looked.
struct tick_findings {
  bool is_idle = false;         ///< nothing else could use the context
  bool is_crowded = false;      ///< other processes compete for the processors
  bool waits = false;           ///< what runs waits
  bool has_slept = false;       ///< it has slept for a peer at the last tick without demand
  bool is_in_call = false;      ///< the tick came in a system call
  bool may_be_left = false;     ///< something runs, and is not shielded
  bool can_be_blocked = false;  ///< it has blocked in a system call, and can be without a context
  bool is_turn_over = false;    ///< tick_policy::ends_turn()
};

enum class tick_action : std::uint8_t { nothing, sleep_for_peer, end_turn_blocked, end_turn };

constexpr tick_action decide(const tick_findings& of) noexcept {
  if (of.is_idle) {
    const bool can_sleep = of.is_crowded && of.waits && of.may_be_left && !of.is_in_call && !of.has_slept;
    return can_sleep ? tick_action::sleep_for_peer : tick_action::nothing;
  }
  if (of.can_be_blocked) return tick_action::end_turn_blocked;
  return of.is_turn_over ? tick_action::end_turn : tick_action::nothing;
}

}  // namespace callisto::workers
