// The reader of RDF's N-Triples (.nt) and N-Quads (.nq): a line "SUBJECT PREDICATE OBJECT [GRAPH] ." each.
//
// By the grammar of https://www.w3.org/TR/n-triples/ (section 7), and of n-quads/ for the name of a graph.
#include <callisto/graph/files/formats/collector.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/machine/system/encoding.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace callisto::graph::formats {
namespace {

enum class rdf_kind { iri, blank, literal };

struct rdf_term {
  rdf_kind kind = rdf_kind::iri;
  std::string text = {};      ///< without brackets, quotes and escapes; of a blank node with "_:"
  std::string datatype = {};  ///< of a literal: an IRI, or nothing
};

struct rdf_statement {
  rdf_term subject;
  rdf_term predicate;
  rdf_term object;
  std::optional<rdf_term> graph;
};

/// Says what a line has instead of a statement.
struct rdf_fault {
  std::string message;
};

class rdf_line {
 public:
  explicit rdf_line(std::string_view line) : rest_(line) { skip_blanks(); }

  /// True for a line of blanks and comments.
  bool empty() const noexcept { return rest_.empty() || rest_.front() == '#'; }

  /// Parses the line into `all`. Throws rdf_fault.
  void parse(rdf_statement& all) {
    take(all.subject, "a subject (<IRI> or _:NAME)");
    if (all.subject.kind == rdf_kind::literal) throw rdf_fault{"the subject is a text in quotes"};
    take(all.predicate, "a predicate (<IRI>)");
    if (all.predicate.kind != rdf_kind::iri) throw rdf_fault{"the predicate is no <IRI>"};
    take(all.object, "an object (<IRI>, _:NAME or \"text\")");
    all.graph.reset();
    if (!rest_.empty() && rest_.front() != '.') {
      take(all.graph.emplace(), "'.' or a graph");
      if (all.graph->kind == rdf_kind::literal) throw rdf_fault{"the graph is a text in quotes"};
    }
    if (rest_.empty() || rest_.front() != '.') throw rdf_fault{"expected '.' behind the object, found " + found()};
    rest_.remove_prefix(1);
    skip_blanks();
    if (!empty()) throw rdf_fault{"expected the end of the line behind '.', found " + found()};
  }

 private:
  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r"), rest_.size())); }
  std::string found() const { return rest_.empty() ? "the end of the line" : input::shown(rest_); }

  void take(rdf_term& term, const char* what) {
    term.text.clear();
    term.datatype.clear();
    if (rest_.starts_with('<')) {
      term.kind = rdf_kind::iri;
      take_iri(term.text);
    } else if (rest_.starts_with("_:")) {
      term.kind = rdf_kind::blank;
      std::size_t end = std::min(rest_.find_first_of(" \t\r<>\"", 2), rest_.size());
      while (end > 2 && rest_[end - 1] == '.') --end;
      if (end == 2) throw rdf_fault{"expected a name behind '_:', found " + found()};
      term.text = rest_.substr(0, end);
      rest_.remove_prefix(end);
    } else if (rest_.starts_with('"')) {
      term.kind = rdf_kind::literal;
      take_text(term);
    } else {
      throw rdf_fault{std::string("expected ") + what + ", found " + found()};
    }
    skip_blanks();
  }

  void take_iri(std::string& text) {
    const std::size_t end = rest_.find_first_of("<>\" \t", 1);
    if (end == rest_.npos || rest_[end] != '>') throw rdf_fault{"an <IRI> is not closed or has a blank, quote or '<'"};
    append_unescaped(text, rest_.substr(1, end - 1), false);
    rest_.remove_prefix(end + 1);
  }

  void take_text(rdf_term& term) {
    std::size_t end = 1;
    while (end < rest_.size() && rest_[end] != '"') end += rest_[end] == '\\' ? 2 : 1;
    if (end >= rest_.size()) throw rdf_fault{"a quote is not closed in its line"};
    append_unescaped(term.text, rest_.substr(1, end - 1), true);
    rest_.remove_prefix(end + 1);
    if (rest_.starts_with("^^<")) {
      rest_.remove_prefix(2);
      take_iri(term.datatype);
    } else if (rest_.starts_with('@')) {
      const std::size_t last = std::min(rest_.find_first_of(" \t\r.<", 1), rest_.size());
      if (last == 1) throw rdf_fault{"expected a language behind '@', found " + found()};
      rest_.remove_prefix(last);
    }
  }

  static void append_unescaped(std::string& text, std::string_view from, bool letters) {
    while (!from.empty()) {
      const std::size_t plain = std::min(from.find('\\'), from.size());
      text += from.substr(0, plain);
      from.remove_prefix(plain);
      if (from.empty()) return;
      const char kind = from.size() > 1 ? from[1] : '\0';
      if (kind == 'u' || kind == 'U') {
        const std::string_view digits = from.substr(2, kind == 'u' ? 4 : 8);
        std::uint32_t code = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
        const bool whole = digits.size() == (kind == 'u' ? 4u : 8u) && end == digits.data() + digits.size();
        if (!whole || error != std::errc{} || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
          throw rdf_fault{"expected the digits of a character behind '\\" + std::string(1, kind) + "', found " +
                          input::shown(digits)};
        }
        machine::append_utf8(text, code);
        from.remove_prefix(2 + digits.size());
        continue;
      }
      constexpr std::string_view escapes = "tbnrf\"'\\";
      constexpr std::string_view meanings = "\t\b\n\r\f\"'\\";
      const std::size_t at = escapes.find(kind);
      if (!letters || at == escapes.npos) {
        throw rdf_fault{"an escape that there is not: " + input::shown(from.substr(0, 2))};
      }
      text += meanings[at];
      from.remove_prefix(2);
    }
  }

  std::string_view rest_;
};

/// Returns the type of a literal's column: its values decide where the datatype is one of numbers or truth.
std::optional<column_type> type_of(const std::string& datatype) {
  constexpr std::string_view schema = "http://www.w3.org/2001/XMLSchema#";
  if (!datatype.starts_with(schema)) return column_type::text;
  const std::string_view name = std::string_view(datatype).substr(schema.size());
  for (const std::string_view numeric :
       {"integer", "decimal", "double", "float", "boolean", "int", "long", "short", "byte", "nonNegativeInteger",
        "positiveInteger", "unsignedInt", "unsignedLong"}) {
    if (name == numeric) return std::nullopt;
  }
  return column_type::text;
}

}  // namespace

bool is_ntriples(std::string_view head, bool all) {
  rdf_statement unused;
  for (input::line_reader lines(head, all); lines.next();) {
    rdf_line line(lines.line());
    if (line.empty()) continue;
    try {
      line.parse(unused);
      return true;
    } catch (const rdf_fault&) {
      return false;
    }
  }
  return false;
}

any_edge_list read_ntriples(input::source& from, const read_options& options, const run_control& control,
                            read_report& report) {
  const std::string text = read_all_as_utf8(from, report);
  collector graph(from, options.attributes);
  std::set<std::string, std::less<>> columns;  // of vertices
  constexpr std::size_t most = 256;            // each takes 8 bytes a vertex and more
  bool more = false;
  std::uint64_t bad = 0;
  std::uint64_t first_bad = 0;
  std::string first_fault;
  rdf_statement all;
  for (input::line_reader lines(text, true); lines.next();) {
    rdf_line line(lines.line());
    if (line.empty()) continue;
    try {
      line.parse(all);
    } catch (const rdf_fault& fault) {
      if (!options.skip_bad_lines) throw input_error(from.name(), lines.number(), fault.message);
      if (bad++ == 0) {
        first_bad = lines.number();
        first_fault = fault.message;
      }
      continue;
    }
    const std::uint32_t subject = graph.vertex(all.subject.text);
    if (all.object.kind == rdf_kind::literal) {
      if (columns.size() < most) columns.insert(all.predicate.text);
      if (columns.contains(all.predicate.text)) {
        graph.set_attribute(attribute_of::vertices, subject, all.predicate.text, all.object.text,
                            type_of(all.object.datatype));
      } else {
        more = true;
      }
      continue;
    }
    const std::uint64_t edge = graph.edges();
    graph.set_attribute(attribute_of::edges, edge, "predicate", all.predicate.text, column_type::text);
    if (all.graph) graph.set_attribute(attribute_of::edges, edge, "graph", all.graph->text, column_type::text);
    graph.add(subject, graph.vertex(all.object.text), !options.undirected, std::nullopt);
  }
  if (bad != 0) {
    report.notes.push_back(input::counted(bad, "line") + " left out (--skip-bad-lines), the first is line " +
                           std::to_string(first_bad) + ": " + first_fault);
  }
  if (more) {
    report.notes.push_back("texts of the first " + std::to_string(most) +
                           " predicates become attributes of vertices, those of further ones are left out");
  }
  return graph.finish(!options.undirected, options, control, report);
}

}  // namespace callisto::graph::formats
