// Explores the executions of a small concurrent program, a subject, on the checked machine
// (machine/checked/machine.hpp): the options, the strategies and the results.
//
// A subject is a class. Its threads use production templates over machine::checked:
//
//   struct handover {
//     static constexpr unsigned threads = 2;
//     void run(unsigned thread);   // the life of each thread
//     void finish();               // optional: after all threads have ended
//     ... data ...
//   };
//   auto found = machine::checking::explore<handover>({});
//
// A thread's behaviour must depend only on what the thread reads through the policy: no random numbers, no addresses,
// no wall clock. The checker does not unwind an execution that it cuts short: objects on the stacks of its threads may
// leak.
#pragma once

#include <callisto/machine/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

namespace callisto::machine::checking {

/// Largest number of threads of a subject.
inline constexpr unsigned max_threads = 15;

enum class strategy {
  exhaustive,   ///< every execution, up to equivalence (partial-order reduction and a cache of states)
  preemptions,  ///< every execution with at most `bound` preemptions (switches from a runnable thread)
  pct,          ///< random priorities with bound - 1 changes (Burckhardt et al., ASPLOS'10), random reads
  random,       ///< a random walk
  replay,       ///< the one execution that `replay` describes
};

/// A source place with an operation of the policy, and the order that the source states there.
struct site {
  std::string file;  ///< relative to the source tree
  unsigned line = 0;
  unsigned column = 0;
  std::string operation;  ///< name in policy.hpp: "load", "fetch_add", "wait_while", "light_fence", "heavy_fence", ...
  order stated = order::relaxed;  ///< of a fence: relaxed, without a meaning
  std::uint64_t count = 0;        ///< operations executed there
};

/// The change of a fence that is weakened.
enum class fence_weakening {
  left_out,  ///< it does nothing
  light,     ///< a heavy fence does what a light one does
};

/// Runs the operation at one place (fields like those of `site`) with the order `to` instead of its stated order, or a
/// fence there as `fence` says.
struct site_weakening {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  std::string operation;
  order to = order::relaxed;
  fence_weakening fence = fence_weakening::left_out;
};

/// Suspends `thread` for ever after its `after`-th step. A step is an operation on an atomic, a fence, a wait, a park
/// or an unpark.
struct suspension {
  unsigned thread = 0;
  std::uint64_t after = 0;
};

struct options {
  strategy how = strategy::exhaustive;
  unsigned bound = 2;      ///< largest number of preemptions, or depth of PCT
  std::uint64_t seed = 1;  ///< seed of pct and random
  /// Limits on executions and seconds. Strategies that reach their own end stop earlier.
  std::uint64_t max_executions = 1'000'000'000;
  double max_seconds = 3600;
  /// Steps after which an execution becomes fair: threads take turns and read only newest values. If the execution does
  /// not end within as many further steps, it is a livelock. At most 15,000.
  std::uint64_t max_steps = 5000;
  std::string replay =
      {};  ///< failure::replay, for strategy::replay; the other options must equal those of the failing exploration

  /// Returns of wait_while and park without cause, for each thread in each execution. Besides these, wait_while ends
  /// if no thread can run.
  unsigned early_returns = 1;
  unsigned early_returns_in_all = ~0u;  ///< limit of early returns for all threads of an execution together
  unsigned spurious_failures = 1;  ///< failures of compare_exchange without cause, for each thread in each execution
  unsigned stale = ~0u;            ///< number of older stores that a read may return; 0: sequential consistency
  /// False: two unordered plain stores of different values to one atomic are a failure. The checker takes the order of
  /// execution for the modification order and would miss outcomes (2+2W). True: the checker accepts such stores.
  bool allow_racing_stores = false;

  std::optional<site_weakening> weaken = {};
  std::optional<suspension> suspend = {};
};

/// The kind of a failure.
enum class kind {
  assertion,           ///< a require() with a false condition
  data_race,           ///< between accesses to plain data, or between an access and the object's construction
  deadlock,            ///< no thread can run; lost wake-ups show as threads that park for ever
  livelock,            ///< no end within the bound on steps under a fair schedule
  use_after_lifetime,  ///< access to an object that has ended, or an end that is not ordered after an access
  exception,           ///< an exception that leaves run() or a noexcept function
  racing_stores,       ///< see options::allow_racing_stores
  misuse,              ///< the checker cannot work with the subject or the replay string
};

/// Returns the name of a kind, such as "data race".
const char* name_of(kind) noexcept;

struct failure {
  kind what = kind::assertion;
  std::string message;
  std::string trace;   ///< the execution, one step a line: thread, operation, location, values, order and file:line
  std::string replay;  ///< for options::replay
};

/// Where a thread was blocked because another thread was suspended.
struct blocked_thread {
  unsigned thread = 0;
  std::string operation;
  std::string file;
  unsigned line = 0;
  std::uint64_t executions = 0;
};

struct result {
  std::uint64_t executions = 0;  ///< executions begun, including those cut short at a known state
  std::uint64_t completed = 0;   ///< executions that ran to their end
  std::uint64_t bounded = 0;     ///< completed executions that had to be made fair
  std::uint64_t states = 0;      ///< distinct states (exhaustive, preemptions)
  std::uint64_t steps = 0;       ///< operations executed
  double seconds = 0;
  bool exhausted = false;  ///< true if everything within the bounds was explored without a failure
  std::optional<checking::failure> failure;
  std::vector<site> sites;              ///< every place executed, sorted
  std::uint64_t suspended = 0;          ///< executions in which options::suspend took effect
  std::vector<blocked_thread> blocked;  ///< with options::suspend: blocked threads and their places; not a failure
};

/// Requires `condition` inside a subject. If it is false, the execution ends with an assertion failure and the message
/// `what`.
void require(bool condition, const char* what);

/// True if `thread` has returned from run(); for calls in finish(). False only with options::suspend.
bool has_ended(unsigned thread) noexcept;

/// Executes std::atomic_thread_fence, for litmus tests; the policy has no such fence.
enum class fence_order { acquire, release, acq_rel, seq_cst };
void fence(fence_order);

/// A subject without its type.
struct program {
  unsigned threads;
  unsigned first_alike;  ///< threads with this number and higher ones are interchangeable
  std::size_t bytes, alignment;
  void (*make)(void* room);
  void (*run)(void* subject, unsigned thread);
  void (*finish)(void* subject);  ///< may be null
  void (*destroy)(void* subject);
};

/// Explores the executions of a subject. Throws std::invalid_argument if it has 0 or more than 15 threads.
result explore(const program&, const options&);

/// Explores `Subject`. Each execution default-constructs a subject and destroys it at its end.
///
/// A subject may declare `static constexpr unsigned first_alike = n` if its threads n, n+1, ... do the same to the same
/// atomics, whatever their numbers, and construct no atomics or plain data that other threads see. The checker then
/// explores once all states that differ only in which of these threads did what.
///
/// Calls for one subject are not thread-safe; different OS threads may explore different subjects at the same time.
template <class Subject>
result explore(const options& how) {
  program p{};
  p.threads = Subject::threads;
  p.first_alike = Subject::threads;
  if constexpr (requires { Subject::first_alike; }) p.first_alike = Subject::first_alike;
  p.bytes = sizeof(Subject);
  p.alignment = alignof(Subject);
  p.make = [](void* room) { ::new (room) Subject(); };
  p.run = [](void* subject, unsigned thread) { static_cast<Subject*>(subject)->run(thread); };
  if constexpr (requires(Subject& s) { s.finish(); }) {
    p.finish = [](void* subject) { static_cast<Subject*>(subject)->finish(); };
  }
  p.destroy = [](void* subject) { std::destroy_at(static_cast<Subject*>(subject)); };
  return explore(p, how);
}

}  // namespace callisto::machine::checking
