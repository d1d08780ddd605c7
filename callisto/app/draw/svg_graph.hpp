// Drawings of graphs as SVG: circles at given places, and lines between them.
#pragma once

#include <callisto/app/draw/svg_page.hpp>

#include <cstddef>
#include <span>
#include <string>

namespace callisto::app {

/// The colour that is the first step of a scale.
inline constexpr std::size_t svg_first_step = 100;

/// Returns the attribute of an element that is filled with this colour.
std::string svg_fill(std::size_t colour);

/// A circle. Places are in any unit: the drawing scales them.
struct drawn_vertex {
  double x = 0;
  double y = 0;
  double radius = 4;       ///< in user units
  std::size_t colour = 0;  ///< of a group, or svg_first_step and more: a step of a scale; else grey
  std::string label;       ///< drawn in the circle if there is room, else right of it; may be empty
  std::string name;        ///< what it stands for, for scripts; may be empty
  std::string hint;        ///< text that a viewer shows when the pointer rests on the circle
};

/// A line between two vertices, by their numbers.
struct drawn_edge {
  std::size_t from = 0;
  std::size_t to = 0;
  double width = 1;    ///< in user units
  bool arrow = false;  ///< it has a head at its end
};

/// Returns a panel of `width` by `height` user units with lines below circles. Of names that would overlap, that of the
/// larger circle is drawn.
svg_panel draw_graph(std::span<const drawn_vertex> vertices, std::span<const drawn_edge> edges, double width,
                     double height);

}  // namespace callisto::app
