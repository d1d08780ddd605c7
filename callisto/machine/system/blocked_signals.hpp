// Threads of the library get no signals: handlers of the application run on the application's threads. An exception are
// workers of a runtime if its programs expect signals on their threads (set_options::take_signals).
#pragma once

#include <callisto/machine/system/signal_mask.hpp>

#include <csignal>

namespace callisto::machine {

/// Blocks signals to the calling thread while it lives, and for good in threads started meanwhile, which inherit the
/// mask. Signals that an instruction causes are not blocked: a program that handles SIGSEGV also does so in loops. Two
/// system calls.
class blocked_signals {
 public:
  blocked_signals() noexcept
      : blocked_(all_signals &
                 ~(bit_of(SIGSEGV) | bit_of(SIGBUS) | bit_of(SIGFPE) | bit_of(SIGILL) | bit_of(SIGTRAP))) {}

 private:
  const signals_blocked_here blocked_;
};

}  // namespace callisto::machine
