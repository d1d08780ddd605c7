// The seam between the scheduling code and the machine that it runs on.
//
// Everything above machine/ that synchronizes is a template over a machine policy `M`, and reaches atomics, waiting,
// time and the current context only through it. So the same source runs natively (native.hpp), on a simulated machine
// (simulated/machine.hpp), and under a checker of interleavings (checked/machine.hpp). The concept `policy` below names
// a missing member. A policy provides exactly:
//
//   M::atomic<T>               load, store, exchange, compare_exchange, fetch_add/sub/and/or. Every call states its
//                              order; there is no default and no seq_cst, so that each site says what it relies on
//                              and a checker can weaken it. No implicit conversions, no operators.
//   M::plain<T>                T natively; under the checker, data with every access checked for races.
//   M::wait_while(a, keep, p)  waits while keep(value of a) holds, or until the patience `p` is used up; returns the
//                              last value read. Waiting is a primitive so that a simulated context costs no events
//                              while it waits, and so that the checker's state space stays finite: a loop of one's own
//                              around a bare load is an error (`./x lint` looks for them).
//   M::park(a, low)            blocks in the operating system while the low half of the 64-bit word `a` equals
//                              `low`; may return early. Orders nothing: re-read the word afterwards.
//   M::unpark(a, n)            lets up to n threads return that were parked on `a` before the call.
//   M::light_fence(), M::heavy_fence()   asymmetric fences (P1202; Linux: membarrier). A heavy fence is a sequentially
//                              consistent fence of its caller. At a moment during the call it makes one of every light
//                              fence that another thread passes: what that thread did before its last one is visible
//                              to the caller afterwards, and what the caller did before is visible to the thread after
//                              its next one. Two light fences do nothing for each other. A light fence only limits
//                              the compiler; a heavy one costs microseconds.
//   M::has_heavy_fence()       false: the machine has no heavy fence, and heavy_fence() must not be called.
//   M::ticks(), M::ticks_per_second()   the cheapest clock that increases at a constant rate.
//   M::take_room(bytes), M::give_room(room)   memory aligned to lines for a loop of many threads.
//   M::line_size               the distance in bytes that keeps two words from sharing a cache line (or a prefetched
//                              pair of lines).
//   M::thread_environment      optional: what the threads of a loop take over from its leader: here(), apply(), left().
//   M::max_slots, M::max_gates, M::threads_per_gate   optional: smaller sizes (waiting/work_signal.hpp,
//                              workers/teams/team.hpp); a checker's state grows with every word.
//
// Apart from these, protocols use read-modify-writes on one word rather than fences: ThreadSanitizer understands them,
// the checker needs no global state for them, and on known machines they cost the same.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace callisto::machine {

/// The memory order of one atomic access, as in C++20 [atomics.order].
enum class order { relaxed, acquire, release, acq_rel };

/// How long a wait is expected to last (Callisto-RTS, ATC'15 section 4: two grades of `wrpause`), and whether it may
/// spin.
enum class patience {
  none,     ///< the thread that ends this wait may need this processor: look once, then the caller parks
  brief,    ///< another thread is a few instructions from ending it: poll as fast as the hardware allows
  lasting,  ///< it ends when there is new work: poll about every 0.5 us, and leave the core's pipelines alone
};

/// The atomic word and the race-checked datum of machine `M`.
template <class M, class T>
using atomic_of = typename M::template atomic<T>;
template <class M, class T>
using plain_of = typename M::template plain<T>;

/// True if `A` has the operations that an atomic word of type `T` must have.
template <class A, class T>
concept atomic_word = requires(A& word, const A& constant, T value, T& expected, order o) {
  A(value);
  { constant.load(o) } -> std::same_as<T>;
  word.store(value, o);
  { word.exchange(value, o) } -> std::same_as<T>;
  { word.compare_exchange(expected, value, o) } -> std::same_as<bool>;
  { word.fetch_add(value, o) } -> std::same_as<T>;
  { word.fetch_sub(value, o) } -> std::same_as<T>;
  { word.fetch_and(value, o) } -> std::same_as<T>;
  { word.fetch_or(value, o) } -> std::same_as<T>;
};

/// True if `M` is a machine policy: it has every member that the head of this file lists, but for the optional ones. A
/// template that takes `machine::policy M` therefore gets an error that names the missing member.
template <class M>
concept policy = requires(atomic_of<M, std::uint64_t>& word, bool (*keep)(std::uint64_t), patience grade,
                          std::uint32_t low, unsigned count, std::size_t bytes, std::byte* room) {
  requires atomic_word<atomic_of<M, std::uint64_t>, std::uint64_t>;
  requires atomic_word<atomic_of<M, std::uint32_t>, std::uint32_t>;
  typename plain_of<M, int>;
  { M::wait_while(word, keep, grade) } -> std::same_as<std::uint64_t>;
  M::park(word, low);
  M::unpark(word, count);
  M::light_fence();
  M::heavy_fence();
  { M::has_heavy_fence() } -> std::same_as<bool>;
  { M::ticks() } -> std::convertible_to<std::uint64_t>;
  { M::ticks_per_second() } -> std::convertible_to<std::uint64_t>;
  { M::take_room(bytes) } -> std::same_as<std::byte*>;
  M::give_room(room);
  { M::line_size } -> std::convertible_to<std::size_t>;
};

}  // namespace callisto::machine
