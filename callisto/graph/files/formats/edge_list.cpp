// The reader of edge lists of whole numbers in two or three columns: the fast path of tables.
#include <callisto/graph/construction/labels.hpp>
#include <callisto/graph/files/formats/edge_lines.hpp>
#include <callisto/graph/files/formats/formats.hpp>
#include <callisto/graph/files/formats/table_layout.hpp>

#include <utility>

namespace callisto::graph::formats {

any_edge_list read_edge_list(input::source& from, const table_layout& layout, const read_options& options,
                             const run_control& control, line_findings& left_out) {
  edge_line_rules rules;
  rules.comments = layout.separator == ';' ? "#%\"/" : "#%;\"/";
  rules.separator = layout.separator;
  rules.whole_reals = true;
  rules.skip_bad = options.skip_bad_lines;
  rules.weights = layout.weighted ? weights::real : weights::none;
  auto blocks = parse_chunks<labelled_block>(
      from, cut_for(options, layout.skip),
      [&](std::string_view text, std::uint64_t lines, labelled_block& block, line_findings& bad) {
        if (layout.weighted) block.weights = weight_array(lines);
        block.narrow = machine::page_array<edge<std::uint32_t>>(lines);
        edge_lines found = parse_edge_lines(text, rules, block.narrow.data(), block.weights);
        if (found.too_wide) {
          block.narrow = {};
          block.wide = machine::page_array<edge<std::uint64_t>>(lines);
          found = parse_edge_lines(text, rules, block.wide.data(), block.weights);
        }
        block.narrow.shrink(found.edges);
        block.wide.shrink(found.edges);
        block.weights.shrink(found.edges);
        block.smallest = found.smallest;
        block.largest = found.largest;
        bad = std::move(found.left_out);
        bad.large_weights = has_large_weights(block.weights);
        return std::move(found.wrong);
      },
      &left_out);
  std::erase_if(blocks, [](const labelled_block& block) { return block.edges() == 0; });
  if (blocks.empty() && !from.part().is_all()) return no_edges(layout.weighted);
  if (blocks.empty()) refuse_without_edges(from, left_out);
  return number_densely(std::move(blocks), layout.weighted, control, layout.vertices);
}

}  // namespace callisto::graph::formats
