// Which sanitizer a file is compiled with, told by GCC and by clang in different ways.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define CALLISTO_UNDER_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__)
#define CALLISTO_UNDER_TSAN 1
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer) && !defined(CALLISTO_UNDER_ASAN)
#define CALLISTO_UNDER_ASAN 1
#endif
#if __has_feature(thread_sanitizer) && !defined(CALLISTO_UNDER_TSAN)
#define CALLISTO_UNDER_TSAN 1
#endif
#endif
