// Threads of the library's own get no signals: handlers of the application run on the application's threads.
#pragma once

#include <csignal>

#include <pthread.h>

namespace callisto::machine {

/// While it lives, signals wait that are sent to the calling thread, and for good those to threads that it starts,
/// which inherit its mask. But those that an instruction causes come where it is: a program that handles SIGSEGV also
/// does in loops. Two system calls.
class blocked_signals {
 public:
  blocked_signals() noexcept {
    sigset_t all;
    sigfillset(&all);
    for (const int caused : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigdelset(&all, caused);
    pthread_sigmask(SIG_SETMASK, &all, &saved_);
  }
  blocked_signals(const blocked_signals&) = delete;
  blocked_signals& operator=(const blocked_signals&) = delete;
  ~blocked_signals() { pthread_sigmask(SIG_SETMASK, &saved_, nullptr); }

 private:
  sigset_t saved_;
};

}  // namespace callisto::machine
