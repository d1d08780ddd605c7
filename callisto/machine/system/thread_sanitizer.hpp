// Tells ThreadSanitizer, in a program that it checks and that uses a library built without it, that a loop's threads
// see what its leader wrote, and the leader what they wrote. A library that is built with it shows this by its own
// synchronization, which these annotations would hide.
#pragma once

#include <callisto/export.hpp>
#include <callisto/machine/system/sanitizers.hpp>

#if defined(CALLISTO_UNDER_TSAN) && !defined(CALLISTO_BUILT_WITH_TSAN)
#define CALLISTO_TOLD_TSAN 1
#endif

#if defined(CALLISTO_TOLD_TSAN)
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
extern "C" void AnnotateIgnoreReadsBegin(const char* file, int line);
extern "C" void AnnotateIgnoreReadsEnd(const char* file, int line);
extern "C" void AnnotateIgnoreWritesBegin(const char* file, int line);
extern "C" void AnnotateIgnoreWritesEnd(const char* file, int line);
#endif

namespace callisto::machine {

/// False in a program that ThreadSanitizer checks if the library was built without it: ThreadSanitizer then knows what
/// loops that are compiled in the library do to memory, and not how they are synchronized.
#if defined(CALLISTO_TOLD_TSAN)
inline constexpr bool sanitizer_sees_library = false;
#else
inline constexpr bool sanitizer_sees_library = true;
#endif

/// While it lives, the calling thread does one thread's part of what `of` stands for: it sees what other threads did
/// before they began or after they ended their parts. Nothing in programs that ThreadSanitizer does not check.
class seen_by_sanitizer {
 public:
#if defined(CALLISTO_TOLD_TSAN)
  /// For a thread that takes part.
  explicit seen_by_sanitizer(void* of) noexcept : of_(of) { __tsan_acquire(of_); }
  ~seen_by_sanitizer() { __tsan_release(of_); }
#else
  explicit seen_by_sanitizer(void*) noexcept {}
#endif
  seen_by_sanitizer(const seen_by_sanitizer&) = delete;
  seen_by_sanitizer& operator=(const seen_by_sanitizer&) = delete;

#if defined(CALLISTO_TOLD_TSAN)
 private:
  void* of_;
#endif
};

/// While it lives, ThreadSanitizer takes no notice of the calling thread's reads and writes: of objects of the library.
class unseen_by_sanitizer {
 public:
#if defined(CALLISTO_TOLD_TSAN)
  unseen_by_sanitizer() noexcept {
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  }
  ~unseen_by_sanitizer() {
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  }
#else
  unseen_by_sanitizer() noexcept {}
#endif
  unseen_by_sanitizer(const unseen_by_sanitizer&) = delete;
  unseen_by_sanitizer& operator=(const unseen_by_sanitizer&) = delete;
};

/// Tells ThreadSanitizer, if it checks the program and the library was built without it, to take no notice of reads and
/// writes of the calling thread from now on, or to take notice again. It sees which thread of the library takes memory
/// and which gives it back, and not the order of the two.
CALLISTO_API void hide_from_sanitizer(bool hidden) noexcept;

/// While it lives, ThreadSanitizer takes no notice of what memory the calling thread takes and gives back, also in code
/// of the library: for memory that its threads hand to each other. For seldom paths.
class memory_unseen_by_sanitizer {
 public:
  memory_unseen_by_sanitizer() noexcept { hide_from_sanitizer(true); }
  ~memory_unseen_by_sanitizer() { hide_from_sanitizer(false); }
  memory_unseen_by_sanitizer(const memory_unseen_by_sanitizer&) = delete;
  memory_unseen_by_sanitizer& operator=(const memory_unseen_by_sanitizer&) = delete;
};

/// While it lives, the calling thread leads what `of` stands for: those that take part see what it did before, and it
/// sees at the end what they did.
class led_by_sanitizer {
 public:
#if defined(CALLISTO_TOLD_TSAN)
  explicit led_by_sanitizer(void* of) noexcept : of_(of) { __tsan_release(of_); }
  ~led_by_sanitizer() { __tsan_acquire(of_); }
#else
  explicit led_by_sanitizer(void*) noexcept {}
#endif
  led_by_sanitizer(const led_by_sanitizer&) = delete;
  led_by_sanitizer& operator=(const led_by_sanitizer&) = delete;

#if defined(CALLISTO_TOLD_TSAN)
 private:
  void* of_;
#endif
};

}  // namespace callisto::machine
