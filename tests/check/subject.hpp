// A subject is a small program on the checked machine. Each of its executions must keep the subject's promise.
//
// A source file tests/check/subjects_<piece>.cpp holds the subjects of one piece of the scheduling code and registers
// them. `check_subjects` is made of all of them; the program of a mutant is made of those that its text names. How to
// add a subject or a mutant: docs/how-to/add-a-subject-or-mutant.md.
#pragma once

#include <callisto/machine/checked/explore.hpp>
#include <callisto/machine/checked/machine.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace callisto::check {

using machine::order;
using machine::checking::require;

/// The checked machine with tables for one loop at a time with one gate: fewer words, fewer executions.
struct one_slot : machine::checked {
  static constexpr unsigned max_slots = 1;
  static constexpr unsigned max_gates = 1;
};

/// The checked machine with tables for two loops at a time, and two gates.
struct two_slots : machine::checked {
  static constexpr unsigned max_slots = 2;
  static constexpr unsigned max_gates = 2;
  static constexpr unsigned threads_per_gate = 1;
};

template <class T>
using atomic = machine::checked::atomic<T>;
template <class T>
using plain = machine::checked::plain<T>;

/// What a subject's executions must come to.
enum class expectation {
  sound,   ///< none fails
  broken,  ///< one fails, found quickly: an algorithm that is known to be wrong
};

/// A subject as the program knows it.
struct subject {
  std::string name;
  std::string promise;  ///< what is checked, in a few words
  unsigned threads;
  unsigned follower;  ///< a thread that is also suspended for ever, at each of its steps in turn; `threads`: none is
  const char* leader_waits;  ///< the file in which thread 0 may wait for a suspended follower
  expectation expected;
  machine::checking::options quick;     ///< for `./x test` and `./x check`
  machine::checking::options thorough;  ///< for `./x soak`
  machine::checking::result (*explore)(const machine::checking::options&);
};

/// The subjects that the program was linked with, by name.
std::vector<subject>& subjects();

/// What may happen without cause in one execution, for each thread: so many early returns of waits (besides those when
/// nothing else can run), and so many failures of compare_exchange that find what they expect.
struct whims {
  unsigned early_returns;
  unsigned spurious_failures;
};

/// Every execution.
inline machine::checking::options exhaustive(whims w) {
  machine::checking::options o;
  o.how = machine::checking::strategy::exhaustive;
  o.early_returns = w.early_returns;
  o.spurious_failures = w.spurious_failures;
  return o;
}

/// Every execution in which threads are taken off at most `bound` times while they could go on.
inline machine::checking::options preemptions(unsigned bound, whims w) {
  machine::checking::options o = exhaustive(w);
  o.how = machine::checking::strategy::preemptions;
  o.bound = bound;
  return o;
}

/// `count` executions with random priorities that change at depth - 1 places.
inline machine::checking::options pct(unsigned depth, std::uint64_t count, whims w) {
  machine::checking::options o = exhaustive(w);
  o.how = machine::checking::strategy::pct;
  o.bound = depth;
  o.max_executions = count;
  return o;
}

/// Registers `Subject` while the program starts. It may name a thread to suspend: `static constexpr unsigned follower`,
/// and where its leader may wait then: `static constexpr const char* leader_waits`.
template <class Subject>
struct registered {
  registered(const char* name, const char* promise, const machine::checking::options& quick,
             const machine::checking::options& thorough, expectation expected = expectation::sound) {
    unsigned follower = Subject::threads;
    if constexpr (requires { Subject::follower; }) follower = Subject::follower;
    const char* leader_waits = "callisto/waiting/entry_gate.hpp";
    if constexpr (requires { Subject::leader_waits; }) leader_waits = Subject::leader_waits;
    subjects().push_back({name, promise, Subject::threads, follower, leader_waits, expected, quick, thorough,
                          [](const machine::checking::options& o) { return machine::checking::explore<Subject>(o); }});
  }
};

}  // namespace callisto::check
