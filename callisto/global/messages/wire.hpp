// The contents of a packet: runs of messages of one handler for one rank.
//
// A packet is a header (transport/packet.hpp) and runs; a run is a header and records back to back. All records of a
// run have the same handler, so a record is no more than the bytes of its function object.
#pragma once

#include <cstddef>
#include <cstdint>

namespace callisto::global {

/// The number of a handler; the same in every rank.
using handler_id = std::uint16_t;

/// Before the records of a run.
struct run_header {
  handler_id id = 0;
  std::uint16_t to = 0;     ///< the rank that handles the run
  std::uint32_t bytes = 0;  ///< of the records
};
static_assert(sizeof(run_header) == 8);

/// Records and runs begin at multiples of this.
inline constexpr std::size_t wire_alignment = 8;

/// Returns `bytes` rounded up to whole words.
constexpr std::size_t on_wire(std::size_t bytes) noexcept {
  return (bytes + wire_alignment - 1) / wire_alignment * wire_alignment;
}

/// The most bytes that come along with a function object.
inline constexpr std::size_t most_payload = std::size_t{32} << 10;

}  // namespace callisto::global
