// Options of a set of workers.
#pragma once

#include <callisto/machine/policy.hpp>
#include <callisto/waiting/suspendable.hpp>
#include <callisto/workers/activations/context_owners.hpp>
#include <callisto/workers/activations/context_provider.hpp>
#include <callisto/workers/preemption/program_loops.hpp>
#include <callisto/workers/preemption/runaway_timer.hpp>

#include <cstddef>
#include <cstdint>

namespace callisto::workers {

using waiting::default_spin_ticks;
using waiting::suspendable;

class descheduled_peer_wait;

template <machine::policy M>
struct set_options {
  unsigned workers = 1;
  /// Bytes of each activation's stack. A guard page stands below it.
  std::size_t stack_bytes = std::size_t{256} << 10;
  /// Idle stacks that keep their memory, beside one for each worker.
  std::size_t warm_stacks = 64;
  /// How long an activation that waits spins, in M::ticks(), unless it has better to do.
  std::uint64_t spin_ticks = default_spin_ticks<M>();
  /// Provides contexts if `attached` is 0; null: this job has them for itself. Outlives the set.
  context_provider<M>* with = nullptr;
  /// Threads of the application that may be attached at once (attached_thread.hpp). If it is not 0, `owners` provides
  /// the contexts.
  unsigned attached = 0;
  /// Null: the set's own, which share with no other job. Outlives the set. create_workers() makes one for pinned
  /// workers.
  context_owners<M>* owners = nullptr;
  /// For create_workers(): the process is a job among other jobs with these workers
  /// (docs/explanation/co-scheduling.md), unless the environment has CALLISTO_COSCHED=off, or the process cannot join.
  /// Needs `attached`.
  bool coscheduled = false;
  /// How long after their start the process becomes such a job, in nanoseconds: a program that ends sooner shares with
  /// no job, and pays nothing for it. With CALLISTO_COSCHED=on it joins at once.
  std::uint64_t joins_after_ns = 0;
  /// How long an activation that may be preempted keeps its worker while other activations could go on, in nanoseconds,
  /// or a quarter longer; 0: as long as it likes.
  std::uint64_t turn_ns = 0;
  /// How long an activation that watches a flag keeps its worker, about, in nanoseconds.
  std::uint64_t wait_ns = 20'000;
  /// For create_workers(), where ticks end turns: knows loops of the program that wait (waits_of_program()); null: two
  /// ticks at one place tell a wait.
  wait_test is_wait = nullptr;
  /// For create_workers(): workers' threads take the signals that their creator takes, as threads that the program
  /// itself made would. The program's code on them may send itself signals, or start processes, which inherit the mask.
  /// False: they take only the signals that instructions cause.
  bool take_signals = false;
  /// Activations with an identity that block in the system go on upon separate threads (own_thread.hpp), where
  /// worker-local data must not be used. Needs `timer`.
  bool own_threads = false;
  /// Ends turns; null: turns never end. Outlives the set. create_workers() makes one.
  runaway_timer* timer = nullptr;
  /// Lets waiting threads of the set sleep while a thread of it is off its processor; null: none does. Outlives the
  /// set. create_workers() makes one.
  descheduled_peer_wait* peers = nullptr;
};

}  // namespace callisto::workers
