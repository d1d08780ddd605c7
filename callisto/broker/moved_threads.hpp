// The grade `thread`: a broker moves the threads of a job that did not answer off the context that the job has lost. A
// thread that can run nowhere else gets SCHED_IDLE there: then the threads of its session, or of its control group,
// come first.
#pragma once

#include <callisto/cosched/context_assignment.hpp>
#include <callisto/export.hpp>

#include <vector>

#include <sys/types.h>

namespace callisto::broker {

/// The threads of one process that are kept off contexts, with their affinities before. One thread uses it.
class CALLISTO_API moved_threads {
 public:
  /// Takes a context out of the affinity of each thread of the process. A thread that could run nowhere else gets
  /// `instead`; if that is empty, the thread stays, with SCHED_IDLE if this process could undo that. Returns how many
  /// threads were looked at: none of a process with more than `most`, which would cost the broker's time.
  unsigned keep_off(pid_t process, unsigned context, cosched::context_set instead, unsigned most);

  /// Gives the context back to the threads that have the affinity, or the class, which they were given here.
  void give_back(unsigned context);
  void give_all_back();

 private:
  struct moved {
    pid_t process;
    pid_t thread;
    unsigned context;
    cosched::context_set before;
    cosched::context_set given;
    int policy = -1;  ///< before SCHED_IDLE; -1: the thread kept its class
  };
  std::vector<moved> all_;
};

/// True if this process may set the affinity of other users' threads (CAP_SYS_NICE).
CALLISTO_API bool may_move_others() noexcept;

}  // namespace callisto::broker
