// Functions that travel must not capture references: whether one has captured an address of its caller's stack.
#pragma once

#include <callisto/export.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <source_location>
#include <span>
#include <type_traits>

namespace callisto::global::detail {

/// Throws usage_error if one of the words is an address of the calling worker's stack, in the frames of its callers.
CALLISTO_API void require_no_stack_address(std::span<const std::uintptr_t> words, const std::source_location& where);

/// Throws usage_error if `f` has captured an address of the caller's stack, as far as that can be seen: its first
/// words, without padding. About 10 ns.
template <class F>
void require_no_references(const F& f, const std::source_location& where) {
#if defined(__has_builtin)
#if __has_builtin(__builtin_clear_padding)
  if constexpr (!std::is_empty_v<F> && sizeof(F) >= sizeof(std::uintptr_t) && std::is_trivially_copyable_v<F>) {
    alignas(F) std::array<std::byte, sizeof(F)> copy;
    std::memcpy(copy.data(), &f, sizeof(F));
    __builtin_clear_padding(reinterpret_cast<std::remove_const_t<F>*>(copy.data()));
    // The words behind these are rather of a buffer, of which a part holds whatever was there.
    constexpr std::size_t most = 8;
    std::array<std::uintptr_t, sizeof(F) / sizeof(std::uintptr_t) < most ? sizeof(F) / sizeof(std::uintptr_t) : most>
        words;
    std::memcpy(words.data(), copy.data(), sizeof words);
    require_no_stack_address(words, where);
  }
#endif
#endif
  static_cast<void>(f);
  static_cast<void>(where);
}

/// Calls require_no_references(), for what takes nanoseconds: not if NDEBUG is defined.
template <class F>
[[gnu::always_inline]] inline void require_no_references_if_debugging(
    [[maybe_unused]] const F& f, [[maybe_unused]] const std::source_location& where) {
#ifndef NDEBUG
  require_no_references(f, where);
#endif
}

}  // namespace callisto::global::detail
