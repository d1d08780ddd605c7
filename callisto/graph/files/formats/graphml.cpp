// The reader of GraphML (graphml.graphdrawing.org): vertices and edges with ids; data of the keys called weight, label
// and name.
#include <callisto/graph/files/formats/collector.hpp>
#include <callisto/graph/files/formats/edge_lines.hpp>
#include <callisto/graph/files/formats/xml.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/machine/system/error.hpp>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace callisto::graph::formats {
namespace {

/// Returns the attribute `name`. Throws usage_error, to which the line is added, if there is none.
std::string_view required(const xml_attributes& attributes, std::string_view element, std::string_view name) {
  const auto value = attributes.find(name);
  if (!value) throw usage_error("<" + std::string(element) + "> has no attribute '" + std::string(name) + "'");
  return *value;
}

double parsed_weight(std::string_view text) {
  text = input::trimmed(text, " \t\r\n");
  const auto weight = to_weight(text, weights::real);
  if (!weight) throw usage_error(not_a_weight(text, weights::real));
  return *weight;
}

/// True if an attribute has the name that is wanted; programs write weight and Weight.
bool is_called(std::string_view attribute, std::string_view wanted) {
  return attribute == wanted || (wanted == "weight" && input::lower_case(attribute) == wanted);
}

/// Returns the type that GraphML or GEXF calls so; nothing for types that a cell's content decides.
std::optional<column_type> type_called(std::string_view name) {
  if (name == "int" || name == "integer" || name == "long" || name == "short" || name == "byte")
    return column_type::whole;
  if (name == "float" || name == "double") return column_type::real;
  if (name == "boolean") return column_type::truth;
  return column_type::text;
}

/// An attribute that a file declares.
struct attribute_key {
  std::string name;
  std::optional<column_type> type;
  std::string domain;  ///< of GraphML: "node", "edge", "all" ...
};

/// Takes the place of a vertex in a drawing, as yEd and Gephi give it, as attributes x and y.
void take_place(collector& graph, std::uint32_t vertex, const xml_attributes& of) {
  for (const char* axis : {"x", "y"}) {
    const auto at = of.find(axis);
    if (at) graph.set_attribute(attribute_of::vertices, vertex, axis, *at, column_type::real);
  }
}

class graphml_reader {
 public:
  graphml_reader(const input::source& from, const read_options& options, read_report& report)
      : graph_(from, options.attributes), options_(options), report_(report) {}

  void read(input::source& from, std::string_view weight_key) {
    weight_name_ = weight_key;
    parse_xml(from, {[this](std::string_view name, const xml_attributes& of) { begin(name, of); },
                     [this](std::string_view name) { end(name); }, [this](std::string_view piece) { text_ += piece; }});
    if (!root_) throw input_error(from.name(), 0, "holds no <graph>");
  }

  any_edge_list finish(const run_control& control) {
    if (hyperedges_ != 0) {
      report_.notes.push_back(input::counted(hyperedges_, "hyperedge") +
                              ", of any number of vertices, left out: only edges between two are read");
    }
    return graph_.finish(directed_default_, options_, control, report_);
  }

 private:
  void begin(std::string_view name, const xml_attributes& of) {
    take_label();
    in_label_ = in_label_ || name == "NodeLabel";
    text_.clear();
    if (name == "graph") {
      if (!root_) directed_default_ = of.find("edgedefault").value_or("undirected") == "directed";
      root_ = true;
    } else if (name == "key") {
      key_.assign(required(of, name, "id"));
      const std::string called(of.find("attr.name").value_or(key_));
      const std::string_view domain = of.find("for").value_or("all");
      if (is_called(called, weight_name_) && (domain == "edge" || domain == "all")) weight_keys_[key_] = std::nullopt;
      // yEd and igraph call it name, Gephi label. A name counts more than a label.
      if ((called == "label" || called == "name") && domain != "edge") label_keys_[key_] = called == "name";
      if (of.find("attr.name")) {  // keys of yEd's drawings have none
        names_[key_] = {called, type_called(of.find("attr.type").value_or("string")), std::string(domain)};
      }
    } else if (name == "node") {
      vertex_ = graph_.declare(required(of, name, "id"));
      named_ = false;
      of_ = part::vertex;
    } else if (name == "edge") {
      from_ = graph_.vertex(required(of, name, "source"));
      to_ = graph_.vertex(required(of, name, "target"));
      const auto directed = of.find("directed");
      edge_directed_ = directed ? *directed == "true" : directed_default_;
      weight_.reset();
      of_ = part::edge;
    } else if (name == "data") {
      key_.assign(of.find("key").value_or(""));
    } else if (name == "Geometry" && of_ == part::vertex) {
      take_place(graph_, vertex_, of);
    } else if (name == "hyperedge") {
      ++hyperedges_;
    }
  }

  void end(std::string_view name) {
    if (name == "data") {
      const auto weight = weight_keys_.find(key_);
      const auto label = label_keys_.find(key_);
      if (of_ == part::edge && weight != weight_keys_.end()) weight_ = parsed_weight(text_);
      if (of_ == part::vertex && label != label_keys_.end() && !named_) {
        graph_.call(vertex_, text_);
        named_ = label->second;
      }
      const auto other = names_.find(key_);
      if (other != names_.end() && of_ == part::edge && weight == weight_keys_.end()) {
        graph_.set_attribute(attribute_of::edges, graph_.edges(), other->second.name, text_, other->second.type);
      } else if (other != names_.end() && of_ == part::vertex && label == label_keys_.end()) {
        graph_.set_attribute(attribute_of::vertices, vertex_, other->second.name, text_, other->second.type);
      }
    } else if (name == "NodeLabel") {
      take_label();
      in_label_ = false;
    } else if (name == "default") {
      const auto weight = weight_keys_.find(key_);
      if (weight != weight_keys_.end()) weight->second = parsed_weight(text_);
      usual_ = text_;
    } else if (name == "key") {
      declare_key();
    } else if (name == "edge") {
      for (const auto& [key, usual] : weight_keys_) {
        if (!weight_) weight_ = usual;
      }
      graph_.add(from_, to_, edge_directed_, weight_);
      of_ = part::none;
    } else if (name == "node") {
      of_ = part::none;
    }
    text_.clear();
  }

  /// Declares the attribute of the key that ends, unless it is a weight or a label.
  void declare_key() {
    const auto usual = std::exchange(usual_, std::nullopt);
    const auto found = names_.find(key_);
    if (found == names_.end()) return;
    const auto& [name, type, domain] = found->second;
    const bool all = domain == "all" && usual;
    if ((domain == "node" || all) && !label_keys_.contains(key_)) {
      graph_.declare_attribute(attribute_of::vertices, name, type, usual);
    }
    if ((domain == "edge" || all) && !weight_keys_.contains(key_)) {
      graph_.declare_attribute(attribute_of::edges, name, type, usual);
    }
  }

  /// Calls a vertex by the text that yEd draws within it, which may go before further elements.
  void take_label() {
    if (!in_label_ || of_ != part::vertex || named_) return;
    const std::string_view label = input::trimmed(text_, " \t\r\n");
    if (label.empty()) return;
    graph_.call(vertex_, label);
    named_ = true;
  }

  enum class part { none, vertex, edge };

  collector graph_;
  const read_options& options_;
  read_report& report_;
  std::string weight_name_;
  bool root_ = false;
  bool directed_default_ = false;
  std::map<std::string, std::optional<double>, std::less<>> weight_keys_;  ///< by id: the value of edges without one
  std::map<std::string, bool, std::less<>> label_keys_;                    ///< by id: true if it is called name
  std::map<std::string, attribute_key, std::less<>> names_;                ///< by id
  std::optional<std::string> usual_;                                       ///< the value of <default>, within <key>
  std::uint64_t hyperedges_ = 0;
  part of_ = part::none;
  std::string key_;
  std::string text_;
  std::uint32_t vertex_ = 0;
  bool named_ = false;
  bool in_label_ = false;
  std::uint32_t from_ = 0;
  std::uint32_t to_ = 0;
  bool edge_directed_ = false;
  std::optional<double> weight_;
};

class gexf_reader {
 public:
  gexf_reader(const input::source& from, const read_options& options, read_report& report)
      : graph_(from, options.attributes),
        options_(options),
        report_(report),
        weights_(options.weights_column != "none") {}

  void read(input::source& from) {
    parse_xml(from, {[this](std::string_view name, const xml_attributes& of) { begin(name, of); },
                     [this](std::string_view name) { end(name); }, [this](std::string_view piece) { text_ += piece; }});
    if (!root_) throw input_error(from.name(), 0, "holds no <graph>");
  }

  any_edge_list finish(const run_control& control) {
    return graph_.finish(directed_default_, options_, control, report_);
  }

 private:
  void begin(std::string_view name, const xml_attributes& of) {
    if (name == "graph") {
      if (!root_) directed_default_ = of.find("defaultedgetype").value_or("undirected") == "directed";
      root_ = true;
    } else if (name == "node") {
      vertex_ = graph_.declare(required(of, name, "id"));
      if (const auto label = of.find("label")) graph_.call(vertex_, *label);
    } else if (name == "edge") {
      const std::uint32_t from = graph_.vertex(required(of, name, "source"));
      const std::uint32_t to = graph_.vertex(required(of, name, "target"));
      const auto type = of.find("type");
      const auto weight = of.find("weight");
      graph_.add(from, to, type ? *type == "directed" : directed_default_,
                 weight && weights_ ? std::optional<double>(parsed_weight(*weight)) : std::nullopt);
    } else if (name == "position" && in_node_) {
      take_place(graph_, vertex_, of);
    } else if (name == "attributes") {
      of_edges_ = of.find("class") == "edge";
    } else if (name == "attribute") {
      const std::string key(required(of, name, "id"));
      declared_ = {std::string(of.find("title").value_or(key)), type_called(of.find("type").value_or("string")), {}};
      usual_.reset();
      titles_[of_edges_ ? 1 : 0][key] = declared_;
    } else if (name == "attvalue") {
      const auto key = of.find("for");
      if (!key || (!in_node_ && !in_edge_)) return;
      const auto& titles = titles_[in_edge_ ? 1 : 0];
      const auto title = titles.find(*key);
      const attribute_key known = title != titles.end() ? title->second : attribute_key{std::string(*key), {}, {}};
      // An edge is added where it begins.
      graph_.set_attribute(in_edge_ ? attribute_of::edges : attribute_of::vertices,
                           in_edge_ ? graph_.edges() - 1 : std::uint64_t{vertex_}, known.name,
                           of.find("value").value_or(""), known.type);
    }
    text_.clear();
    if (name == "node" || name == "edge") {
      in_node_ = name == "node";
      in_edge_ = name == "edge";
    }
  }

  void end(std::string_view name) {
    if (name == "default") usual_ = text_;
    if (name != "attribute") return;
    graph_.declare_attribute(of_edges_ ? attribute_of::edges : attribute_of::vertices, declared_.name, declared_.type,
                             usual_);
  }

  collector graph_;
  const read_options& options_;
  read_report& report_;
  bool weights_;
  bool root_ = false;
  bool directed_default_ = false;
  bool of_edges_ = false;  ///< the attributes declared now are of edges
  bool in_node_ = false;
  bool in_edge_ = false;
  std::array<std::map<std::string, attribute_key, std::less<>>, 2> titles_;  ///< of vertices and of edges, by id
  attribute_key declared_;                                                   ///< the latest
  std::optional<std::string> usual_;                                         ///< its value where there is none
  std::string text_;
  std::uint32_t vertex_ = 0;
};

}  // namespace

any_edge_list read_graphml(input::source& from, const read_options& options, const run_control& control,
                           read_report& report) {
  graphml_reader reader(from, options, report);
  reader.read(from, options.weights_column.value_or("weight"));
  return reader.finish(control);
}

any_edge_list read_gexf(input::source& from, const read_options& options, const run_control& control,
                        read_report& report) {
  gexf_reader reader(from, options, report);
  reader.read(from);
  return reader.finish(control);
}

}  // namespace callisto::graph::formats
