// Turns collected vertices and edges into a list.
#include <callisto/graph/files/formats/collector.hpp>

#include <callisto/graph/files/input/text.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace callisto::graph::formats {

std::uint32_t collector::declare(std::string_view id) {
  const std::uint32_t v = vertex(id);
  if (declared_.size() <= v) declared_.resize(v + std::size_t{1});
  if (!declared_[v]) {
    declared_[v] = true;
    ++listed_;
  } else if (repeated_++ == 0) {
    first_repeated_ = v;
  }
  return v;
}

void collector::leave_out(attribute_of of, std::string_view name) {
  auto& names = left_out_[static_cast<std::size_t>(of)];
  constexpr std::size_t most = 1000;  // no note needs more
  if (names.size() < most && !names.contains(name)) names.emplace(name);
}

void collector::tell_declared(read_report& report) const {
  if (repeated_ != 0) {
    report.notes.push_back(input::counted(repeated_, "vertex", "vertices") + " listed again, the first " +
                           input::shown(ids_[first_repeated_]) + ": taken as the same");
  }
  if (listed_ == 0 || listed_ == ids_.size()) return;
  std::uint32_t first = 0;
  while (first < declared_.size() && declared_[first]) ++first;
  report.notes.push_back("ends of edges that are not listed as vertices, " + std::to_string(ids_.size() - listed_) +
                         ", the first " + input::shown(ids_[first]) + ", become vertices");
}

void collector::tell_left_out(read_report& report) const {
  std::string text;
  for (const attribute_of of : {attribute_of::vertices, attribute_of::edges}) {
    const auto& names = left_out_[static_cast<std::size_t>(of)];
    if (names.empty()) continue;
    text += (text.empty() ? "" : "; ") + std::string(of == attribute_of::vertices ? "of vertices " : "of edges ");
    constexpr std::size_t most = 8;
    std::size_t told = 0;
    for (const std::string& name : names) {
      if (told == most) break;
      text += (told++ == 0 ? "" : ", ") + input::shown(name);
    }
    if (names.size() > most) text += " and " + std::to_string(names.size() - most) + " more";
  }
  if (!text.empty()) report.notes.push_back("attributes are left out: " + text);
}

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
    for (std::uint32_t v = 0; v < ids_.size() && wanted_.has("label"); ++v) {
      if (labelled(v)) set_attribute(attribute_of::vertices, v, "label", *labels_[v], column_type::text);
    }
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
  tell_declared(report);
  tell_left_out(report);
  std::deque<name_table> tables;
  tables.push_back(names(report));
  if (arcs_ || lines_) directed = arcs_;
  const bool both = arcs_ && lines_ && !options.undirected;
  if (both) {
    report.notes.emplace_back(
        "some edges are directed and others are not: each of the latter becomes two arcs (--undirected)");
  }
  std::vector<std::string> called;  // by vertex as collected
  for (std::uint32_t v = 0; !columns_[0].empty() && v < tables[0].size(); ++v) called.emplace_back(tables[0][v]);
  std::vector<std::uint64_t> sources;  // by edge of the list: the edge as collected
  std::vector<named_block> blocks(1);
  const std::size_t lines = both ? static_cast<std::size_t>(std::count(directed_.begin(), directed_.end(), false)) : 0;
  blocks[0].edges = machine::page_array<edge<std::uint32_t>>(edges_.size() + lines);
  if (weighted_) blocks[0].weights = weight_array(edges_.size() + lines);
  std::size_t at = 0;
  const auto put = [&](edge<std::uint32_t> e, std::size_t i) {
    blocks[0].edges[at] = e;
    if (weighted_) blocks[0].weights.set(at, weights_[i]);
    if (!columns_[1].empty()) sources.push_back(i);
    ++at;
  };
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    put(edges_[i], i);
    if (both && !directed_[i] && edges_[i].from != edges_[i].to) put({edges_[i].to, edges_[i].from}, i);
  }
  blocks[0].edges.shrink(at);
  blocks[0].weights.shrink(at);
  if (has_large_weights(blocks[0].weights)) tell_large_weights(report);
  const auto numbers = options.ids == vertex_ids::names ? numeric_names::stay_names : numeric_names::become_labels;
  any_edge_list list = number_by_name(std::move(blocks), std::move(tables), weighted_, numbers, control);
  column_list of_edges = columns_[1].finish(sources, edges_.size(), control);
  std::vector<std::uint64_t> by_rank(called.size());
  for (std::uint64_t v = 0; v < called.size(); ++v) by_rank[vertex_called(list, called[v])] = v;
  auto attributes = attributes_of(columns_[0].finish(by_rank, called.size(), control), std::move(of_edges));
  std::visit(
      [&](auto& l) {
        l.meaning = direction_of(!directed, options);
        l.attributes = std::move(attributes);
      },
      list);
  return list;
}

}  // namespace callisto::graph::formats
