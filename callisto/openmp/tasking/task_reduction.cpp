// Task reductions (OpenMP 5.1, section 2.21.5.2). Each OpenMP thread has a copy of the items that tasks reduce, in
// memory of the group that the reduction belongs to. Compiled code combines the copies at the end.
//
// The compiler's description is an array of words; a construct can have a chain of such arrays:
//   [0] items  [1] bytes for a thread  [2] alignment, then the memory  [3] allocator  [4] the next array
//   [5] the runtime's, not 0 in the first array of a construct  [6] the memory's end
//   and three words for each item: its address, its offset in a thread's part, and its array, which the runtime writes.
#include <callisto/openmp/abi/abi.hpp>
#include <callisto/openmp/region/parallel.hpp>
#include <callisto/openmp/region/tool.hpp>
#include <callisto/openmp/settings/diagnostics.hpp>
#include <callisto/openmp/tasking/task.hpp>
#include <callisto/openmp/worksharing/workshare.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <unordered_map>

namespace callisto::openmp {
namespace {

/// The words, by name.
struct description {
  std::uintptr_t items;
  std::uintptr_t bytes;
  std::uintptr_t memory;
  std::uintptr_t allocator;
  std::uintptr_t next;
  std::uintptr_t index;
  std::uintptr_t end;

  struct item {
    std::uintptr_t address;
    std::uintptr_t offset;
    std::uintptr_t in;
  };
  item* begin() noexcept { return reinterpret_cast<item*>(this + 1); }

  description* following() const noexcept { return reinterpret_cast<description*>(next); }
  std::uintptr_t part(unsigned thread) const noexcept { return memory + thread * bytes; }
};
static_assert(sizeof(description) == 7 * sizeof(std::uintptr_t));

/// All items that a task of the construct can take part in, by address, items of enclosing groups included.
using item_index = std::unordered_map<std::uintptr_t, description::item*>;

description* as_description(std::uintptr_t* data) noexcept { return reinterpret_cast<description*>(data); }
item_index* index_of(const description& of) noexcept { return reinterpret_cast<item_index*>(of.index); }

[[noreturn]] void not_found(const void* address) {
  report_and_exit("couldn't find matching task_reduction or reduction with task modifier for %p", address);
}

/// Returns the item with a copy at the given offset in a thread's part. `in`: its description.
std::uintptr_t original_of(description& in, std::uintptr_t offset, const void* address) {
  for (std::uintptr_t n = 0; n < in.items; ++n)
    if (in.begin()[n].offset == offset) return in.begin()[n].address;
  not_found(address);
}

}  // namespace

void register_reductions(std::uintptr_t* data, std::uintptr_t* around, const std::uintptr_t* shared, unsigned threads) {
  auto* index = new item_index;
  // Inner items hide outer ones.
  if (around != nullptr) *index = *index_of(*as_description(around));
  const auto* made = reinterpret_cast<const description*>(shared);
  for (description* d = as_description(data);; d = d->following()) {
    if (made != nullptr) {
      d->memory = made->memory;
      d->end = made->end;
      made = made->following();
    } else {
      const std::size_t bytes = d->bytes * threads;
      const std::size_t alignment = std::max<std::size_t>(d->memory, sizeof(void*));
      // Never empty, so that no two allocations have one address.
      void* const memory = std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
      if (memory == nullptr) report_and_exit("Out of memory allocating %lu bytes", static_cast<unsigned long>(bytes));
      std::memset(memory, 0, bytes);
      d->memory = reinterpret_cast<std::uintptr_t>(memory);
      d->end = d->memory + bytes;
    }
    d->index = 0;
    for (std::uintptr_t n = 0; n < d->items; ++n) {
      d->begin()[n].in = reinterpret_cast<std::uintptr_t>(d);
      (*index)[d->begin()[n].address] = &d->begin()[n];
    }
    if (d->next == 0) {
      d->next = reinterpret_cast<std::uintptr_t>(around);
      break;
    }
  }
  as_description(data)->index = reinterpret_cast<std::uintptr_t>(index);
}

void unregister_reductions(std::uintptr_t* data) noexcept {
  description* d = as_description(data);
  delete index_of(*d);
  do {
    std::free(reinterpret_cast<void*>(d->memory));
    d = d->following();
    // The first array of the enclosing construct has an index.
  } while (d != nullptr && d->index == 0);
}

void join_share_reductions(omp_thread& self, workshare& share, std::uintptr_t* data, bool first) {
  taskgroup& group = enter_group(self);
  group.workshare = true;
  const std::uintptr_t* shared = nullptr;
  if (!first) {
    waiting::sync_wait_value(share.reductions_ready, [](std::uint64_t ready) { return ready != 0; }, *self.self);
    shared = share.task_reductions;
  }
  register_reductions(data, group.reductions, shared, self.in().threads);
  group.reductions = data;
  if (first) {
    share.task_reductions = data;
    const locked held(share.latch);
    share.reductions_ready.write(1);
  }
}

}  // namespace callisto::openmp

using namespace callisto::openmp;

CALLISTO_OPENMP_ABI void GOMP_taskgroup_reduction_register(std::uintptr_t* data) {
  omp_thread& self = this_thread();
  taskgroup& group = *self.at.current->group;
  register_reductions(data, group.reductions, nullptr, self.in().threads);
  group.reductions = data;
}

CALLISTO_OPENMP_ABI void GOMP_taskgroup_reduction_unregister(std::uintptr_t* data) { unregister_reductions(data); }

/// Replaces pointers[0, count), addresses of items or of a thread's copies of them, by the caller's copies. Writes the
/// addresses of the first `originals` items to pointers[count, count + originals).
CALLISTO_OPENMP_ABI void GOMP_task_reduction_remap(std::size_t count, std::size_t originals, void** pointers) {
  const omp_thread& self = this_thread();
  const taskgroup* const group = self.at.current->group;
  if (group == nullptr || group->reductions == nullptr) not_found(pointers[0]);
  description* const innermost = as_description(group->reductions);
  const item_index& index = *index_of(*innermost);
  for (std::size_t n = 0; n < count; ++n) {
    const auto address = reinterpret_cast<std::uintptr_t>(pointers[n]);
    description* in = nullptr;
    std::uintptr_t offset = 0;
    if (const auto found = index.find(address); found != index.end()) {
      in = reinterpret_cast<description*>(found->second->in);
      offset = found->second->offset;
      if (n < originals) pointers[count + n] = pointers[n];
    } else {
      for (in = innermost; in != nullptr && !(address >= in->memory && address < in->end);) in = in->following();
      if (in == nullptr) not_found(pointers[n]);
      offset = (address - in->memory) % in->bytes;
      if (n < originals) pointers[count + n] = reinterpret_cast<void*>(original_of(*in, offset, pointers[n]));
    }
    pointers[n] = reinterpret_cast<void*>(in->part(self.at.number) + offset);
  }
}

/// Ends a work-sharing construct with task reductions. Its tasks are finished and, unless it is cancelled, all threads
/// have arrived.
CALLISTO_OPENMP_ABI void GOMP_workshare_task_reduction_unregister(bool cancelled) {
  omp_thread& self = this_thread();
  std::uintptr_t* const data = self.at.current->group->reductions;
  leave_group(self);
  if (self.at.number == 0) {
    unregister_reductions(data);
  } else {
    delete index_of(*as_description(data));
  }
  if (!cancelled) self.in().barrier(self);
}

/// parallel with reduction(task, ...). The first word of the data is the description. Returns the number of threads;
/// the compiled code combines their parts and then frees the memory.
CALLISTO_OPENMP_ABI unsigned GOMP_parallel_reductions(void (*body)(void*), void* data, unsigned threads,
                                                      unsigned flags) {
  omp_thread& self = this_thread();
  CALLISTO_ENTERED(self);
  team& region = enter_region(self, resolve_threads(self, threads), flags);
  const unsigned granted = region.threads;
  std::uintptr_t* description_of_all = nullptr;
  std::memcpy(&description_of_all, data, sizeof description_of_all);
  register_reductions(description_of_all, nullptr, nullptr, granted);
  taskgroup of_all(nullptr);
  of_all.reductions = description_of_all;
  region.group = &of_all;
  self.at.current->group = &of_all;
  run_in_region(self, body, data);
  region.group = nullptr;
  return granted;
}
