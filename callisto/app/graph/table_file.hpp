// Files of values that users write or that Callisto has written: fields by line.
#pragma once

#include <callisto/graph/csr/graph.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace callisto::app {

/// Calls f(line number, line) for each line of the file; one that is not UTF-8 is taken as Windows-1252. A usage_error
/// that f throws becomes an input_error with the file and the line. Throws input_error if the file cannot be read.
void for_each_text_line(const std::string& path,
                        const std::function<void(std::uint64_t number, std::string_view line)>& f);

/// Calls f(line number, fields) for each line of the file that is neither empty nor a comment; errors as above. Commas
/// separate the fields of a .csv file; of other files tabs, or blanks, commas and semicolons in a line without tabs. A
/// field may be in quotes, as --output writes it (RFC 4180), and then hold line breaks. A line that begins with '#' is
/// a comment unless its first field is the name of a vertex of `graph`.
void for_each_line(const std::string& path, const graph::any_graph& graph,
                   const std::function<void(std::uint64_t number, const std::vector<std::string_view>& fields)>& f);

}  // namespace callisto::app
