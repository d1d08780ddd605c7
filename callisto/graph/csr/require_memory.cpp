// The comparison of what work needs with what the machine has left.
#include <callisto/graph/csr/require_memory.hpp>

#include <callisto/machine/host/memory.hpp>

#include <fmt/format.h>

namespace callisto::graph {
namespace {

/// Work that needs no more begins without a look, which would take longer than the work itself: a graph of some edges
/// is built in microseconds.
constexpr std::uint64_t needs_no_look = std::uint64_t{1} << 20;

machine::memory_left memory(std::uint64_t granted) {
  return granted != 0 ? machine::memory_left{granted, "as granted"} : machine::available_memory();
}

bool needs_look(std::uint64_t bytes, std::uint64_t granted) { return granted != 0 || bytes > needs_no_look; }

}  // namespace

bool has_memory(std::uint64_t bytes, std::uint64_t granted) {
  return !needs_look(bytes, granted) || bytes <= memory(granted).bytes;
}

void require_memory(std::string_view what, std::uint64_t bytes, std::uint64_t granted) {
  if (!needs_look(bytes, granted)) return;
  const machine::memory_left left = memory(granted);
  if (bytes <= left.bytes) return;
  throw memory_error(fmt::format("{} may need {} MiB of memory, {} MiB are available ({})", what, (bytes >> 20) + 1,
                                 left.bytes >> 20, left.limit));
}

}  // namespace callisto::graph
