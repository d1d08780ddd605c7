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

/// What the user calls a vertex: a number, or a name. Formats as append_label() does, and becomes a number or a string
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

/// Returns what the user calls vertex `v`.
vertex_label label_of(const graph::any_graph& graph, std::uint64_t v);

/// Appends what the user calls vertex `v` to a line with tabs between columns: a tab, a line break and a backslash in a
/// name become \t, \n, \r and \\.
void append_label(std::string& line, const graph::any_graph& graph, std::uint64_t v);

/// Returns labels with commas between them.
std::string list_words(const std::vector<vertex_label>& labels);

/// Returns `name` with a tab, a line break and a backslash as \t, \n, \r and \\.
std::string in_one_column(std::string_view name);

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
