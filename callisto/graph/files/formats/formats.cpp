// What the readers of all formats share.
#include <callisto/graph/files/formats/formats.hpp>

#include <callisto/graph/files/formats/parse_chunks.hpp>
#include <callisto/machine/system/error.hpp>

#include <string>

namespace callisto::graph::formats {

void refuse_without_edges(const input::source& from) {
  throw input_error(from.name(), 0, "no edges: the file holds nothing but comments");
}

input::text_cut cut_for(const read_options& options, std::uint64_t skip) {
  input::text_cut cut;
  cut.skip = skip;
  cut.chunk_bytes = options.chunk_bytes == 0 ? usual_chunk : options.chunk_bytes;
  return cut;
}

direction direction_of(bool undirected, const read_options& options) noexcept {
  return options.undirected || (undirected && !options.directed) ? direction::undirected : direction::directed;
}

void check_vertices(std::uint64_t vertices, const input::source& from, std::uint64_t line) {
  constexpr std::uint64_t most = std::uint64_t{1} << 37;  // build_graph() numbers no more (construction/build.hpp)
  if (vertices == 0) throw input_error(from.name(), line, "the graph has no vertices");
  if (vertices > most) {
    throw input_error(from.name(), line,
                      "the header declares " + std::to_string(vertices) + " vertices; at most 2^37 are possible");
  }
}

}  // namespace callisto::graph::formats
