// What tasks depend on (OpenMP 5.1, section 2.19.11): the order that `depend` clauses put between the children of one
// task, by the addresses that they name.
//
// For each address there are two sets of tasks: those of the latest kind, and those before it. A task joins the latest
// set if its kind lets it run beside them (`in` beside `in`, `inoutset` beside `inoutset`), else it begins a new one,
// and the latest becomes the one before. Either way it depends on all of the set before that are not finished. So what
// is kept for an address is never more than the tasks that a new one could depend on. `mutexinoutset` is taken for
// `inout`, which the specification allows. All memory (`omp_all_memory`, since OpenMP 5.1) has two sets of its own: who
// names it writes it, all others read it.
#pragma once

#include <callisto/openmp/tasking/task.hpp>
#include <callisto/workers/waiting/spin_lock.hpp>

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

/// What GCC (since 13) gives as omp_all_memory's address; of kind `out` always.
constexpr std::uintptr_t all_memory = 0;

/// A depend clause as compilers hand it over, in either of GOMP_task's two encodings, each address once, with the
/// strongest of its kinds; all memory instead of everything else, if it is among them.
std::vector<dependence> read_dependences(void** depend);

struct dependence_address;

/// What a task keeps of its own dependences.
struct dependences {
  /// Its membership in a set, a node of the set's list.
  struct member {
    task* of = nullptr;
    dependence_address* at = nullptr;
    member* next = nullptr;
    member** link = nullptr;  ///< what points to it
  };
  std::vector<member> members;
  std::vector<task*> successors;
  /// Tasks that have to finish before; one more while it is being prepared.
  machine::native::atomic<std::uint64_t> missing{1};
};

/// Of all children of one task. Any thread may call it.
class dependence_table {
 public:
  dependence_table();
  ~dependence_table();
  dependence_table(const dependence_table&) = delete;
  dependence_table& operator=(const dependence_table&) = delete;

  /// Before `t`, a child, can be found by anybody. Fills t.depends.
  void add(task& t, std::span<const dependence> on);

  /// `t` is finished: calls ready(task&) for each task that depends on nothing any more, and held_by_maker(const task*)
  /// for each that is still held back by its maker only, who may wait for that; by its address, as it may be gone
  /// already.
  template <class Ready, class Held>
  void remove(task& t, Ready ready, Held held_by_maker);

 private:
  void join(task& t, dependences::member& mine, dependence_address& at, dependence_kind kind);
  void leave_sets(task& t) noexcept;

  workers::spin_lock<machine::native> lock_;
  std::unique_ptr<dependence_address> all_;  ///< all memory
  std::unordered_map<std::uintptr_t, std::unique_ptr<dependence_address>> by_address_;
};

template <class Ready, class Held>
void dependence_table::remove(task& t, Ready ready, Held held_by_maker) {
  leave_sets(t);
  // Nobody adds to them any more, as the task is in no set.
  for (task* const next : t.depends->successors) {
    // acq_rel: the last one hands on what all have done.
    const std::uint64_t left = next->depends->missing.fetch_sub(1, machine::order::acq_rel) - 1;
    if (left == 0) {
      ready(*next);
    } else if (left == 1) {
      held_by_maker(next);
    }
  }
}

}  // namespace callisto::openmp
