// SVG documents: panels in rows under a title, in colours that suit light and dark surroundings.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace callisto::app {

/// A drawing of this size in user units. The origin of its elements is its top left corner.
struct svg_panel {
  double width;
  double height;
  std::string elements;
};

/// The style of drawings, light and dark: `text`, `.title`, `.small`, `.axis`, `.grid`, `.line`, `.level`, `.dots`
/// (`.few` of them), and the colours of series i < 6 as `.s<i>` (strokes) and `.f<i>` (fills). For the style element of
/// a document or page.
std::string svg_style_rules();

/// A whole SVG document: `title` and `subtitle` above rows of panels, each row as high as its highest panel. It paints
/// its own background, white or, where the viewer prefers dark colours, near black, so it can stand on any page.
std::string svg_document(const std::string& title, const std::string& subtitle,
                         std::span<const std::vector<svg_panel>> rows);

/// `text` with the characters escaped that XML reserves, and without those that it forbids.
std::string xml(std::string_view text);

/// The number of different colours that series have.
inline constexpr std::size_t svg_colours = 6;

}  // namespace callisto::app
