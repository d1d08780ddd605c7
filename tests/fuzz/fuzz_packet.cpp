// The libFuzzer target of packets that arrive: whatever the bytes, unpacking reads no byte outside and says what is
// damaged, or handles whole records.
#include <callisto/global/messages/handlers.hpp>
#include <callisto/global/messages/unpack.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>

namespace {

using namespace callisto::global;

std::uint64_t seen;

struct of_words {
  std::uint64_t a, b;
  const void* prefetch() const { return &seen; }
  void operator()() const { seen += a ^ b; }
};
struct of_bytes {
  std::uint32_t a;
  void operator()() const { seen += a; }
};
struct with_payload {
  std::uint64_t a;
  void operator()(std::span<const std::byte> bytes) const {
    for (const std::byte b : bytes) seen += a + static_cast<std::uint64_t>(b);
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > most_packet) return 0;
  // Half of the packets have a right header, so that their runs are read.
  const bool has_right_header = data[0] % 2 != 0;
  std::unique_ptr<std::byte[]> bytes(new std::byte[size]);  // its end is watched
  std::memcpy(bytes.get(), data, size);
  if (has_right_header && size >= sizeof(packet_header)) {
    packet_header h;
    h.bytes = static_cast<std::uint32_t>(size);
    std::memcpy(bytes.get(), &h, sizeof h);
  }
  constexpr run_function functions[] = {detail::run_records<of_words>, detail::run_records<of_bytes>,
                                        detail::run_payload_records<with_payload>};
  std::uint64_t handled = 0;
  const std::string damage = unpack(
      bytes.get(), size, std::size(functions), 4,
      [&](const run_header& run, const std::byte* records) { return functions[run.id](records, run.bytes, handled); });
  if (damage.find('\n') != std::string::npos) std::abort();
  if (handled > size) std::abort();
  return 0;
}
