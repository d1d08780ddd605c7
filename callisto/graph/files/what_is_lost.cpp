// Parts of a graph that a file does not hold: each loss in a line.
#include <callisto/graph/files/write.hpp>

#include <callisto/graph/files/write_attributes.hpp>
#include <callisto/graph/files/write_text.hpp>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace callisto::graph {

using namespace text_of;

namespace {

std::string names_of(const column_list& columns) {
  std::string text;
  for (const auto& c : columns) text += (text.empty() ? "" : ", ") + input::shown(c->name);
  return text;
}

void add_lost_columns(std::vector<std::string>& lost, const graph_attributes& columns, file_format format,
                      bool weighted) {
  if (!columns.edges.empty() && !holds_edge_columns(format)) {
    lost.push_back("attributes of edges are lost: " + names_of(columns.edges) + " (.csv, .graphml and .cg keep them)");
  }
  if (!columns.vertices.empty() && !holds_vertex_columns(format)) {
    lost.push_back("attributes of vertices are lost: " + names_of(columns.vertices) +
                   " (.graphml and .cg keep them, --vertex-table-to FILE writes them)");
  }
  const auto more = attribute_writer(&columns, {}, format).lost(weighted);
  lost.insert(lost.end(), more.begin(), more.end());
}

}  // namespace

std::vector<std::string> what_is_lost(const any_graph& graph, const std::string& path, file_format format) {
  if (format == file_format::automatic) format = format_from_suffix(path);
  std::vector<std::string> lost;
  const bool list = is_edge_list(format);
  std::visit(
      [&](const auto& g) {
        if (g.attributes() != nullptr) add_lost_columns(lost, *g.attributes(), format, g.weighted());
        const bool gapbs = is_gapbs(format);
        const bool numbered = numbers_vertices(format);
        const std::uint64_t first = gapbs ? 0 : 1;
        if (numbered && g.vertices() != 0 &&
            (g.names() != nullptr || !labels_are_a_range(g) || g.label(g.by_label(0)) != first)) {
          lost.push_back("vertices are numbered from " + std::to_string(first) + " on: their " +
                         (g.names() != nullptr ? "names" : "numbers") + " are lost (--names-to FILE writes them)");
        }
        if (format == file_format::edge_list && g.weighted()) {
          lost.emplace_back("weights are lost (.wel and .csv keep them)");
        }
        if (format == file_format::gapbs_sg && g.weighted()) lost.emplace_back("weights are lost (.wsg keeps them)");
        if (is_list_without_edges(g, format)) return;
        const bool comments = may_have_comments(path, format);
        if (list && !comments && !g.directed()) {
          lost.emplace_back("nothing in it says that edges are undirected (--undirected reads it so; .txt tells)");
        }
        const auto* const all = g.attributes().get();
        if (format == file_format::pajek && !g.weighted() && all != nullptr && !all->edges.empty()) {
          lost.emplace_back("edges get the weight 1, behind which Pajek has attributes (--weights-column none)");
        }
        if (format == file_format::dimacs && !g.directed()) {
          lost.emplace_back("each undirected edge becomes two arcs (--undirected reads them as one)");
        }
        if ((list || format == file_format::table) && g.names() != nullptr && all_are_numbers(*g.names())) {
          lost.emplace_back("all names are numbers, and some not in their usual form: --ids names reads them back");
        }
        const std::uint64_t isolated = list || format == file_format::table ? count_isolated(g) : 0;
        if (isolated != 0 && !(comments && labels_are_a_range(g))) {
          lost.push_back(std::to_string(isolated) + (isolated == 1 ? " vertex" : " vertices") + " without edges " +
                         (isolated == 1 ? "is" : "are") + " lost (.graphml, .gml, .net, .mtx and .cg keep them)");
        }
      },
      graph);
  return lost;
}

}  // namespace callisto::graph
