// Turns collected vertices and edges into a list.
#include <callisto/graph/files/formats/collector.hpp>

#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <deque>
#include <utility>

namespace callisto::graph::formats {

any_edge_list collector::finish(bool directed, const read_options& options, const run_control& control,
                                read_report& report) {
  if (ids_.size() == 0) throw input_error(from_.name(), 0, "the graph has no vertices");
  std::deque<name_table> tables;
  name_table& called = tables.emplace_back();
  const bool all_called =
      labels_.size() == ids_.size() &&
      std::all_of(labels_.begin(), labels_.end(), [](const auto& label) { return label && !label->empty(); });
  bool distinct = all_called;
  for (std::uint32_t i = 0; distinct && i < ids_.size(); ++i) distinct = called.number_of(*labels_[i]) == i;
  if (!distinct) {
    if (all_called) report.notes.emplace_back("several vertices have the same label: vertices are called by their ids");
    called = std::move(ids_);
  }
  if (arcs_ || lines_) directed = arcs_;
  const bool both = arcs_ && lines_ && !options.undirected;
  if (both) {
    report.notes.emplace_back(
        "some edges are directed and others are not: each of the latter becomes two arcs (--undirected)");
  }
  std::vector<named_block> blocks(1);
  const std::size_t lines = both ? static_cast<std::size_t>(std::count(directed_.begin(), directed_.end(), false)) : 0;
  blocks[0].edges = machine::page_array<edge<std::uint32_t>>(edges_.size() + lines);
  if (weighted_) blocks[0].weights = weight_array(edges_.size() + lines);
  std::size_t at = 0;
  const auto put = [&](edge<std::uint32_t> e, double weight) {
    blocks[0].edges[at] = e;
    if (weighted_) blocks[0].weights.set(at, weight);
    ++at;
  };
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    put(edges_[i], weights_[i]);
    if (both && !directed_[i] && edges_[i].from != edges_[i].to) put({edges_[i].to, edges_[i].from}, weights_[i]);
  }
  blocks[0].edges.shrink(at);
  blocks[0].weights.shrink(at);
  const auto numbers = options.ids == vertex_ids::names ? numeric_names::stay_names : numeric_names::become_labels;
  any_edge_list list = number_by_name(std::move(blocks), std::move(tables), weighted_, numbers, control);
  std::visit([&](auto& l) { l.meaning = direction_of(!directed, options); }, list);
  return list;
}

}  // namespace callisto::graph::formats
