// An overview of a graph as text, as JSON and as a page.
#pragma once

#include <callisto/app/base/json.hpp>
#include <callisto/app/graph/input.hpp>
#include <callisto/app/graph/overview.hpp>

#include <string>

namespace callisto::app {

/// The keys behind those that describe() gives.
json to_json(const overview& found);

/// The rows behind those that describe() gives, then rankings and times.
std::string to_words(const overview& found, const graph_input& input, const loaded_graph& loaded);

/// A self-contained HTML page with pictures.
std::string to_page(const overview& found, const graph_input& input, const loaded_graph& loaded);

}  // namespace callisto::app
