// The libFuzzer target of conditions: any text is parsed, or refused with a place in it.
#include <callisto/graph/attributes/condition.hpp>
#include <callisto/machine/system/error.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const callisto::graph::condition parsed({reinterpret_cast<const char*>(data), size});
    static_cast<void>(parsed.speaks_of_edges(nullptr));
  } catch (const callisto::usage_error& e) {
    if (!std::string_view(e.what()).starts_with("--where: column ")) std::abort();
  }
  return 0;
}
