// Turns collected vertices and edges into a list.
#include <callisto/graph/files/formats/collector.hpp>

#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace callisto::graph::formats {

name_table collector::names(read_report& report) {
  labels_.resize(ids_.size());
  const auto labelled = [&](std::uint32_t v) { return labels_[v] && !labels_[v]->empty(); };
  const auto called = [&](std::uint32_t v) { return labelled(v) ? std::string_view(*labels_[v]) : ids_[v]; };
  std::unordered_map<std::string_view, std::uint64_t> uses;
  for (std::uint32_t v = 0; v < ids_.size(); ++v) uses[called(v)] += 1;
  std::uint64_t any = 0;
  std::uint64_t own = 0;
  for (std::uint32_t v = 0; v < ids_.size(); ++v) {
    any += labelled(v) ? 1 : 0;
    own += labelled(v) && uses[called(v)] == 1 ? 1 : 0;
  }
  if (any == 0) return std::move(ids_);
  name_table names;
  bool distinct = 2 * own >= ids_.size();
  for (std::uint32_t v = 0; distinct && v < ids_.size(); ++v) {
    const std::string name(called(v));
    distinct = names.number_of(uses[called(v)] == 1 ? name : name + " (" + std::string(ids_[v]) + ")") == v;
  }
  if (!distinct) {
    report.notes.emplace_back("most vertices have no label of their own: vertices are called by their ids");
    return std::move(ids_);
  }
  if (own < ids_.size()) {
    report.notes.push_back("vertices without a label of their own, " + std::to_string(ids_.size() - own) +
                           ", are called by their ids or as 'LABEL (ID)'");
  }
  return names;
}

any_edge_list collector::finish(bool directed, const read_options& options, const run_control& control,
                                read_report& report) {
  if (ids_.size() == 0) throw input_error(from_.name(), 0, "the graph has no vertices");
  std::deque<name_table> tables;
  tables.push_back(names(report));
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
