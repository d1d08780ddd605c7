// Self-contained HTML pages: no scripts, no other files; light or dark as the reader prefers; from phones to desktops.
#pragma once

#include <callisto/app/draw/svg_page.hpp>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace callisto::app {

/// Builds a page from its top to its bottom. Every text is escaped here. Not thread-safe.
class html_page {
 public:
  /// `title` is the page's heading and, behind `kind`, its name in the browser's window.
  html_page(std::string_view kind, std::string_view title, std::string_view subtitle);

  /// A heading, and the next parts in a section of their own.
  void section(std::string_view heading);

  /// A line of text.
  void paragraph(std::string_view text);

  /// A box for each fact: a name, a value in large letters, and a remark that may be empty.
  struct fact {
    std::string name;
    std::string value;
    std::string remark;
  };
  void facts(std::span<const fact> all);

  /// Parts added until end_columns() stand side by side where there is room, else one below the other.
  void begin_columns();
  void end_columns();

  /// A drawing with a caption below.
  void figure(const svg_panel& drawing, std::string_view description, std::string_view caption);

  /// A table under a heading. Columns after the first are numbers, aligned to the right; `bars`, empty or in [0, 1] for
  /// each row, are drawn behind the last one.
  void table(std::string_view heading, const std::vector<std::string>& columns,
             const std::vector<std::vector<std::string>>& rows, const std::vector<double>& bars = {});

  /// The whole document, which says at its end that `maker` has made it.
  std::string finish(std::string_view maker) const;

 private:
  std::string head_;
  std::string body_;
  bool in_section_ = false;
};

}  // namespace callisto::app
