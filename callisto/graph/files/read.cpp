// Chooses and runs the reader of a file.
#include <callisto/graph/files/read.hpp>

#include <callisto/graph/files/formats/formats.hpp>
#include <callisto/graph/files/input/source.hpp>
#include <callisto/machine/system/error.hpp>

#include <memory>
#include <string>
#include <variant>

namespace callisto::graph {
namespace {

any_edge_list read_with(file_format format, input::source& from, const read_options& options,
                        const run_control& control, read_report& report) {
  switch (format) {
    case file_format::automatic:
      break;  // never detected
    case file_format::edge_list:
    case file_format::weighted_edge_list:
    case file_format::table:
      return formats::read_table(from, options, control, report);
    case file_format::matrix_market:
      return formats::read_matrix_market(from, options, report);
    case file_format::dimacs:
      return formats::read_dimacs(from, options, report);
    case file_format::adjacency_list:
      return formats::read_adjacency_list(from, options, control, report);
    case file_format::ligra:
      return formats::read_ligra(from, options, report);
    case file_format::pajek:
      return formats::read_pajek(from, options, control, report);
    case file_format::gml:
      return formats::read_gml(from, options, control, report);
    case file_format::graphml:
      return formats::read_graphml(from, options, control, report);
    case file_format::gexf:
      return formats::read_gexf(from, options, control, report);
    case file_format::npz:
      return formats::read_npz(from, options, report);
    case file_format::metis:
      return formats::read_metis(from, options, control);
    case file_format::gapbs_sg:
      return formats::read_gapbs(from, false, options);
    case file_format::gapbs_wsg:
      return formats::read_gapbs(from, true, options);
  }
  __builtin_unreachable();
}

any_edge_list read_source(input::source& from, const read_options& options, const run_control& control,
                          read_report* report) {
  read_report unused;
  read_report& r = report != nullptr ? *report : unused;
  r = {};
  r.notes = from.notes();
  formats::refuse_unreadable(from);
  r.format = options.format == file_format::automatic ? formats::detect(from) : options.format;
  // A format that holds either kind of edges states which; a reader of a text that need not corrects this.
  r.direction_known = r.format != file_format::adjacency_list && r.format != file_format::table &&
                      r.format != file_format::edge_list && r.format != file_format::weighted_edge_list;
  any_edge_list list = read_with(r.format, from, options, control, r);
  const bool undirected = std::visit([](const auto& l) { return l.meaning == direction::undirected; }, list);
  if (options.directed && undirected) {
    throw usage_error("--directed: " + from.name() + " holds undirected edges (" + std::string(name_of(r.format)) +
                      ")");
  }
  r.direction_known = r.direction_known || options.undirected || options.directed;
  return list;
}

}  // namespace

any_edge_list read_edges(const std::string& path, const read_options& options, const run_control& control,
                         read_report* report) {
  return read_source(*input::open_source(path, control, options.member), options, control, report);
}

any_edge_list read_edges(std::span<const std::byte> bytes, const std::string& name, const read_options& options,
                         const run_control& control, read_report* report) {
  return read_source(*input::open_source(bytes, name, control, options.member), options, control, report);
}

}  // namespace callisto::graph
