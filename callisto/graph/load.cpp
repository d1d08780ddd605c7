// Loading graphs: opens native files, reads and builds all others.
#include <callisto/graph/load.hpp>
#include <callisto/graph/native_file.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>
#include <variant>

namespace callisto::graph {
namespace {

/// Seconds since its construction or the last call.
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

/// What `options` ask for beyond what the graph of a native file is.
any_graph converted(any_graph graph, const build_options& options, const context& context) {
  if (options.undirected && is_directed(graph)) return symmetrized(graph, options.loops, context);
  if (options.loops == loops::remove && count_self_loops(graph, context) != 0) {
    graph = without_self_loops(graph, context);
  }
  if (options.in_edges) graph = with_in_edges(std::move(graph), context);
  return graph;
}

}  // namespace

any_graph load_graph(const std::string& path, const load_options& options, const context& context,
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
    any_graph graph = open_native(path, options.verify ? native_check::content : native_check::header, context);
    r.read_seconds = watch.lap();
    graph = converted(std::move(graph), build, context);
    r.build.arcs = std::visit([](const auto& g) { return g.arcs(); }, graph);
    r.build_seconds = watch.lap();
    return graph;
  }
  any_edge_list list = read_edges(path, options.read, context, &r.format);
  r.read_seconds = watch.lap();
  any_graph graph = build_graph(std::move(list), build, context, &r.build);
  r.build_seconds = watch.lap();
  return graph;
}

}  // namespace callisto::graph
