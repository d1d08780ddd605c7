// Tasks that go to the data: each element of a range is visited by a task of the rank that has it.
#pragma once

#include <callisto/global/arrays/array.hpp>
#include <callisto/global/loops/spawn_loop.hpp>
#include <callisto/global/messages/messages.hpp>
#include <callisto/global/tasks/core.hpp>
#include <callisto/global/transport/here.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <span>
#include <type_traits>

namespace callisto::global {

/// True if an F can visit elements of an array of T where they live: it takes an element, or its index and itself, or a
/// span of elements. It travels, so it captures by value what means the same everywhere.
template <class F, class T>
concept visitor_of =
    trivially_copyable_function<F> && small_function<F> &&
    (std::invocable<F&, T&> || std::invocable<F&, std::uint64_t, T&> || std::invocable<F&, std::span<T>>);

namespace detail {

/// Elements of this rank as one task, which gives the upper half to another core while it has more than `batch`.
template <class T, class F>
struct elements_task {
  T* elements;
  std::uint32_t count;
  std::uint32_t batch;
  F body;

  void operator()() {
    while (count > batch) {
      const std::uint32_t half = count / 2;
      spawn_resident(elements_task{elements + half, count - half, batch, body});
      count = half;
    }
    if (phase_cancelled()) return;
    const std::span<T> all(elements, count);
    if constexpr (std::invocable<F&, std::span<T>>) {
      body(all);
    } else {
      for (T& element : all) body(element);
    }
  }
};

/// Takes such a task to the rank that has the elements.
template <class T, class F>
struct elements_message {
  elements_task<T, F> of;
  void operator()() const { spawn_resident(of); }
  const void* prefetch() const { return of.elements; }
};

/// Visits elements with their indices.
template <class T, class F>
struct indexed_visitor {
  array<T> all;
  F body;
  void operator()(std::span<T> elements) {
    auto local = static_cast<std::uint64_t>(elements.data() - all.local().data());
    for (T& element : elements) body(all.index_of(local++), element);
  }
};

}  // namespace detail

/// Queues tasks that visit the elements [first, last) of an array, each at the rank that has it, and returns. A task
/// calls body(element) or body(index, element) for at most `batch` elements, or body(elements) for all of them at once;
/// they are references to memory of its rank. Tasks of one rank run at the same time if it has several cores: two
/// visits of one element use operations of delegates.hpp, or come in two phases. Costs a message for each other rank
/// that has elements. The cores of a rank share its tasks; they end with the phase. In a phase.
template <class T, visitor_of<T> F>
void spawn_where(array<T> a, std::uint64_t first, std::uint64_t last, F body, std::uint32_t batch = 64) {
  if constexpr (!std::invocable<F&, T&> && !std::invocable<F&, std::span<T>>) {
    spawn_where(a, first, last, detail::indexed_visitor<T, F>{a, body}, batch);
  } else {
    constexpr std::uint64_t most = std::uint64_t{1} << 31;
    const int me = here().rank;
    const detail::array_record& record = detail::array_of(a.number());
    record.for_each_part(first, last, me, [&](int rank, std::uint64_t local, std::uint64_t n) {
      T* elements = reinterpret_cast<T*>(record.part_of(static_cast<std::uint64_t>(rank))) + local;
      while (n != 0) {
        const auto count = static_cast<std::uint32_t>(std::min(n, most));
        const detail::elements_task<T, F> task{elements, count, batch, body};
        if (rank == me) {
          __builtin_prefetch(elements);
          spawn_resident(task);
        } else {
          send(rank, detail::elements_message<T, F>{task});
        }
        elements += count;
        n -= count;
      }
    });
  }
}

}  // namespace callisto::global
