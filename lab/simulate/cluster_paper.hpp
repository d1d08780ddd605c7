// Section 7 of the Grappa paper (USENIX ATC'15) on simulated clusters: its figures 7 to 9, its tables, and its
// sentences with numbers, each beside ours.
#pragma once

#include <callisto/app/base/json.hpp>
#include <callisto/global/simulated/cluster.hpp>
#include <lab/names.hpp>
#include <lab/simulate/cluster_figure.hpp>
#include <lab/simulate/cluster_programs.hpp>
#include <lab/simulate/grappa_programs.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace callisto::lab {

/// The cluster and the sizes of the programs on it.
struct paper_setting {
  global::simulation::network net;
  unsigned ranks = 16;  ///< of a node
  std::uint64_t seed = 1;
  /// 2^scale vertices of graphs, eight times as many keys; trees are those of the paper at 20, smaller below.
  unsigned scale = 18;
  std::function<void()> advance;  ///< called after each run; may throw

  global::simulation::cluster_options cluster(unsigned nodes) const {
    return {.net = net, .nodes = nodes, .ranks_per_node = ranks, .seed = seed};
  }
  uts_tree shallow() const;  ///< T1
  uts_tree deep() const;     ///< T3
};

/// Figure 7: trees T1 and T3 by nodes, as the paper searches them and by tasks that go to the vertices.
cluster_figure tree_figure(const paper_setting& how, std::span<const unsigned> nodes);
/// Figure 8: T1 by the workers of a core.
cluster_figure worker_figure(const paper_setting& how, unsigned nodes, std::span<const unsigned> workers);
/// Figure 9: BFS, IntSort and PageRank by nodes, a message for each arc or key.
cluster_figure program_figure(const paper_setting& how, std::span<const unsigned> nodes);

/// The rows of a table, a program or a sentence each.
struct paper_table {
  std::string title;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;

  std::string words() const;
  json objects() const;
};

/// What ran for the tables, on a number of nodes.
struct paper_runs {
  unsigned nodes = 0;
  cluster_rate gups;
  program_outcome gups_by_packets;
  program_outcome bfs, bfs_in_bulk;
  program_outcome sort, sort_in_bulk;
  program_outcome tree;
  program_outcome pagerank, pagerank_in_bulk;
};
constexpr unsigned runs_of_tables = 9;
paper_runs run_for_tables(const paper_setting& how, unsigned nodes, double microseconds);
/// Table 1: the paper's programs beside those that are specialized.
paper_table table_1(const paper_runs& runs);
/// Table 2: what the runtime did, beside the paper's numbers.
paper_table table_2(const paper_runs& runs);
/// The sentences of sections 7.1 to 7.3 with numbers: what they say, ours, and whether they agree.
paper_table sentences(const paper_runs& runs, const cluster_figure& gups, const cluster_figure& trees,
                      const cluster_figure& workers, const cluster_figure& programs, const step_costs& costs);

}  // namespace callisto::lab
