// Reports the pairs experiment as text, as JSON, as a page of heat maps and curves, and as a section of
// docs/results/papers.md.
#pragma once

#include <callisto/app/base/json.hpp>
#include <lab/experiments/pairs_results.hpp>
#include <lab/names.hpp>

#include <string>

namespace callisto::lab {

json to_json(const pairs_results& r);

/// Returns tables, and which of the limits are kept.
std::string to_words(const pairs_results& r);

/// Returns the paper's figures 9 to 13 as one HTML page.
std::string to_page(const pairs_results& r);

/// Returns the tables of docs/results/papers.md in Markdown: the paper's statements beside the results.
std::string to_markdown(const pairs_results& r);

}  // namespace callisto::lab
