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

/// Where tasks wait.
enum class task_queues : std::uint8_t {
  of_threads,          ///< a deque for each thread, as task groups have them (loop/tasks/task_deque.hpp)
  of_cores,            ///< a queue for each core, behind a lock
  of_cores_combined,   ///< the same; the thread that has the lock serves the requests of the whole core
  of_caches_combined,  ///< the same for each last-level cache
};

struct task_queue_way {
  task_queues queues;
  const char* name;
};
std::span<const task_queue_way> task_queue_ways();

/// A binary tree of tasks: a task runs one of its two children itself, and the other waits in a queue.
struct task_queue_setup {
  task_queues queues = task_queues::of_threads;
  unsigned threads = 1;
  unsigned height = 0;       ///< 2^(height + 1) - 1 tasks
  std::uint64_t cycles = 0;  ///< work of each task
};

struct task_queue_outcome {
  std::uint64_t cycles = 0;      ///< from the first task until the last one has ended
  std::uint64_t end_cycles = 0;  ///< from then until all threads know it
  std::uint64_t tasks = 0;
  std::uint64_t steals = 0;    ///< times that a thread took tasks of another queue
  std::uint64_t combined = 0;  ///< requests that another thread has served
  std::uint64_t events = 0;
};

/// Simulates it. Deterministic.
task_queue_outcome simulate_task_queues(const machine::simulation::description& machine, const task_queue_setup& setup);

/// Adds the subcommand to the parser of `callisto-lab simulate`.
command add_task_queues(const command_parser& simulate);

}  // namespace callisto::lab
