// Detection of a file's format from its content.
#include <callisto/graph/files/formats/formats.hpp>
#include <callisto/graph/files/formats/python_literal.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace callisto::graph::formats {
namespace {

using namespace std::string_view_literals;
using input::columns;
using input::line_reader;

bool has_suffix(std::string_view name, std::string_view suffix) {
  for (const std::string_view compressed : {".gz"sv, ".zst"sv, ".bz2"sv, ".xz"sv, ".lz4"sv, ".lz"sv}) {
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

/// Throws input_error for kinds of files that are known and not read.
void refuse_known(const input::source& from) {
  const std::string_view head = from.head();
  struct kind {
    std::string_view begin;
    const char* is;
  };
  for (const kind& k :
       {kind{"PAR1"sv, "is a Parquet file, which is read neither from a pipe nor from an archive; unpack it first"},
        kind{"ARROW1"sv, "is an Arrow file, which is not read; write it as CSV"},
        kind{"\x89HDF"sv, "is an HDF5 file, which is not read"},
        kind{"SQLite format"sv, "is an SQLite database, which is not read; write its table as CSV"},
        kind{"%PDF"sv, "is a PDF document, which holds no graph"},
        kind{"version https://git-lfs"sv, "is a pointer of Git LFS, not the file; fetch it with git lfs pull"},
        kind{"nodedef>"sv, "is a GDF file, which is not read; GraphML, GML, GEXF, Pajek and tables are"},
        kind{"LEDA.GRAPH"sv, "is a LEDA graph, which is not read; GraphML, GML, GEXF, Pajek and tables are"},
        kind{">>graph6<<"sv, "is a graph6 file, which is not read; networkx.read_graph6 and write_edgelist convert it"},
        kind{">>sparse6<<"sv,
             "is a sparse6 file, which is not read; networkx.read_sparse6 and write_edgelist convert it"},
        kind{"(tlp "sv, "is a Tulip file, which is not read; GraphML, GML, GEXF, Pajek and tables are"},
        kind{"@prefix"sv, "is RDF (Turtle), which is not read; write it as N-Triples (rapper, riot and rdflib do)"},
        kind{"MATLAB"sv, "is a MATLAB file, which is not read; write the matrix as Matrix Market"},
        kind{"33D32945"sv, "is a SteinLib file, which is not read; write an edge a line"}}) {
    if (head.starts_with(k.begin)) throw input_error(from.name(), 0, k.is);
  }
  for (const std::string_view begin :
       {"INSERT INTO "sv, "CREATE TABLE "sv, "-- MySQL dump"sv, "-- PostgreSQL database"sv}) {
    if (head.starts_with(begin)) {
      throw input_error(from.name(), 0, "is a dump of a database (SQL), which is not read; write its table as CSV");
    }
  }
}

/// Returns the first word of `text` in lower case, and what follows it.
std::pair<std::string, std::string_view> first_word(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"sv), text.size());
  const std::size_t end = std::min(text.find_first_of(" \t\r\n[{"sv, begin), text.size());
  const std::size_t next = std::min(text.find_first_not_of(" \t\r\n"sv, end), text.size());
  return {input::lower_case(text.substr(begin, end - begin)), text.substr(next)};
}

/// Returns `text` without the lines at its front that begin with `comment` or are blank.
std::string_view behind_comments(std::string_view text, char comment) {
  for (;;) {
    const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"sv), text.size());
    text.remove_prefix(begin);
    if (!text.starts_with(comment)) return text;
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
}

/// Returns `text` without the comments in /* and */ at its front.
std::string_view behind_star_comments(std::string_view text) {
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"sv), text.size()));
    if (!text.starts_with("/*"sv)) return text;
    text.remove_prefix(std::min(text.find("*/"sv), text.size() - 2) + 2);
  }
}

/// True for GML: comments, keys such as Creator with their values, then "graph [".
bool is_gml(std::string_view text) {
  for (int keys = 0; keys < 8; ++keys) {
    text = behind_comments(text, '#');
    auto [word, rest] = first_word(text);
    if (word == "graph") return rest.starts_with('[');
    if (word != "creator" && word != "version" && word != "comment" && word != "directed" && word != "label")
      return false;
    // The value: a string in quotes, or the rest of the line.
    const std::size_t end = rest.starts_with('"') ? rest.find('"', 1) : rest.find('\n');
    if (end == rest.npos) return false;
    text = rest.substr(end + 1);
  }
  return false;
}

/// Returns the format of a structured text, which its first words show; nothing if it is a list or a table.
std::optional<file_format> detect_structured(const input::source& from) {
  const std::string_view head = from.head();
  if (is_python_view(head)) return file_format::node_link;
  const auto [word, rest] = first_word(head);
  if (word.starts_with("<html"sv) || word == "<!doctype"sv) {
    throw input_error(from.name(), 0, "is a web page, not a graph: was it downloaded from the right address?");
  }
  if (word.starts_with('<')) {
    for (const auto& [root, format] :
         {std::pair("<graphml"sv, file_format::graphml), std::pair("<gexf"sv, file_format::gexf)}) {
      const std::size_t at = head.find(root);
      std::string prefixed_root(":");
      prefixed_root += root.substr(1);
      const std::size_t prefixed = head.find(prefixed_root);
      if (at != head.npos || prefixed != head.npos) return format;
    }
    throw input_error(from.name(), 0, "is XML of another kind; of XML, GraphML and GEXF are read");
  }
  if (word == "adjacencygraph" || word == "weightedadjacencygraph") return file_format::ligra;
  const std::string pajek = first_word(behind_comments(behind_star_comments(behind_comments(head, '%')), '%')).first;
  for (const std::string_view section : {"*vertices"sv, "*network"sv, "*net"sv, "*partition"sv, "*vector"sv,
                                         "*permutation"sv, "*cluster"sv, "*hierarchy"sv}) {
    if (pajek == section) return file_format::pajek;
  }
  if (is_gml(head)) return file_format::gml;
  if (is_dot(head)) return file_format::dot;
  // "[0, 1]" a line is a table.
  const std::size_t line_end = std::min(rest.find('\n'), rest.size());
  const bool pairs = rest.starts_with('[') && rest.find_first_of("({"sv) >= line_end && rest.find(',') < line_end &&
                     rest.substr(1).find('[') >= line_end &&
                     input::trimmed(rest.substr(0, line_end), " \t\r,").ends_with(']');
  if (word.empty() && (rest.starts_with('{') || (rest.starts_with('[') && !pairs))) {
    return file_format::node_link;
  }
  return std::nullopt;
}

/// True for a text of DIMACS or PACE: comments, then a line "p KIND NUMBER NUMBER".
bool is_dimacs(std::string_view head, bool all) {
  line_reader lines(head, all);
  while (lines.next()) {
    const columns found = input::split(lines.line());
    if (found.count == 0 || found.text[0] == "c"sv) continue;
    return found.text[0] == "p"sv && found.count == 4 && input::to_unsigned(found.text[2]) &&
           input::to_unsigned(found.text[3]);
  }
  return false;
}

/// True if the first line begins with a letter of DIMACS and a blank.
bool begins_like_dimacs(std::string_view head) {
  const columns first = input::split(head.substr(0, head.find('\n')));
  return first.count != 0 && first.text[0].size() == 1 && std::string_view("cpaen").find(first.text[0]) != head.npos;
}

/// True for the comments with which NetworkX begins an adjacency list: its program, a date, an empty line.
bool is_networkx_list(std::string_view head) {
  line_reader lines(head, true);
  std::size_t comments = 0;
  bool date = false;
  while (lines.next() && lines.line().starts_with('#')) {
    ++comments;
    date = date || lines.line().starts_with("# GMT "sv);
  }
  return comments == 3 && date;
}

}  // namespace

file_format detect(const input::source& from) {
  const std::string_view head = from.head();
  if (is_banner(head.substr(0, head.find('\n'))) || has_suffix(from.name(), ".mtx")) return file_format::matrix_market;
  if (head.starts_with("PK\x03\x04"sv)) return file_format::npz;
  if (head.starts_with("\x93NUMPY"sv)) return file_format::npy;
  refuse_known(from);
  if (head.front() == '\0' || head.front() == '\1') {
    const auto header = to_gapbs_header(head);
    if (header) return detect_gapbs(from, *header);
    throw input_error(from.name(), 0, "is a binary file of a kind that is not known here, or damaged");
  }
  if (head.starts_with("\x89"
                       "CGR"sv)) {
    throw input_error(from.name(), 0, "is a native Callisto graph, which is opened from an uncompressed file only");
  }
  if (has_suffix(from.name(), ".nt") || has_suffix(from.name(), ".nq") || is_ntriples(head, from.head_is_all())) {
    return file_format::ntriples;
  }
  if (has_suffix(from.name(), ".dl") || is_dl(head)) return file_format::dl;
  if (const auto structured = detect_structured(from)) return *structured;
  for (const std::string_view suffix : {".gr"sv, ".col"sv, ".clq"sv, ".max"sv, ".dimacs"sv}) {
    if (has_suffix(from.name(), suffix) && begins_like_dimacs(head)) return file_format::dimacs;
  }
  if (is_dimacs(head, from.head_is_all())) return file_format::dimacs;
  if (has_suffix(from.name(), ".lgl") || is_lgl(head, from.head_is_all())) return file_format::lgl;
  if (has_suffix(from.name(), ".sif")) return file_format::sif;
  if (has_suffix(from.name(), ".tgf")) return file_format::tgf;
  if (has_suffix(from.name(), ".adjlist") || is_networkx_list(head)) return file_format::adjacency_list;

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
    const auto header = hash_comments ? std::nullopt : to_metis_header(line);
    if (header && (has_suffix(from.name(), ".graph") || has_suffix(from.name(), ".metis") ||
                   rows_are_metis(lines, *header, found.count, from.head_is_all()))) {
      return file_format::metis;
    }
    break;
  }
  return file_format::table;
}

}  // namespace callisto::graph::formats
