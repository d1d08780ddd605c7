// parallel_reduce and outer_parallel_reduce: a parallel loop that combines its iterations' values into one.
#pragma once

#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/running_value.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/waiting/spin_lock.hpp>

#include <concepts>
#include <cstdint>
#include <functional>
#include <mutex>
#include <source_location>
#include <type_traits>
#include <utility>

namespace callisto {

namespace loop {

/// True if f adds a batch to a value by reference.
template <class F, class I, class T>
concept folds_in_place = requires(F& f, I i, T& running) {
  { std::invoke(f, i, i, running) } -> std::same_as<void>;
};

/// A callable that takes an index, or the two ends of a batch and the value so far.
template <class F, class I, class T>
concept index_folder = std::invocable<F&, I> || folds_in_place<F, I, T> || std::invocable<F&, I, I, T>;

/// True if some value of type From has no counterpart in the arithmetic type To: a fraction, or too many bits.
template <class From, class To>
concept narrows = std::is_arithmetic_v<From> && std::is_arithmetic_v<To> &&
                  ((std::is_floating_point_v<From> && (std::is_integral_v<To> || sizeof(From) > sizeof(To))) ||
                   (std::is_integral_v<From> && std::is_integral_v<To> && sizeof(From) > sizeof(To)));

/// Fails to compile if a reduction of type T would cut off what its callables return.
template <class T, class F, class Combine, class I>
constexpr void refuse_narrowing() noexcept {
  if constexpr (std::invocable<F&, I>) {
    using value = std::remove_cvref_t<std::invoke_result_t<F&, I>>;
    using combined = std::remove_cvref_t<std::invoke_result_t<Combine&, T, std::invoke_result_t<F&, I>>>;
    // A combination of small integers is an int; so the types of the operands count.
    static_assert(!narrows<value, T> && !(narrows<combined, T> && std::is_floating_point_v<combined>),
                  "reduction: the values do not fit the type of the initial value, which is the type of the result: "
                  "give one of the values' type, 0.0 instead of 0 for a sum of doubles");
  } else if constexpr (!folds_in_place<F, I, T>) {
    using value = std::remove_cvref_t<std::invoke_result_t<F&, I, I, T>>;
    static_assert(!narrows<value, T>,
                  "reduction: the batches' values do not fit the type of the initial value, which is the type of the "
                  "result: give one of the values' type, 0.0 instead of 0 for a sum of doubles");
  }
}

/// True if f(i) converts to T, so that a fold can begin with the first value: the initial value is then combined once.
template <class F, class I, class T>
concept begins_with_value = std::invocable<F&, I> && std::convertible_to<std::invoke_result_t<F&, I>, T>;

/// Throws usage_error if a number is not the neutral element with which each batch or thread begins: it would count as
/// often as there are. A value that stays the same when it is combined with itself may count any number of times.
template <class T, class Combine>
void require_neutral(const T& identity, Combine& combine) {
  if constexpr (std::is_arithmetic_v<T>) {
    const T twice = static_cast<T>(std::invoke(combine, T{identity}, T{identity}));
    // A NaN is equal to nothing, and stays one.
    if (twice != identity && identity == identity) {
      machine::throw_usage_error(
          "parallel reduction: the identity changes when it is combined with itself, so it is not neutral, and would "
          "count once a thread or a block; give the neutral element, and add the initial value afterwards");
    }
  }
}

/// True if a fold adds floats or doubles, of which one chain of additions would take four times as long as eight.
template <class F, class I, class T, class Combine>
concept adds_in_lanes =
    begins_with_value<F, I, T> && (std::same_as<T, float> || std::same_as<T, double>) &&
    (std::same_as<std::remove_cv_t<Combine>, std::plus<>> || std::same_as<std::remove_cv_t<Combine>, std::plus<T>>);

/// Adds up f(i) of [begin, begin + n), n a multiple of 8, in eight lanes, and these pairwise: in an order that depends
/// on n alone.
template <class T, class F, class I>
T add_in_lanes(I begin, std::uint64_t n, F& f) {
  const auto at = [&](std::uint64_t i) -> T { return std::invoke(f, advance(begin, i)); };
  T a = at(0), b = at(1), c = at(2), d = at(3), e = at(4), g = at(5), h = at(6), k = at(7);
  for (std::uint64_t i = 8; i != n; i += 8) {
    a += at(i);
    b += at(i + 1);
    c += at(i + 2);
    d += at(i + 3);
    e += at(i + 4);
    g += at(i + 5);
    h += at(i + 6);
    k += at(i + 7);
  }
  return ((a + e) + (c + h)) + ((b + g) + (d + k));
}

/// Folds the iterations [begin, end) into `mine`, which has a value unless f(i) is to begin it.
template <class T, class F, class Combine, class I>
void fold(running_value<T>& mine, I begin, I end, F& f, Combine& combine) {
  if constexpr (std::invocable<F&, I>) {
    using value = std::invoke_result_t<F&, I>;
    I i = begin;
    if constexpr (adds_in_lanes<F, I, T, Combine>) {
      constexpr std::uint64_t lanes = 8;
      const std::uint64_t whole = distance(begin, end) / lanes * lanes;
      if (whole > lanes) {
        const T sum = add_in_lanes<T>(begin, whole, f);
        if (mine.has_value()) {
          *mine += sum;
        } else {
          mine.begin([&]() -> T { return sum; });
        }
        i = advance(begin, whole);
      }
    }
    if constexpr (begins_with_value<F, I, T>) {
      if (!mine.has_value()) {
        if (i == end) return;
        mine.begin([&]() -> T { return std::invoke(f, i); });
        ++i;
      }
    }
    if constexpr (is_large<T> && std::same_as<value, T>) {
      running_value<T> next;
      for (; i != end; ++i) {
        next.replace([&]() -> T { return std::invoke(f, i); });
        mine.replace([&]() -> T { return std::invoke(combine, std::move(*mine), std::move(*next)); });
      }
    } else {
      for (; i != end; ++i)
        mine.replace([&]() -> T { return std::invoke(combine, std::move(*mine), std::invoke(f, i)); });
    }
  } else if constexpr (folds_in_place<F, I, T>) {
    std::invoke(f, begin, end, *mine);
  } else {
    mine.replace([&]() -> T { return std::invoke(f, begin, end, std::move(*mine)); });
  }
}

/// Returns the result of a reduction: `all` that was folded, combined with the initial value unless that is in it.
template <bool Begun, class T, class Init, class Combine>
T reduced(Init&& initial, running_value<T>& all, Combine& combine) {
  if (!all.has_value()) return std::forward<Init>(initial);
  if constexpr (Begun) {
    running_value<T> first;
    first.begin([&]() -> T { return std::forward<Init>(initial); });
    return std::invoke(combine, std::move(*first), std::move(*all));
  } else {
    return std::move(*all);
  }
}

/// A body in which each participant folds its batches into a private value, and combines that with the total at the
/// end.
template <class T, class F, class Combine, index I>
struct reduce_body {
  class participant {
   public:
    explicit participant(reduce_body& owner) : loop_(owner) {
      if constexpr (!begins_with_value<F, I, T>) mine_.begin([&]() -> T { return loop_.identity; });
    }
    void work(std::uint64_t from, std::uint64_t to) {
      fold(mine_, advance(loop_.first, from), advance(loop_.first, to), loop_.f, loop_.combine);
    }
    void join() {
      const std::scoped_lock held(loop_.lock);
      if (loop_.total.has_value()) {
        loop_.total.replace(
            [&]() -> T { return std::invoke(loop_.combine, std::move(*loop_.total), std::move(*mine_)); });
      } else {
        loop_.total.take(mine_);
      }
    }

   private:
    reduce_body& loop_;
    running_value<T> mine_;
  };
  static constexpr bool one_by_one = std::invocable<F&, I>;

  F& f;
  Combine& combine;
  const T& identity;
  I first;
  running_value<T> total = {};
  waiting::spin_lock<machine::native> lock = {};
};

}  // namespace loop

/// Combines `initial` and f(i) for every i in [first, last), each once, as std::reduce does. `combine` is associative
/// and commutative: threads fold what they happen to run, in no fixed order, so floating-point sums differ in the last
/// bits from run to run. If f takes (b, e, running), it folds the batch [b, e) into `running` and returns that. If f
/// takes a T&, for a T too large to be moved for each batch, it returns nothing. In these two forms, and if f(i) does
/// not convert to T, threads begin with `initial`: it must be the neutral element of `combine`. A number that is not
/// throws usage_error. A T of more than 1 KiB is kept on the heap. If options.stop drops iterations, throws cancelled:
/// a partial sum is not the sum. Does not compile if a value does not fit T, such as a double in an int: the type of
/// `initial` is the type of the result. Otherwise behaves as parallel_for, or as outer_parallel_for at `level`.
template <loop::index A, loop::index B, class Init, class F, class Combine = std::plus<>>
  requires loop::index_folder<F, std::common_type_t<A, B>, std::remove_cvref_t<Init>>
[[nodiscard]] std::remove_cvref_t<Init> outer_parallel_reduce(
    unsigned level, A first, B last, Init&& initial, F&& f, Combine combine = {}, const loop_options& options = {},
    std::source_location where = std::source_location::current()) {
  using T = std::remove_cvref_t<Init>;
  using common = std::common_type_t<A, B>;
  using callable = std::remove_reference_t<F>;
  loop::refuse_narrowing<T, callable, Combine, common>();
  const common begin = loop::bound<A, B>(first);
  const common end = loop::bound<A, B>(last);
  loop::require_fitting<F>(begin, end);
  constexpr bool from_value = loop::begins_with_value<callable, common, T>;
  if constexpr (!from_value) loop::require_neutral<T>(initial, combine);
  loop::reduce_body<T, callable, Combine, common> adapted{f, combine, initial, begin};
  if (!loop::run(level, adapted, loop::distance(begin, end), options, where)) machine::throw_cancelled();
  return loop::reduced<from_value>(std::forward<Init>(initial), adapted.total, combine);
}
template <loop::index A, loop::index B, class Init, class F, class Combine = std::plus<>>
  requires loop::index_folder<F, std::common_type_t<A, B>, std::remove_cvref_t<Init>>
[[nodiscard]] std::remove_cvref_t<Init> parallel_reduce(A first, B last, Init&& initial, F&& f, Combine combine = {},
                                                        const loop_options& options = {},
                                                        std::source_location where = std::source_location::current()) {
  return outer_parallel_reduce(0, first, last, std::forward<Init>(initial), std::forward<F>(f), std::move(combine),
                               options, where);
}

}  // namespace callisto
