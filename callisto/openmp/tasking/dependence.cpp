// Dependences of tasks: reading depend clauses, and the sets of each address.
#include <callisto/openmp/settings/diagnostics.hpp>
#include <callisto/openmp/tasking/dependence.hpp>

#include <callisto/openmp/region/omp_thread.hpp>
#include <callisto/openmp/region/tool.hpp>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <utility>

namespace callisto::openmp {

namespace {

/// The numbers of omp_depend_t and GOMP_task.
dependence_kind kind_of_object(std::uintptr_t number) {
  switch (number) {
    case 1:
      return dependence_kind::in;
    case 2:
    case 3:
    case 4:
      return dependence_kind::out;
    case 5:
      return dependence_kind::inoutset;
    default:
      report_and_exit("unknown omp_depend_t dependence type %d", static_cast<int>(number));
  }
}

bool is_all_memory(const dependence& d) noexcept { return d.address == all_memory && d.kind == dependence_kind::out; }

}  // namespace

std::vector<dependence> read_dependences(void** depend) {
  const auto number = [depend](std::size_t at) { return reinterpret_cast<std::uintptr_t>(depend[at]); };
  // [all, written, addresses...], or [0, all, written, mutually exclusive, read, addresses..., objects...].
  const bool with_objects = number(0) == 0;
  const std::uintptr_t all = with_objects ? number(1) : number(0);
  const std::uintptr_t written = with_objects ? number(2) + number(3) : number(1);
  const std::uintptr_t direct = with_objects ? written + number(4) : all;
  const std::size_t first = with_objects ? 5 : 2;
  std::vector<dependence> list;
  list.reserve(all);
  for (std::uintptr_t n = 0; n < all; ++n) {
    if (n < direct) {
      list.push_back({.address = number(first + n), .kind = n < written ? dependence_kind::out : dependence_kind::in});
    } else {
      const auto* const object = static_cast<const std::uintptr_t*>(depend[first + n]);
      list.push_back({.address = object[0], .kind = kind_of_object(object[1])});
    }
  }
  return each_once(std::move(list));
}

std::vector<dependence> each_once(std::vector<dependence> list) {
  if (const auto found = std::ranges::find_if(list, is_all_memory); found != list.end()) return {*found};
  if (list.size() < 2) return list;
  std::ranges::sort(list, {}, &dependence::address);
  auto end = list.begin();
  for (auto item = std::next(end); item != list.end(); ++item) {
    if (item->address == end->address) {
      // Two different kinds become the kind that runs alone: `in` and `inoutset` only run beside their own kind.
      if (item->kind != end->kind) end->kind = dependence_kind::out;
    } else {
      *++end = *item;
    }
  }
  list.erase(std::next(end), list.end());
  return list;
}

void dependence_table::add(task& t, std::span<const dependence> on) {
  const bool all = on.size() == 1 && is_all_memory(on[0]);
  t.depends = std::make_unique<dependences>(all ? 1 : on.size() + 1);
  dependences::member* next = t.depends->members.data();
  // Not `locked`, here and below: a thread that allocates must not be shielded, because a preempted thread may hold
  // malloc()'s lock. The threads that wait for this lock can be preempted, too.
  const std::scoped_lock held(lock_);
  join(t, *next++, all_, all ? dependence_kind::out : dependence_kind::in);
  if (all) return;
  for (const dependence& d : on) {
    const auto [at, is_new] = by_address_.try_emplace(d.address);
    if (!is_new && at->second.is_empty()) --empty_;
    join(t, *next++, at->second, d.kind);
  }
}

/// Makes `t` wait for the set before at an address, and adds it to the latest set there.
void dependence_table::join(task& t, dependences::member& mine, dependence_address& at, dependence_kind kind) {
  if (kind == dependence_kind::out || kind != at.kind || at.latest == nullptr) {
    if (at.latest != nullptr) at.begin_set();
    at.kind = kind;
  }
  std::uint64_t missing = 0;
  for (dependences::member* m = at.before; m != nullptr; m = m->next) {
    m->of->depends->successors.push_back(&t);
    ++missing;
    if (tool::watched()) [[unlikely]]
      tool::task_waits_for(*m->of, t);
  }
  mine.of = &t;
  mine.at = &at;
  at.join(mine);
  // relaxed: the threads that subtract find the task under the lock.
  if (missing != 0) t.depends->missing.fetch_add(missing, machine::order::relaxed);
}

void dependence_table::leave_sets(task& t) noexcept {
  const std::scoped_lock held(lock_);
  for (dependences::member& m : t.depends->members) {
    if (m.link == nullptr) continue;
    *m.link = m.next;
    if (m.next != nullptr) m.next->link = m.link;
    if (m.at != &all_ && m.at->is_empty()) ++empty_;
  }
  if (empty_ <= usual_empty + by_address_.size() / 2) return;
  std::erase_if(by_address_, [](const auto& of) { return of.second.is_empty(); });
  empty_ = 0;
}

}  // namespace callisto::openmp
