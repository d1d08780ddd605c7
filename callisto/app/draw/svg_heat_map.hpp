// Heat maps as SVG: a grid of cells, each coloured by how its value compares with 1.
#pragma once

#include <callisto/app/draw/svg_page.hpp>

#include <string>
#include <vector>

namespace callisto::app {

/// The values that the colours stand for, on a logarithmic scale: `low` has the lightest colour, `high` the darkest.
/// Values beyond these have the colours of the ends.
struct heat_scale {
  double low = 0.5;
  double high = 8;
};

/// A grid of positive values, which are ratios: below 1 is better, and above 1 worse, than the reference. The colours
/// are from viridis (van der Walt and Smith, 2015), which run from light to dark for any colour vision and in grey.
struct heat_map {
  struct cell {
    double value = 0;       ///< drawn only if positive and finite
    bool at_least = false;  ///< the value is a lower bound; the cell is struck through
    std::string hint;       ///< text that a viewer shows when the pointer rests on the cell
  };

  std::string title;                 ///< broken into lines after each '/'
  std::vector<std::string> columns;  ///< from left to right
  std::vector<std::string> rows;     ///< from top to bottom
  std::vector<cell> cells;           ///< row by row
  std::vector<std::string> notes;    ///< lines below the grid

  /// Returns a panel for svg_document(). Its width depends on the number of columns.
  svg_panel render(const heat_scale& scale) const;
};

/// Returns a panel that explains the colours of `scale`: `words`, and a strip of colours with their values.
svg_panel heat_legend(const heat_scale& scale, const std::string& words);

}  // namespace callisto::app
