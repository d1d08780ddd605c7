// Writing graphs: many threads format and compress blocks of rows; the caller appends the blocks in order.
#include <callisto/graph/files/write.hpp>

#include <callisto/graph/files/compress.hpp>
#include <callisto/graph/order/reorder.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/output_file.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

void append_number(std::string& to, std::uint64_t value) {
  char digits[20];
  to.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

void append_weight(std::string& to, double value) {
  char digits[32];
  to.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

/// Returns a weight as a whole number in [lowest, highest]; throws usage_error if it is none.
std::int64_t whole_weight(double weight, double lowest, double highest, file_format format) {
  if (weight == std::floor(weight) && weight >= lowest && weight <= highest) return static_cast<std::int64_t>(weight);
  std::string number;
  append_weight(number, weight);
  throw usage_error("the graph has an edge of weight " + number + ", but " + std::string(name_of(format)) +
                    " holds whole numbers of limited size only");
}

/// Appends a column of a list or a table; in quotes if `always` or if another reader might cut or skip it.
void append_quoted(std::string& to, std::string_view name, bool always) {
  const bool plain = !always && !name.empty() && name.find_first_of(" \t,;|:\"\r\n#%/") == name.npos;
  if (plain) {
    to += name;
    return;
  }
  to += '"';
  for (const char c : name) {
    if (c == '"') to += '"';
    to += c == '\n' || c == '\r' ? ' ' : c;
  }
  to += '"';
}

/// Appends text between quotes of XML or GML. Control characters, which XML does not have, become blanks.
void append_escaped(std::string& to, std::string_view name) {
  for (const char c : name) {
    switch (c) {
      case '&':
        to += "&amp;";
        break;
      case '<':
        to += "&lt;";
        break;
      case '>':
        to += "&gt;";
        break;
      case '"':
        to += "&quot;";
        break;
      default:
        to += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
}

bool is_gapbs(file_format format) noexcept {
  return format == file_format::gapbs_sg || format == file_format::gapbs_wsg;
}

bool is_edge_list(file_format format) noexcept {
  return format == file_format::edge_list || format == file_format::weighted_edge_list;
}

/// True for edge lists that may begin with a comment: programs that read .el and .wel take none.
bool may_have_comments(std::string_view path, file_format format) {
  path = without_compression(path);
  return is_edge_list(format) && !path.ends_with(".el") && !path.ends_with(".wel");
}

/// True if labels are numbers without gaps.
template <class Vertex>
bool labels_are_a_range(const csr_graph<Vertex>& graph) {
  const std::uint64_t n = graph.vertices();
  return graph.names() == nullptr && n != 0 &&
         graph.label(graph.by_label(n - 1)) - graph.label(graph.by_label(0)) == n - 1;
}

/// Returns the number of vertices without edges.
template <class Vertex>
std::uint64_t count_isolated(const csr_graph<Vertex>& graph) {
  const bool has_in = graph.has_in();
  return parallel_reduce(std::uint64_t{0}, graph.vertices(), std::uint64_t{0}, [&](std::uint64_t v) {
    return std::uint64_t{graph.out().degree(v) == 0 && (!has_in || graph.in().degree(v) == 0) ? 1u : 0u};
  });
}

template <class T>
void append_bytes(std::string& to, T value) {
  static_assert(std::endian::native == std::endian::little, "binary formats are little-endian");
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class Vertex>
class graph_writer {
 public:
  graph_writer(const csr_graph<Vertex>& graph, const std::string& path, file_format format,
               std::span<const vertex_attribute> attributes, const run_control& control)
      : graph_(graph),
        attributes_(attributes),
        format_(format),
        control_(control),
        method_(compression_of(path)),
        comments_(may_have_comments(path, format)) {
    check();
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
      return graph_.weighted() ? "Source,Target,Type,Weight\n" : "Source,Target,Type\n";
    }
    if (format_ == file_format::pajek) return "*Vertices " + n + "\n";
    if (format_ == file_format::gml) return directed ? "graph [\n  directed 1\n" : "graph [\n  directed 0\n";
    if (format_ == file_format::graphml) {
      return std::string(
                 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                 "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n") +
             (graph_.weighted() ? "  <key id=\"weight\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>\n"
                                : "") +
             attributes_declared() + "  <graph edgedefault=\"" + (directed ? "directed" : "undirected") + "\">\n";
    }
    if (format_ == file_format::gexf) {
      return std::string(
                 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                 "<gexf xmlns=\"http://www.gexf.net/1.2draft\" version=\"1.2\">\n  <graph defaultedgetype=\"") +
             (directed ? "directed" : "undirected") + "\">\n" + attributes_declared() + "    <nodes>\n";
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

  /// Returns the elements that declare the attributes of vertices.
  std::string attributes_declared() const {
    if (attributes_.empty()) return {};
    const bool gexf = format_ == file_format::gexf;
    std::string text = gexf ? "    <attributes class=\"node\">\n" : "";
    for (std::size_t i = 0; i < attributes_.size(); ++i) {
      const std::string id = std::to_string(i);
      text +=
          gexf ? "      <attribute id=\"" + id + "\" title=\"" : "  <key id=\"v" + id + "\" for=\"node\" attr.name=\"";
      append_escaped(text, attributes_[i].name);
      text += gexf ? "\" type=\"" : "\" attr.type=\"";
      text += attributes_[i].number ? "double\"/>\n" : "string\"/>\n";
    }
    return gexf ? text + "    </attributes>\n" : text;
  }

  /// Appends the attributes of vertex v.
  void append_attributes(std::string& text, std::uint64_t v) const {
    const bool gexf = format_ == file_format::gexf;
    if (gexf) text += "<attvalues>";
    for (std::size_t i = 0; i < attributes_.size(); ++i) {
      std::string value;
      attributes_[i].append(value, v);
      if (value.empty()) continue;
      text += gexf ? "<attvalue for=\"" : "<data key=\"v";
      append_number(text, i);
      text += gexf ? "\" value=\"" : "\">";
      append_escaped(text, value);
      text += gexf ? "\"/>" : "</data>";
    }
    if (gexf) text += "</attvalues>";
  }

  /// True for formats that list the vertices before the edges.
  bool lists_vertices() const noexcept {
    return format_ == file_format::pajek || format_ == file_format::gml || format_ == file_format::graphml ||
           format_ == file_format::gexf;
  }

  /// Appends the line of vertex v in a format that lists the vertices.
  void append_vertex(std::string& text, std::uint64_t v) const {
    std::string name;
    graph_.append_name(name, v);
    if (format_ == file_format::pajek) {
      append_number(text, v + 1);
      text += ' ';
      append_quoted(text, name, true);
    } else if (format_ == file_format::gml) {
      text += "  node [ id ";
      append_number(text, v);
      text += " label \"";
      append_escaped(text, name);
      text += "\" ]";
    } else {
      text += format_ == file_format::gexf ? "      <node id=\"" : "    <node id=\"";
      append_escaped(text, name);
      if (format_ == file_format::gexf) {
        text += "\" label=\"";
        append_escaped(text, name);
      }
      if (attributes_.empty()) {
        text += "\"/>";
      } else {
        text += "\">";
        append_attributes(text, v);
        text += "</node>";
      }
    }
    text += '\n';
  }

  /// Returns what stands between vertices and edges.
  std::string middle() const {
    if (format_ == file_format::pajek) return graph_.directed() ? "*Arcs\n" : "*Edges\n";
    return format_ == file_format::gexf ? "    </nodes>\n    <edges>\n" : "";
  }

  std::string footer() const {
    if (format_ == file_format::gml) return "]\n";
    if (format_ == file_format::graphml) return "  </graph>\n</graphml>\n";
    return format_ == file_format::gexf ? "    </edges>\n  </graph>\n</gexf>\n" : "";
  }

  /// Appends an edge in XML.
  void append_element(std::string& text, std::uint64_t v, std::uint64_t to, double weight) const {
    const bool gexf = format_ == file_format::gexf;
    std::string name;
    graph_.append_name(name, v);
    text += gexf ? "      <edge source=\"" : "    <edge source=\"";
    append_escaped(text, name);
    text += "\" target=\"";
    name.clear();
    graph_.append_name(name, to);
    append_escaped(text, name);
    if (graph_.weighted() && gexf) {
      text += "\" weight=\"";
      append_weight(text, weight);
    }
    if (graph_.weighted() && !gexf) {
      text += "\"><data key=\"weight\">";
      append_weight(text, weight);
      text += "</data></edge>\n";
    } else {
      text += "\"/>\n";
    }
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
    if (graph_.weighted()) {
      text += ' ';
      append_weight(text, weight);
    }
    text += '\n';
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
    for (std::uint64_t a = out.offsets[v]; a < out.offsets[v + 1]; ++a) {
      const std::uint64_t to = out.targets[a];
      const double weight = graph_.weighted() ? out.weights[a] : 1;
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
          if (graph_.weighted()) {
            text += ',';
            append_weight(text, weight);
          }
          text += '\n';
          break;
        case file_format::pajek:
          if (once && to < v) break;
          append_numbered(text, v, to, weight);
          break;
        case file_format::gml:
          if (once && to < v) break;
          text += "  edge [ source ";
          append_number(text, v);
          text += " target ";
          append_number(text, to);
          if (graph_.weighted()) {
            text += " weight ";
            append_weight(text, weight);
          }
          text += " ]\n";
          break;
        case file_format::graphml:
        case file_format::gexf:
          if (once && to < v) break;
          append_element(text, v, to, weight);
          break;
        case file_format::gapbs_sg:
        case file_format::gapbs_wsg:
          break;  // binary
        case file_format::adjacency_list:
        case file_format::ligra:
        case file_format::npz:
        case file_format::automatic:
          break;  // not written
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
  std::span<const vertex_attribute> attributes_;
  file_format format_;
  const run_control& control_;
  compression method_;
  bool comments_;  ///< the file begins with a comment that says what its lines do not
  std::unique_ptr<machine::output_file> file_;
};

}  // namespace

std::vector<std::string> what_is_lost(const any_graph& graph, const std::string& path, file_format format) {
  if (format == file_format::automatic) format = format_from_suffix(path);
  std::vector<std::string> lost;
  const bool list = is_edge_list(format);
  std::visit(
      [&](const auto& g) {
        const bool gapbs = is_gapbs(format);
        const bool numbered = gapbs || format == file_format::matrix_market || format == file_format::dimacs ||
                              format == file_format::metis;
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
        const bool comments = may_have_comments(path, format);
        if (list && !comments && !g.directed()) {
          lost.emplace_back("nothing in it says that edges are undirected (--undirected reads it so; .txt tells)");
        }
        if (format == file_format::dimacs && !g.directed()) {
          lost.emplace_back("each undirected edge becomes two arcs (--undirected reads them as one)");
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
