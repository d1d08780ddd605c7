// The libFuzzer target of descriptions of machines: an accepted description can be written, and reads back equal.
#include <callisto/machine/simulated/description.hpp>
#include <callisto/machine/system/error.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace callisto;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string once;
  try {
    once = machine::simulation::to_text(machine::simulation::parse_description(text, "fuzz"));
  } catch (const input_error&) {
    return 0;
  }
  if (machine::simulation::to_text(machine::simulation::parse_description(once, "written")) != once) std::abort();
  return 0;
}
