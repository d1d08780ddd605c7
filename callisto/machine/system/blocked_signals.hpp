// Threads of the library get no signals that are sent to the process: handlers of the application run on the
// application's threads, and a thread that waits for a signal (sigwait) gets it. An exception are workers of a runtime
// if its programs expect signals on their threads (set_options::take_signals).
#pragma once

#include <callisto/machine/system/signal_mask.hpp>

#include <csignal>

namespace callisto::machine {

/// Blocks signals to the calling thread while it lives, and for good in threads started meanwhile, which inherit the
/// mask. It leaves open what concerns the thread that runs: signals that an instruction or a system call causes,
/// abort(), and the signals of profilers and of limits on processor time. Two system calls.
class blocked_signals {
 public:
  blocked_signals() noexcept
      : blocked_(all_signals & ~(caused_signals | bit_of(SIGTRAP) | bit_of(SIGABRT) | bit_of(SIGPIPE) |
                                 bit_of(SIGPROF) | bit_of(SIGVTALRM) | bit_of(SIGXCPU) | bit_of(SIGXFSZ))) {}

 private:
  const signals_blocked_here blocked_;
};

}  // namespace callisto::machine
