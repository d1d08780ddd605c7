// Exploring the executions of a small concurrent program on the checked machine (machine/checked/machine.hpp): what to explore,
// how, and what was found.
//
// A subject is a class whose threads use production templates over machine::checked:
//
//   struct handover {
//     static constexpr unsigned threads = 2;
//     void run(unsigned thread);   // the life of each thread
//     void finish();               // optional: after all threads have ended
//     ... data ...
//   };
//   auto found = machine::checking::explore<handover>({});
//
// What a thread does must depend on nothing but what it reads through the policy: no random numbers, no addresses, no
// wall clock. Executions that are cut short are not unwound: what a thread owns on its stack may leak.
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

/// Threads that a subject may have.
inline constexpr unsigned max_threads = 15;

enum class strategy {
  exhaustive,   ///< every execution, up to equivalence (partial-order reduction and a cache of states)
  preemptions,  ///< every execution with at most `bound` preemptions (switches from a thread that could go on)
  pct,          ///< random priorities with bound - 1 changes (Burckhardt et al., ASPLOS'10), random reads
  random,       ///< a random walk
  replay,       ///< the one execution that `replay` describes
};

/// A place in the source that does an operation of the policy, and the order that it states.
struct site {
  std::string file;  ///< relative to the source tree
  unsigned line = 0;
  unsigned column = 0;
  std::string operation;  ///< as in policy.hpp: "load", "fetch_add", "compare_exchange", "wait_while", ...
  order stated = order::relaxed;
  std::uint64_t count = 0;  ///< operations executed there
};

/// Lets the operation at one place (fields as in `site`) run with another order than the one that it states.
struct site_weakening {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  std::string operation;
  order to = order::relaxed;
};

/// A thread that is never scheduled again after its `after`-th step (operation on an atomic, wait, park or unpark).
struct suspension {
  unsigned thread = 0;
  std::uint64_t after = 0;
};

struct options {
  strategy how = strategy::exhaustive;
  unsigned bound = 2;      ///< preemptions, or depth of PCT
  std::uint64_t seed = 1;  ///< of pct and random
  /// Where to stop; strategies that find their own end stop earlier.
  std::uint64_t max_executions = 1'000'000'000;
  double max_seconds = 3600;
  /// Steps of one execution after which threads take turns and read only newest values; an execution that does not
  /// end within as many again is a livelock. At most 15,000.
  std::uint64_t max_steps = 5000;
  std::string replay = {};  ///< failure::replay, for strategy::replay; other options as when it was found

  unsigned early_returns = 1;  ///< of wait_while and park without cause, for each thread in each execution; besides,
                               ///< wait_while ends when nothing else can run
  unsigned early_returns_in_all = ~0u;  ///< the same for all threads of an execution together
  unsigned spurious_failures = 1;       ///< of compare_exchange, likewise
  unsigned stale = ~0u;                 ///< older stores that a read may choose from; 0: sequential consistency
  /// Two unordered plain stores of different values to one atomic are a failure, because the checker takes the order
  /// of execution for the modification order and would miss outcomes (2+2W). True: they are not.
  bool allow_racing_stores = false;

  std::optional<site_weakening> weaken = {};
  std::optional<suspension> suspend = {};
};

/// What went wrong.
enum class kind {
  assertion,           ///< require()
  data_race,           ///< of plain data, or of an access with the object's construction
  deadlock,            ///< no thread can go on; lost wake-ups show as threads that park for ever
  livelock,            ///< no end within the bound on steps, with a fair schedule
  use_after_lifetime,  ///< access to an object that has ended, or an end not ordered after an access
  exception,           ///< that leaves run() or a noexcept function
  racing_stores,       ///< see options::allow_racing_stores
  misuse,              ///< the subject or the replay string is not what the checker can work with
};

/// "data race" and so on.
const char* name_of(kind) noexcept;

struct failure {
  kind what = kind::assertion;
  std::string message;
  std::string trace;   ///< the execution, a step a line, with thread, operation, location, values, order and file:line
  std::string replay;  ///< for options::replay
};

/// Where a thread stood that could not go on because another was suspended.
struct blocked_thread {
  unsigned thread = 0;
  std::string operation;
  std::string file;
  unsigned line = 0;
  std::uint64_t executions = 0;
};

struct result {
  std::uint64_t executions = 0;  ///< begun, including those cut short because a state was known
  std::uint64_t completed = 0;   ///< of them, run to their end
  std::uint64_t bounded = 0;     ///< of them, that had to be made fair to end
  std::uint64_t states = 0;      ///< distinct ones (exhaustive, preemptions)
  std::uint64_t steps = 0;       ///< operations executed
  double seconds = 0;
  bool exhausted = false;  ///< everything within the bounds was explored, and nothing was found
  std::optional<checking::failure> failure;
  std::vector<site> sites;              ///< every place met, sorted
  std::uint64_t suspended = 0;          ///< executions in which options::suspend took effect
  std::vector<blocked_thread> blocked;  ///< with options::suspend: who could not go on then, and where; no failure
};

/// Inside a subject: a property that must hold. Ends the execution otherwise.
void require(bool condition, const char* what);

/// Inside finish(): whether `thread` returned from run(). False only with options::suspend.
bool has_ended(unsigned thread) noexcept;

/// std::atomic_thread_fence for litmus tests; the policy has none.
enum class fence_order { acquire, release, acq_rel, seq_cst };
void fence(fence_order);

/// A subject, with its type erased.
struct program {
  unsigned threads;
  unsigned first_alike;  ///< threads from this one on are interchangeable
  std::size_t bytes, alignment;
  void (*make)(void* room);
  void (*run)(void* subject, unsigned thread);
  void (*finish)(void* subject);  ///< may be null
  void (*destroy)(void* subject);
};

result explore(const program&, const options&);

/// Explores `Subject`, which is default-constructed before each execution and destroyed after it. A subject whose
/// threads n, n+1, ... do the same to the same atomics, whatever their numbers, may say so: `static constexpr unsigned
/// first_alike = n` (they must not construct atomics or plain data that others see); states that differ only in which
/// of them did what are then explored once. Not thread-safe for one subject; different OS threads may explore at the
/// same time.
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
