// Self-contained HTML pages: no other files, at most one script of a few lines, light or dark as the reader prefers,
// for phones to desktops.
#pragma once

#include <callisto/app/draw/svg_page.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace callisto::app {

/// Columns and rows. The first `words` columns hold words, which may break into lines; the other columns hold numbers,
/// aligned to the right.
struct html_cells {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  std::size_t words = 1;
};

/// Builds a page from its top to its bottom. Escapes every text that it is given. Not thread-safe.
class html_page {
 public:
  using cells = html_cells;

  /// Begins a page. `title` is its heading; `kind` and `title` together are its name in the browser's window.
  html_page(std::string_view kind, std::string_view title, std::string_view subtitle);

  /// Begins a section under `heading`, to which the next parts belong.
  void section(std::string_view heading);

  /// Adds a paragraph of text.
  void paragraph(std::string_view text);

  /// Contents of one box: a name, a value in large letters, and a remark, which may be empty.
  struct fact {
    std::string name;
    std::string value;
    std::string remark;
  };

  /// Adds a box for each fact.
  void facts(std::span<const fact> all);

  /// Begins columns: the parts added until end_columns() stand side by side if there is room, else in one column.
  void begin_columns();
  void end_columns();

  /// A colour of a drawing, as svg_fill() returns it, and what it stands for.
  struct key {
    std::string fill;
    std::string words;
  };

  /// Adds a list of colours below the drawing before it.
  void legend(std::span<const key> all);

  /// Adds a drawing as figure() does, in which readers move and zoom. The field of search() finds circles by their
  /// names, or by the last cells of rows. The script of the page does so. At most once a page.
  void moving_figure(const svg_panel& drawing, std::string_view description, std::string_view caption,
                     bool of_vertices);

  /// Adds a drawing with a caption below it. A screen reader reads `description` instead of the drawing. `numbers`,
  /// unless it has no rows, is a table that opens below the drawing.
  void figure(const svg_panel& drawing, std::string_view description, std::string_view caption,
              const cells& numbers = {});

  /// Adds a table that opens under `summary`, and a field in which readers type a part of the first cell to see the
  /// rows that have it. The field needs the browser to run the page's script. At most once a page.
  void search(std::string_view summary, std::string_view prompt, const cells& all);

  /// Adds a table under a heading, which may be empty. `bars` is empty or has a value in [0, 1] for each row. That
  /// value is drawn as a bar behind the row's last column.
  void table(std::string_view heading, const cells& all, const std::vector<double>& bars = {});

  /// Returns the whole document, which names `maker` at its end as the program that made it.
  std::string finish(std::string_view maker) const;

 private:
  void add_drawing(const svg_panel& drawing, std::string_view description, std::string_view caption, bool moves);
  void add_table(const cells& all, const std::vector<double>& bars);

  std::string head_;
  std::string body_;
  bool in_section_ = false;
  bool searched_ = false;
  bool moves_ = false;
  std::string_view moves_of_;  ///< what the circles of the moving drawing are
};

}  // namespace callisto::app
