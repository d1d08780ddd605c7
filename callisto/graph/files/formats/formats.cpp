// Code that the readers of all formats share.
#include <callisto/graph/files/formats/formats.hpp>

#include <callisto/graph/files/formats/parse_chunks.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/machine/system/encoding.hpp>
#include <callisto/machine/system/error.hpp>

#include <cmath>
#include <string>

namespace callisto::graph::formats {

void refuse_without_edges(const input::source& from) {
  throw input_error(from.name(), 0, "no edges: the file holds nothing but comments");
}

void refuse_without_edges(const input::source& from, const line_findings& left_out) {
  if (left_out.count == 0) refuse_without_edges(from);
  throw input_error(from.name(), left_out.first->line,
                    "no line is an edge, all are left out; the first: " + left_out.first->message);
}

any_edge_list no_edges(bool weighted) {
  edge_list<std::uint32_t> list;
  list.weighted = weighted;
  return list;
}

bool has_large_weights(const weight_array& values) noexcept {
  if (values.is_short()) return false;
  constexpr double largest = 9007199254740992;
  const double* const data = values.data<double>();
  bool large = false;
  for (std::size_t i = 0; i < values.size(); ++i)
    large |= std::abs(data[i]) >= largest && std::abs(data[i]) <= 2048 * largest;  // 2^53 + 1 becomes 2^53
  return large;
}

void tell_large_weights(read_report& report) {
  report.notes.emplace_back("weights of 2^53 to 2^64 are kept to 53 bits, so whole numbers are rounded");
}

void tell_counts(read_report& report, const std::pair<std::uint64_t, std::uint64_t>& counts, std::uint64_t edges) {
  if (counts.second == 0 || counts.second + 1 != edges) return;
  report.notes.push_back("line 1 is taken as an edge, though it may say that there are " +
                         std::to_string(counts.first) + " vertices and " + std::to_string(counts.second) +
                         " edges (--header yes leaves it out)");
}

void make_names_utf8(std::deque<name_table>& tables, read_report& report) {
  for (const name_table& table : tables) {
    for (std::uint32_t i = 0; i < table.size(); ++i) {
      if (machine::is_utf8(table[i])) continue;
      report.part.other_encoding = true;
      report.notes.push_back("the name " + input::shown(table[i]) +
                             " is not UTF-8: all names are taken as Windows-1252 (iconv converts other encodings)");
      return convert_names(tables, machine::from_windows_1252);
    }
  }
}

std::string read_all_as_utf8(input::source& from, read_report& report) {
  std::string text = input::read_all(from);
  if (machine::is_utf8(text)) return text;
  report.notes.emplace_back("is not UTF-8: taken as Windows-1252 (iconv converts other encodings)");
  return machine::from_windows_1252(text);
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
