// Vertices as users know them: by number or by name.
#pragma once

#include <callisto/app/base/json.hpp>
#include <callisto/graph/csr/graph.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::app {

/// A vertex as the user calls it: a number, or a name. Formats as append_label() does, and becomes a number or a string
/// in JSON and in cells of a ranking.
class vertex_label {
 public:
  vertex_label() = default;
  explicit vertex_label(std::uint64_t number) : is_(number) {}
  explicit vertex_label(std::string name) : is_(std::move(name)) {}

  bool operator==(const vertex_label&) const = default;
  bool operator==(std::uint64_t number) const { return is_ == std::variant<std::uint64_t, std::string>(number); }

  std::string text() const;
  operator json() const;                                              // NOLINT: meant to be implicit
  operator std::variant<std::uint64_t, double, std::string>() const;  // NOLINT: a cell of a ranking

 private:
  std::variant<std::uint64_t, std::string> is_;
};

/// Returns what the user calls vertex `v`: a number, unless vertices have names or one of their numbers is above
/// largest_json_number; then a text.
vertex_label label_of(const graph::any_graph& graph, std::uint64_t v);

/// Appends what the user calls vertex `v` to a line of cells with tabs between. Within the command a tab, a line break
/// and a backslash in a name are \t, \n, \r and \\, so that a line can be cut into cells: as_row() and cell_text() take
/// this back.
void append_label(std::string& line, const graph::any_graph& graph, std::uint64_t v);

/// Returns labels with commas between them, for people.
std::string list_words(const std::vector<vertex_label>& labels);

/// Returns the labels of these vertices with arrows between; of a long path the ends.
std::string arrows(const graph::any_graph& graph, const std::vector<std::uint64_t>& vertices);

/// Returns `name` as append_label() appends it.
std::string in_one_column(std::string_view name);

/// Returns the name that in_one_column() made this cell of; other cells hold no backslash and stay.
std::string cell_text(std::string_view cell);

/// Returns the vertex with the i-th smallest label; i counts from 0.
std::uint64_t by_label(const graph::any_graph& graph, std::uint64_t i);

/// Returns the vertex that the user calls `label`. Throws usage_error, which names `flag`, if there is none.
std::uint64_t vertex_of(const graph::any_graph& graph, std::string_view label, std::string_view flag);

}  // namespace callisto::app

template <>
struct fmt::formatter<callisto::app::vertex_label> : fmt::formatter<std::string> {
  auto format(const callisto::app::vertex_label& label, fmt::format_context& to) const -> decltype(to.out()) {
    return fmt::formatter<std::string>::format(callisto::app::in_one_column(label.text()), to);
  }
};
