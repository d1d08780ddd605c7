// What the tests of readers share: an input read whole and in small chunks, and the error of one that is refused.
#pragma once

#include "../fuzz/check_reader.hpp"

#include <callisto/graph/files/read.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace callisto::graph {

using edges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
using names = std::vector<std::string>;
using weights = std::vector<double>;

struct reading {
  check::outcome graph;
  read_report report;

  /// True if a note contains `part`.
  bool notes(std::string_view part) const {
    return std::any_of(report.notes.begin(), report.notes.end(),
                       [&](const std::string& note) { return note.find(part) != note.npos; });
  }
};

/// Reads `text` whole and in chunks of a few bytes, which must agree.
inline reading read(const std::string& text, const read_options& options = {}, const std::string& name = "graph") {
  reading result;
  const auto bytes = std::as_bytes(std::span(text));
  result.graph = check::flattened(read_edges(bytes, name, options, {}, &result.report));
  read_options small = options;
  small.chunk_bytes = 5;
  EXPECT_EQ(check::flattened(read_edges(bytes, name, small)), result.graph) << text;
  return result;
}

/// Returns the message of the error that reading `text` throws; empty if there is none.
inline std::string error_of(const std::string& text, const read_options& options = {},
                            const std::string& name = "graph") {
  return check::read_as(std::as_bytes(std::span(text)), name, options).error;
}

}  // namespace callisto::graph
