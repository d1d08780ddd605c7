// Which sanitizer a test is built with, GCC's or clang's, and what tests must not do under it.
#pragma once

#include <callisto/machine/system/sanitizers.hpp>

#if defined(CALLISTO_UNDER_ASAN) || defined(CALLISTO_UNDER_TSAN)
#define CALLISTO_UNDER_SANITIZER 1
#else
/// Defined if a forked child may go on. ThreadSanitizer does not allow threads to be started after a fork.
/// AddressSanitizer's allocator (GCC 12's) may stay locked in the child by a thread that was allocating.
#define CALLISTO_CHILDREN_WORK 1
#endif

namespace callisto::tests {

/// True under AddressSanitizer: frames are on its own heap, at addresses that differ from run to run.
#if defined(CALLISTO_UNDER_ASAN)
inline constexpr bool frames_are_elsewhere = true;
#else
inline constexpr bool frames_are_elsewhere = false;
#endif

/// True under a sanitizer: everything takes ten times as long, and switching a thousand fibers' stacks far more.
#if defined(CALLISTO_UNDER_SANITIZER)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace callisto::tests
