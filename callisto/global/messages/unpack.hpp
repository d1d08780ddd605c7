// Reads the runs of a packet that arrived, and believes none of its numbers.
#pragma once

#include <callisto/global/messages/wire.hpp>
#include <callisto/global/transport/packet.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace callisto::global {

/// Calls on_run(header, records) for each run of the packet of `size` bytes at `bytes`, up to the first damaged one.
/// Returns what is damaged, or an empty string. `handlers` and `ranks` are one more than the largest numbers allowed.
template <class OnRun>
std::string unpack(const std::byte* bytes, std::size_t size, std::size_t handlers, std::size_t ranks, OnRun on_run) {
  packet_header header;
  if (size < sizeof header) return std::to_string(size) + " bytes; expected a header of 24";
  std::memcpy(&header, bytes, sizeof header);
  if (header.magic != packet_header{}.magic) return "byte 7 is " + std::to_string(header.magic) + "; expected 197";
  if (header.bytes != size)
    return "it has " + std::to_string(size) + " bytes; its header says " + std::to_string(header.bytes);
  if (header.source >= ranks) return "it comes from rank " + std::to_string(header.source);
  if (header.channel > 1) return "channel " + std::to_string(header.channel) + "; expected 0 or 1";
  std::size_t at = sizeof header;
  while (at != size) {
    const auto damaged = [place = at](const std::string& how) {
      return "the run at byte " + std::to_string(place) + " " + how;
    };
    run_header run;
    if (size - at < sizeof run) return damaged("has no whole header");
    std::memcpy(&run, bytes + at, sizeof run);
    at += sizeof run;
    if (run.id >= handlers) return damaged("has handler " + std::to_string(run.id));
    if (run.to >= ranks) return damaged("goes to rank " + std::to_string(run.to));
    if (run.bytes % wire_alignment != 0 || run.bytes > size - at)
      return damaged("has " + std::to_string(run.bytes) + " bytes; " + std::to_string(size - at) + " are left");
    if (!on_run(run, bytes + at)) return damaged("ends inside a record");
    at += run.bytes;
  }
  return {};
}

}  // namespace callisto::global
