// Files of values that users write or that Callisto has written: fields by line.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace callisto::app {

/// Calls f(line number, line) for each line of the file. A usage_error that f throws becomes an input_error with the
/// file and the line. Throws input_error if the file cannot be read.
void for_each_text_line(const std::string& path,
                        const std::function<void(std::uint64_t number, std::string_view line)>& f);

/// Calls f(line number, fields) for each line of the file that is neither empty nor begins with '#'; errors as above.
/// Blanks, tabs, commas and semicolons separate fields.
void for_each_line(const std::string& path,
                   const std::function<void(std::uint64_t number, const std::vector<std::string_view>& fields)>& f);

}  // namespace callisto::app
