// Loads a graph at all ranks of a job.
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/cli/notes.hpp>
#include <callisto/app/cli/rank_job.hpp>
#include <callisto/app/graph/input.hpp>
#include <callisto/cluster/deal.hpp>
#include <callisto/cluster/load_parts.hpp>
#include <callisto/cluster/rank_partners.hpp>
#include <callisto/global/synchronization/collectives.hpp>
#include <callisto/graph/files/native_file.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::app {
namespace {

/// True if the graph of a native file needs no conversion.
bool is_kept_as_is(const graph::any_graph& graph, const graph::load_options& how) {
  const bool has_in = std::visit([](const auto& g) { return g.has_in(); }, graph);
  const bool undirected = how.build.undirected || how.read.undirected;
  return !(undirected && size_of(graph).directed) && how.build.loops != graph::loops::remove &&
         (has_in || !how.build.in_edges);
}

/// Returns the graph without weights.
graph::any_graph of_lines_alone(graph::any_graph graph) {
  return std::visit([](auto& g) -> graph::any_graph { return std::move(g).with_weights({}, {}); }, graph);
}

/// Gives a dealt graph random weights.
void draw_among(loaded_graph& loaded, std::uint64_t seed, const graph::run_control& context) {
  loaded.graph = cluster::with_random_weights(std::move(loaded.graph), seed, *rank_job::among(), context);
}

/// Returns the number of edges of a dealt graph.
std::uint64_t edges_among(const graph::any_graph& graph) {
  const graph_size size = size_of(graph);
  return size.directed ? size.arcs : (size.arcs + cluster::count_self_loops(graph, *rank_job::among())) / 2;
}

}  // namespace

loaded_graph graph_input::load_among(const graph::run_control& context) const {
  const stopwatch time;
  /// Facts that rank 0 tells the other ranks.
  struct told {
    std::uint64_t vertices = 0;
    std::uint64_t arcs = 0;
    bool maps = false;      ///< all ranks map the file
    bool in_parts = false;  ///< each rank may read a range of it
    bool weighted = false;
  };
  loaded_graph loaded;
  told first;
  if (rank_job::tells()) {
    first.maps = !(weights_seed && whole_where_told()) && !names_file && !vertex_table && where.empty() &&
                 options.read.format == graph::file_format::automatic && graph::is_native(file) &&
                 is_kept_as_is(graph::open_native(file), options);
    first.in_parts = !first.maps && can_be_parted();
  }
  first = global::broadcast(first);
  if (first.in_parts && load_parts(loaded, context)) {
    if (weights_seed) draw_among(loaded, *weights_seed, context);
    loaded.seconds = time.seconds();
    return loaded;
  }
  if (rank_job::tells()) {
    loaded = load_whole(context, first.maps);
    const graph_size size = size_of(loaded.graph);
    first.vertices = size.vertices;
    first.arcs = size.arcs;
    first.weighted = size.weighted;
  }
  first = global::broadcast(first);
  if (first.maps) {
    if (!rank_job::tells()) {
      loaded.graph = graph::open_native(file);
      loaded.report.native = true;
      if (!first.weighted) loaded.graph = of_lines_alone(std::move(loaded.graph));
      const graph_size size = size_of(loaded.graph);
      if (size.vertices != first.vertices || size.arcs != first.arcs) {
        throw input_error(file, 0,
                          fmt::format("is another graph than at rank 0: {} vertices and {} arcs, expected {} and {}",
                                      size.vertices, size.arcs, first.vertices, first.arcs));
      }
    }
    rank_job::set_among(cluster::partners_of(loaded.graph));
    if (weights_seed) draw_among(loaded, *weights_seed, context);
  } else {
    const std::vector<std::uint64_t> bounds = cluster::bounds_of_first(loaded.graph);
    cluster::deal_graph(loaded.graph, bounds);
    rank_job::set_among(std::make_shared<cluster::rank_partners>(bounds));
    loaded.report.native = rank_job::among()->sum(std::uint64_t{loaded.report.native}) != 0;
  }
  loaded.edges = edges_among(loaded.graph);
  loaded.seconds = time.seconds();
  return loaded;
}

bool graph_input::can_be_parted() const {
  std::error_code none;
  return !whole_where_told() && !names_file && !vertex_table && where.empty() && !attributes_ && !options.verify &&
         std::filesystem::is_regular_file(file, none) && !graph::is_native(file);
}

bool graph_input::load_parts(loaded_graph& loaded, const graph::run_control& context) const {
  begin_loading();
  graph::load_options how = options;
  if (!options.repeats_chosen) how.build.repeats = usual_repeats_();
  prepare_attributes(how);
  std::optional<cluster::parted_graph> parted = cluster::load_parts(file, how, context, loaded.report);
  if (!parted) return false;
  loaded.graph = std::move(parted->graph);
  loaded.repeats = how.build.repeats;
  rank_job::set_among(std::make_shared<cluster::rank_partners>(std::move(parted->bounds)));
  leave_out_weights(loaded);
  for (const std::string& note : loaded.report.notes) say(fmt::format("{}: {}", file, note));
  loaded.edges = edges_among(loaded.graph);
  return true;
}

}  // namespace callisto::app
