// callisto-lab simulate tasks: queues of tasks for stealing, one a thread or one a core, with combining and without
// (what section 6 of Callisto-RTS, ATC'15, leaves as future work).
#pragma once

#include <callisto/app/cli/command.hpp>
#include <callisto/app/cli/parser.hpp>
#include <callisto/machine/simulated/description.hpp>
#include <lab/names.hpp>

#include <cstdint>
#include <span>

namespace callisto::lab {

/// Where tasks wait, and how threads without work come by them.
enum class task_queues : std::uint8_t {
  of_threads,           ///< a deque a thread, and thieves that begin anywhere, as task groups have them (loop/tasks)
  of_threads_back_off,  ///< the same; a thief that is beaten goes on to another deque, and pauses for ever longer
  of_threads_half,      ///< the same, and a thief takes half of what is there
  of_threads_combined,  ///< deques of threads; one thief a core takes as many tasks as threads of the core ask for
  of_cores,             ///< a queue a core, behind a lock; each thread steals for itself
  of_cores_combined,    ///< a queue a core: threads ask in slots, which the one with the lock serves; one thief a core
  of_cores_async,       ///< the same; a thread asks before it runs a task
};

struct task_queue_way {
  task_queues queues;
  const char* name;
};
std::span<const task_queue_way> task_queue_ways();

/// A binary tree of tasks: a task runs one of its two children itself, and the other one waits in a queue.
struct task_queue_setup {
  task_queues queues = task_queues::of_threads;
  unsigned threads = 1;
  unsigned height = 0;       ///< 2^(height + 1) - 1 tasks
  std::uint64_t cycles = 0;  ///< work of each task
};

struct task_queue_outcome {
  bool finished = false;         ///< false: given up, since it was not much faster than one thread
  std::uint64_t cycles = 0;      ///< from the first task until the last one has ended, or the run was given up
  std::uint64_t end_cycles = 0;  ///< from then until all threads know it
  std::uint64_t tasks = 0;       ///< that have ended
  std::uint64_t steals = 0;      ///< times that a thread took tasks of another thread or core
  std::uint64_t stolen = 0;      ///< tasks taken so
  std::uint64_t served = 0;      ///< requests that another thread has served
  std::uint64_t events = 0;
};

/// Simulates it. Deterministic.
task_queue_outcome simulate_task_queues(const machine::simulation::description& machine, const task_queue_setup& setup);

/// Adds the subcommand to the parser of `callisto-lab simulate`.
command add_task_queues(const command_parser& simulate);

}  // namespace callisto::lab
