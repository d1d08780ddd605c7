// Chooses and runs the reader of a file.
#include <callisto/graph/files/read.hpp>

#include <callisto/graph/files/formats/formats.hpp>
#include <callisto/graph/files/input/source.hpp>

#include <memory>
#include <string>

namespace callisto::graph {
namespace {

any_edge_list read_source(input::source& from, const read_options& options, const run_control& control,
                          file_format* found) {
  formats::refuse_unreadable(from);
  const file_format format = options.format == file_format::automatic ? formats::detect(from) : options.format;
  if (found != nullptr) *found = format;
  switch (format) {
    case file_format::automatic:
      break;  // never detected
    case file_format::edge_list:
      return formats::read_edge_list(from, false, options, control);
    case file_format::weighted_edge_list:
      return formats::read_edge_list(from, true, options, control);
    case file_format::matrix_market:
      return formats::read_matrix_market(from, options);
    case file_format::dimacs:
      return formats::read_dimacs(from, options);
    case file_format::metis:
      return formats::read_metis(from, options, control);
    case file_format::gapbs_sg:
      return formats::read_gapbs(from, false, options);
    case file_format::gapbs_wsg:
      return formats::read_gapbs(from, true, options);
  }
  __builtin_unreachable();
}

}  // namespace

any_edge_list read_edges(const std::string& path, const read_options& options, const run_control& control,
                         file_format* found) {
  return read_source(*input::open_source(path, control), options, control, found);
}

any_edge_list read_edges(std::span<const std::byte> bytes, const std::string& name, const read_options& options,
                         const run_control& control, file_format* found) {
  return read_source(*input::open_source(bytes, name, control), options, control, found);
}

}  // namespace callisto::graph
