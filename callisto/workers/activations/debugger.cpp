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
// Exported, so that a stripped shared library has them, too.
CALLISTO_API extern const std::uint32_t callisto_debug_version;
CALLISTO_API extern set_entry* callisto_debug_sets;
[[gnu::used]] constinit const std::uint32_t callisto_debug_version = 1;
[[gnu::used]] constinit set_entry* callisto_debug_sets = nullptr;
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
