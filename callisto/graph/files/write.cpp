// Writing graphs: many threads format and compress blocks of rows; the caller appends the blocks in order.
#include <callisto/graph/files/write.hpp>

#include <callisto/graph/attributes/edge_numbers.hpp>
#include <callisto/graph/files/compress.hpp>
#include <callisto/graph/files/formats/table_layout.hpp>
#include <callisto/graph/files/input/source.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/graph/files/write_attributes.hpp>
#include <callisto/graph/files/write_json_dot.hpp>
#include <callisto/graph/files/write_text.hpp>
#include <callisto/graph/order/reorder.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/output_file.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

using namespace text_of;

template <class Vertex>
class graph_writer {
 public:
  graph_writer(const csr_graph<Vertex>& graph, const std::string& path, file_format format,
               std::span<const vertex_attribute> attributes, const run_control& control)
      : graph_(graph),
        attributes_(graph.attributes().get(), attributes, format),
        marks_(graph, attributes_, format),
        format_(format),
        control_(control),
        method_(compression_of(path)),
        comments_(may_have_comments(path, format)) {
    check();
    if (attributes_.of_edges()) numbers_.emplace(graph);
    file_ = std::make_unique<machine::output_file>(path);
  }

  void run() {
    const bool binary = is_gapbs(format_);
    if (control_.report != nullptr) {
      const std::uint64_t sections = binary && graph_.directed() ? 2 : 1;
      control_.report->begin("writing", sections * graph_.arcs(), "arcs");
    }
    if (binary) {
      write_gapbs();
    } else {
      write_text();
    }
    if (control_.stop.stop_requested()) throw cancelled();
    file_->commit();
  }

 private:
  void check() const {
    const std::string name(name_of(format_));
    if (graph_.vertices() == 0) {
      throw usage_error("the graph has no vertices, which " + name + " cannot hold (.cg holds it)");
    }
    check_names();
    if (format_ == file_format::metis && graph_.directed()) {
      throw usage_error("the graph is directed, but " + name + " holds undirected graphs only");
    }
    if (!is_gapbs(format_)) return;
    if (graph_.vertices() > std::uint64_t{1} << 31) {
      throw usage_error("the graph has " + std::to_string(graph_.vertices()) + " vertices, but " + name +
                        " holds 2^31 at most");
    }
    if (graph_.directed() && graph_.in().targets.size() != graph_.arcs()) {
      throw usage_error("the graph lacks its in-edges, which " + name + " holds");
    }
  }

  /// Throws usage_error for a name that the format cannot hold: another one in its place might be that of another
  /// vertex.
  void check_names() const {
    if (graph_.names() == nullptr || numbers_vertices(format_)) return;
    const vertex_names& names = *graph_.names();
    const auto first_of = [](std::uint64_t a, std::uint64_t b) { return std::min(a, b); };
    const std::uint64_t wrong = parallel_reduce(
        std::uint64_t{0}, names.size(), names.size(),
        [&](std::uint64_t i) { return fault_of(names[i], format_).empty() ? names.size() : i; }, first_of);
    if (wrong == names.size()) return;
    throw usage_error("the name " + input::shown(names[wrong]) + " holds " +
                      std::string(fault_of(names[wrong], format_)) + ", which " + std::string(name_of(format_)) +
                      " cannot hold (.cg holds all names)");
  }

  /// Appends the text that format(i, text) makes for each i in [0, count), in order. Formats four blocks a thread at a
  /// time.
  void append_blocks(std::uint64_t count, const std::function<void(std::uint64_t, std::string&)>& format) {
    const std::uint64_t wave = 4 * std::uint64_t{workers::loop_team_here().where.threads()};
    std::vector<std::string> texts(wave);
    for (std::uint64_t first = 0; first < count; first += wave) {
      const std::uint64_t last = std::min(count, first + wave);
      const bool completed = parallel_for(first, last,
                                          [&](std::uint64_t i) {
                                            std::string& text = texts[i - first];
                                            text.clear();
                                            format(i, text);
                                            if (!text.empty()) text = compressed(std::move(text), method_);
                                          },
                                          {.batch = 1, .stop = control_.stop});
      if (!completed) throw cancelled();
      for (std::uint64_t i = first; i < last; ++i) file_->append(texts[i - first]);
    }
  }

  void advance(std::uint64_t arcs) const {
    if (control_.report != nullptr) control_.report->advance(arcs);
  }

  /// Returns the ends of blocks of rows of about `arcs_a_block` arcs each.
  std::vector<std::uint64_t> row_blocks() const {
    std::vector<std::uint64_t> ends;
    const auto& offsets = graph_.out().offsets;
    for (std::uint64_t v = 0; v < graph_.vertices();) {
      const std::uint64_t most_rows = std::min(graph_.vertices(), v + arcs_a_block);
      const auto* const end =
          std::upper_bound(offsets.begin() + v + 1, offsets.begin() + most_rows + 1, offsets[v] + arcs_a_block);
      v = std::max(v + 1, static_cast<std::uint64_t>(end - offsets.begin()) - 1);
      ends.push_back(v);
    }
    return ends;
  }

  /// Returns the number of edges of an undirected graph: entries of its rows that lead to no larger vertex.
  std::uint64_t undirected_edges() const {
    return parallel_reduce(std::uint64_t{0}, graph_.vertices(), std::uint64_t{0}, [&](std::uint64_t v) {
      const auto row = graph_.out().row(v);
      return static_cast<std::uint64_t>(std::upper_bound(row.begin(), row.end(), v) - row.begin());
    });
  }

  /// Returns the begin of the file, before vertices and edges.
  std::string header() const {
    const std::string n = std::to_string(graph_.vertices());
    const bool directed = graph_.directed();
    if (is_list_without_edges(graph_, format_)) {
      return std::string(directed ? "# Directed" : "# Undirected") + " graph without edges, its vertices:\n";
    }
    if (comments_) {
      const bool isolated = labels_are_a_range(graph_) && count_isolated(graph_) != 0;
      if (directed && !isolated) return {};  // readers take a list that says nothing for just this
      std::string text = directed ? "# Directed graph" : "# Undirected graph";
      if (isolated) {
        text += ", vertices " + std::to_string(graph_.label(0)) + " to " +
                std::to_string(graph_.label(graph_.vertices() - 1));
      }
      return text + "\n";
    }
    if (format_ == file_format::table) {
      return (graph_.weighted() ? "Source,Target,Type,Weight" : "Source,Target,Type") + attributes_.header_cells() +
             "\n";
    }
    if (format_ == file_format::node_link) return marks_.json_head();
    if (format_ == file_format::dot) return directed ? "digraph {\n" : "graph {\n";
    if (format_ == file_format::pajek) return "*Vertices " + n + "\n";
    if (format_ == file_format::gml) return directed ? "graph [\n  directed 1\n" : "graph [\n  directed 0\n";
    if (format_ == file_format::graphml) {
      return std::string(
                 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                 "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n") +
             (graph_.weighted() ? "  <key id=\"weight\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>\n"
                                : "") +
             attributes_.declared() + "  <graph edgedefault=\"" + (directed ? "directed" : "undirected") + "\">\n";
    }
    if (format_ == file_format::gexf) {
      return std::string(
                 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                 "<gexf xmlns=\"http://www.gexf.net/1.2draft\" version=\"1.2\">\n  <graph defaultedgetype=\"") +
             (directed ? "directed" : "undirected") + "\">\n" + attributes_.declared() + "    <nodes>\n";
    }
    if (format_ == file_format::dimacs) return "p sp " + n + " " + std::to_string(graph_.arcs()) + "\n";
    if (format_ == file_format::metis) {
      return n + " " + std::to_string(undirected_edges()) + (graph_.weighted() ? " 1\n" : "\n");
    }
    if (format_ == file_format::matrix_market) {
      const std::uint64_t entries = graph_.directed() ? graph_.arcs() : undirected_edges();
      return std::string("%%MatrixMarket matrix coordinate ") + (graph_.weighted() ? "real " : "pattern ") +
             (graph_.directed() ? "general\n" : "symmetric\n") + n + " " + n + " " + std::to_string(entries) + "\n";
    }
    return {};
  }

  /// True for formats that list the vertices before the edges.
  bool lists_vertices() const noexcept {
    return is_list_without_edges(graph_, format_) || format_ == file_format::pajek || format_ == file_format::gml ||
           format_ == file_format::graphml || format_ == file_format::gexf || format_ == file_format::node_link ||
           format_ == file_format::dot;
  }

  /// Appends the line of vertex v in a format that lists the vertices.
  void append_vertex(std::string& text, std::uint64_t v) const {
    if (format_ == file_format::node_link) return marks_.append_json_vertex(text, v);
    if (format_ == file_format::dot) return marks_.append_dot_element(text, v);
    std::string name;
    graph_.append_name(name, v);
    if (is_list_without_edges(graph_, format_)) {
      text += "# ";
      append_quoted(text, name, graph_.names() != nullptr);
    } else if (format_ == file_format::pajek) {
      append_number(text, v + 1);
      text += ' ';
      append_label(text, name);
      attributes_.append_vertex(text, v);
    } else if (format_ == file_format::gml) {
      text += "  node [ id ";
      append_number(text, v);
      text += " label \"";
      append_ascii(text, name);
      text += '"';
      attributes_.append_vertex(text, v);
      text += " ]";
    } else {
      text += format_ == file_format::gexf ? "      <node id=\"" : "    <node id=\"";
      append_escaped(text, name);
      if (format_ == file_format::gexf) {
        text += "\" label=\"";
        append_escaped(text, name);
      }
      if (!attributes_.of_vertices()) {
        text += "\"/>";
      } else {
        text += "\">";
        attributes_.append_vertex(text, v);
        text += "</node>";
      }
    }
    text += '\n';
  }

  /// Returns what stands between vertices and edges.
  std::string middle() const {
    if (format_ == file_format::pajek) return graph_.directed() ? "*Arcs\n" : "*Edges\n";
    if (format_ == file_format::node_link) return "\n],\n\"links\": [";
    return format_ == file_format::gexf ? "    </nodes>\n    <edges>\n" : "";
  }

  std::string footer() const {
    if (format_ == file_format::gml) return "]\n";
    if (format_ == file_format::node_link) return "\n]\n}\n";
    if (format_ == file_format::dot) return "}\n";
    if (format_ == file_format::graphml) return "  </graph>\n</graphml>\n";
    return format_ == file_format::gexf ? "    </edges>\n  </graph>\n</gexf>\n" : "";
  }

  /// Appends an edge in XML.
  void append_element(std::string& text, std::uint64_t v, std::uint64_t to, double weight, std::uint64_t number) const {
    const bool gexf = format_ == file_format::gexf;
    std::string name;
    graph_.append_name(name, v);
    text += gexf ? "      <edge source=\"" : "    <edge source=\"";
    append_escaped(text, name);
    text += "\" target=\"";
    name.clear();
    graph_.append_name(name, to);
    append_escaped(text, name);
    append_any_weight(text, gexf ? "\" weight=\"" : "\"><data key=\"weight\">", weight);
    const bool open = graph_.weighted() && !gexf;
    if (open) text += "</data>";
    if (attributes_.of_edges()) {
      if (!open) text += "\">";
      attributes_.append_edge(text, number);
    }
    text += open || attributes_.of_edges() ? "</edge>\n" : "\"/>\n";
  }

  /// Appends what the user calls vertex v, as a column of a list or a table.
  void append_cell(std::string& text, std::uint64_t v) const {
    if (graph_.names() == nullptr) {
      append_number(text, graph_.label(v));
    } else {
      append_quoted(text, (*graph_.names())[graph_.label(v)], false);
    }
  }

  /// Appends an edge between vertices counted from 1 and, if the graph has weights, its weight.
  void append_numbered(std::string& text, std::uint64_t v, std::uint64_t to, double weight) const {
    append_number(text, v + 1);
    text += ' ';
    append_number(text, to + 1);
    append_any_weight(text, " ", weight);
    text += '\n';
  }

  /// Appends the weight behind `before`, if the graph has weights.
  void append_any_weight(std::string& text, std::string_view before, double weight) const {
    if (!graph_.weighted()) return;
    text += before;
    append_weight(text, weight);
  }

  void write_text() {
    append_blocks(1, [&](std::uint64_t, std::string& text) { text = header(); });
    if (lists_vertices()) {
      constexpr std::uint64_t vertices_a_block = 1 << 14;
      const std::uint64_t n = graph_.vertices();
      append_blocks((n + vertices_a_block - 1) / vertices_a_block, [&](std::uint64_t i, std::string& text) {
        for (std::uint64_t v = i * vertices_a_block; v < std::min(n, (i + 1) * vertices_a_block); ++v) {
          append_vertex(text, v);
        }
      });
      append_blocks(1, [&](std::uint64_t, std::string& text) { text = middle(); });
    }
    const std::vector<std::uint64_t> ends = row_blocks();
    append_blocks(ends.size(), [&](std::uint64_t i, std::string& text) {
      const std::uint64_t first = i == 0 ? 0 : ends[i - 1];
      for (std::uint64_t v = first; v < ends[i]; ++v) append_row(text, v);
      advance(graph_.out().offsets[ends[i]] - graph_.out().offsets[first]);
    });
    append_blocks(1, [&](std::uint64_t, std::string& text) { text = footer(); });
  }

  void append_row(std::string& text, std::uint64_t v) const {
    const adjacency<Vertex>& out = graph_.out();
    const bool once = !graph_.directed();
    // Added to an arc, makes its number: below zero perhaps, so that the sum wraps around.
    const std::uint64_t before = numbers_ ? numbers_->first(v) - numbers_->begin(v) : 0;
    for (std::uint64_t a = out.offsets[v]; a < out.offsets[v + 1]; ++a) {
      const std::uint64_t to = out.targets[a];
      const double weight = graph_.weighted() ? out.weights[a] : 1;
      const std::uint64_t number = before + a;
      switch (format_) {
        case file_format::edge_list:
        case file_format::weighted_edge_list:
          if (once && to < v) break;
          append_cell(text, v);
          text += ' ';
          append_cell(text, to);
          if (format_ == file_format::weighted_edge_list) {
            text += ' ';
            append_weight(text, weight);
          }
          text += '\n';
          break;
        case file_format::matrix_market:
          if (once && to > v) break;  // a symmetric matrix is its lower triangle
          append_numbered(text, v, to, weight);
          break;
        case file_format::dimacs:
          text += "a ";
          append_number(text, v + 1);
          text += ' ';
          append_number(text, to + 1);
          text += ' ';
          text += std::to_string(whole_weight(weight, -exact, exact, format_));
          text += '\n';
          break;
        case file_format::metis:
          if (a != out.offsets[v]) text += ' ';
          append_number(text, to + 1);
          if (graph_.weighted()) {
            text += ' ';
            text += std::to_string(whole_weight(weight, 1, exact, format_));
          }
          break;
        case file_format::table:
          if (once && to < v) break;
          append_cell(text, v);
          text += ',';
          append_cell(text, to);
          text += once ? ",Undirected" : ",Directed";
          append_any_weight(text, ",", weight);
          if (numbers_) attributes_.append_edge(text, number);
          text += '\n';
          break;
        case file_format::pajek:
          if (once && to < v) break;
          append_numbered(text, v, to, weight);
          if (numbers_) {
            text.pop_back();
            if (!graph_.weighted()) text += " 1";  // readers take the third column for it
            attributes_.append_edge(text, number);
            text += '\n';
          }
          break;
        case file_format::node_link:
          if (!once || to >= v) marks_.append_json_edge(text, v, a, number);
          break;
        case file_format::dot:
          if (!once || to >= v) marks_.append_dot_edge(text, v, to, weight, number);
          break;
        case file_format::gml:
          if (once && to < v) break;
          text += "  edge [ source ";
          append_number(text, v);
          text += " target ";
          append_number(text, to);
          append_any_weight(text, " weight ", weight);
          if (numbers_) attributes_.append_edge(text, number);
          text += " ]\n";
          break;
        case file_format::graphml:
        case file_format::gexf:
          if (once && to < v) break;
          append_element(text, v, to, weight, number);
          break;
        default:
          break;  // binary, or not written
      }
    }
    if (format_ == file_format::metis) text += '\n';
  }

  void write_gapbs() {
    append_blocks(1, [&](std::uint64_t, std::string& text) {
      text += graph_.directed() ? '\1' : '\0';
      append_bytes(text, graph_.arcs());
      append_bytes(text, graph_.vertices());
    });
    append_adjacency(graph_.out());
    if (graph_.directed()) append_adjacency(graph_.in());
  }

  void append_adjacency(const adjacency<Vertex>& rows) {
    const auto blocks = [](std::uint64_t count) { return (count + arcs_a_block - 1) / arcs_a_block; };
    append_blocks(blocks(rows.offsets.size()), [&](std::uint64_t i, std::string& text) {
      const std::uint64_t first = i * arcs_a_block;
      const std::uint64_t count = std::min<std::uint64_t>(arcs_a_block, rows.offsets.size() - first);
      text.append(reinterpret_cast<const char*>(rows.offsets.data() + first), count * sizeof(std::uint64_t));
    });
    append_blocks(blocks(rows.targets.size()), [&](std::uint64_t i, std::string& text) {
      const std::uint64_t first = i * arcs_a_block;
      const std::uint64_t last = std::min<std::uint64_t>(first + arcs_a_block, rows.targets.size());
      for (std::uint64_t a = first; a < last; ++a) {
        append_bytes(text, static_cast<std::uint32_t>(rows.targets[a]));
        if (format_ != file_format::gapbs_wsg) continue;
        constexpr double low = std::numeric_limits<std::int32_t>::min();
        constexpr double high = std::numeric_limits<std::int32_t>::max();
        const double weight = rows.weights.empty() ? 1 : rows.weights[a];
        append_bytes(text, static_cast<std::int32_t>(whole_weight(weight, low, high, format_)));
      }
      advance(last - first);
    });
  }

  static constexpr std::uint64_t arcs_a_block = std::uint64_t{1} << 16;
  static constexpr double exact = 9007199254740992;  // 2^53: doubles hold all whole numbers up to here

  const csr_graph<Vertex>& graph_;
  attribute_writer attributes_;
  json_and_dot<Vertex> marks_;
  std::optional<edge_numbers<Vertex>> numbers_;  ///< if edges have attributes
  file_format format_;
  const run_control& control_;
  compression method_;
  bool comments_;  ///< the file begins with a comment that says what its lines do not
  std::unique_ptr<machine::output_file> file_;
};

}  // namespace

void write_graph(const any_graph& graph, const std::string& path, file_format format, const run_control& control) {
  write_attributed_graph(graph, path, format, {}, control);
}

void write_attributed_graph(const any_graph& graph, const std::string& path, file_format format,
                            std::span<const vertex_attribute> attributes, const run_control& control) {
  if (format == file_format::automatic) format = format_from_suffix(path);
  if (!can_be_written(format) && format != file_format::automatic) {
    throw usage_error("files in the format " + std::string(name_of(format)) + " are read, but not written");
  }
  if (format == file_format::automatic) {
    throw usage_error("the name '" + path + "' does not tell which format to write; use a suffix such as .el or .mtx");
  }
  std::visit(
      [&]<class Vertex>(const csr_graph<Vertex>& g) {
        // Most formats know vertices by number only: number them in the user's order.
        if (!g.by_label().empty())
          return write_attributed_graph(in_label_order(graph, control), path, format, attributes, control);
        graph_writer<Vertex>(g, path, format, attributes, control).run();
      },
      graph);
}

}  // namespace callisto::graph
