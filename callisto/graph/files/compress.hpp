// Compressing what is written, as the name of its file says.
#pragma once

#include <callisto/export.hpp>

#include <string>
#include <string_view>

namespace callisto::graph {

enum class compression { none, gzip, zstd };

/// Returns the compression that the suffix of a file's name says: .gz, .zst, or none.
CALLISTO_API compression compression_of(std::string_view path) noexcept;

/// Returns the name without the suffix of its compression.
CALLISTO_API std::string_view without_compression(std::string_view path) noexcept;

/// Returns `text` as a gzip member or a zstd frame, of which a file may hold several in sequence. Throws
/// std::bad_alloc.
CALLISTO_API std::string compressed(std::string text, compression method);

}  // namespace callisto::graph
