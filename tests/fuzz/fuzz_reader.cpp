// The libFuzzer target of one reader; CALLISTO_FUZZ_TARGET names it (tests/fuzz/check_reader.hpp).
#include "check_reader.hpp"

#include <callisto/callisto.hpp>

#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace callisto;
  static const graph::file_format format = [] {
    set_threads(1);  // many times faster on inputs this small; unit tests read with several threads
    for (const auto& target : graph::check::fuzz_targets) {
      if (target.name == std::string_view(CALLISTO_FUZZ_TARGET)) return target.format;
    }
    std::abort();
  }();
  graph::check::check_reader(std::as_bytes(std::span(data, size)), format);
  return 0;
}
