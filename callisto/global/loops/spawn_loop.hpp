// Loops of tasks that may run at any rank: recursive decomposition, stolen by idle cores (Grappa, section 3.2).
#pragma once

#include <callisto/global/loops/rank_loop.hpp>
#include <callisto/global/synchronization/completion_event.hpp>
#include <callisto/global/tasks/core.hpp>
#include <callisto/loop/parallel_for.hpp>

#include <concepts>
#include <cstdint>
#include <source_location>
#include <type_traits>

namespace callisto::global {

/// True if an F can be the body of a loop that moves between ranks: it captures by value what means the same everywhere
/// (numbers, global addresses, handles of arrays, tickets).
template <class F, class I>
concept portable_body =
    trivially_copyable_function<F> && small_function<F> && (std::invocable<F&, I> || std::invocable<F&, I, I>);

namespace detail {

/// Runs body(i), or body(b, e), for [first, last).
template <class F, class I>
void run_body(F& body, I first, I last) {
  if constexpr (std::invocable<F&, I>) {
    for (I i = first; i != last; ++i) body(i);
  } else {
    if (first != last) body(first, last);
  }
}

/// Iterations as one task, which gives the upper half away while it has more than `batch` of them.
template <loop::index I, class F>
struct range_task {
  I first;
  I last;
  std::uint32_t batch;
  F body;

  void operator()() {
    while (loop::distance(first, last) > batch) {
      const I middle = loop::advance(first, loop::distance(first, last) / 2);
      this_core().spawn_public(range_task{middle, last, batch, body});
      last = middle;
    }
    if (!phase_cancelled()) run_body(body, first, last);
  }
};

/// Iterations as one task that is enrolled in an event. `from` is the rank that enrolled it.
template <loop::index I, class F>
struct enrolled_range_task {
  I first;
  I last;
  std::uint32_t batch;
  std::int32_t from;
  completion_ticket ticket;
  F body;

  void operator()() {
    ticket.arrive(from);
    const settles_at_end end(ticket);
    const int me = here().rank;
    while (loop::distance(first, last) > batch) {
      const I middle = loop::advance(first, loop::distance(first, last) / 2);
      ticket.enroll();
      this_core().spawn_public(enrolled_range_task{middle, last, batch, me, ticket, body});
      last = middle;
    }
    if (!phase_cancelled()) run_body(body, first, last);
  }
};

}  // namespace detail

/// Queues tasks that call body(i), or body(b, e), for [first, last), at most `batch` iterations each, and returns. Any
/// core of any rank may run them; they end with the phase. In a phase. Throws usage_error if the body has captured an
/// address of the caller's stack, as by reference.
template <loop::index I, portable_body<I> F>
void spawn_loop(I first, std::type_identity_t<I> last, F body, std::uint32_t batch = 1,
                std::source_location where = std::source_location::current()) {
  detail::require_no_references(body, where);
  if (first < last) this_core().spawn_public(detail::range_task<I, F>{first, last, batch, body});
}

/// Queues such tasks, enrolled in the event of `ticket`.
template <loop::index I, portable_body<I> F>
void spawn_loop(completion_ticket ticket, I first, std::type_identity_t<I> last, F body, std::uint32_t batch = 1,
                std::source_location where = std::source_location::current()) {
  detail::require_no_references(body, where);
  if (!(first < last)) return;
  ticket.enroll();
  this_core().spawn_public(detail::enrolled_range_task<I, F>{first, last, batch, here().rank, ticket, body});
}

/// Says that a loop's iterations may be stolen by other ranks.
struct stealable_t {};
inline constexpr stealable_t stealable{};

/// Calls body(i), or body(b, e), for every i in [first, last), anywhere, and returns when they have ended: the loop of
/// the paper's figure 2. In a task; its worker is suspended meanwhile. If an iteration throws, the phase ends early and
/// throws in main of all ranks. The body captures by value: throws usage_error if it has captured an address of the
/// caller's stack.
template <loop::index I, portable_body<I> F>
void parallel_for(stealable_t, I first, std::type_identity_t<I> last, F body, std::uint32_t batch = 1,
                  std::source_location where = std::source_location::current()) {
  completion_event ended;
  spawn_loop(ended.ticket(), first, last, body, batch, where);
  ended.wait(where);
}

}  // namespace callisto::global
