// The comparison of what work needs with what the machine has left.
#include <callisto/graph/csr/require_memory.hpp>

#include <callisto/machine/host/memory.hpp>

#include <fmt/format.h>

namespace callisto::graph {

void require_memory(std::string_view what, std::uint64_t bytes, std::uint64_t granted) {
  const machine::memory_left left =
      granted != 0 ? machine::memory_left{granted, "as granted"} : machine::available_memory();
  if (bytes <= left.bytes) return;
  throw memory_error(fmt::format("{} may need {} MiB of memory, {} MiB are available ({})", what, (bytes >> 20) + 1,
                                 left.bytes >> 20, left.limit));
}

}  // namespace callisto::graph
