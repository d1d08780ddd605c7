// Lists and dictionaries as Python prints them, as JSON: "[('a', 'b', {'weight': 3})]".
#pragma once

#include <string>
#include <string_view>

namespace callisto::graph::formats {

/// True if the text begins as Python prints a list of tuples or strings, or a dictionary, and as JSON does not.
bool is_python_literal(std::string_view text) noexcept;

/// True if it begins as no table does: a tuple of tuples, or NetworkX's "EdgeView([(0, 1)])".
bool is_python_view(std::string_view text) noexcept;

/// Returns the text with brackets for parentheses, double quotes for single ones, and the words of JSON for those of
/// Python. A text that Python does not print stays one that is no JSON.
std::string json_of_python(std::string_view text);

}  // namespace callisto::graph::formats
