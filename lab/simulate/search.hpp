// Betweenness as a simulated program: what memory of the graph and of its own each search accesses, in which loops.
//
// The program is the one that Green-Marl's compiler makes of betweenness (Hong et al., ASPLOS 2012); the graph programs
// of the ATC'15 paper are that compiler's output. A search has three phases:
// - A breadth-first search, level by level, marks the arcs that lead one level down.
// - Path counts are added up along the marked arcs, level by level.
// - Dependencies are added up in reverse.
//
// For each vertex a search stores a level (2 bytes), a path count, a dependency and a score (4 bytes each), and an
// entry in the list of found vertices (4 bytes). For each arc it stores a mark (1 byte). It consists of six kinds of
// loops with a barrier behind each: three initialise, two run for each level forwards and one backwards.
//
// The values are not computed: search_pattern knows each vertex's level and the marked arcs in advance, whatever the
// order of threads. The program's thread tree decides how many threads run a loop. A search that runs on one thread
// needs no atomic operations.
#pragma once

#include <callisto/graph/csr/graph.hpp>
#include <callisto/machine/simulated/caches.hpp>
#include <lab/names.hpp>
#include <lab/simulate/nesting.hpp>

#include <cstdint>
#include <stop_token>
#include <vector>

namespace callisto::lab {

/// The levels and the tree that a search from one source finds.
struct search_pattern {
  static constexpr std::uint8_t unreached = 0xff;

  std::vector<std::uint32_t> order;   ///< reached vertices, nearest first, in the order in which one thread finds them
  std::vector<std::uint64_t> levels;  ///< level d is order[levels[d]] .. order[levels[d + 1] - 1]
  std::vector<std::uint32_t> found;   ///< order[i] finds order[found[i]] .. order[found[i + 1] - 1]
  std::vector<std::uint32_t> place;   ///< position of each vertex in `order`; meaningless if unreached
  std::vector<std::uint8_t> level;    ///< level of each vertex, or `unreached`

  /// Searches `g` from `source`. Throws usage_error if the graph is deeper than 254 levels.
  search_pattern(const graph::csr_graph<std::uint32_t>& g, std::uint32_t source);
};

/// Runs searches of one graph in one simulated program. The program's threads may use it concurrently.
class simulated_search {
 public:
  /// Spreads the graph's rows over all sockets. All arguments must outlive the object.
  simulated_search(const graph::csr_graph<std::uint32_t>& g, nested_program& program,
                   machine::simulation::caches& memory, std::stop_token stop);

  /// Searches from p's source on the calling thread, which leads the search's loops at level 0. Requires that the
  /// caller is the program or the body of one of its loops. Each calling thread has its own arrays in its socket, and
  /// reuses them in later calls. Throws graph::cancelled.
  void run(const search_pattern& p);

 private:
  struct state {
    std::uint64_t levels = 0, paths = 0, shares = 0, scores = 0, list = 0, marks = 0;  ///< addresses of the arrays
    bool alone = true;  ///< true if one thread runs the search
  };
  class walk;

  state& state_here();

  const graph::csr_graph<std::uint32_t>& graph_;
  nested_program& program_;
  machine::simulation::caches& memory_;
  std::stop_token stop_;
  double per_instruction_;  ///< cycles per instruction
  std::uint64_t offsets_;
  std::uint64_t targets_;
  std::vector<state> states_;  ///< one per thread; `levels` is 0 until state_here() has made the arrays
};

}  // namespace callisto::lab
