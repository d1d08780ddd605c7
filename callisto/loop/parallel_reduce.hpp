// parallel_reduce and outer_parallel_reduce: a parallel loop that combines its iterations' values into one.
#pragma once

#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/waiting/spin_lock.hpp>

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
    // A combination of small integers is an int; what counts is what goes in.
    static_assert(!narrows<value, T> && !(narrows<combined, T> && std::is_floating_point_v<combined>),
                  "parallel_reduce: the values do not fit the type of `identity`, which is the type of the result: "
                  "give an identity of the values' type, 0.0 instead of 0 for a sum of doubles");
  } else if constexpr (!folds_in_place<F, I, T>) {
    using value = std::remove_cvref_t<std::invoke_result_t<F&, I, I, T>>;
    static_assert(!narrows<value, T>,
                  "parallel_reduce: the batches' values do not fit the type of `identity`, which is the type of the "
                  "result: give an identity of the values' type, 0.0 instead of 0 for a sum of doubles");
  }
}

/// A body in which each participant folds its batches into a value of its own, and combines that with the total at the
/// end.
template <class T, class F, class Combine, index I>
struct reduce_body {
  class participant {
   public:
    explicit participant(reduce_body& owner) : loop_(owner), mine_(owner.identity) {}
    void work(std::uint64_t from, std::uint64_t to) {
      const I begin = advance(loop_.first, from);
      const I end = advance(loop_.first, to);
      if constexpr (std::invocable<F&, I>) {
        for (I i = begin; i != end; ++i) mine_ = std::invoke(loop_.combine, std::move(mine_), std::invoke(loop_.f, i));
      } else if constexpr (folds_in_place<F, I, T>) {
        std::invoke(loop_.f, begin, end, mine_);
      } else {
        mine_ = std::invoke(loop_.f, begin, end, std::move(mine_));
      }
    }
    void join() {
      const std::scoped_lock held(loop_.lock);
      loop_.total = std::invoke(loop_.combine, std::move(loop_.total), std::move(mine_));
    }

   private:
    reduce_body& loop_;
    T mine_;
  };
  static constexpr bool one_by_one = std::invocable<F&, I>;

  F& f;
  Combine& combine;
  const T& identity;
  I first;
  T total = identity;
  workers::spin_lock<machine::native> lock = {};
};

}  // namespace loop

/// Combines f(i) over every i in [first, last), starting from `identity`. `combine` is associative and commutative,
/// with `identity` as its neutral element: threads fold what they happen to run, in no fixed order, so floating-point
/// sums differ in the last bits from run to run. If f takes (b, e, running), it folds the batch [b, e) into `running`
/// and returns that. If f takes a T&, for a T too large to be moved for each batch, it returns nothing. If options.stop
/// drops iterations, throws cancelled: what has been summed until then is not the sum. Does not compile if a value does
/// not fit T, such as a double in an int: the type of `identity` is the type of the result. Otherwise behaves as
/// parallel_for, or as outer_parallel_for at `level`.
template <loop::index A, loop::index B, class T, class F, class Combine = std::plus<>>
  requires loop::index_folder<F, std::common_type_t<A, B>, T>
[[nodiscard]] T outer_parallel_reduce(unsigned level, A first, B last, T identity, F&& f, Combine combine = {},
                                      const loop_options& options = {},
                                      std::source_location where = std::source_location::current()) {
  loop::refuse_narrowing<T, F, Combine, std::common_type_t<A, B>>();
  using common = std::common_type_t<A, B>;
  const common begin = loop::bound<A, B>(first);
  const common end = loop::bound<A, B>(last);
  loop::reduce_body<T, std::remove_reference_t<F>, Combine, common> adapted{f, combine, identity, begin};
  if (!loop::run(level, adapted, loop::distance(begin, end), options, where)) machine::throw_cancelled();
  return std::move(adapted.total);
}
template <loop::index A, loop::index B, class T, class F, class Combine = std::plus<>>
  requires loop::index_folder<F, std::common_type_t<A, B>, T>
[[nodiscard]] T parallel_reduce(A first, B last, T identity, F&& f, Combine combine = {},
                                const loop_options& options = {},
                                std::source_location where = std::source_location::current()) {
  return outer_parallel_reduce(0, first, last, std::move(identity), std::forward<F>(f), std::move(combine), options,
                               where);
}

}  // namespace callisto
