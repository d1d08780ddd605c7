// Splits lists into words and refuses unknown words.
#include <callisto/app/base/word_list.hpp>

#include <callisto/app/base/text.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>

namespace callisto::app {

std::vector<std::string> words_of(std::string_view list) {
  std::vector<std::string> all;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    all.emplace_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return all;
}

std::vector<std::string> words_of(std::string_view list, const std::string& flag,
                                  const std::vector<std::string>& known) {
  std::vector<std::string> all = words_of(list);
  for (const std::string& word : all) {
    if (std::find(known.begin(), known.end(), word) == known.end()) {
      throw usage_error(
          fmt::format("{}: expected some of {}; found '{}'", flag, fmt::join(known, ", "), one_line(word)));
    }
  }
  return all;
}

}  // namespace callisto::app
