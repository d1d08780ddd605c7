// Choosing and running the reader of a file.
#include <callisto/graph/files/read.hpp>

#include <callisto/graph/files/formats/formats.hpp>
#include <callisto/graph/files/formats/parse_chunks.hpp>
#include <callisto/graph/files/input/source.hpp>
#include <callisto/machine/system/error.hpp>

#include <memory>
#include <string>

namespace callisto::graph {
namespace {

any_edge_list read_source(input::source& from, const read_options& options, const context& what, file_format* found) {
  formats::refuse_unreadable(from);
  const file_format format = options.format == file_format::automatic ? formats::detect(from) : options.format;
  if (found != nullptr) *found = format;
  switch (format) {
    case file_format::automatic:
      break;  // never detected
    case file_format::edge_list:
      return formats::read_edge_list(from, false, options, what);
    case file_format::weighted_edge_list:
      return formats::read_edge_list(from, true, options, what);
    case file_format::matrix_market:
      return formats::read_matrix_market(from, options);
    case file_format::dimacs:
      return formats::read_dimacs(from, options);
    case file_format::metis:
      return formats::read_metis(from, options, what);
    case file_format::gapbs_sg:
      return formats::read_gapbs(from, false, options);
    case file_format::gapbs_wsg:
      return formats::read_gapbs(from, true, options);
  }
  __builtin_unreachable();
}

}  // namespace

namespace formats {

input::text_cut cut_for(const read_options& options, std::uint64_t skip) {
  input::text_cut cut;
  cut.skip = skip;
  cut.chunk_bytes = options.chunk_bytes == 0 ? usual_chunk : options.chunk_bytes;
  return cut;
}

void check_vertices(std::uint64_t vertices, const input::source& from, std::uint64_t line) {
  constexpr std::uint64_t most = std::uint64_t{1} << 37;  // what graph/construction/build.hpp can number
  if (vertices == 0) throw input_error(from.name(), line, "the graph has no vertices");
  if (vertices > most) {
    throw input_error(from.name(), line,
                      "the header declares " + std::to_string(vertices) + " vertices; at most 2^37 are possible");
  }
}

}  // namespace formats

any_edge_list read_edges(const std::string& path, const read_options& options, const context& what,
                         file_format* found) {
  return read_source(*input::open_source(path, what), options, what, found);
}

any_edge_list read_edges(std::span<const std::byte> bytes, const std::string& name, const read_options& options,
                         const context& what, file_format* found) {
  return read_source(*input::open_source(bytes, name, what), options, what, found);
}

}  // namespace callisto::graph
