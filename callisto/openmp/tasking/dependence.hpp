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

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
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

/// Tasks in the order of their arrival. The first four tasks take no further memory.
class task_list {
 public:
  void push_back(task* t) {
    if (size_ < first_.size()) {
      first_[size_] = t;
    } else {
      more_.push_back(t);
    }
    ++size_;
  }
  /// Calls f(task&) for each.
  template <class F>
  void each(F f) const {
    for (std::size_t n = 0; n < std::min(size_, first_.size()); ++n) f(*first_[n]);
    for (task* const t : more_) f(*t);
  }

 private:
  std::size_t size_ = 0;
  std::array<task*, 4> first_{};
  std::vector<task*> more_;
};

/// A task's own dependences.
struct dependences {
  /// The task's membership in a set: a node of the set's list.
  struct member {
    task* of = nullptr;
    dependence_address* at = nullptr;
    member* next = nullptr;
    member** link = nullptr;  ///< the pointer that points to this node
  };
  explicit dependences(std::size_t count)
      : many(count > few.size() ? std::make_unique<member[]>(count) : nullptr),
        members(many != nullptr ? many.get() : few.data(), count) {}

  std::array<member, 3> few;
  std::unique_ptr<member[]> many;  ///< instead, if the few do not suffice
  std::span<member> members;       ///< nodes stay where they are
  task_list successors;
  /// Unfinished tasks that it depends on, plus one while it is being prepared.
  machine::native::atomic<std::uint64_t> missing{1};
};

/// The sets of one address.
struct dependence_address {
  dependence_kind kind = dependence_kind::out;  ///< of the latest set
  dependences::member* latest = nullptr;
  dependences::member* before = nullptr;

  bool is_empty() const noexcept { return latest == nullptr && before == nullptr; }

  void begin_set() noexcept {
    // Drops the set before: the new set depends on the latest, and through it on that one.
    for (dependences::member* m = before; m != nullptr;) {
      m->link = nullptr;
      m = std::exchange(m->next, nullptr);
    }
    before = std::exchange(latest, nullptr);
    if (before != nullptr) before->link = &before;
  }

  void join(dependences::member& m) noexcept {
    m.next = latest;
    if (latest != nullptr) latest->link = &m.next;
    m.link = &latest;
    latest = &m;
  }
};

/// The dependences among all children of one task. Callable by any thread.
class dependence_table {
 public:
  dependence_table() = default;
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
  dependence_address all_;  ///< the sets of all memory
  std::unordered_map<std::uintptr_t, dependence_address> by_address_;
  /// Addresses that no task depends on now. Programs name the same ones again, so they are dropped only when they are
  /// many.
  std::size_t empty_ = 0;
  static constexpr std::size_t usual_empty = 32;
};

template <class Ready, class Held>
void dependence_table::remove(task& t, Ready ready, Held held_by_maker) {
  leave_sets(t);
  // The list is complete: `t` is in no set any longer.
  t.depends->successors.each([&](task& next) {
    // acq_rel: the last predecessor publishes what all have done.
    const std::uint64_t left = next.depends->missing.fetch_sub(1, machine::order::acq_rel) - 1;
    if (left == 0) {
      ready(next);
    } else if (left == 1) {
      held_by_maker(&next);
    }
  });
}

}  // namespace callisto::openmp
