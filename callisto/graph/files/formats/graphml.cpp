// The reader of GraphML (graphml.graphdrawing.org): vertices and edges with ids; data of the keys called weight, label
// and name.
#include <callisto/graph/files/formats/collector.hpp>
#include <callisto/graph/files/formats/edge_lines.hpp>
#include <callisto/graph/files/formats/xml.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/machine/system/error.hpp>

#include <map>
#include <optional>
#include <string>

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

class graphml_reader {
 public:
  graphml_reader(const input::source& from, const read_options& options, read_report& report)
      : graph_(from), options_(options), report_(report) {}

  void read(input::source& from, std::string_view weight_key) {
    weight_name_ = weight_key;
    parse_xml(from, {[this](std::string_view name, const xml_attributes& of) { begin(name, of); },
                     [this](std::string_view name) { end(name); }, [this](std::string_view piece) { text_ += piece; }});
    if (!root_) throw input_error(from.name(), 0, "holds no <graph>");
  }

  any_edge_list finish(const run_control& control) {
    return graph_.finish(directed_default_, options_, control, report_);
  }

 private:
  void begin(std::string_view name, const xml_attributes& of) {
    text_.clear();
    if (name == "graph") {
      if (!root_) directed_default_ = of.find("edgedefault").value_or("undirected") == "directed";
      root_ = true;
    } else if (name == "key") {
      key_.assign(required(of, name, "id"));
      const std::string called(of.find("attr.name").value_or(key_));
      const std::string_view domain = of.find("for").value_or("all");
      if (called == weight_name_ && (domain == "edge" || domain == "all")) weight_keys_[key_] = std::nullopt;
      // yEd and igraph call it name, Gephi label. A name counts more than a label.
      if ((called == "label" || called == "name") && domain != "edge") label_keys_[key_] = called == "name";
    } else if (name == "node") {
      vertex_ = graph_.vertex(required(of, name, "id"));
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
    } else if (name == "default") {
      const auto weight = weight_keys_.find(key_);
      if (weight != weight_keys_.end()) weight->second = parsed_weight(text_);
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

  enum class part { none, vertex, edge };

  collector graph_;
  const read_options& options_;
  read_report& report_;
  std::string weight_name_;
  bool root_ = false;
  bool directed_default_ = false;
  std::map<std::string, std::optional<double>, std::less<>> weight_keys_;  ///< by id: the value of edges without one
  std::map<std::string, bool, std::less<>> label_keys_;                    ///< by id: true if it is called name
  part of_ = part::none;
  std::string key_;
  std::string text_;
  std::uint32_t vertex_ = 0;
  bool named_ = false;
  std::uint32_t from_ = 0;
  std::uint32_t to_ = 0;
  bool edge_directed_ = false;
  std::optional<double> weight_;
};

class gexf_reader {
 public:
  gexf_reader(const input::source& from, const read_options& options, read_report& report)
      : graph_(from), options_(options), report_(report), weights_(options.weights_column != "none") {}

  void read(input::source& from) {
    parse_xml(from, {[this](std::string_view name, const xml_attributes& of) { begin(name, of); },
                     [](std::string_view) {}, [](std::string_view) {}});
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
      const std::uint32_t vertex = graph_.vertex(required(of, name, "id"));
      if (const auto label = of.find("label")) graph_.call(vertex, *label);
    } else if (name == "edge") {
      const std::uint32_t from = graph_.vertex(required(of, name, "source"));
      const std::uint32_t to = graph_.vertex(required(of, name, "target"));
      const auto type = of.find("type");
      const auto weight = of.find("weight");
      graph_.add(from, to, type ? *type == "directed" : directed_default_,
                 weight && weights_ ? std::optional<double>(parsed_weight(*weight)) : std::nullopt);
    }
  }

  collector graph_;
  const read_options& options_;
  read_report& report_;
  bool weights_;
  bool root_ = false;
  bool directed_default_ = false;
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
