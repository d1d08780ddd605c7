// The types that clang's compiled code passes, by their layout.
//
// Compiled code passes the number of the calling thread, too. It may have read that number earlier, in another region
// or before a task was moved, so no function here uses it: this_thread() is one load.
#pragma once

#include <callisto/openmp/abi/abi.hpp>
#include <callisto/openmp/region/omp_thread.hpp>
#include <callisto/openmp/region/team.hpp>

#include <cstddef>
#include <cstdint>

namespace callisto::openmp::kmpc {

/// ident_t: where a construct is in the program, and what the compiler says about it.
struct source_location {
  std::int32_t reserved;
  std::int32_t flags;
  std::int32_t more[2];
  const char* text;  ///< ";file;function;line;column;;"
};
using compiled_at = const source_location*;
inline constexpr std::int32_t can_reduce_atomically = 0x10;

using i32 = std::int32_t;
using u32 = std::uint32_t;
using i64 = std::int64_t;
using u64 = std::uint64_t;

/// The body of a region, of two pointers to numbers and of any number of pointers.
using microtask = void (*)(i32*, i32*, ...);

/// kmp_task_t, the part of a task that compiled code knows. Private variables and then shared ones lie behind it.
struct task_head {
  void* shareds;
  i32 (*routine)(i32, task_head*);
  i32 part;
  union {
    i32 priority;
    i32 (*destructors)(i32, task_head*);
  } first, second;
};
static_assert(sizeof(task_head) == 40);

/// kmp_depend_info: an item of a depend clause.
struct depend_item {
  std::uintptr_t address;
  std::size_t bytes;
  std::uint8_t flags;
};
static_assert(sizeof(depend_item) == 24);

/// kmp_dim: a loop of a nest with cross-iteration dependences. `last` is inclusive.
struct loop_bounds {
  i64 first;
  i64 last;
  i64 step;
};

/// kmp_critical_name, kmp_lock and their like: the first word is a word_lock, of zeroed memory.
using lock_words = i32[8];

/// Returns the iterations from `first` to `last`, inclusive. Computes in 64 bits, because T's own arithmetic may
/// overflow.
template <class T>
u64 count_trips(T first, T last, i64 step) noexcept {
  const auto from = static_cast<u64>(first), to = static_cast<u64>(last);
  if (step > 0) return first <= last ? (to - from) / static_cast<u64>(step) + 1 : 0;
  return first >= last && step != 0 ? (from - to) / (0 - static_cast<u64>(step)) + 1 : 0;
}

}  // namespace callisto::openmp::kmpc
