// Threads of the library's own get no signals: handlers of the application run on the application's threads. But
// workers of a runtime whose programs expect that of their threads do (set_options::take_signals).
#pragma once

#include <callisto/machine/system/signal_mask.hpp>

#include <csignal>

namespace callisto::machine {

/// While it lives, signals wait that are sent to the calling thread, and for good those to threads that it starts,
/// which inherit its mask. But those that an instruction causes come where it is: a program that handles SIGSEGV also
/// does in loops. Two system calls.
class blocked_signals {
 public:
  blocked_signals() noexcept
      : blocked_(all_signals &
                 ~(bit_of(SIGSEGV) | bit_of(SIGBUS) | bit_of(SIGFPE) | bit_of(SIGILL) | bit_of(SIGTRAP))) {}

 private:
  const signals_blocked_here blocked_;
};

}  // namespace callisto::machine
