// Lists of words on the command line, separated by commas.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace callisto::app {

/// The words of `list`, none of which is left out, also empty ones.
std::vector<std::string> words_of(std::string_view list);

/// The same, each of which must be one of `known`; throws usage_error that names `flag`.
std::vector<std::string> words_of(std::string_view list, const std::string& flag,
                                  const std::vector<std::string>& known);

}  // namespace callisto::app
