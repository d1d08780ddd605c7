// Dependences of tasks (OpenMP 5.1, section 2.19.11): `depend` clauses order the children of one task by addresses.
//
// For each address there are two sets of tasks: the *latest* set, and the one *before* it.
// 1. A task joins the latest set if its kind can run beside that set (`in` beside `in`, `inoutset` beside `inoutset`).
// 2. Else the latest set becomes the one before, and the task begins a new one.
// 3. Either way it depends on all unfinished tasks of the set before.
//
// So an address keeps no more tasks than a new one could depend on. `mutexinoutset` counts as `inout`, which the
// specification allows. All memory (`omp_all_memory`, since OpenMP 5.1) has two sets, too: a task that names it writes
// it, all other tasks read it.
#pragma once

#include <callisto/openmp/tasking/task.hpp>
#include <callisto/waiting/spin_lock.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace callisto::openmp {

enum class dependence_kind : unsigned char { in, inoutset, out };

/// One item of a depend clause.
struct dependence {
  std::uintptr_t address;
  dependence_kind kind;
};

/// The address that GCC passes for omp_all_memory since GCC 13; its kind is always `out`.
constexpr std::uintptr_t all_memory = 0;

/// Reads a depend clause in either of GOMP_task's two encodings. Returns each address once, with the strongest of its
/// kinds. If all memory is among them, returns only that.
std::vector<dependence> read_dependences(void** depend);

/// Returns each address of the list once, as read_dependences() does.
std::vector<dependence> each_once(std::vector<dependence> list);

struct dependence_address;

/// A task's own dependences.
struct dependences {
  /// The task's membership in a set: a node of the set's list.
  struct member {
    task* of = nullptr;
    dependence_address* at = nullptr;
    member* next = nullptr;
    member** link = nullptr;  ///< the pointer that points to this node
  };
  std::vector<member> members;
  std::vector<task*> successors;
  /// Unfinished tasks that it depends on, plus one while it is being prepared.
  machine::native::atomic<std::uint64_t> missing{1};
};

/// The dependences among all children of one task. Callable by any thread.
class dependence_table {
 public:
  dependence_table();
  ~dependence_table();
  dependence_table(const dependence_table&) = delete;
  dependence_table& operator=(const dependence_table&) = delete;

  /// Adds `t`, a child that no other thread can find yet. Fills t.depends.
  void add(task& t, std::span<const dependence> on);

  /// Removes a finished `t`. Calls ready(task&) for each task that depends on nothing more. Calls held_by_maker(const
  /// task*) for each task that only its maker still holds back, because the maker may wait for that. That address may
  /// be invalid already.
  template <class Ready, class Held>
  void remove(task& t, Ready ready, Held held_by_maker);

 private:
  void join(task& t, dependences::member& mine, dependence_address& at, dependence_kind kind);
  void leave_sets(task& t) noexcept;

  waiting::spin_lock<machine::native> lock_;
  std::unique_ptr<dependence_address> all_;  ///< the sets of all memory
  std::unordered_map<std::uintptr_t, std::unique_ptr<dependence_address>> by_address_;
};

template <class Ready, class Held>
void dependence_table::remove(task& t, Ready ready, Held held_by_maker) {
  leave_sets(t);
  // The list is complete: `t` is in no set any longer.
  for (task* const next : t.depends->successors) {
    // acq_rel: the last predecessor publishes what all have done.
    const std::uint64_t left = next->depends->missing.fetch_sub(1, machine::order::acq_rel) - 1;
    if (left == 0) {
      ready(*next);
    } else if (left == 1) {
      held_by_maker(next);
    }
  }
}

}  // namespace callisto::openmp
