// Writes an overview of a graph as text, as JSON and as a page.
#pragma once

#include <callisto/app/base/json.hpp>
#include <callisto/app/graph/input.hpp>
#include <callisto/app/graph/overview.hpp>

#include <string>

namespace callisto::app {

/// Returns the keys of the JSON object behind the keys that describe() returns.
json to_json(const overview& found, bool directed);

/// Returns the text for people: the rows of describe(), the rows of the overview, then rankings and times.
std::string to_words(const overview& found, const graph_input& input, const loaded_graph& loaded);

/// Returns a self-contained HTML page with pictures.
std::string to_page(const overview& found, const graph_input& input, const loaded_graph& loaded);

}  // namespace callisto::app
