// Types that may travel between ranks.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>

namespace callisto::global {

/// The most bytes of a function object that travels.
inline constexpr std::size_t most_captured = 256;

/// True if the bytes of an F mean the same in every rank. A lambda is portable if it captures values by copy that are
/// trivially copyable themselves: numbers, global addresses, handles of arrays. References and pointers mean nothing in
/// another rank. References and pointers to the caller's stack are refused where that can be seen (tasks/captures.hpp),
/// all other references and pointers are not.
template <class F>
concept trivially_copyable_function = std::is_trivially_copyable_v<F> && std::is_trivially_destructible_v<F>;
/// True if an F is small enough to travel.
template <class F>
concept small_function = sizeof(F) <= most_captured && alignof(F) <= 16;

/// True if a function object can be sent to another rank and called there without arguments.
template <class F>
concept portable = trivially_copyable_function<F> && small_function<F> && std::is_invocable_v<F&>;
/// True if a function object can be sent to another rank and called there with the bytes that came along.
template <class F>
concept portable_with_payload =
    trivially_copyable_function<F> && small_function<F> && std::is_invocable_v<F&, std::span<const std::byte>>;

/// True if an F can be sent to another rank and called there with records of type R, which came along one by one.
template <class F, class R>
concept portable_group =
    trivially_copyable_function<F> && small_function<F> && trivially_copyable_function<R> && sizeof(R) % 8 == 0 &&
    alignof(R) <= 8 && sizeof(R) <= most_captured && std::is_invocable_v<F&, std::span<const R>>;

/// True if an F names the memory that it will change, so that unpacking fetches it in time.
template <class F>
concept prefetching = requires(const F& f) {
  { f.prefetch() } -> std::convertible_to<const void*>;
};

}  // namespace callisto::global
