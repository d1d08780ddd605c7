// Shortest paths of a dealt graph: delta-stepping that posts to owners.
#pragma once

#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/partners.hpp>
#include <callisto/graph/csr/weight_survey.hpp>
#include <callisto/graph/sssp/light_rows.hpp>
#include <callisto/graph/sssp/sssp.hpp>

#include <cstdint>

namespace callisto::cluster {

/// The common part of all searches of a graph. Survey and widths are the same at all processes.
template <class Vertex>
struct path_plan {
  graph::weight_survey weights;                  ///< of all out-arcs
  double delta = 1;                              ///< width of a bucket
  double light = graph::sssp_result::unreached;  ///< arcs of more weight are heavy; infinity if no arc is
  graph::light_rows<Vertex, double> rows;        ///< the light arcs of own vertices; empty if no arc is heavy
  std::uint64_t light_arcs = 0;                  ///< in the rows of all processes
  std::vector<Vertex> hubs;                      ///< find_hubs(); their own rows are not relaxed
  std::vector<std::vector<graph::sssp_arc<Vertex, double>>> of_hubs;  ///< by hub: its arcs to own vertices
};

/// Surveys the weights, each process those of its rows, and chooses the width of buckets and the light arcs from a
/// sample of all rows. Gathers the light arcs. Throws usage_error if the graph has no weights or options.delta is not
/// above 0; weight_error if a weight is negative, infinite or no number; cancelled; std::bad_alloc.
template <class Vertex>
path_plan<Vertex> plan_paths(const graph::csr_graph<Vertex>& graph, const graph::sssp_options& options,
                             const graph::shared_control& control);

/// Searches as graph::sssp_search does, together with control.among, by a plan of the graph: the same distances
/// to the last bit, and the same sums, everywhere. How many arcs are relaxed depends on the processes.
///
/// 1. Each process relaxes the light arcs of its vertices in the bucket, until it has none there. Hubs go to all
///    processes, each of which relaxes their arcs to its vertices.
/// 2. Vertices of other processes wait in the buckets, too. Those of this bucket go to their processes, each with the
///    shortest distance found here.
/// 3. If that left no process with vertices of the bucket, all go on to the next one.
/// 4. When all buckets are empty, all get all distances. Each process relaxes its heavy arcs once, and goes through the
///    buckets again with all arcs.
///
/// Cost: three exchanges a round. Memory: 8 bytes a vertex, which become the result, and 16 for each entry in a bucket;
/// of the plan 16 bytes a vertex of the process, and 16 for each of its light arcs, and each arc from a hub to its
/// vertices. Throws usage_error if the source is no vertex, or a distance is larger than any double; cancelled;
/// std::bad_alloc.
template <class Vertex>
graph::sssp_result sssp(const graph::csr_graph<Vertex>& graph, std::uint64_t source, const path_plan<Vertex>& plan,
                        const graph::shared_control& control);

}  // namespace callisto::cluster
