// The loop of all text formats: many threads parse chunks; the first fault of the file is reported.
#pragma once

#include <callisto/graph/files/input/source.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace callisto::graph::formats {

/// Text that a format does not allow, in a line counted from 1.
struct fault {
  std::uint64_t line;
  std::string message;
};

/// Findings of a parser beside the edges.
struct line_findings {
  std::uint64_t count = 0;     ///< lines that are left out because of a fault
  std::optional<fault> first;  ///< the first of them
  bool large_weights = false;  ///< a weight is from 2^53 to 2^64, where whole numbers are rounded

  void add(fault wrong) {
    if (count++ == 0) first = std::move(wrong);
  }
};

/// Returns the message that a line is longer than `limit` bytes.
inline std::string overlong(std::size_t limit) { return "the line is longer than " + std::to_string(limit) + " bytes"; }

/// Returns the number of '\n' in `text`.
std::uint64_t count_lines(std::string_view text) noexcept;

/// Bytes of a chunk unless read_options say otherwise: the text and its edges stay in the second-level cache.
inline constexpr std::size_t usual_chunk = std::size_t{1} << 20;

/// Calls parse(text, lines, part) for every chunk, in parallel, and returns the parts in the order of the file. parse()
/// returns an optional fault, with its line counted within the chunk. Throws input_error for the first fault of the
/// file; all chunks before it have been parsed, so the number of its line is known. With `left_out`, parse() has a
/// fourth parameter for the lines that it leaves out, and `left_out` gets those of all chunks.
template <class Part, class Parse>
std::vector<Part> parse_chunks(input::source& from, const input::text_cut& cut, const Parse& parse,
                               line_findings* left_out = nullptr) {
  struct chunk_result {
    std::uint64_t lines = 0;
    std::optional<fault> wrong;
    line_findings left_out;
    Part part;
  };
  std::vector<chunk_result> results;
  std::mutex mutex;  // taken once a chunk: some thousand times a second
  from.for_each_chunk(cut, [&](const input::text_chunk& chunk) {
    chunk_result result;
    result.lines = count_lines(chunk.text);
    if constexpr (std::is_invocable_v<Parse, std::string_view, std::uint64_t, Part&, line_findings&>) {
      result.wrong = parse(chunk.text, result.lines, result.part, result.left_out);
    } else {
      result.wrong = parse(chunk.text, result.lines, result.part);
    }
    if (!result.wrong && chunk.overlong) {
      result.wrong = fault{result.lines + 1, overlong(cut.line_limit)};
    }
    const bool go_on = !result.wrong;
    const std::lock_guard lock(mutex);
    if (results.size() <= chunk.index) results.resize(chunk.index + 1);
    results[chunk.index] = std::move(result);
    return go_on;
  });
  // A part counts the lines before it only for a fault.
  std::uint64_t line = from.part().is_all() ? from.lines_before(cut) : 0;
  std::vector<Part> parts;
  parts.reserve(results.size());
  for (chunk_result& result : results) {
    if (result.wrong && !from.part().is_all()) line += from.lines_before(cut);
    if (result.wrong) throw input_error(from.name(), line + result.wrong->line, result.wrong->message);
    if (left_out != nullptr) left_out->large_weights |= result.left_out.large_weights;
    if (left_out != nullptr && result.left_out.count != 0) {
      result.left_out.first->line += line;
      left_out->count += result.left_out.count;
      if (!left_out->first) left_out->first = std::move(result.left_out.first);
    }
    line += result.lines;
    parts.push_back(std::move(result.part));
  }
  return parts;
}

}  // namespace callisto::graph::formats
