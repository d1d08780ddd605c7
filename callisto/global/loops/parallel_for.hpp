// Parallel loops over all ranks (Grappa, section 3.2).
//
//  - Called by main of all ranks, parallel_for() is *collective*: each rank runs its part of the iterations, on all its
//    cores. Nothing of the body travels, so it may capture by reference. It returns when everything that the loop began
//    has ended at all ranks: iterations, posted operations, and tasks.
//  - Called in a task, it is a loop of this rank alone: all iterations run here, and it returns when they have ended.
//  - With one rank it is callisto::parallel_for, without workers: reads are loads there. A body that waits for another
//    iteration, or spawns tasks, asks for workers (loop_options::workers).
//
// Iterations run in batches, each batch on one worker. While an iteration waits for another rank, its worker is
// suspended, and its core begins the next batch on another worker.
#pragma once

#include <callisto/export.hpp>
#include <callisto/global/arrays/array.hpp>
#include <callisto/global/loops/loop_options.hpp>
#include <callisto/global/loops/rank_loop.hpp>
#include <callisto/global/synchronization/collectives.hpp>
#include <callisto/loop/parallel_for.hpp>

#include <concepts>
#include <cstdint>
#include <functional>
#include <mutex>
#include <source_location>
#include <type_traits>
#include <utility>

namespace callisto::global {

/// Calls body(i), or body(b, e) for batches [b, e), for every i in [first, last): collective in main, of this rank
/// alone in a task. In main, `first` and `last` are the same at all ranks, else the job ends with one line; rank 0 has
/// the lowest iterations. The threads of a rank share the body. If an iteration throws, iterations that have not begun
/// are dropped, and the loop throws at all ranks: of several exceptions the first of the lowest rank. Returns false if
/// options.stop dropped iterations of this rank, or the phase was cancelled.
template <loop::index A, loop::index B, class F>
  requires loop::index_callable<F, std::common_type_t<A, B>>
bool parallel_for(A first, B last, F&& body, const loop_options& options = {},
                  std::source_location where = std::source_location::current()) {
  using index = std::common_type_t<A, B>;
  const index begin = loop::bound<A, B>(first);
  const std::uint64_t n = loop::distance(begin, loop::bound<A, B>(last));
  const detail::part_of_rank part = detail::is_collective() ? detail::part_of(n) : detail::part_of_rank{0, n};
  return detail::run_iterations(
      part.count,
      [&body, at = loop::advance(begin, part.first)](std::uint64_t from, std::uint64_t to) {
        const index b = loop::advance(at, from);
        const index e = loop::advance(at, to);
        if constexpr (std::invocable<F&, index>) {
          for (index i = b; i != e; ++i) std::invoke(body, i);
        } else {
          std::invoke(body, b, e);
        }
      },
      options,
      collective{
          .kind = collective::kinds::loop, .first = static_cast<std::uint64_t>(begin), .count = n, .where = where});
}

/// Calls body(element), or body(index, element), for the elements of an array, each where it lives. The elements are
/// references to this rank's memory. In main all elements; in a task those of this rank.
template <class T, class F>
  requires std::invocable<F&, T&> || std::invocable<F&, std::uint64_t, T&>
bool parallel_for(array<T> a, F&& body, const loop_options& options = {},
                  std::source_location where = std::source_location::current()) {
  const std::span<T> own = a.local();
  return detail::run_iterations(
      own.size(),
      [&body, own, a](std::uint64_t from, std::uint64_t to) {
        for (std::uint64_t i = from; i != to; ++i) {
          if constexpr (std::invocable<F&, T&>) {
            std::invoke(body, own[i]);
          } else {
            std::invoke(body, a.index_of(i), own[i]);
          }
        }
      },
      options,
      collective{.kind = collective::kinds::array_loop, .first = a.number(), .count = a.size(), .where = where});
}

/// Returns op over init and f(i) for every i in [first, last). `op` is associative and commutative, `init` its neutral
/// value. Called by main of all ranks, which all get the result; every other caller gets the result of the loop that it
/// called.
template <loop::index A, loop::index B, class T, class F, class Op = std::plus<>>
  requires std::is_trivially_copyable_v<T>
T parallel_reduce(A first, B last, T init, F&& f, Op op = {}, const loop_options& options = {},
                  std::source_location where = std::source_location::current()) {
  using index = std::common_type_t<A, B>;
  const bool is_collective = detail::is_collective();
  T sum = init;
  std::mutex lock;
  parallel_for(
      first, last,
      [&](index b, index e) {
        T part = init;
        for (index i = b; i != e; ++i) part = op(part, std::invoke(f, i));
        const std::lock_guard guard(lock);
        sum = op(sum, part);
      },
      options, where);
  return is_collective ? reduce_all(sum, op, where) : sum;
}

/// Runs f() as a task at every rank, and returns when all have ended, and all tasks that they enrolled in the same
/// event. Called in a task, of any rank; main of all ranks simply calls f().
template <portable F>
void on_all(F f, std::source_location where = std::source_location::current()) {
  detail::require_no_references(f, where);
  completion_event ended;
  const completion_ticket ticket = ended.ticket();
  const int from = here().rank;
  ended.enroll(static_cast<std::uint64_t>(here().ranks));
  for (int rank = 0; rank < here().ranks; ++rank) {
    send(rank, [ticket, f, from] {
      ticket.arrive(from);
      spawn([ticket, f]() mutable {
        const settles_at_end end(ticket);
        f();
      });
    });
  }
  ended.wait(where);
}

}  // namespace callisto::global
