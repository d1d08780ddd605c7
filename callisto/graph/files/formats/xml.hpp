// Reading XML in order, by expat. Callisto opens expat when the first XML file is met, and links to nothing of it.
#pragma once

#include <callisto/graph/files/input/source.hpp>

#include <functional>
#include <optional>
#include <string_view>

namespace callisto::graph::formats {

/// The attributes of an element.
class xml_attributes {
 public:
  explicit xml_attributes(const char** pairs) noexcept : pairs_(pairs) {}
  /// Returns the value of the attribute of this name.
  std::optional<std::string_view> find(std::string_view name) const noexcept {
    for (const char** pair = pairs_; *pair != nullptr; pair += 2) {
      if (name == pair[0]) return pair[1];
    }
    return std::nullopt;
  }

 private:
  const char** pairs_;
};

/// Actions for the parts of a document. Names of elements come without a prefix ("viz:").
struct xml_handler {
  std::function<void(std::string_view name, const xml_attributes& attributes)> begin;
  std::function<void(std::string_view name)> end;
  std::function<void(std::string_view piece)> text;  ///< a text may come in several pieces
};

/// Reads the document. Throws input_error, with the line, for text that is no XML, and what the handler throws.
void parse_xml(input::source& from, const xml_handler& handler);

}  // namespace callisto::graph::formats
