// The libFuzzer target of the broker's messages: whatever the bytes, parsing reads none outside, and a parsed message
// has the same bytes.
#include <callisto/broker/messages.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <variant>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace callisto::broker;
  std::unique_ptr<std::byte[]> bytes(new std::byte[size]);  // its end is watched
  if (size != 0) std::memcpy(bytes.get(), data, size);
  // Half of them have a right header but for the kind.
  const message_header right;
  if (size >= sizeof right && data[size - 1] % 2 != 0) std::memcpy(bytes.get(), &right, sizeof right - 2);
  const std::span<const std::byte> all(bytes.get(), size);
  version_of_hello(all);
  const auto parsed = parse(all);
  if (!parsed) return 0;
  std::visit(
      [&](const auto& m) {
        if (sizeof m != size || std::memcmp(&m, bytes.get(), size) != 0) std::abort();
      },
      *parsed);
  if (const auto* const h = std::get_if<hello>(&*parsed)) {
    if (demand_of(h->facts).contexts.empty()) std::abort();
  }
  if (const auto* const p = std::get_if<usage_page>(&*parsed)) {
    if (p->count > p->lines.size()) std::abort();
  }
  return 0;
}
