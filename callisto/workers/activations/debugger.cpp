// The list of all sets of workers of the process, under a name that debuggers find.
#include <callisto/workers/activations/debugger.hpp>

#include <mutex>

namespace callisto::workers::debugger {
namespace {

/// Never destroyed: sets may end in static destructors.
std::mutex& mutex() {
  static auto* const only = new std::mutex;
  return *only;
}

}  // namespace

extern "C" {
// Exported, so that a stripped shared library has them, too. Kept where a program's linker drops what nothing calls.
#if __has_attribute(retain)
#define CALLISTO_KEPT [[gnu::used, gnu::retain]]
#else
#define CALLISTO_KEPT [[gnu::used]]
#endif
CALLISTO_API extern const std::uint32_t callisto_debug_version;
CALLISTO_API extern set_entry* callisto_debug_sets;
CALLISTO_KEPT constinit const std::uint32_t callisto_debug_version = 1;
CALLISTO_KEPT constinit set_entry* callisto_debug_sets = nullptr;
}

void add(set_entry& set) noexcept {
  const std::scoped_lock held(mutex());
  set.next = callisto_debug_sets;
  callisto_debug_sets = &set;
}

void remove(set_entry& set) noexcept {
  const std::scoped_lock held(mutex());
  set_entry** at = &callisto_debug_sets;
  while (*at != &set) at = &(*at)->next;
  *at = set.next;
}

}  // namespace callisto::workers::debugger
