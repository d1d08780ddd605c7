// Tasks of clang's compiled code, as the files of this folder share them.
#pragma once

#include <callisto/openmp/kmpc/kmpc.hpp>
#include <callisto/openmp/tasking/explicit_task.hpp>

namespace callisto::openmp::kmpc {

/// Flags of __kmpc_omp_task_alloc().
namespace alloc_flag {
inline constexpr u32 tied = 1;
inline constexpr u32 final = 2;
inline constexpr u32 mergeable = 4;
inline constexpr u32 destructors = 8;
inline constexpr u32 proxy = 16;
inline constexpr u32 priority = 32;
}  // namespace alloc_flag

/// A task's data: this, its head with private variables, its shared variables.
struct task_data {
  u32 flags;
  bool again;  ///< the routine has to be called again: the next part of an untied task
  std::size_t head_bytes;
  std::size_t shareds_bytes;
  std::size_t reserved;
};
static_assert(sizeof(task_data) % 16 == 0);

inline task_data& data_of(task_head* head) noexcept { return reinterpret_cast<task_data*>(head)[-1]; }
inline task& task_of(task_head* head) noexcept {
  return *reinterpret_cast<task*>(reinterpret_cast<std::byte*>(&data_of(head)) - prepared_offset);
}

/// Creates a task that is not started yet.
task_head* allocate(omp_thread& self, u32 flags, std::size_t head_bytes, std::size_t shareds_bytes,
                    i32 (*routine)(i32, task_head*));
/// Starts it.
void start(omp_thread& self, task_head* head, bool undeferred, const std::vector<dependence>* on);
/// Runs the destructors of its private variables, if it has some.
void destroy_privates(omp_thread& self, task_head* head);

/// Combines what tasks of a group have reduced. `reductions`: taskgroup::reductions_of_clang.
void finish_reductions(void* reductions) noexcept;

}  // namespace callisto::openmp::kmpc
