// Files that libarchive reads: compressions other than gzip and zstd, and the members of archives.
//
// libarchive brings a dozen libraries; most commands read none of these files. So the library is opened when the first
// such file is met, and Callisto links to nothing of it.
#pragma once

#include <callisto/graph/files/input/byte_stream.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace callisto::graph::input {

/// Kind of a content, as its first bytes show it.
enum class wrapping {
  none,
  gzip,
  zstd,
  other_compression,  ///< bzip2, xz, lzma, lzip or lz4
  archive,            ///< tar or zip
  carriage_returns,   ///< a text with carriage returns as its line ends
};

/// Bytes at the front of a content that tell how it is wrapped: a tar header.
inline constexpr std::size_t telling_bytes = 512;

/// Returns how a content is wrapped, by its first `telling_bytes` bytes, or all if it is shorter. A zip file that
/// begins with an array of numpy is no archive: it is a matrix of scipy. Throws input_error for wrappings that are
/// recognized but not supported.
wrapping wrapping_of(std::string_view first_bytes, const std::string& name);

/// Bytes at the front of a text that tell how its lines end.
inline constexpr std::size_t telling_text_bytes = std::size_t{1} << 16;

/// True for a text, by its first `telling_text_bytes` bytes, in which carriage returns alone end the lines.
bool has_carriage_returns_only(std::string_view first_bytes) noexcept;

/// Returns the content of `inner` without any wrapping, up to four deep, and without a UTF-8 byte order mark. Of an
/// archive it is the content of `member` or, if that is empty, of the first member that is no documentation; `notes`
/// gets a line that names it, and `name` gets its path. Throws input_error if there is no such member or the library
/// is not installed.
std::unique_ptr<byte_stream> unwrapped(std::unique_ptr<byte_stream> inner, std::string& name, const std::string& member,
                                       std::vector<std::string>& notes);

/// Returns the path of the first member of the archive `inner` that has a suffix which only graphs have; empty if there
/// is none. Reads past all members before it. Throws input_error.
std::string surest_member(std::unique_ptr<byte_stream> inner, const std::string& name);

/// Returns the bytes of each member of the zip archive `bytes`, by name, in the order of the archive. Throws
/// input_error.
std::vector<std::pair<std::string, std::string>> members_of(std::string_view bytes, const std::string& name);

}  // namespace callisto::graph::input
