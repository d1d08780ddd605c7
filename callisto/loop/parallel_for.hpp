// parallel_for and outer_parallel_for: the parallel loop, in the paper's struct forms and with lambdas.
//
// All forms are one: iterations [0, n) counted from 0 in 64 bits, a body, and a distributor that hands the iterations
// out. Each thread that takes part makes a participant of the body, which runs batches.
#pragma once

#include <callisto/loop/indices.hpp>
#include <callisto/loop/loop_options.hpp>
#include <callisto/loop/native_loops.hpp>
#include <callisto/loop/record/site.hpp>
#include <callisto/loop/running_value.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/exceptions.hpp>
#include <callisto/machine/system/thread_sanitizer.hpp>

#include <concepts>
#include <cstdint>
#include <functional>
#include <iterator>
#include <ranges>
#include <source_location>
#include <tuple>
#include <type_traits>
#include <utility>

namespace callisto {

namespace loop {

/// A callable that takes an index, or the two ends of a batch.
template <class F, class I>
concept index_callable = std::invocable<F&, I> || std::invocable<F&, I, I>;

/// A callable that takes an element of a sequence, or the two ends of a batch.
template <class F, class Iterator>
concept element_callable =
    std::invocable<F&, std::iter_reference_t<Iterator>> || std::invocable<F&, Iterator, Iterator>;

/// The types of the parameters of a struct's work(), if that is one function and no template; else empty.
template <class Struct>
struct work_of {};
template <class Struct>
  requires requires { std::tuple_size<typename parameters<decltype(&Struct::work)>::type>::value; } &&
           (std::tuple_size_v<typename parameters<decltype(&Struct::work)>::type> > 0)
struct work_of<Struct> {
  using types = typename parameters<decltype(&Struct::work)>::type;
  using state = std::tuple_element_t<0, types>;
  using index_type = std::tuple_element_t<std::tuple_size_v<types> - 1, types>;
  static constexpr bool forks = requires { &Struct::fork; };
};

/// A struct that a loop can call without names of types: the parameters of its work() give them.
template <class Struct>
concept telling_struct = index<typename work_of<Struct>::index_type>;

/// Runs iterations [0, n) of `body` (loop_item.hpp) for a loop at nesting level `level` that stands at `where`; the
/// base of every form. Hidden: otherwise its static variable would keep a plug-in from ever being unloaded
/// (STB_GNU_UNIQUE).
template <class Body>
[[gnu::visibility("hidden")]] bool run(unsigned level, Body& body, std::uint64_t n, const loop_options& options,
                                       const std::source_location& where) {
  static constinit loop_site sites;
  const machine::led_by_sanitizer shown(&body);
  return n == 0 || lead(level, native_body(body), n, options, sites, where);
}

/// A struct without per-thread state: void work(I) or void work(I first, I last).
template <class Struct, index I>
struct shared_struct_body {
  class participant {
   public:
    explicit participant(shared_struct_body& owner) noexcept : loop_(owner) {}
    void work(std::uint64_t from, std::uint64_t to) {
      const I begin = advance(loop_.first, from);
      const I end = advance(loop_.first, to);
      if constexpr (requires { loop_.object.work(begin); }) {
        for (I i = begin; i != end; ++i) loop_.object.work(i);
      } else {
        loop_.object.work(begin, end);
      }
    }
    void join() noexcept {}

   private:
    shared_struct_body& loop_;
  };
  static constexpr bool one_by_one = requires(Struct& object, I i) { object.work(i); };
  Struct& object;
  I first;
};

/// A struct with per-thread state: fork(PerThread&), work(PerThread&, I) or work(PerThread&, I first, I last),
/// join(PerThread&).
template <class Struct, class PerThread, index I>
struct forking_struct_body {
  class participant {
   public:
    explicit participant(forking_struct_body& owner) : loop_(owner) { loop_.object.fork(*state_); }
    void work(std::uint64_t from, std::uint64_t to) {
      const I begin = advance(loop_.first, from);
      const I end = advance(loop_.first, to);
      if constexpr (requires { loop_.object.work(*state_, begin); }) {
        for (I i = begin; i != end; ++i) loop_.object.work(*state_, i);
      } else {
        loop_.object.work(*state_, begin, end);
      }
    }
    void join() { loop_.object.join(*state_); }

   private:
    forking_struct_body& loop_;
    thread_state<PerThread> state_;
  };
  static constexpr bool one_by_one = requires(Struct& object, PerThread& state, I i) { object.work(state, i); };
  Struct& object;
  I first;
};

/// A callable: f(i), or f(first, last) for a batch.
template <class F, index I>
struct callable_body {
  class participant {
   public:
    explicit participant(callable_body& owner) noexcept : loop_(owner) {}
    void work(std::uint64_t from, std::uint64_t to) {
      const I begin = advance(loop_.first, from);
      const I end = advance(loop_.first, to);
      if constexpr (std::invocable<F&, I>) {
        for (I i = begin; i != end; ++i) std::invoke(loop_.f, i);
      } else {
        std::invoke(loop_.f, begin, end);
      }
    }
    void join() noexcept {}

   private:
    callable_body& loop_;
  };
  static constexpr bool one_by_one = std::invocable<F&, I>;
  F& f;
  I first;
};

/// A callable over a random-access sequence: f(element), or f(first, last) with iterators for a batch.
template <class F, class Iterator>
struct element_body {
  class participant {
   public:
    explicit participant(element_body& owner) noexcept : loop_(owner) {}
    void work(std::uint64_t from, std::uint64_t to) {
      using difference = std::iter_difference_t<Iterator>;
      Iterator begin = loop_.first + static_cast<difference>(from);
      const Iterator end = loop_.first + static_cast<difference>(to);
      if constexpr (std::invocable<F&, std::iter_reference_t<Iterator>>) {
        for (; begin != end; ++begin) std::invoke(loop_.f, *begin);
      } else {
        std::invoke(loop_.f, begin, end);
      }
    }
    void join() noexcept {}

   private:
    element_body& loop_;
  };
  static constexpr bool one_by_one = std::invocable<F&, std::iter_reference_t<Iterator>>;
  F& f;
  Iterator first;
};

}  // namespace loop

/// Calls body.work(i) for every i in [first, last) on up to threads() threads at once: the paper's first form. The
/// threads share `body`. If the struct has work(I first, I last) instead, it gets whole batches.
///
/// All forms return when every iteration has ended; the caller then sees what the iterations wrote. They return false
/// if options.stop dropped iterations, else true. If a body throws, iterations that have not begun are dropped, and the
/// first exception is rethrown after the iterations that have begun have ended. Inside a loop body a loop begins on the
/// calling thread, and goes on with threads that have slept for want of work; inside of an outer_parallel_for it has
/// the threads of the caller's part. Several threads may start loops at once. A short loop costs about 0.1 us. `where`
/// names the loop in statistics and timelines (loop/record/statistics.hpp); a helper that runs loops for its callers
/// can pass theirs on.
///
/// outer_parallel_for, in all forms, encloses `level` levels of parallel loops. Levels count inside out; parallel_for
/// is one at level 0. It runs on one thread of each part of the machine that CALLISTO_LEVELS or set_levels() give that
/// level. The part's other threads wait for the loops at lower levels that its body runs. Such an inner loop belongs to
/// its part alone: it ends when the part's threads have ended. Per-thread state exists once for each part.
template <class Struct, loop::index I>
bool outer_parallel_for(unsigned level, Struct& body, std::type_identity_t<loop::bound_of<I>> first,
                        std::type_identity_t<loop::bound_of<I>> last, const loop_options& options = {},
                        std::source_location where = std::source_location::current()) {
  loop::shared_struct_body<Struct, I> adapted{body, first};
  return loop::run(level, adapted, loop::distance<I>(first, last), options, where);
}
template <class Struct, loop::index I>
bool parallel_for(Struct& body, std::type_identity_t<loop::bound_of<I>> first,
                  std::type_identity_t<loop::bound_of<I>> last, const loop_options& options = {},
                  std::source_location where = std::source_location::current()) {
  return outer_parallel_for<Struct, I>(0, body, first, last, options, where);
}

/// Gives each thread that takes part a PerThread, on its stack, or on the heap if it has more than 1 KiB: the paper's
/// second form. Calls body.fork(state) once,
/// body.work(state, i) for each of the thread's iterations, and body.join(state) once at the end. join may run on
/// several threads at once. It is not called on a thread on which work or fork threw. A thread that leaves the loop for
/// another job and comes back takes part anew, with a new state: at no time are there more states than threads.
template <class Struct, class PerThread, loop::index I>
bool outer_parallel_for(unsigned level, Struct& body, std::type_identity_t<loop::bound_of<I>> first,
                        std::type_identity_t<loop::bound_of<I>> last, const loop_options& options = {},
                        std::source_location where = std::source_location::current()) {
  loop::forking_struct_body<Struct, PerThread, I> adapted{body, first};
  return loop::run(level, adapted, loop::distance<I>(first, last), options, where);
}
template <class Struct, class PerThread, loop::index I>
bool parallel_for(Struct& body, std::type_identity_t<loop::bound_of<I>> first,
                  std::type_identity_t<loop::bound_of<I>> last, const loop_options& options = {},
                  std::source_location where = std::source_location::current()) {
  return outer_parallel_for<Struct, PerThread, I>(0, body, first, last, options, where);
}

/// Both struct forms without names of types: they are those of work(), if the struct has one work() that is no
/// template. A struct with fork() has per-thread state.
template <class Struct>
  requires loop::telling_struct<Struct>
bool outer_parallel_for(unsigned level, Struct& body, loop::bound_of<typename loop::work_of<Struct>::index_type> first,
                        loop::bound_of<typename loop::work_of<Struct>::index_type> last,
                        const loop_options& options = {},
                        std::source_location where = std::source_location::current()) {
  using told = loop::work_of<Struct>;
  if constexpr (told::forks) {
    return outer_parallel_for<Struct, typename told::state, typename told::index_type>(level, body, first, last,
                                                                                       options, where);
  } else {
    return outer_parallel_for<Struct, typename told::index_type>(level, body, first, last, options, where);
  }
}
template <class Struct>
  requires loop::telling_struct<Struct>
bool parallel_for(Struct& body, loop::bound_of<typename loop::work_of<Struct>::index_type> first,
                  loop::bound_of<typename loop::work_of<Struct>::index_type> last, const loop_options& options = {},
                  std::source_location where = std::source_location::current()) {
  return outer_parallel_for(0, body, first, last, options, where);
}

/// Calls f(i) for every i in [first, last), or f(b, e) for batches [b, e) if f takes two indices. The threads share
/// `f`; it is not copied. Bounds of two types are converted to their common type. Throws usage_error if a value does
/// not fit that, or if f has one signature, with a number as parameter that cannot hold the indices.
template <loop::index A, loop::index B, class F>
  requires loop::index_callable<F, std::common_type_t<A, B>>
bool outer_parallel_for(unsigned level, A first, B last, F&& f, const loop_options& options = {},
                        std::source_location where = std::source_location::current()) {
  using common = std::common_type_t<A, B>;
  const common begin = loop::bound<A, B>(first);
  const common end = loop::bound<A, B>(last);
  loop::require_fitting<F>(begin, end);
  loop::callable_body<std::remove_reference_t<F>, common> adapted{f, begin};
  return loop::run(level, adapted, loop::distance(begin, end), options, where);
}
template <loop::index A, loop::index B, class F>
  requires loop::index_callable<F, std::common_type_t<A, B>>
bool parallel_for(A first, B last, F&& f, const loop_options& options = {},
                  std::source_location where = std::source_location::current()) {
  return outer_parallel_for(0, first, last, std::forward<F>(f), options, where);
}

/// Does not compile, and says why: a loop over indices has two bounds.
template <loop::index A, class F>
  requires loop::index_callable<F, A>
bool outer_parallel_for(unsigned, A, F&&, const loop_options& = {}) {
  static_assert(!std::same_as<A, A>, "a loop over indices has two bounds: outer_parallel_for(level, 0, n, body)");
  return false;
}
template <loop::index A, class F>
  requires loop::index_callable<F, A>
bool parallel_for(A, F&&, const loop_options& = {}) {
  static_assert(!std::same_as<A, A>, "a loop over indices has two bounds: parallel_for(0, n, body)");
  return false;
}

/// Calls f(*it) for every it in [first, last), or f(b, e) with iterators for batches of it. Does not compile for
/// elements of std::vector<bool> that f could write: neighbours share a word. A body that writes such a vector by index
/// loses bits: write a std::vector<char>.
template <std::random_access_iterator Iterator, class F>
  requires loop::element_callable<F, Iterator>
bool outer_parallel_for(unsigned level, Iterator first, Iterator last, F&& f, const loop_options& options = {},
                        std::source_location where = std::source_location::current()) {
  static_assert(loop::writes_by_threads<Iterator>,
                "elements of std::vector<bool> share words, and threads that write neighbours lose values: use a "
                "std::vector<char>, or std::as_const to read only");
  loop::element_body<std::remove_reference_t<F>, Iterator> adapted{f, first};
  return loop::run(level, adapted, last > first ? loop::count_from(last - first) : 0, options, where);
}
template <std::random_access_iterator Iterator, class F>
  requires loop::element_callable<F, Iterator>
bool parallel_for(Iterator first, Iterator last, F&& f, const loop_options& options = {},
                  std::source_location where = std::source_location::current()) {
  return outer_parallel_for(0, first, last, std::forward<F>(f), options, where);
}

/// Calls f(element) for every element of a random-access range, or f(b, e) with iterators for batches of it.
template <std::ranges::random_access_range Range, class F>
  requires std::ranges::sized_range<Range> && loop::element_callable<F, std::ranges::iterator_t<Range>>
bool outer_parallel_for(unsigned level, Range&& range, F&& f, const loop_options& options = {},
                        std::source_location where = std::source_location::current()) {
  static_assert(loop::writes_by_threads<std::ranges::iterator_t<Range>>,
                "elements of std::vector<bool> share words, and threads that write neighbours lose values: use a "
                "std::vector<char>, or std::as_const to read only");
  loop::element_body<std::remove_reference_t<F>, std::ranges::iterator_t<Range>> adapted{f, std::ranges::begin(range)};
  return loop::run(level, adapted, loop::count_of(range), options, where);
}
template <std::ranges::random_access_range Range, class F>
  requires std::ranges::sized_range<Range> && loop::element_callable<F, std::ranges::iterator_t<Range>>
bool parallel_for(Range&& range, F&& f, const loop_options& options = {},
                  std::source_location where = std::source_location::current()) {
  return outer_parallel_for(0, std::forward<Range>(range), std::forward<F>(f), options, where);
}

}  // namespace callisto
