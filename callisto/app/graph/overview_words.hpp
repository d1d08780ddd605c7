// Words that `info`, and the text and the page of an overview, share.
#pragma once

#include <callisto/app/base/text.hpp>
#include <callisto/app/graph/input.hpp>
#include <callisto/app/graph/overview.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <string>
#include <vector>

namespace callisto::app {

/// Returns `part` in percent of `whole`; 0 if `whole` is 0.
inline double percentage(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

/// Returns a share in percent with three digits: "0.456 %".
inline std::string share_words(double part) {
  const double percent = 100 * part;
  if (percent == 0) return "0 %";
  if (percent < 0.001) return fmt::format("{:.1e} %", percent);
  return percent < 99.95 ? fmt::format("{:#.3g} %", percent) : fmt::format("{:.0f} %", percent);
}

/// Returns degrees in words: "min 0, mean 2.50, max 1,234".
inline std::string degree_words(const graph::degree_summary& degrees) {
  return fmt::format("min {}, mean {:.2f}, max {}", with_separators(degrees.min), degrees.mean,
                     with_separators(degrees.max));
}

/// Returns the diameter in words: "at least 12, at most 20", or "12" if that is certain.
inline std::string diameter_words(const graph::distance_sample& d) {
  if (d.diameter_low == d.diameter_high) return with_separators(d.diameter_low);
  return fmt::format("at least {}, at most {}", with_separators(d.diameter_low), with_separators(d.diameter_high));
}

/// Returns a score as a share, an estimate with its standard error: "0.46 %", "0.46 % +- 0.02 %".
inline std::string score_words(const ranked_vertex& v) {
  return v.error == 0 ? share_words(v.score) : share_words(v.score) + " +- " + share_words(v.error);
}

/// Returns what was done with weights, to stand behind a heading; nothing if the graph has none.
inline std::string weight_words(graph::weight_use used, const loaded_graph& loaded) {
  if (!size_of(loaded.graph).weighted) return {};
  const bool counts = loaded.weights_are_counts();
  if (used == graph::weight_use::strength) return counts ? ", repeated edges as strengths" : ", weights as strengths";
  return counts ? "" : ", weights not used";
}

/// Returns where the scores of betweenness come from: "exact" or "from 64 random sources".
inline std::string betweenness_words(const vertex_ranking& ranking) {
  return ranking.exact ? "exact" : "from " + counted(ranking.sources, "random source");
}

}  // namespace callisto::app
