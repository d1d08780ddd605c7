// The reader of METIS graphs (METIS manual, section 4.1.1): a header "VERTICES EDGES [FORMAT [WEIGHTS]]", then a line
// for each vertex with its neighbours, counted from 1; each edge stands in the lines of both its ends. Comments begin
// with %.
#include <callisto/graph/files/formats/edge_lines.hpp>
#include <callisto/graph/files/formats/formats.hpp>
#include <callisto/graph/files/formats/symmetry.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace callisto::graph::formats {
namespace {

/// The rows of a chunk. Rows are counted from the chunk's first one; read_metis() adds the number of rows before it.
template <class Vertex>
struct row_part {
  edge_block<Vertex> block;
  std::uint64_t rows = 0;
  std::uint64_t used_rows = 0;  ///< rows up to the last one that is not blank
};

template <class Vertex>
class row_parser {
 public:
  row_parser(const metis_header& header, row_part<Vertex>& part) : header_(header), part_(part) {}

  std::optional<fault> run(std::string_view text, std::uint64_t lines) {
    // A neighbour takes at least two bytes; untouched pages of the arrays take no memory.
    const std::size_t most = text.size() / 2;
    part_.block.edges = machine::page_array<edge<Vertex>>(most);
    if (header_.edge_weights) part_.block.weights = weight_array(most);
    const char* p = text.data();
    end_ = p + text.size();
    for (std::uint64_t line = 1; line <= lines; ++line) {
      if (*p == '%') {
        p = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end_ - p))) + 1;
      } else if (!parse_row(p)) {
        return fault{line, std::move(message_)};
      }
    }
    part_.block.edges.shrink(edges_);
    part_.block.weights.shrink(edges_);
    return std::nullopt;
  }

 private:
  static bool at_end(const char* p) noexcept { return *p == '\n' || (*p == '\r' && p[1] == '\n'); }

  /// Moves `p` behind blanks. Returns false at the end of the line.
  static bool to_token(const char*& p) noexcept {
    while (input::is_blank(*p)) ++p;
    return !at_end(p);
  }

  static std::string_view token_at(const char* p) noexcept {
    const char* stop = p;
    while (!input::is_blank(*stop) && !at_end(stop)) ++stop;
    return {p, static_cast<std::size_t>(stop - p)};
  }

  bool fail(std::string message) {
    message_ = std::move(message);
    return false;
  }

  bool parse_whole(const char*& p, std::uint64_t first, std::uint64_t last, std::string_view what,
                   std::uint64_t& value) {
    const char* const begin = p;
    if (input::parse_digits(p, value) && (input::is_blank(*p) || at_end(p)) && value >= first && value <= last) {
      return true;
    }
    return fail(input::not_a_number_in(token_at(begin), first, last, what));
  }

  bool parse_weight(const char*& p, double& weight) {
    const std::string_view token = token_at(p);
    const auto value = to_weight(token, weights::real);
    if (!value) return fail(not_a_weight(token, weights::real));
    weight = *value;
    p += token.size();
    return true;
  }

  bool parse_row(const char*& p) {
    const std::uint64_t row = part_.rows++;
    std::uint64_t ignored = header_.vertex_weights + (header_.sizes ? 1 : 0);
    if (to_token(p)) part_.used_rows = part_.rows;
    for (; to_token(p);) {
      std::uint64_t value;
      if (ignored != 0) {
        constexpr std::uint64_t any = std::numeric_limits<std::uint64_t>::max();
        if (!parse_whole(p, 0, any, "vertex weight", value)) return false;
        --ignored;
        continue;
      }
      if (!parse_whole(p, 1, header_.vertices, "vertex number", value)) return false;
      if (header_.edge_weights) {
        if (!to_token(p)) return fail("the last neighbour has no weight");
        double weight;
        if (!parse_weight(p, weight)) return false;
        part_.block.weights.set(edges_, weight);
      }
      part_.block.edges[edges_++] = {static_cast<Vertex>(row), static_cast<Vertex>(value - 1)};
    }
    p += *p == '\r' ? 2 : 1;
    return true;
  }

  const metis_header& header_;
  row_part<Vertex>& part_;
  const char* end_ = nullptr;
  std::size_t edges_ = 0;
  std::string message_;
};

/// A header and where it is.
struct placed_header : metis_header {
  std::uint64_t line = 0;  ///< number of its line
  std::size_t end = 0;     ///< where the rows begin
};

placed_header parse_header(const input::source& from) {
  input::line_reader lines(from.head(), from.head_is_all());
  while (lines.next()) {
    if (lines.line().starts_with('%')) continue;
    const auto header = to_metis_header(lines.line());
    if (!header) {
      throw input_error(from.name(), lines.number(),
                        "expected 'VERTICES EDGES [FORMAT [WEIGHTS]]', found " + input::shown(lines.line()));
    }
    check_vertices(header->vertices, from, lines.number());
    return {*header, lines.number(), lines.end()};
  }
  throw input_error(from.name(), lines.number(), "truncated: the header 'VERTICES EDGES' is missing");
}

}  // namespace

std::optional<metis_header> to_metis_header(std::string_view line) noexcept {
  const input::columns columns = input::split(line);
  if (columns.count < 2 || columns.count > 4) return std::nullopt;
  const auto vertices = input::to_unsigned(columns.text[0]);
  const auto edges = input::to_unsigned(columns.text[1]);
  if (!vertices || !edges || *vertices == 0) return std::nullopt;
  metis_header header;
  header.vertices = *vertices;
  header.edges = *edges;
  if (columns.count > 2) {
    // Up to three digits: sizes, vertex weights, edge weights; missing ones on the left are 0.
    const std::string_view flags = columns.text[2];
    if (flags.size() > 3 || flags.find_first_not_of("01") != std::string_view::npos) return std::nullopt;
    const auto flag = [&](std::size_t from_right) {
      return flags.size() > from_right && flags[flags.size() - 1 - from_right] == '1';
    };
    header.edge_weights = flag(0);
    header.vertex_weights = flag(1) ? 1 : 0;
    header.sizes = flag(2);
  }
  if (columns.count == 4) {
    const auto weights_a_vertex = input::to_unsigned(columns.text[3]);
    if (!weights_a_vertex || (*weights_a_vertex > 0) != (header.vertex_weights > 0)) return std::nullopt;
    header.vertex_weights = *weights_a_vertex;
  }
  return header;
}

any_edge_list read_metis(input::source& from, const read_options& options, const run_control& control) {
  const placed_header header = parse_header(from);
  input::text_cut cut = cut_for(options, header.end);
  cut.line_limit = std::size_t{1} << 32;  // a line holds all neighbours of a vertex
  return with_vertex_type(header.vertices, [&]<class Vertex>(Vertex) -> any_edge_list {
    auto parts = parse_chunks<row_part<Vertex>>(
        from, cut, [&](std::string_view text, std::uint64_t lines, row_part<Vertex>& part) {
          return row_parser<Vertex>(header, part).run(text, lines);
        });
    std::vector<std::uint64_t> first_row(parts.size());
    std::uint64_t rows = 0;
    std::uint64_t used_rows = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      first_row[i] = rows;
      if (parts[i].used_rows != 0) used_rows = rows + parts[i].used_rows;
      rows += parts[i].rows;
    }
    if (rows < header.vertices || used_rows > header.vertices) {
      throw input_error(from.name(), header.line,
                        "the header declares " + std::to_string(header.vertices) + " vertices, the file holds " +
                            input::counted(std::max(used_rows, std::min(rows, header.vertices)), "row"));
    }
    edge_list<Vertex> list;
    list.vertices = header.vertices;
    list.meaning = direction::undirected;
    list.weighted = header.edge_weights;
    list.first_label = 1;
    list.blocks.resize(parts.size());
    std::vector<symmetry_sums> part_sums(parts.size());
    const bool completed = parallel_for(std::size_t{0}, parts.size(),
                                        [&](std::size_t i) {
                                          edge_block<Vertex> block = std::move(parts[i].block);
                                          for (auto& e : block.edges)
                                            e.from = static_cast<Vertex>(e.from + first_row[i]);
                                          keep_upward(block, part_sums[i]);
                                          list.blocks[i] = std::move(block);
                                        },
                                        {.batch = 1, .stop = control.stop});
    if (!completed) throw cancelled();
    symmetry_sums sums;
    for (const symmetry_sums& part : part_sums) sums.add(part);
    const std::uint64_t entries = sums.upward + sums.downward + sums.loops;
    if (sums.upward + sums.loops != header.edges || sums.downward + sums.loops != header.edges) {
      throw input_error(from.name(), header.line,
                        "the header declares " + input::counted(header.edges, "edge") + ", the rows hold " +
                            std::to_string(entries) + " neighbours where " +
                            std::to_string(2 * header.edges - std::min(sums.loops, header.edges)) +
                            " are expected (each edge in the rows of both ends)");
    }
    if (!sums.symmetric()) {
      throw input_error(from.name(), 0, "an edge stands in the row of one of its ends only, or with different weights");
    }
    return list;
  });
}

}  // namespace callisto::graph::formats
