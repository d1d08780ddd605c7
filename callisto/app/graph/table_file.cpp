// Reads files of values.
#include <callisto/app/graph/table_file.hpp>

#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>

namespace callisto::app {

void for_each_text_line(const std::string& path,
                        const std::function<void(std::uint64_t number, std::string_view line)>& f) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    try {
      f(number, line);
    } catch (const usage_error& e) {
      throw input_error(path, number, e.what());
    }
  }
  if (!file.eof()) {
    throw input_error(path, 0, "cannot read: " + std::generic_category().message(errno != 0 ? errno : EIO));
  }
}

void for_each_line(const std::string& path,
                   const std::function<void(std::uint64_t number, const std::vector<std::string_view>& fields)>& f) {
  std::vector<std::string_view> fields;
  for_each_text_line(path, [&](std::uint64_t number, std::string_view text) {
    fields.clear();
    // Names between tabs may hold the other separators.
    const std::string_view separators = text.find('\t') != text.npos ? "\t\r" : " \t\r,;";
    for (std::size_t at = text.find_first_not_of(separators); at != text.npos;) {
      const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
      fields.push_back(text.substr(at, end - at));
      at = text.find_first_not_of(separators, end);
    }
    if (!fields.empty() && fields.front().front() != '#') f(number, fields);
  });
}

}  // namespace callisto::app
