// The reader of Pajek's networks (.net) and projects (.paj): *Vertices, then sections of arcs and edges.
#include <callisto/graph/files/formats/collector.hpp>
#include <callisto/graph/files/formats/edge_lines.hpp>
#include <callisto/graph/files/formats/table_layout.hpp>
#include <callisto/graph/files/input/references.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace callisto::graph::formats {
namespace {

class pajek_reader {
 public:
  pajek_reader(const input::source& from, const read_options& options)
      : graph_(from, options.attributes), from_(from), weights_(options.weights_column != "none") {}

  void run(std::string_view text, read_report& report) {
    text_ = text;
    bytes_ = text.size();
    input::line_reader lines(text, true);
    while (lines.next()) {
      line_ = lines.number();
      std::string_view line = lines.line();
      if (begins_comment(line)) {
        while (lines.line().find("*/") == line.npos && lines.next()) continue;
        continue;
      }
      const std::size_t first = line.find_first_not_of(" \t\r");
      if (first == line.npos || line[first] == '%') continue;
      line.remove_prefix(first);
      if (line.front() == '*') {
        if (!begin_section(line)) {
          report.notes.emplace_back("holds several networks, of which the first is read");
          break;
        }
        continue;
      }
      if (part_ == part::network) handle(line);
    }
    if (vertices_ == 0) {
      throw input_error(from_.name(), 0,
                        part_ == part::network ? "expected '*Vertices N'; there is none"
                                               : "holds partitions or vectors of vertices, but no network");
    }
    if (!with_edges_) throw input_error(from_.name(), 0, "expected '*Arcs', '*Edges' or '*Matrix'; there is none");
    if (relations_.size() > 1) {
      report.notes.push_back("holds " + std::to_string(relations_.size()) + " relations, which are read as one graph");
    }
    if (odd_quotes_ > 0) {
      report.notes.push_back(input::counted(odd_quotes_, "label") + " with an odd quote: a label ends at the next one");
    }
  }

  /// True for "/* comment", which ends in this line or in a later one.
  static bool begins_comment(std::string_view line) { return input::trimmed(line, " \t\r").starts_with("/*"); }

  collector& graph() noexcept { return graph_; }
  /// True if the file has sections of arcs only.
  bool directed() const noexcept { return arcs_ && !lines_; }

 private:
  /// The object that lines belong to: a network; or a partition, vector or the like, before and behind its own
  /// *Vertices.
  enum class part { network, other_begun, other };

  /// Begins the section of a line with a star. Returns false where a second network begins.
  bool begin_section(std::string_view line) {
    const std::size_t end = std::min(line.find_first_of(" \t:\r"), line.size());
    section_ = input::lower_case(line.substr(0, end));
    if (section_.starts_with("*net") || (section_ == "*vertices" && part_ != part::other_begun)) {
      if (vertices_ != 0) return false;
      part_ = part::network;
      if (section_ == "*vertices") begin_vertices(line);
    } else if (section_ == "*vertices") {
      part_ = part::other;
    } else if (section_ == "*partition" || section_ == "*vector" || section_ == "*permutation" ||
               section_ == "*cluster" || section_ == "*hierarchy") {
      part_ = part::other_begun;
    } else if (part_ == part::network) {
      with_edges_ = true;
      (section_.starts_with("*edges") ? lines_ : arcs_) = true;
      matrix_row_ = 0;
      const std::string_view rest = input::trimmed(line.substr(end), " \t\r");
      if (rest.starts_with(':')) relations_.emplace(rest.substr(1, rest.find_first_of(" \t") - 1));
    }
    return true;
  }

  [[noreturn]] void fail(const std::string& message) const { throw input_error(from_.name(), line_, message); }

  void begin_vertices(std::string_view line) {
    const input::columns words = input::split(line);
    const auto count = words.count >= 2 ? input::to_unsigned(words.text[1]) : std::nullopt;
    if (!count || *count == 0) fail("expected '*Vertices N', found " + input::shown(line));
    // Vertices need not be listed; but many more of them than the file has bytes are a mistake.
    const std::uint64_t most = std::max<std::uint64_t>(bytes_, std::uint64_t{1} << 20);
    if (*count > most) fail("declares " + std::to_string(*count) + " vertices in " + input::counted(bytes_, "byte"));
    vertices_ = *count;
    if (words.count >= 3) rows_ = input::to_unsigned(words.text[2]).value_or(0);
    if (rows_ >= vertices_) rows_ = 0;
    for (std::uint64_t i = 1; i <= vertices_; ++i) graph_.vertex(std::to_string(i));
  }

  /// Returns the vertex that a cell names.
  std::uint32_t vertex(std::string_view cell) {
    const auto number = input::to_unsigned(cell);
    if (!number || *number < 1 || *number > vertices_) {
      fail(input::not_a_number_in(cell, 1, vertices_, "vertex number"));
    }
    return static_cast<std::uint32_t>(*number - 1);
  }

  void handle(std::string_view line) {
    cells_.clear();
    unquoted_.clear();
    column_reader reader(line, ' ', unquoted_);
    std::string_view cell;
    while (reader.next(cell)) cells_.push_back(cell);
    if (reader.broken()) {
      const std::size_t quote = line.find('"');
      if (section_ != "*vertices" || quote == line.npos) fail("a quote is not closed in its line");
      const std::string_view label = line.substr(quote + 1);
      cells_ = {input::trimmed(line.substr(0, quote), " \t"), label.substr(0, label.find('"'))};
      ++odd_quotes_;
    }
    if (cells_.empty()) return;
    if (cells_.size() > 1 && cells_[0].ends_with(':')) {  // "RELATION: FROM TO"
      relations_.emplace(cells_[0].substr(0, cells_[0].size() - 1));
      cells_.erase(cells_.begin());
    }
    if (section_ == "*vertices") {
      const std::uint32_t v = vertex(cells_[0]);
      if (cells_.size() > 1) graph_.call(v, input::without_references(cells_[1], false));
      describe_vertex(v);
    } else if (section_ == "*arcs" || section_ == "*edges") {
      if (cells_.size() < 2) fail(input::counted(cells_.size(), "column") + " where 2 or more are expected");
      const bool third = cells_.size() > 2 && !is_quoted(cells_[2]) && begins_number(cells_[2]);
      const auto weight = third ? to_weight(cells_[2], weights::real) : std::nullopt;
      set_pairs(attribute_of::edges, graph_.edges(), weight ? 3 : 2);
      graph_.add(vertex(cells_[0]), vertex(cells_[1]), section_ == "*arcs", weights_ ? weight : std::nullopt);
    } else if (section_ == "*arcslist" || section_ == "*edgeslist") {
      for (std::size_t i = 1; i < cells_.size(); ++i) {
        graph_.add(vertex(cells_[0]), vertex(cells_[i]), section_ == "*arcslist", std::nullopt);
      }
    } else if (section_ == "*matrix") {
      ++matrix_row_;
      if (matrix_row_ > (rows_ != 0 ? rows_ : vertices_)) fail("the matrix has more rows than there are vertices");
      const std::uint64_t columns = vertices_ - rows_;
      if (cells_.size() > columns) {
        fail(input::counted(cells_.size(), "column") + " in a row of the matrix where " + std::to_string(columns) +
             " are expected, one a vertex" + (rows_ != 0 ? " of the second mode" : ""));
      }
      for (std::size_t i = 0; i < cells_.size(); ++i) {
        const auto value = to_weight(cells_[i], weights::real);
        if (!value) fail(not_a_weight(cells_[i], weights::real));
        if (*value != 0) {
          // Of two modes, rows are vertices of the first and columns are vertices of the second.
          graph_.add(static_cast<std::uint32_t>(matrix_row_ - 1), vertex(std::to_string(rows_ + i + 1)), rows_ == 0,
                     weights_ ? value : std::nullopt);
        }
      }
    }
  }

  static bool begins_number(std::string_view cell) { return !cell.empty() && cell.find_first_of("+-.0123456789") == 0; }

  /// True for a cell of the line that was in quotes.
  bool is_quoted(std::string_view cell) const {
    const bool inside = cell.data() > text_.data() && cell.data() <= text_.data() + text_.size();
    return !inside || cell.data()[-1] == '"';
  }

  /// Sets what follows the label of a vertex: up to three places, a shape, then keys with values.
  void describe_vertex(std::uint32_t v) {
    std::size_t at = 2;
    if (cells_.size() <= at) return;
    for (const char* axis : {"x", "y", "z"}) {
      if (at == cells_.size() || is_quoted(cells_[at]) || !begins_number(cells_[at])) break;
      graph_.set_attribute(attribute_of::vertices, v, axis, cells_[at++]);
    }
    constexpr std::array<std::string_view, 9> shapes{"ellipse", "box",   "diamond", "triangle", "cross",
                                                     "empty",   "house", "man",     "woman"};
    if ((cells_.size() - at) % 2 == 1 && std::find(shapes.begin(), shapes.end(), cells_[at]) != shapes.end()) {
      graph_.set_attribute(attribute_of::vertices, v, "shape", cells_[at++], column_type::text);
    }
    set_pairs(attribute_of::vertices, v, at);
  }

  /// Sets keys with values from this cell on. Times in brackets, which Pajek has anywhere, are left out.
  void set_pairs(attribute_of of, std::uint64_t row, std::size_t at) {
    while (at < cells_.size()) {
      const std::string_view key = cells_[at++];
      if (key.starts_with('[') && !is_quoted(key)) {
        graph_.leave_out(of, "times in brackets");
        continue;
      }
      if (at == cells_.size()) return graph_.leave_out(of, key);
      const std::string_view value = cells_[at++];
      const bool bare = !is_quoted(value) && (begins_number(value) || value == "true" || value == "false");
      graph_.set_attribute(of, row, input::without_references(key, false), input::without_references(value, false),
                           bare ? std::nullopt : std::optional(column_type::text));
    }
  }

  collector graph_;
  const input::source& from_;
  bool weights_;
  std::string_view text_;  ///< of the file
  part part_ = part::network;
  std::string section_;
  std::set<std::string> relations_;
  bool with_edges_ = false;
  bool arcs_ = false;   ///< there is a section of arcs
  bool lines_ = false;  ///< there is a section of edges
  std::uint64_t odd_quotes_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t line_ = 0;
  std::uint64_t vertices_ = 0;
  std::uint64_t rows_ = 0;  ///< vertices of the first mode, if there are two
  std::uint64_t matrix_row_ = 0;
  std::vector<std::string_view> cells_;
  std::deque<std::string> unquoted_;
};

}  // namespace

any_edge_list read_pajek(input::source& from, const read_options& options, const run_control& control,
                         read_report& report) {
  const std::string text = read_all_as_utf8(from, report);
  pajek_reader reader(from, options);
  reader.run(text, report);
  return reader.graph().finish(reader.directed(), options, control, report);
}

}  // namespace callisto::graph::formats
