// Streams, cut into chunks of whole lines: compressed files and pipes.
#pragma once

#include <callisto/graph/files/input/byte_stream.hpp>
#include <callisto/graph/files/input/source.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace callisto::graph::input {

/// Opens a stream, which may be stopped, and tells how many bytes were read.
using stream_opener = std::function<std::unique_ptr<byte_stream>(std::stop_token, on_read)>;

/// Returns the content of a stream; of an archive its member. One thread reads and decompresses it, the threads of the
/// loop parse. `note`: added to the source's notes unless it is empty.
std::unique_ptr<source> make_streamed_source(const stream_opener& open, std::string name, const std::string& member,
                                             const run_control& control, std::string note = {});

/// Opens the bytes [first, last) of a file as a stream.
using range_opener =
    std::function<std::unique_ptr<byte_stream>(std::uint64_t first, std::uint64_t last, std::stop_token, on_read)>;

/// Returns a part of the text in a zstd file with these frames (find_zstd_frames()): the lines of frames that follow
/// each other. Parts have about as many bytes of the file each, but no part other than the first begins in the head.
/// Throws read_as_whole for a content that is wrapped once more.
std::unique_ptr<source> make_framed_source(const range_opener& open, std::vector<std::uint64_t> frames,
                                           std::string name, const run_control& control, const content_part& part);

}  // namespace callisto::graph::input
