// Streams, cut into chunks of whole lines: compressed files and pipes.
#pragma once

#include <callisto/graph/files/input/byte_stream.hpp>
#include <callisto/graph/files/input/source.hpp>

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

namespace callisto::graph::input {

/// Opens a stream, which may be stopped, and tells how many bytes were read.
using stream_opener = std::function<std::unique_ptr<byte_stream>(std::stop_token, on_read)>;

/// Returns the content of a stream; of an archive its member. One thread reads and decompresses it, the threads of the
/// loop parse. `note`: added to the source's notes unless it is empty.
std::unique_ptr<source> make_streamed_source(const stream_opener& open, std::string name, const std::string& member,
                                             const run_control& control, std::string note = {});

}  // namespace callisto::graph::input
