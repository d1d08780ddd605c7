// Task reductions: each thread that takes part has a copy of an item, made when a task first asks for it. The copies
// are combined when the group's tasks are finished, or by the last thread of a construct that shares them.
#include <callisto/openmp/kmpc/tasks.hpp>
#include <callisto/openmp/settings/diagnostics.hpp>
#include <callisto/openmp/worksharing/workshare.hpp>

#include <cstdlib>
#include <cstring>
#include <memory>

namespace callisto::openmp::kmpc {
namespace {

/// kmp_taskred_input: an item as compiled code describes it.
struct item_input {
  void* shared;
  void* original;
  std::size_t bytes;
  void (*construct)(void*, void*);
  void (*destroy)(void*);
  void (*combine)(void*, void*);
  u32 flags;
};
/// kmp_task_red_input, of clang before 11.
struct old_item_input {
  void* shared;
  std::size_t bytes;
  void (*construct)(void*, void*);  ///< takes one argument; another one is ignored
  void (*destroy)(void*);
  void (*combine)(void*, void*);
  u32 flags;
};
item_input as_new(const item_input& i) noexcept { return i; }
item_input as_new(const old_item_input& i) noexcept {
  return {i.shared, i.shared, i.bytes, i.construct, i.destroy, i.combine, i.flags};
}

/// The copies of all items, of all threads; null: none yet. A thread writes its own pointers only, so all are read and
/// written relaxed: the group's end orders.
struct copies {
  copies(std::size_t items, unsigned of_threads)
      : threads(of_threads), all(std::make_unique<atomic<void*>[]>(items * of_threads)) {}

  atomic<void*>& of(std::size_t item, unsigned thread) const noexcept { return all[item * threads + thread]; }

  const unsigned threads;
  const std::unique_ptr<atomic<void*>[]> all;
  atomic<unsigned> finished{0};  ///< threads that have ended the construct
};

/// The reductions of a group.
struct reductions {
  std::vector<item_input> items;
  std::shared_ptr<copies> in;
  bool is_shared;  ///< by the threads of a construct; each has a group
};

void* make_copy(const item_input& item) {
  constexpr std::size_t line = native::line_size;
  void* const copy = std::aligned_alloc(line, (item.bytes + line) / line * line);
  if (copy == nullptr) report_and_exit("Out of memory allocating %lu bytes", static_cast<unsigned long>(item.bytes));
  if (item.construct != nullptr) {
    item.construct(copy, item.original);
  } else {
    std::memset(copy, 0, item.bytes);
  }
  return copy;
}

template <class Input>
reductions* describe(i32 count, const Input* inputs, std::shared_ptr<copies> in, bool is_shared) {
  auto* const r = new reductions{{}, std::move(in), is_shared};
  for (i32 n = 0; n < count; ++n) r->items.push_back(as_new(inputs[n]));
  return r;
}

template <class Input>
void* begin(i32 count, const void* inputs) {
  omp_thread& self = this_thread();
  taskgroup& group = *self.at.current->group;
  auto in = std::make_shared<copies>(static_cast<std::size_t>(count), self.in().threads);
  group.reductions_of_clang = describe(count, static_cast<const Input*>(inputs), std::move(in), false);
  return &group;
}

/// Begins a group for the caller in a construct. The construct's threads share the copies.
template <class Input>
void* begin_shared(i32 count, const void* inputs) {
  omp_thread& self = this_thread();
  next_share(self, [&](workshare& share) {
    share.kept = std::make_shared<copies>(static_cast<std::size_t>(count), self.in().threads);
  });
  taskgroup& group = enter_group(self);
  group.reductions_of_clang =
      describe(count, static_cast<const Input*>(inputs), std::static_pointer_cast<copies>(self.at.share->kept), true);
  return &group;
}

/// Returns the number of the item that `address` is, or is a copy of; the number of items: of none.
std::size_t find(const reductions& r, const void* address) noexcept {
  for (std::size_t n = 0; n < r.items.size(); ++n) {
    if (r.items[n].shared == address || r.items[n].original == address) return n;
    for (unsigned thread = 0; thread < r.in->threads; ++thread)
      if (r.in->of(n, thread).load(order::relaxed) == address) return n;
  }
  return r.items.size();
}

}  // namespace

void finish_reductions(void* a_reductions) noexcept {
  const std::unique_ptr<reductions> r(static_cast<reductions*>(a_reductions));
  // acq_rel: the last thread sees what the tasks of all groups did.
  if (r->is_shared && r->in->finished.fetch_add(1, order::acq_rel) + 1 != r->in->threads) return;
  for (std::size_t n = 0; n < r->items.size(); ++n) {
    const item_input& item = r->items[n];
    for (unsigned thread = 0; thread < r->in->threads; ++thread) {
      void* const copy = r->in->of(n, thread).load(order::relaxed);
      if (copy == nullptr) continue;
      item.combine(item.shared, copy);
      if (item.destroy != nullptr) item.destroy(copy);
      std::free(copy);
    }
  }
}

}  // namespace callisto::openmp::kmpc

using namespace callisto::openmp;
using namespace callisto::openmp::kmpc;

CALLISTO_OPENMP_ABI void* __kmpc_taskred_init(i32, i32 count, void* items) { return begin<item_input>(count, items); }
CALLISTO_OPENMP_ABI void* __kmpc_task_reduction_init(i32, i32 count, void* items) {
  return begin<old_item_input>(count, items);
}
CALLISTO_OPENMP_ABI void* __kmpc_taskred_modifier_init(compiled_at, i32, i32 /*is_loop*/, i32 count, void* items) {
  return begin_shared<item_input>(count, items);
}
CALLISTO_OPENMP_ABI void* __kmpc_task_reduction_modifier_init(compiled_at, i32, i32 /*is_loop*/, i32 count,
                                                              void* items) {
  return begin_shared<old_item_input>(count, items);
}
CALLISTO_OPENMP_ABI void __kmpc_task_reduction_modifier_fini(compiled_at, i32, i32 /*is_loop*/) {
  omp_thread& self = this_thread();
  void* const of_group = self.at.current->group->reductions_of_clang;
  leave_group(self);
  finish_reductions(of_group);
}

/// Returns the caller's copy of an item. `group`: where to begin to look; null: the innermost group.
CALLISTO_OPENMP_ABI void* __kmpc_task_reduction_get_th_data(i32, void* group, void* item) {
  const omp_thread& self = this_thread();
  const auto* from = group != nullptr ? static_cast<const taskgroup*>(group) : self.at.current->group;
  for (; from != nullptr; from = from->outer) {
    if (from->reductions_of_clang == nullptr) continue;
    const reductions& r = *static_cast<const reductions*>(from->reductions_of_clang);
    const std::size_t n = find(r, item);
    if (n == r.items.size()) continue;
    atomic<void*>& mine = r.in->of(n, self.at.number);
    if (mine.load(order::relaxed) == nullptr) mine.store(make_copy(r.items[n]), order::relaxed);
    return mine.load(order::relaxed);
  }
  report_and_exit("no task reduction has an item at %p", item);
}
