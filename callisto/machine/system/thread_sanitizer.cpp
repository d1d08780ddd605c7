#include <callisto/machine/system/thread_sanitizer.hpp>

#if !defined(CALLISTO_BUILT_WITH_TSAN)
// Of the program, if ThreadSanitizer checks it; else null.
extern "C" {
[[gnu::weak]] void AnnotateIgnoreReadsBegin(const char* file, int line);
[[gnu::weak]] void AnnotateIgnoreReadsEnd(const char* file, int line);
[[gnu::weak]] void AnnotateIgnoreWritesBegin(const char* file, int line);
[[gnu::weak]] void AnnotateIgnoreWritesEnd(const char* file, int line);
}
#endif

namespace callisto::machine {

void hide_from_sanitizer([[maybe_unused]] bool hidden) noexcept {
#if !defined(CALLISTO_BUILT_WITH_TSAN)
  if (&AnnotateIgnoreWritesBegin == nullptr) return;
  if (hidden) {
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  } else {
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  }
#endif
}

}  // namespace callisto::machine
