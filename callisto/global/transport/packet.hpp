// Packets: what the transport carries. A packet owns its memory and goes from hand to hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace callisto::global {

/// The first bytes of each packet on the wire. Runs of messages follow (messages/wire.hpp).
struct packet_header {
  std::uint32_t bytes = 0;       ///< of the whole packet, this header included
  std::uint16_t source = 0;      ///< the rank that sent the packet
  std::uint8_t channel = 0;      ///< 0: sent by tasks, 1: sent by handlers
  std::uint8_t magic = 0xc5;     ///< damaged or foreign packets rarely have it
  std::uint32_t charge = 0;      ///< bytes of the receiver's window that this packet takes
  std::uint32_t credit[2] = {};  ///< charges that the sender gives back to the receiver, by channel
  std::uint32_t phase = 0;       ///< the latest that the sender has heard of, modulo 2^32 (rank_context::hear_of_phase)
};
static_assert(sizeof(packet_header) == 24);

/// The most bytes of a packet.
inline constexpr std::size_t most_packet = std::size_t{64} << 10;
/// The fewest bytes that a packet has room for.
inline constexpr std::size_t least_packet = std::size_t{4} << 10;

/// A buffer of `capacity` bytes behind a header. Owned by one thread at a time.
struct packet {
  explicit packet(std::size_t capacity_in) : capacity(static_cast<std::uint32_t>(capacity_in)) {}

  packet_header& header() noexcept { return *reinterpret_cast<packet_header*>(bytes()); }
  std::byte* bytes() noexcept { return reinterpret_cast<std::byte*>(this) + offset; }
  std::byte* body() noexcept { return bytes() + sizeof(packet_header); }
  std::byte* end() noexcept { return bytes() + capacity; }
  std::uint32_t size() noexcept { return header().bytes; }

  static constexpr std::size_t offset = 40;  ///< so that the body is aligned to 64 bytes

  std::uint32_t capacity;  ///< bytes, the header included
  std::int32_t peer = -1;  ///< the rank that it goes to
  std::int32_t home = -1;  ///< its number in the memory of a node; -1: on the heap
};
static_assert(sizeof(packet) <= packet::offset && (packet::offset + sizeof(packet_header)) % 64 == 0);

struct packet_deleter {
  void operator()(packet* p) const noexcept;
};
/// A packet that its holder owns.
using packet_pointer = std::unique_ptr<packet, packet_deleter>;

/// The bytes of memory for a packet with `capacity` bytes, a multiple of 64.
constexpr std::size_t packet_memory(std::size_t capacity) noexcept {
  return (packet::offset + capacity + 63) / 64 * 64;
}

/// Makes a packet with `capacity` bytes. Throws std::bad_alloc.
packet_pointer make_packet(std::size_t capacity);

/// Packets that were used up, by capacity, for the next ones. Any thread may call.
class packet_pool {
 public:
  /// Returns a packet with at least `capacity` bytes, at most most_packet: 4, 8, 16, 32 or 64 KiB. Its header is fresh.
  packet_pointer take(std::size_t capacity);
  void give(packet_pointer p) noexcept;

 private:
  static constexpr unsigned sizes = 5;
  static_assert(least_packet << (sizes - 1) == most_packet);

  std::mutex lock_;
  std::vector<packet_pointer> kept_[sizes];
};

}  // namespace callisto::global
