// Loading graphs: opens native files; reads all other files and builds their graphs.
#include <callisto/graph/attributes/attributes.hpp>
#include <callisto/graph/attributes/carry.hpp>
#include <callisto/graph/csr/require_memory.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/graph/files/formats/formats.hpp>
#include <callisto/graph/files/formats/header_words.hpp>
#include <callisto/graph/files/formats/table_layout.hpp>
#include <callisto/graph/files/input/source.hpp>
#include <callisto/graph/files/input/text.hpp>
#include <callisto/graph/files/load.hpp>
#include <callisto/graph/files/native_file.hpp>
#include <callisto/graph/order/reorder.hpp>
#include <callisto/machine/system/encoding.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::graph {
namespace {

/// Measures laps: lap() returns the seconds since the last call, or since construction.
class stopwatch {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(begin_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

bool is_directed(const any_graph& graph) {
  return std::visit([](const auto& g) { return g.directed(); }, graph);
}

/// Bytes of list for each estimated edge. An edge takes at least 8 bytes; 6 allows for later lines that are longer than
/// the lines at the beginning of the file, and so fewer.
constexpr std::uint64_t list_bytes = 6;

/// Returns the last four bytes of a gzip file: the size of its content, less multiples of 2^32 and parts before the
/// last. 0 for other files.
std::uint64_t size_by_gzip(std::ifstream& file, std::string_view head) {
  if (!head.starts_with("\x1f\x8b")) return 0;
  std::array<unsigned char, 4> size{};
  file.clear();
  file.seekg(-4, std::ios::end);
  file.read(reinterpret_cast<char*>(size.data()), size.size());
  if (!file) return 0;
  std::uint64_t all = 0;
  for (std::size_t i = size.size(); i-- != 0;) all = all << 8 | size[i];
  return all;
}

/// Throws memory_error if the edges of a text file and its graph would not fit, as estimated from the first 64 KiB of
/// the file. `copies`: of the graph, that are made later. Does nothing for binary files, nor for compressed ones, but
/// for gzip.
void check_text(const std::string& path, std::uint64_t bytes, const run_control& control, unsigned copies = 0,
                std::uint64_t parts = 1) {
  // A smaller file fits wherever this program does, and its head would take longer than itself.
  constexpr std::uint64_t large = std::uint64_t{64} << 20;
  std::string head(std::size_t{1} << 16, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  if (const std::uint64_t content = size_by_gzip(file, head); content >= large) {
    head = input::open_source(path, {.report = nullptr, .stop = control.stop})->head().substr(0, head.size());
    bytes = content;
  }
  if (head.size() == bytes || head.empty()) return;  // the head is the whole file
  const bool text = std::none_of(head.begin(), head.end(), [](char c) { return c == '\0' || c == '\x1f'; });
  if (!text) return;
  const auto lines = static_cast<double>(std::count(head.begin(), head.end(), '\n'));
  const auto all = static_cast<std::uint64_t>(lines / static_cast<double>(head.size()) * static_cast<double>(bytes));
  // The list is freed as the rows are made. Each edge stands in two rows, of the graph and of its copies.
  const std::uint64_t list = all * list_bytes / parts;
  require_memory(fmt::format("a graph of the about {} edges of the file", all),
                 std::max(list + list / 4, list * (1 + copies)));
}

/// Returns the graph of a native file, converted as `options` ask (see load_graph()).
any_graph converted(any_graph graph, const build_options& options, const run_control& control) {
  if (options.undirected && is_directed(graph)) return symmetrized(graph, options.loops, control, options.repeats);
  if (options.loops == loops::remove && count_self_loops(graph, control) != 0) {
    graph = without_self_loops(graph, control);
  }
  if (options.in_edges) graph = with_in_edges(std::move(graph), control);
  return graph;
}

/// Returns the graph without the edges that fail, if `where` speaks of edges. Its vertices are in the order of labels
/// then.
any_graph with_edges_where(any_graph graph, const condition* where, const run_control& control) {
  const bool wanted = where != nullptr &&
                      std::visit([&](const auto& g) { return where->speaks_of_edges(g.attributes().get()); }, graph);
  if (!wanted) return graph;
  const bool ordered = std::visit([](const auto& g) { return g.by_label().empty(); }, graph);
  if (!ordered) graph = in_label_order(graph, control);
  any_edge_list edges = std::visit([&](const auto& g) -> any_edge_list { return listed(g, control); }, graph);
  const bool has_in = std::visit([](const auto& g) { return g.has_in(); }, graph);
  graph = {};
  where->keep_edges(edges, control);
  return build_graph(std::move(edges), {.repeats = repeats::keep, .in_edges = has_in}, control);
}

/// Returns what f() returns; a weight_error that it throws becomes an input_error that names the file.
template <class F>
any_graph naming_file(const std::string& path, const F& f) {
  try {
    return f();
  } catch (const weight_error& e) {
    throw input_error(path, 0, e.what());
  }
}

/// True if `graph` is directed and each of its arcs has its reverse: its rows of in-edges equal its rows of out-edges.
bool is_reciprocal(const any_graph& graph) {
  const auto same = [](const auto& one, const auto& other) {
    return std::equal(one.begin(), one.end(), other.begin(), other.end());
  };
  return std::visit(
      [&](const auto& g) {
        if (!g.directed() || !g.has_in() || g.arcs() == 0) return false;
        return same(g.out().offsets, g.in().offsets) && same(g.out().targets, g.in().targets) &&
               g.out().weights.visit(
                   [&](auto out) { return g.in().weights.visit([&](auto in) { return same(out, in); }); });
      },
      graph);
}

/// Returns what became of edges that repeat other edges, for a note.
std::string_view fate_of(repeats how, bool weighted) noexcept {
  switch (how) {
    case repeats::remove:
      return weighted ? "of each the lightest stays" : "each counts once";
    case repeats::keep:
      return "all stay";
    case repeats::heaviest:
      return weighted ? "of each the heaviest stays" : "each counts once";
    case repeats::first:
      return weighted ? "of each the first stays" : "each counts once";
    case repeats::sum:
      return weighted ? "their weights are added" : "their number is the weight";
    case repeats::sum_weights:
      return weighted ? "their weights are added" : "each counts once";
  }
  __builtin_unreachable();
}

/// Adds the notes that need the built graph: which direction was assumed, and what became of repeats. `is_reciprocal()`
/// tells whether each arc has its reverse.
template <class IsReciprocal>
void add_notes(load_report& r, bool undirected, const IsReciprocal& is_reciprocal, bool weighted_list,
               const load_options& options) {
  if (!r.direction_known) {
    r.notes.emplace_back(is_reciprocal()
                             ? "nothing in it says whether edges have directions: taken as directed; every edge is "
                               "listed in both directions, so --undirected counts each once"
                             : "nothing in it says whether edges have directions: taken as directed "
                               "(--undirected ignores directions, --directed confirms)");
  } else if (!options.read.directed && !options.read.undirected && is_reciprocal()) {
    r.notes.emplace_back(
        "every edge is listed in both directions: --undirected counts each once, --directed ends this note");
  }
  // A list that names each undirected edge in both directions has lost nothing.
  const bool both_ways = undirected && !weighted_list && r.build.lines == 2 * r.build.repeats + r.build.self_loops;
  if (!options.repeats_chosen && r.build.repeats != 0 && !both_ways) {
    r.notes.push_back(fmt::format("{} {}: {} (--repeats sum, min, max, first or keep)", r.build.repeats,
                                  r.build.repeats == 1 ? "edge repeats another" : "edges repeat others",
                                  fate_of(options.build.repeats, weighted_list)));
  }
}

/// Returns the note that a table of names lacks some vertices.
std::string without_line(const std::string& path, std::uint64_t missing, std::uint64_t vertices,
                         std::string_view first) {
  return fmt::format("{}: {} of {} vertices {} no line in it and {} called as before, the first '{}'", path, missing,
                     vertices, missing == 1 ? "has" : "have", missing == 1 ? "is" : "are", first);
}

/// Returns the first two cells of a line; nothing: it has fewer.
std::optional<std::pair<std::string, std::string>> first_two(std::string_view line, char separator) {
  std::deque<std::string> unquoted;
  formats::column_reader cells(line, separator, unquoted);
  std::string_view id;
  std::string_view name;
  if (!cells.next(id) || !cells.next(name)) return std::nullopt;
  return std::pair(std::string(id), std::string(name));
}

/// Returns the names of named vertices in the order of their labels, if each line is a table's, with what a vertex is
/// called and its new name; else nothing. A vertex that the table lacks keeps its name; one that shares its new name is
/// called "NEW (OLD)". Throws input_error if no line is of a vertex.
std::vector<std::string> names_by_name(const vertex_names& old, const std::vector<std::string_view>& lines,
                                       const std::string& path, std::vector<std::string>* notes) {
  if (lines.empty()) return {};
  const std::string_view first = lines.front();
  const std::size_t cut = first.find_first_of("\t;|,");
  if (cut == first.npos) return {};
  const char separator = first[cut];
  std::vector<std::string> names(old.size());
  std::vector<bool> seen(old.size());
  std::uint64_t found = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    const auto cells = first_two(lines[i], separator);
    if (!cells) return {};
    const auto& [id, name] = *cells;
    const auto place = old.find(id);
    if (!place) continue;
    if (seen[*place]) throw input_error(path, i + 1, fmt::format("vertex '{}' has a name already", id));
    seen[*place] = true;
    names[*place] = name;
    ++found;
  }
  if (found == 0 && old.size() != 0) {
    throw input_error(path, 0,
                      fmt::format("names no vertex of the graph: column 1 must hold what vertices are called, such as "
                                  "'{}' (--names)",
                                  old[0]));
  }
  std::unordered_map<std::string, std::uint64_t> uses;
  for (std::uint64_t r = 0; r < names.size(); ++r) {
    if (names[r].empty()) names[r] = old[r];
    ++uses[names[r]];
  }
  for (std::uint64_t r = 0; r < names.size(); ++r) {
    if (uses[names[r]] > 1 && names[r] != old[r]) names[r] += fmt::format(" ({})", old[r]);
  }
  if (found != old.size() && notes != nullptr) {
    const auto missing = std::find(seen.begin(), seen.end(), false) - seen.begin();
    notes->push_back(without_line(path, old.size() - found, old.size(), old[static_cast<std::uint64_t>(missing)]));
  }
  return names;
}

/// Returns the names of the vertices in the order of their labels, if the lines are a table with a column of whole
/// numbers and one of names, such as "Id,Label"; else nothing. A vertex that the table lacks keeps its number; one that
/// shares its name is called "NAME (NUMBER)".
std::vector<std::string> names_by_number(const any_graph& graph, const std::vector<std::string_view>& lines,
                                         const std::string& path) {
  if (lines.size() < 2) return {};
  const std::uint64_t vertices = std::visit([](const auto& g) { return g.vertices(); }, graph);
  const std::string_view first = lines.front();
  const std::size_t cut = std::min(first.find_first_of("\t;|,"), first.size());
  const char separator = cut < first.size() ? first[cut] : '\t';
  std::unordered_map<std::uint64_t, std::string> called;
  std::unordered_map<std::string, std::uint64_t> uses;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    const auto cells = first_two(lines[i], separator);
    if (!cells) return {};
    const auto& [id, name] = *cells;
    const auto number = input::to_unsigned(id);
    const bool header = i == 0 && !number;
    // As many lines as vertices are names in their order, unless a header says otherwise.
    if (i == 0 && lines.size() == vertices && !(header && formats::is_vertex_column(id))) return {};
    if (header) continue;
    if (!number) return {};
    if (!called.emplace(*number, name).second) {
      throw input_error(path, i + 1, fmt::format("vertex {} has a name already", *number));
    }
  }
  return std::visit(
      [&](const auto& g) {
        std::vector<std::string> names(vertices);
        std::uint64_t matched = 0;
        for (std::uint64_t r = 0; r < names.size(); ++r) {
          const std::uint64_t label = g.label(g.by_label(r));
          const auto found = called.find(label);
          matched += found != called.end() ? 1 : 0;
          names[r] = found != called.end() && !found->second.empty() ? found->second : std::to_string(label);
          ++uses[names[r]];
        }
        if (matched == 0 && vertices != 0) {
          throw input_error(path, 0,
                            fmt::format("names no vertex of the graph: column 1 must hold numbers of vertices, such as "
                                        "{} (--names)",
                                        g.label(g.by_label(0))));
        }
        for (std::uint64_t r = 0; r < names.size(); ++r) {
          if (uses[names[r]] > 1) names[r] += fmt::format(" ({})", g.label(g.by_label(r)));
        }
        return names;
      },
      graph);
}

/// Returns the graph with `lines` as the names of its vertices in the order of their labels; line i + 1 of messages
/// about `path` is lines[i]. If all of them are whole numbers, they become the labels.
any_graph with_names(any_graph graph, const std::vector<std::string_view>& lines, const std::string& path) {
  const std::uint64_t vertices = std::visit([](const auto& g) { return g.vertices(); }, graph);
  std::vector<std::uint64_t> numbers(lines.size());
  bool all_numbers = true;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto number = input::to_unsigned(lines[i]);
    // 07 is another name than 7.
    all_numbers = all_numbers && number && (lines[i].front() != '0' || lines[i].size() == 1);
    numbers[i] = number.value_or(0);
  }
  // order[r] is the line of rank r.
  std::vector<std::uint64_t> order(lines.size());
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::sort(order.begin(), order.end(), [&](std::uint64_t a, std::uint64_t b) {
    return all_numbers ? numbers[a] < numbers[b] : lines[a] < lines[b];
  });
  for (std::size_t r = 1; r < order.size(); ++r) {
    if (all_numbers ? numbers[order[r]] == numbers[order[r - 1]] : lines[order[r]] == lines[order[r - 1]]) {
      throw input_error(path, std::max(order[r], order[r - 1]) + 1,
                        fmt::format("'{}' names two vertices", lines[order[r]]));
    }
  }
  return std::visit(
      [&]<class Vertex>(csr_graph<Vertex>& g) -> any_graph {
        machine::page_array<std::uint64_t> labels(vertices);
        machine::page_array<Vertex> by_label(vertices);
        machine::page_array<std::uint64_t> offsets(vertices + 1);
        std::size_t bytes = 0;
        for (const std::string_view line : lines) bytes += line.size();
        machine::page_array<char> text(bytes);
        for (std::uint64_t r = 0; r < vertices; ++r) {
          const auto vertex = static_cast<Vertex>(g.by_label(order[r]));
          by_label[r] = vertex;
          labels[vertex] = all_numbers ? numbers[order[r]] : r;
          const std::string_view line = lines[order[r]];
          std::copy(line.begin(), line.end(), text.data() + offsets[r]);
          offsets[r + 1] = offsets[r] + line.size();
        }
        auto names_of =
            all_numbers ? nullptr : std::make_shared<const vertex_names>(std::move(offsets), std::move(text));
        auto attributes = g.attributes();
        if (attributes != nullptr && !attributes->vertices.empty()) {
          attributes = attributes_of(rows_of(attributes->vertices, order), attributes->edges);
        }
        return std::move(g)
            .with_labels(std::move(labels), std::move(by_label))
            .with_names(std::move(names_of))
            .with_attributes(std::move(attributes));
      },
      graph);
}

/// Returns the graph with names of UTF-8: if a name is in another encoding, all names are taken as Windows-1252, and
/// `notes` tells. Native files of version 0.1.0 hold names as bytes.
any_graph with_utf8_names(any_graph graph, const std::string& path, std::vector<std::string>& notes) {
  const auto names = std::visit([](const auto& g) { return g.names(); }, graph);
  if (names == nullptr) return graph;
  std::uint64_t wrong = 0;
  while (wrong < names->size() && machine::is_utf8((*names)[wrong])) ++wrong;
  if (wrong == names->size()) return graph;
  notes.push_back("the name " + input::shown((*names)[wrong]) + " is not UTF-8: all names are taken as Windows-1252");
  std::vector<std::string> converted;
  for (std::uint64_t i = 0; i < names->size(); ++i) converted.push_back(machine::from_windows_1252((*names)[i]));
  return with_names(std::move(graph), {converted.begin(), converted.end()}, path);
}

}  // namespace

any_graph with_columns_chosen(any_graph graph, const attribute_choice& wanted) {
  if (wanted.all) return graph;
  const auto chosen = [&](const column_list& columns) {
    column_list kept;
    std::copy_if(columns.begin(), columns.end(), std::back_inserter(kept),
                 [&](const auto& c) { return wanted.has(c->name); });
    return kept;
  };
  return std::visit(
      [&](auto& g) -> any_graph {
        const auto all = g.attributes();
        if (all == nullptr) return std::move(g);
        return std::move(g).with_attributes(attributes_of(chosen(all->vertices), chosen(all->edges)));
      },
      graph);
}

any_graph with_names_of_file(any_graph graph, const std::string& path, const run_control& control,
                             std::vector<std::string>* notes) {
  read_report found;
  const std::string content = formats::read_all_as_utf8(*input::open_source(path, control), found);
  for (const std::string& note : found.notes) {
    if (notes != nullptr) notes->push_back(path + " " + note);
  }
  std::vector<std::string_view> lines;
  for (input::line_reader reader(content, true); reader.next();) {
    const std::string_view line = reader.line();
    lines.push_back(line.substr(0, line.size() - (line.ends_with('\r') ? 1 : 0)));
  }
  const auto old = std::visit([](const auto& g) { return g.names(); }, graph);
  const std::vector<std::string> by_number =
      old != nullptr ? names_by_name(*old, lines, path, notes) : names_by_number(graph, lines, path);
  if (!by_number.empty()) lines.assign(by_number.begin(), by_number.end());
  const std::uint64_t vertices = std::visit([](const auto& g) { return g.vertices(); }, graph);
  if (lines.size() != vertices) {
    throw input_error(path, 0, fmt::format("holds {} names, the graph has {} vertices", lines.size(), vertices));
  }
  return with_names(std::move(graph), lines, path);
}

void check_part(const std::string& path, const input::content_part& part) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return;
  const std::uint64_t bytes = std::filesystem::file_size(path, none);
  if (bytes != 0) check_text(path, bytes, {}, 0, part.count);
}

void add_notes_of_parts(load_report& report, bool undirected, bool reciprocal, bool weighted_list,
                        const load_options& options) {
  add_notes(report, undirected, [&] { return reciprocal; }, weighted_list, options);
}

any_graph load_graph(const std::string& path, const load_options& options, const run_control& control,
                     load_report* report) {
  load_report unused;
  load_report& r = report != nullptr ? *report : unused;
  r = {};
  std::error_code none;
  r.file_bytes = std::filesystem::is_regular_file(path, none) ? std::filesystem::file_size(path, none) : 0;
  build_options build = options.build;
  build.undirected |= options.read.undirected;

  stopwatch watch;
  r.native = options.read.format == file_format::automatic && is_native(path);
  if (r.native) {
    any_graph graph = open_native(path, options.verify ? native_check::content : native_check::header, control);
    graph = with_utf8_names(std::move(graph), path, r.notes);
    r.read_seconds = watch.lap();
    if (options.read.directed && !is_directed(graph))
      throw usage_error("--directed: " + path + " holds an undirected graph");
    graph = with_columns_chosen(std::move(graph), options.read.attributes);
    graph = with_edges_where(std::move(graph), options.where.get(), control);
    graph = naming_file(path, [&] { return converted(std::move(graph), build, control); });
    r.build.arcs = std::visit([](const auto& g) { return g.arcs(); }, graph);
    r.weights_listed = std::visit([](const auto& g) { return g.weighted(); }, graph);
    r.build_seconds = watch.lap();
    return graph;
  }
  if (r.file_bytes != 0) check_text(path, r.file_bytes, control, options.copies);
  read_report found;
  read_options reading = options.read;
  reading.undirected = build.undirected;
  any_edge_list list = read_edges(path, reading, control, &found);
  r.format = found.format;
  r.direction_known = found.direction_known;
  r.notes = std::move(found.notes);
  r.read_seconds = watch.lap();
  if (options.where != nullptr) options.where->keep_edges(list, control);
  const bool weighted = std::visit([](const auto& l) { return l.weighted; }, list);
  r.weights_listed = weighted;
  r.weights_are_lengths = found.weights_are_lengths && weighted;
  any_graph graph = naming_file(path, [&] { return build_graph(std::move(list), build, control, &r.build); });
  add_notes(r, !is_directed(graph), [&] { return is_reciprocal(graph); }, weighted, options);
  r.build_seconds = watch.lap();
  return graph;
}

}  // namespace callisto::graph
