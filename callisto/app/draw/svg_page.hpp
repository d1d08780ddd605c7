// SVG documents: panels in rows under a title, in colours that suit light and dark surroundings.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace callisto::app {

/// A drawing of a known size in user units. The origin of its elements is its top left corner.
struct svg_panel {
  double width;
  double height;
  std::string elements;
};

/// Returns the rules for the style element of a document or page, for light and dark mode. They define `text`,
/// `.title`, `.page`, `.small`, `.bg`, `.axis`, `.grid`, `.line`, `.level`, `.again` (lines of a colour that an earlier
/// series has),
/// `.dots` and `.few` (larger dots), `.edge`, `.name` (text over lines) and `.inside` (text on a fill). The colours of
/// series i < svg_colours are `.s<i>` for strokes and `.f<i>` for fills; those of groups i < svg_group_colours are
/// fills `.g<i>`, those of steps of a scale i < svg_steps fills `.q<i>`. Text on such a fill has the class `.og<i>` or
/// `.oq<i>`, too. `.arrow` fills heads of arrows.
std::string svg_style_rules();

/// Returns a whole SVG document: `title` and `subtitle` above rows of panels. Each row is as high as its highest panel.
/// The document paints its own background, so that it can stand on any page: white, or near black if the viewer prefers
/// dark colours.
std::string svg_document(const std::string& title, const std::string& subtitle,
                         std::span<const std::vector<svg_panel>> rows);

/// Returns `text` in one line, with the characters escaped that XML reserves. Spaces replace control characters, which
/// XML forbids.
std::string xml(std::string_view text);

/// The number of different colours that series take in turn.
inline constexpr std::size_t svg_colours = 6;
/// The number of colours of groups, which differ for any colour vision.
inline constexpr std::size_t svg_group_colours = 12;
/// The fill of a vertex that belongs to no group and no step.
inline constexpr std::string_view svg_other_fill = "#8a9096";
/// The number of steps of a scale of colours, from low to high.
inline constexpr std::size_t svg_steps = 6;

}  // namespace callisto::app
