// Where the frames of a zstd file lie, each of which can be decompressed without those before it.
#pragma once

#include <callisto/graph/files/input/byte_stream.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace callisto::graph::input {

/// Copies bytes from a position of a file.
using read_at = std::function<void(std::uint64_t position, char* to, std::size_t count)>;

/// Returns where the frames with data begin in the first `size` bytes of a file, and then `size`. Skippable frames,
/// such as the table of the seekable format, belong to the frame before. Nothing but `size` if something is no frame of
/// version 0.8 or newer, or not whole. Reads 3 bytes of each block, which has up to 128 KiB of content.
std::vector<std::uint64_t> find_zstd_frames(std::uint64_t size, const read_at& read);

/// Returns what a part of a text has of its lines: of `own` all bytes but the first line unless `begins` (it may be the
/// end of a line of the part before), and of rest(), which is behind it, the first line.
std::unique_ptr<byte_stream> lines_of_part(bool begins, std::unique_ptr<byte_stream> own,
                                           std::function<std::unique_ptr<byte_stream>()> rest);

}  // namespace callisto::graph::input
