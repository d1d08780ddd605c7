// The programs of the Grappa paper (USENIX ATC'15, sections 6 and 7) on simulated clusters: as the paper has them, a
// message or a blocking read for each far word, and as specialized programs do them, in bulk.
#pragma once

#include <callisto/global/session/statistics.hpp>
#include <callisto/global/simulated/cluster.hpp>
#include <lab/global/uts_tree.hpp>
#include <lab/names.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace callisto::lab {

/// What a program did: the numbers of the paper's table 2 for all cores together.
struct program_outcome {
  double rate = 0;     ///< vertices, edges, keys or arcs a second
  double seconds = 0;  ///< virtual: of the part that is measured
  double latency = 0;  ///< of a blocking read, mean, in seconds
  bool is_right = false;
  unsigned cores = 0;
  unsigned nodes = 0;
  global::rank_statistics all;                  ///< of all ranks, in the part that is measured
  global::simulation::cluster_outcome network;  ///< of the whole job

  double of_core(double count) const noexcept { return count / cores / all.seconds; }
  double messages_a_core() const noexcept { return of_core(static_cast<double>(all.messages)); }
  double bytes_a_message() const noexcept;
  double bytes_a_node() const noexcept { return static_cast<double>(network.bytes) / nodes / all.seconds; }
  double bytes_a_packet() const noexcept;
  double switches_a_core() const noexcept { return of_core(static_cast<double>(all.switches)); }
  double steals_tried() const noexcept { return of_core(static_cast<double>(all.steals_tried)); }
  double steals_made() const noexcept { return of_core(static_cast<double>(all.steals_made)); }
  /// Idle time is counted when it ends, and may have begun before the part.
  double idle() const noexcept { return std::min(of_core(all.idle_seconds), 1.0); }
};

/// A tree of UTS in memory: each vertex has its children, which follow each other.
struct tree_in_memory {
  struct vertex {
    std::uint32_t first_child;
    std::uint32_t children;
  };
  std::vector<vertex> vertices;

  /// Makes `tree`, and numbers its vertices by level.
  explicit tree_in_memory(const uts_tree& tree);
};

/// Searches the tree as the paper's program does: vertices are dealt to the ranks, a task reads one by a delegate that
/// blocks, and gives each child to a task that other ranks may steal. With `workers` of them a core at most.
program_outcome simulate_tree_search(const global::simulation::cluster_options& cluster, const tree_in_memory& tree,
                                     std::size_t workers);
/// Searches it by tasks that go to the vertices.
program_outcome simulate_tree_visits(const global::simulation::cluster_options& cluster, const tree_in_memory& tree);

/// A Kronecker graph: the rows of all vertices, whatever their ranks.
struct graph_in_memory {
  std::vector<std::uint64_t> begins;
  std::vector<std::uint32_t> neighbours;
  unsigned scale = 0;

  /// 2^scale vertices, 16 edges for each; both arcs of each edge that is no loop.
  explicit graph_in_memory(unsigned scale);
  std::uint64_t vertices() const noexcept { return begins.size() - 1; }
  /// Returns the vertex with most arcs.
  std::uint32_t hub() const noexcept;
};

/// How ranks move what is for other ranks.
enum class movement : std::uint8_t {
  messages,  ///< a message for each arc or key, as Grappa's programs
  bulk,      ///< gathered by destination, then exchanged at once, as specialized MPI programs
};

/// Searches breadth-first from the vertex with most arcs; a rate of edges. The depths are compared.
program_outcome simulate_search(const global::simulation::cluster_options& cluster, const graph_in_memory& graph,
                                movement how);
/// Makes `iterations` steps of PageRank; a rate of arcs. The scores are compared.
program_outcome simulate_pagerank(const global::simulation::cluster_options& cluster, const graph_in_memory& graph,
                                  unsigned iterations, movement how);
/// Sorts 2^log2_keys keys of NAS IS into the ranks' ranges, and counts them; a rate of keys. The counts are compared.
program_outcome simulate_sort(const global::simulation::cluster_options& cluster, unsigned log2_keys, movement how);
/// Updates random words for `microseconds` as HPCC's MPI program does, with a packet for what a destination has: each
/// rank keeps 1,024 updates, and then sends those of the destination that has most. A rate of updates.
program_outcome simulate_hpcc_updates(const global::simulation::cluster_options& cluster, double microseconds);

}  // namespace callisto::lab
