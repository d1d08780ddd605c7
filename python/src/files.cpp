// Graphs from files and to files.
#include "bindings.hpp"
#include "graph.hpp"
#include "names.hpp"
#include "run.hpp"

#include <callisto/graph/attributes/condition.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace callisto::python {

graph::load_options load_options_of(const reading_words& words) {
  graph::load_options options;
  if (words.format != "automatic") options.read.format = graph::format_from_name(words.format);
  options.read.undirected = words.undirected;
  options.read.directed = words.directed;
  options.read.columns = words.columns;
  options.read.weights_column = words.weights_column;
  if (words.separator) {
    if (words.separator->size() != 1) {
      throw usage_error(fmt::format("separator is '{}': expected one character", *words.separator));
    }
    options.read.separator = words.separator->front();
  }
  options.read.header = words.header;
  if (words.ids == "numbers") {
    options.read.ids = graph::vertex_ids::numbers;
  } else if (words.ids == "names") {
    options.read.ids = graph::vertex_ids::names;
  } else if (words.ids != "as_found") {
    throw usage_error(fmt::format("ids is '{}': expected 'as_found', 'numbers' or 'names'", words.ids));
  }
  options.build.undirected = words.undirected;
  options.build.repeats = words.repeats ? repeats_named(*words.repeats) : graph::repeats::remove;
  options.repeats_chosen = words.repeats.has_value();
  options.build.loops = words.drop_loops ? graph::loops::remove : graph::loops::keep;
  return options;
}

namespace {

using graph::run_control;

/// Returns the graph of a file and the notes of its reader.
nb::tuple read(const std::string& path, const std::string& format, bool undirected, bool directed,
               const std::vector<std::string>& columns, const std::optional<std::string>& weights_column,
               const std::optional<std::string>& separator, const std::optional<bool>& header, const std::string& ids,
               bool bipartite, const std::string& member, const std::string& encoding, bool skip_bad_lines,
               const std::optional<std::string>& repeats, bool drop_loops, bool verify,
               const std::optional<std::string>& names, bool all_attributes, const std::vector<std::string>& attributes,
               const std::string& where, nb::handle progress) {
  if (format == "native") {
    const graph::native_check check = verify ? graph::native_check::content : graph::native_check::header;
    return nb::make_tuple(
        held_graph(run(progress, verify ? place::watched : place::caller,
                       [&](const run_control& control) { return graph::open_native(path, check, control); })),
        nb::list());
  }
  graph::load_options options = load_options_of(
      {format, undirected, directed, columns, weights_column, separator, header, ids, repeats, drop_loops});
  options.read.bipartite = bipartite;
  options.read.member = member;
  options.read.encoding = encoding;
  options.read.skip_bad_lines = skip_bad_lines;
  options.verify = verify;
  options.read.attributes = {all_attributes, attributes};
  std::shared_ptr<const graph::condition> condition;
  if (!where.empty()) {
    condition = std::make_shared<const graph::condition>(where);
    options.where = condition;
    for (const std::string& name : condition->names()) options.read.attributes.names.push_back(name);
  }
  graph::load_report report;
  graph::any_graph made = run(progress, place::watched, [&](const run_control& control) {
    graph::any_graph loaded = graph::load_graph(path, options, control, &report);
    if (names) loaded = graph::with_names_of_file(std::move(loaded), *names, control, &report.notes);
    if (condition == nullptr) return loaded;
    const auto kept = condition->kept_vertices(loaded, control);
    if (kept.empty()) return loaded;
    return std::visit([&](const auto& g) { return graph::any_graph(graph::induced_subgraph(g, kept, control)); },
                      loaded);
  });
  nb::list notes;
  for (const std::string& note : report.notes) notes.append(note);
  return nb::make_tuple(held_graph(std::move(made)), notes);
}

void save(const held_graph& of, const std::string& path, nb::handle progress) {
  run(progress, place::watched, [&](const run_control& control) {
    graph::write_native(of.any(), path, control);
    return true;
  });
}

/// Writes the graph in the format, or in that of the suffix; returns what the file does not keep.
std::vector<std::string> write(const held_graph& of, const std::string& path, const std::string& format,
                               nb::handle progress) {
  graph::file_format as = graph::file_format::automatic;
  if (format != "automatic") {
    as = graph::format_from_name(format);
  } else {
    as = graph::format_from_suffix(path);
  }
  if (as == graph::file_format::automatic) {
    throw usage_error(
        fmt::format("{}: the suffix names no format; expected .cg, .txt, .csv, .mtx, .gr, .graph, "
                    ".graphml, .gexf, .gml, .net, .el, .wel, .sg or .wsg, or a format",
                    path));
  }
  if (!graph::can_be_written(as)) throw usage_error(fmt::format("format '{}' is read but not written", format));
  return run(progress, place::watched, [&](const run_control& control) {
    graph::write_graph(of.any(), path, as, control);
    return graph::what_is_lost(of.any(), path, as);
  });
}

}  // namespace

void bind_files(nb::module_& m) {
  m.def("read", &read, nb::arg("path"), nb::arg("format"), nb::arg("undirected"), nb::arg("directed"),
        nb::arg("columns"), nb::arg("weights_column").none(), nb::arg("separator").none(), nb::arg("header").none(),
        nb::arg("ids"), nb::arg("bipartite"), nb::arg("member"), nb::arg("encoding"), nb::arg("skip_bad_lines"),
        nb::arg("repeats").none(), nb::arg("drop_loops"), nb::arg("verify"), nb::arg("names").none(),
        nb::arg("all_attributes"), nb::arg("attributes"), nb::arg("where"), nb::arg("progress") = nb::none());
  m.def("write", &write, nb::arg("graph"), nb::arg("path"), nb::arg("format"), nb::arg("progress") = nb::none());
  m.def("save", &save, nb::arg("graph"), nb::arg("path"), nb::arg("progress") = nb::none());
}

}  // namespace callisto::python
