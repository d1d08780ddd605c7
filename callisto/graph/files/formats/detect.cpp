// Detection of a file's format from its content.
#include <callisto/graph/files/formats/formats.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <string>

namespace callisto::graph::formats {
namespace {

using namespace std::string_view_literals;
using input::columns;
using input::line_reader;

bool begins_with_word(std::string_view text, std::string_view word) {
  return text.size() >= word.size() && std::equal(word.begin(), word.end(), text.begin(), [](char a, char b) {
           return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b);
         });
}

bool has_suffix(std::string_view name, std::string_view suffix) {
  for (const std::string_view compressed : {".gz"sv, ".zst"sv}) {
    if (name.ends_with(compressed)) {
      name.remove_suffix(compressed.size());
      break;
    }
  }
  return name.ends_with(suffix);
}

}  // namespace

void refuse_unreadable(const input::source& from) {
  const std::string_view head = from.head();
  if (head.empty()) throw input_error(from.name(), 0, "no edges: the file is empty");
  if (head.starts_with("\xef\xbb\xbf"sv)) {
    throw input_error(from.name(), 1, "begins with a UTF-8 byte order mark; save the file without one");
  }
  if (head.starts_with("\xff\xfe"sv) || head.starts_with("\xfe\xff"sv)) {
    throw input_error(from.name(), 1, "is UTF-16 text, expected ASCII; convert it, for example with iconv");
  }
}

namespace {

/// True if the lines behind a METIS header can be its rows, and cannot be a list of edges because their numbers of
/// columns differ. `all`: `lines` reaches the end of the file.
bool rows_are_metis(line_reader lines, const metis_header& header, std::size_t header_columns, bool all) {
  bool uniform = true;
  std::uint64_t rows = 0;
  std::uint64_t entries = 0;
  const std::uint64_t skipped = header.vertex_weights + (header.sizes ? 1 : 0);
  const std::uint64_t step = header.edge_weights ? 2 : 1;
  while (lines.next()) {
    const std::string_view line = lines.line();
    if (line.starts_with('%')) continue;
    const columns row = input::split(line);
    uniform = uniform && row.count == header_columns;
    if (rows == header.vertices) {
      if (row.count != 0) return false;
      continue;
    }
    ++rows;
    if (row.count < skipped || (row.count - skipped) % step != 0) return false;
    entries += (row.count - skipped) / step;
    for (std::size_t i = skipped; i < std::min(row.count, columns::kept); i += step) {
      const auto id = input::to_unsigned(row.text[i]);
      if (!id || *id < 1 || *id > header.vertices) return false;
    }
  }
  if (uniform || entries > 2 * header.edges) return false;
  return !all || rows == header.vertices;
}

file_format detect_gapbs(const input::source& from, const gapbs_header& header) {
  const bool by_name = has_suffix(from.name(), ".wsg");
  if (const auto size = from.size()) {
    if (*size == header.file_bytes(4) && !(by_name && header.arcs == 0)) return file_format::gapbs_sg;
    if (*size == header.file_bytes(8)) return file_format::gapbs_wsg;
  }
  if (by_name) return file_format::gapbs_wsg;
  if (has_suffix(from.name(), ".sg")) return file_format::gapbs_sg;
  throw input_error(from.name(), 0,
                    from.size() ? "begins like a GAPBS graph but has the size of neither .sg nor .wsg"
                                : "is a compressed or piped GAPBS graph: only its name (.sg, .wsg) or an explicit "
                                  "format tells whether it has weights");
}

}  // namespace

file_format detect(const input::source& from) {
  const std::string_view head = from.head();
  if (begins_with_word(head, "%%matrixmarket"sv)) return file_format::matrix_market;
  if (head.front() == '\0' || head.front() == '\1') {
    const auto header = to_gapbs_header(head);
    if (header) return detect_gapbs(from, *header);
    throw input_error(from.name(), 0, "is a binary file of a kind that is not known here, or damaged");
  }
  if (head.starts_with("\x89"
                       "CGR"sv)) {
    throw input_error(from.name(), 0, "is a native Callisto graph, which is opened from an uncompressed file only");
  }
  if (has_suffix(from.name(), ".el")) return file_format::edge_list;
  if (has_suffix(from.name(), ".wel")) return file_format::weighted_edge_list;

  line_reader lines(head, from.head_is_all());
  bool hash_comments = false;
  while (lines.next()) {
    const std::string_view line = lines.line();
    const columns found = input::split(line);
    if (found.count == 0 || found.text[0].front() == '%') continue;
    if (found.text[0].front() == '#') {
      hash_comments = true;
      continue;
    }
    if (found.text[0] == "c"sv || found.text[0] == "p"sv || found.text[0] == "a"sv) return file_format::dimacs;
    const auto header = hash_comments ? std::nullopt : to_metis_header(line);
    if (header && (has_suffix(from.name(), ".graph") || has_suffix(from.name(), ".metis") ||
                   rows_are_metis(lines, *header, found.count, from.head_is_all()))) {
      return file_format::metis;
    }
    return found.count == 3 ? file_format::weighted_edge_list : file_format::edge_list;
  }
  return file_format::edge_list;
}

}  // namespace callisto::graph::formats
