// The loop of all text formats: many threads parse chunks; the first fault of the file is reported.
#pragma once

#include <callisto/graph/files/input/source.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace callisto::graph::formats {

/// Text that a format does not allow, in a line counted from 1.
struct fault {
  std::uint64_t line;
  std::string message;
};

/// Returns the message that a line is longer than `limit` bytes.
inline std::string overlong(std::size_t limit) { return "the line is longer than " + std::to_string(limit) + " bytes"; }

/// Returns the number of '\n' in `text`.
std::uint64_t count_lines(std::string_view text) noexcept;

/// Bytes of a chunk unless read_options say otherwise: the text and its edges stay in the second-level cache.
inline constexpr std::size_t usual_chunk = std::size_t{1} << 20;

/// Calls parse(text, lines, part) for every chunk, in parallel, and returns the parts in the order of the file. parse()
/// returns an optional fault, with its line counted within the chunk. Throws input_error for the first fault of the
/// file; all chunks before it have been parsed, so the number of its line is known.
template <class Part, class Parse>
std::vector<Part> parse_chunks(input::source& from, const input::text_cut& cut, const Parse& parse) {
  struct chunk_result {
    std::uint64_t lines = 0;
    std::optional<fault> wrong;
    Part part;
  };
  std::vector<chunk_result> results;
  std::mutex mutex;  // taken once a chunk: some thousand times a second
  from.for_each_chunk(cut, [&](const input::text_chunk& chunk) {
    chunk_result result;
    result.lines = count_lines(chunk.text);
    result.wrong = parse(chunk.text, result.lines, result.part);
    if (!result.wrong && chunk.overlong) {
      result.wrong = fault{result.lines + 1, overlong(cut.line_limit)};
    }
    const bool go_on = !result.wrong;
    const std::lock_guard lock(mutex);
    if (results.size() <= chunk.index) results.resize(chunk.index + 1);
    results[chunk.index] = std::move(result);
    return go_on;
  });
  std::uint64_t line = count_lines(from.head().substr(0, cut.skip));
  std::vector<Part> parts;
  parts.reserve(results.size());
  for (chunk_result& result : results) {
    if (result.wrong) throw input_error(from.name(), line + result.wrong->line, result.wrong->message);
    line += result.lines;
    parts.push_back(std::move(result.part));
  }
  return parts;
}

}  // namespace callisto::graph::formats
