// Loading graphs: opens native files; reads and builds all others.
#include <callisto/graph/csr/require_memory.hpp>
#include <callisto/graph/files/load.hpp>
#include <callisto/graph/files/native_file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <system_error>
#include <utility>
#include <variant>

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
/// those at the beginning of the file, and so fewer.
constexpr std::uint64_t list_bytes = 6;

/// Throws memory_error if the list of the edges of a text file would not fit, as estimated from the first 64 KiB of the
/// file. Does nothing for compressed and binary files.
void check_text(const std::string& path, std::uint64_t bytes) {
  std::string head(std::size_t{1} << 16, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  if (head.size() == bytes || head.empty()) return;  // the head is the whole file
  const bool text = std::none_of(head.begin(), head.end(), [](char c) { return c == '\0' || c == '\x1f'; });
  if (!text) return;
  const auto lines = static_cast<double>(std::count(head.begin(), head.end(), '\n'));
  const auto all = static_cast<std::uint64_t>(lines / static_cast<double>(head.size()) * static_cast<double>(bytes));
  require_memory(fmt::format("a list of the about {} edges of the file", all), all * list_bytes);
}

/// Returns the graph of a native file, converted as `options` ask (see load_graph()).
any_graph converted(any_graph graph, const build_options& options, const run_control& control) {
  if (options.undirected && is_directed(graph)) return symmetrized(graph, options.loops, control);
  if (options.loops == loops::remove && count_self_loops(graph, control) != 0) {
    graph = without_self_loops(graph, control);
  }
  if (options.in_edges) graph = with_in_edges(std::move(graph), control);
  return graph;
}

}  // namespace

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
    r.read_seconds = watch.lap();
    graph = converted(std::move(graph), build, control);
    r.build.arcs = std::visit([](const auto& g) { return g.arcs(); }, graph);
    r.build_seconds = watch.lap();
    return graph;
  }
  if (r.file_bytes != 0) check_text(path, r.file_bytes);
  any_edge_list list = read_edges(path, options.read, control, &r.format);
  r.read_seconds = watch.lap();
  any_graph graph = build_graph(std::move(list), build, control, &r.build);
  r.build_seconds = watch.lap();
  return graph;
}

}  // namespace callisto::graph
