// Lists of words on the command line, separated by commas.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace callisto::app {

/// Returns all words of `list`, empty ones included.
std::vector<std::string> words_of(std::string_view list);

/// Returns all words of `list`, each of which must be one of `known`. Throws usage_error, which names `flag`, if a word
/// is not known.
std::vector<std::string> words_of(std::string_view list, const std::string& flag,
                                  const std::vector<std::string>& known);

}  // namespace callisto::app
