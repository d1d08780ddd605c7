// The reader of Pajek's networks (.net): *Vertices, then sections of arcs and edges.
#include <callisto/graph/files/formats/collector.hpp>
#include <callisto/graph/files/formats/edge_lines.hpp>
#include <callisto/graph/files/formats/table_layout.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

namespace callisto::graph::formats {
namespace {

class pajek_reader {
 public:
  pajek_reader(const input::source& from, bool weights) : graph_(from), from_(from), weights_(weights) {}

  void run(std::string_view text, read_report& report) {
    bytes_ = text.size();
    input::line_reader lines(text, true);
    while (lines.next()) {
      line_ = lines.number();
      std::string_view line = lines.line();
      const std::size_t first = line.find_first_not_of(" \t\r");
      if (first == line.npos || line[first] == '%') continue;
      line.remove_prefix(first);
      if (line.front() == '*') {
        section_ = input::lower_case(line.substr(0, line.find_first_of(" \t:\r")));
        if (section_ == "*vertices") {
          if (vertices_ != 0) {
            report.notes.emplace_back("holds several networks, of which the first is read");
            return;
          }
          begin_vertices(line);
        }
        continue;
      }
      handle(line);
    }
    if (vertices_ == 0) throw input_error(from_.name(), 0, "expected '*Vertices N'; there is none");
  }

  collector& graph() noexcept { return graph_; }

 private:
  [[noreturn]] void fail(const std::string& message) const { throw input_error(from_.name(), line_, message); }

  void begin_vertices(std::string_view line) {
    const input::columns words = input::split(line);
    const auto count = words.count >= 2 ? input::to_unsigned(words.text[1]) : std::nullopt;
    if (!count || *count == 0) fail("expected '*Vertices N', found " + input::shown(line));
    // Vertices need not be listed; but many more of them than the file has bytes are a mistake.
    const std::uint64_t most = std::max<std::uint64_t>(bytes_, std::uint64_t{1} << 20);
    if (*count > most) fail("declares " + std::to_string(*count) + " vertices in " + input::counted(bytes_, "byte"));
    vertices_ = *count;
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
    if (reader.broken()) fail("a quote is not closed in its line");
    if (cells_.empty()) return;
    if (section_ == "*vertices") {
      const std::uint32_t v = vertex(cells_[0]);
      if (cells_.size() > 1) graph_.call(v, cells_[1]);
    } else if (section_ == "*arcs" || section_ == "*edges") {
      if (cells_.size() < 2) fail(input::counted(cells_.size(), "column") + " where 2 or more are expected");
      const auto weight = cells_.size() > 2 && weights_ ? to_weight(cells_[2], weights::real) : std::nullopt;
      graph_.add(vertex(cells_[0]), vertex(cells_[1]), section_ == "*arcs", weight);
    } else if (section_ == "*arcslist" || section_ == "*edgeslist") {
      for (std::size_t i = 1; i < cells_.size(); ++i) {
        graph_.add(vertex(cells_[0]), vertex(cells_[i]), section_ == "*arcslist", std::nullopt);
      }
    } else if (section_ == "*matrix") {
      ++matrix_row_;
      if (matrix_row_ > vertices_) fail("the matrix has more rows than there are vertices");
      for (std::size_t i = 0; i < cells_.size(); ++i) {
        const auto value = to_weight(cells_[i], weights::real);
        if (!value) fail(not_a_weight(cells_[i], weights::real));
        if (*value != 0) {
          graph_.add(static_cast<std::uint32_t>(matrix_row_ - 1), vertex(std::to_string(i + 1)), true,
                     weights_ ? value : std::nullopt);
        }
      }
    }
  }

  collector graph_;
  const input::source& from_;
  bool weights_;
  std::string section_;
  std::uint64_t bytes_ = 0;
  std::uint64_t line_ = 0;
  std::uint64_t vertices_ = 0;
  std::uint64_t matrix_row_ = 0;
  std::vector<std::string_view> cells_;
  std::deque<std::string> unquoted_;
};

}  // namespace

any_edge_list read_pajek(input::source& from, const read_options& options, const run_control& control,
                         read_report& report) {
  const std::string text = input::read_all(from);
  pajek_reader reader(from, options.weights_column != "none");
  reader.run(text, report);
  return reader.graph().finish(false, options, control, report);
}

}  // namespace callisto::graph::formats
