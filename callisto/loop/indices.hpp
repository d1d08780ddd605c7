// Indices of loops: integers of up to 64 bits, bounds that fit them, and callables that can take them.
#pragma once

#include <callisto/machine/system/exceptions.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace callisto::loop {

/// An index type: an integer of at most 64 bits, but not bool or a character type.
template <class I>
concept index = std::integral<I> && !std::same_as<std::remove_cv_t<I>, bool> && sizeof(I) <= sizeof(std::uint64_t);

/// Returns the number of iterations of [first, last), without overflow even over the whole range of the type.
template <index I>
constexpr std::uint64_t distance(I first, I last) noexcept {
  using unsigned_type = std::make_unsigned_t<I>;
  if (!(first < last)) return 0;
  return static_cast<unsigned_type>(static_cast<unsigned_type>(last) - static_cast<unsigned_type>(first));
}

/// Returns first + offset, which is known to fit.
template <index I>
constexpr I advance(I first, std::uint64_t offset) noexcept {
  using unsigned_type = std::make_unsigned_t<I>;
  return static_cast<I>(
      static_cast<unsigned_type>(static_cast<unsigned_type>(first) + static_cast<unsigned_type>(offset)));
}

/// Converts bounds of different integer types to their common type; refuses a value that it cannot hold.
template <index A, index B>
constexpr std::common_type_t<A, B> bound(std::integral auto value) {
  using common = std::common_type_t<A, B>;
  if (!std::in_range<common>(value)) {
    machine::throw_usage_error("parallel_for: a negative bound beside an unsigned one; give both bounds the same type");
  }
  return static_cast<common>(value);
}

/// A bound of a loop with a given index type, made of any integer that fits it.
template <index I>
class bound_of {
 public:
  /// Throws usage_error if the value does not fit.
  template <class V>
    requires std::convertible_to<V, I> && (!std::is_floating_point_v<std::remove_cvref_t<V>>)
  constexpr bound_of(V value) : value_(static_cast<I>(value)) {
    if constexpr (index<V>) {
      if (!std::in_range<I>(value)) {
        machine::throw_usage_error("parallel_for: the bounds do not fit the loop's index type; name a wider one");
      }
    }
  }
  constexpr operator I() const noexcept { return value_; }

 private:
  I value_;
};

/// Returns how many elements a count of any integer type says; throws usage_error beyond 2^64 - 1.
template <class Count>
constexpr std::uint64_t count_from(Count n) {
  if constexpr (sizeof(n) > sizeof(std::uint64_t)) {
    if (n > static_cast<Count>(~std::uint64_t{0})) {
      machine::throw_usage_error("parallel_for: a range of more than 2^64 - 1 elements");
    }
  }
  return static_cast<std::uint64_t>(n);
}
template <std::ranges::sized_range Range>
constexpr std::uint64_t count_of(Range&& range) {
  return count_from(std::ranges::size(range));
}

/// The types of a callable's parameters, as std::tuple<...>; void if it has several signatures, or is a template.
template <class F>
struct parameters {
  using type = void;
};
template <class R, class... A>
struct parameters<R(A...)> {
  using type = std::tuple<std::remove_cvref_t<A>...>;
};
template <class R, class... A>
struct parameters<R(A...) noexcept> : parameters<R(A...)> {};
template <class F>
struct parameters<F*> : parameters<F> {};
template <class C, class R, class... A>
struct parameters<R (C::*)(A...)> : parameters<R(A...)> {};
template <class C, class R, class... A>
struct parameters<R (C::*)(A...) const> : parameters<R(A...)> {};
template <class C, class R, class... A>
struct parameters<R (C::*)(A...) noexcept> : parameters<R(A...)> {};
template <class C, class R, class... A>
struct parameters<R (C::*)(A...) const noexcept> : parameters<R(A...)> {};
template <class F>
  requires requires { &F::operator(); }
struct parameters<F> : parameters<decltype(&F::operator())> {};

/// True if each number of [first, last] can be told in the arithmetic type To: an index keeps its value there.
template <class To, index I>
constexpr bool fits(I first, I last) noexcept {
  if constexpr (std::is_floating_point_v<To>) {
    constexpr int digits = std::numeric_limits<To>::digits;
    if constexpr (digits >= std::numeric_limits<I>::digits)
      return true;
    else {
      constexpr I most = I{1} << digits;
      if constexpr (std::is_signed_v<I>) {
        if (first < -most) return false;
      }
      return last <= most;
    }
  } else if constexpr (std::is_integral_v<To>) {
    return static_cast<I>(static_cast<To>(first)) == first && static_cast<I>(static_cast<To>(last)) == last;
  } else {
    return true;
  }
}

/// Throws usage_error if parameter number P of the callable F is a number that cannot hold the indices [first, last].
/// Callables with parameters that cannot be told, such as generic lambdas, take indices as they are.
template <class F, std::size_t P, index I>
constexpr void require_fitting_parameter(I first, I last) {
  using types = typename parameters<std::remove_pointer_t<std::remove_cvref_t<F>>>::type;
  if constexpr (!std::is_void_v<types>) {
    if constexpr (P < std::tuple_size_v<types>) {
      if (!fits<std::tuple_element_t<P, types>>(first, last)) {
        machine::throw_usage_error(
            "parallel loop: the indices do not fit the type of the body's parameter; give it the type of the bounds");
      }
    }
  }
}
/// Throws usage_error unless f(i), or f(b, e, ...) for batches, can take the indices of [first, last).
template <class F, index I>
constexpr void require_fitting(I first, I last) {
  if (!(first < last)) return;
  if constexpr (std::is_invocable_v<F&, I>) {
    require_fitting_parameter<F, 0>(first, static_cast<I>(last - 1));
  } else {
    require_fitting_parameter<F, 0>(first, last);
    require_fitting_parameter<F, 1>(first, last);
  }
}

/// True if neighbouring elements behind these references share a word, as in std::vector<bool>: two threads that write
/// them lose values. `Reference` is what an iterator gives, also a tuple of such.
template <class Reference>
inline constexpr bool shares_words = std::same_as<Reference, std::vector<bool>::reference>;
template <class... References>
inline constexpr bool shares_words<std::tuple<References...>> = (shares_words<References> || ...);
template <class A, class B>
inline constexpr bool shares_words<std::pair<A, B>> = shares_words<A> || shares_words<B>;

/// True if threads may write neighbouring elements behind such iterators.
template <class Iterator>
inline constexpr bool writes_by_threads = !shares_words<std::iter_reference_t<Iterator>>;

}  // namespace callisto::loop
