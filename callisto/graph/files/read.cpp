// Chooses and runs the reader of a file.
#include <callisto/graph/files/read.hpp>

#include <callisto/graph/files/formats/formats.hpp>
#include <callisto/graph/files/formats/quoted_lines.hpp>
#include <callisto/graph/files/input/encoded_text.hpp>
#include <callisto/graph/files/input/source.hpp>
#include <callisto/graph/files/parquet/parquet_table.hpp>
#include <callisto/machine/system/error.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
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
      return formats::read_matrix_market(from, options, control, report);
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
      return formats::read_npz(from, options, control, report);
    case file_format::npy:
      return formats::read_npy(from, options, control, report);
    case file_format::node_link:
      return formats::read_node_link(from, options, control, report);
    case file_format::dot:
      return formats::read_dot(from, options, control, report);
    case file_format::lgl:
      return formats::read_lgl(from, options, control, report);
    case file_format::sif:
      return formats::read_sif(from, options, control, report);
    case file_format::tgf:
      return formats::read_tgf(from, options, control, report);
    case file_format::dl:
      return formats::read_dl(from, options, control, report);
    case file_format::ntriples:
      return formats::read_ntriples(from, options, control, report);
    case file_format::metis:
      return formats::read_metis(from, options, control);
    case file_format::gapbs_sg:
      return formats::read_gapbs(from, false, options);
    case file_format::gapbs_wsg:
      return formats::read_gapbs(from, true, options);
  }
  __builtin_unreachable();
}

/// True for the formats of which a part can be read.
bool has_parts(file_format format) noexcept {
  return format == file_format::edge_list || format == file_format::weighted_edge_list ||
         format == file_format::table || format == file_format::matrix_market;
}

any_edge_list read_source(input::source& from, const read_options& options, const run_control& control,
                          read_report* report) {
  read_report unused;
  read_report& r = report != nullptr ? *report : unused;
  r = {};
  r.notes = from.notes();
  formats::refuse_unreadable(from);
  r.format = options.format == file_format::automatic ? formats::detect(from) : options.format;
  if (!options.part.is_all() && !has_parts(r.format)) throw input::read_as_whole();
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

any_edge_list read_parquet(const std::string& path, read_options options, const run_control& control,
                           read_report* report) {
  const std::string text = parquet_as_csv(path);
  options.format = file_format::table;
  options.separator = ',';
  options.header = true;
  return read_edges(std::as_bytes(std::span(text)), path, options, control, report);
}

/// True for a file that can be read again.
bool is_file(const std::string& path) {
  std::error_code ignored;  // a file that cannot be asked cannot be read again
  return path != "-" && std::filesystem::is_regular_file(path, ignored);
}

/// Returns the encoding to convert a file from before it is read; nothing if there is none.
std::optional<std::string> encoding_of(const input::source& from, const read_options& options) {
  if (!options.encoding.empty()) return options.encoding;
  return input::wide_encoding_of(from.head());
}

/// Reads a text in another encoding: all of it in memory, as UTF-8.
any_edge_list read_encoded(input::source& from, const std::string& encoding, read_options options,
                           const run_control& control, read_report* report) {
  const std::string text = input::to_utf8(input::read_all(from), encoding, from.name());
  const bool chosen = !std::exchange(options.encoding, {}).empty();
  any_edge_list list =
      read_edges(std::as_bytes(std::span(text)), from.name(), options, {nullptr, control.stop}, report);
  if (report != nullptr && !chosen) report->notes.push_back("is " + encoding + ", converted to UTF-8");
  return list;
}

/// Reads a table in which quoted cells hold line breaks: all of it in memory, with other characters for these.
any_edge_list read_joined(input::source& from, const read_options& options, const run_control& control,
                          read_report* report) {
  const std::string text = formats::without_quoted_line_breaks(input::read_all(from));
  const auto joined = input::open_source(std::as_bytes(std::span(text)), from.name(), {nullptr, control.stop});
  any_edge_list list = read_source(*joined, options, control, report);
  if (report != nullptr) {
    report->notes.insert(report->notes.begin(), from.notes().begin(), from.notes().end());
  }
  return list;
}

}  // namespace

any_edge_list read_edges(const std::string& path, const read_options& options, const run_control& control,
                         read_report* report) {
  const auto from = input::open_source(path, control, options.member, options.part);
  const bool all = options.part.is_all();
  if (!all && (options.skip_bad_lines || is_parquet(from->head()) || encoding_of(*from, options)))
    throw input::read_as_whole();
  if (is_parquet(from->head()) && is_file(path)) return read_parquet(path, options, control, report);
  if (const auto encoding = encoding_of(*from, options))
    return read_encoded(*from, *encoding, options, control, report);
  try {
    return read_source(*from, options, control, report);
  } catch (const formats::quoted_line_break& found) {
    if (!all) throw input::read_as_whole();
    if (found.early) return read_joined(*from, options, control, report);
    if (!is_file(path)) throw;
    return read_joined(*input::open_source(path, control, options.member), options, control, report);
  }
}

void finish_parts(read_report& report, const part_report& all, std::uint64_t edges) {
  if (all.large_weights) formats::tell_large_weights(report);
  if (all.counts) formats::tell_counts(report, *all.counts, edges);
}

any_edge_list read_edges(std::span<const std::byte> bytes, const std::string& name, const read_options& options,
                         const run_control& control, read_report* report) {
  const auto open = [&] { return input::open_source(bytes, name, control, options.member); };
  const auto from = open();
  if (const auto encoding = encoding_of(*from, options))
    return read_encoded(*from, *encoding, options, control, report);
  try {
    return read_source(*from, options, control, report);
  } catch (const formats::quoted_line_break&) {
    return read_joined(*open(), options, control, report);
  }
}

}  // namespace callisto::graph
