// Betweenness as a simulated program: which of the graph's memory, and of its own, each search touches, in which loops.
//
// The program is the one that Green-Marl's compiler makes of betweenness (Hong et al., ASPLOS 2012; the ATC'15 paper's
// graph programs are its products): a breadth-first search level by level, which marks the arcs that lead one level
// down, then adds up paths along them, level by level; then dependencies, in reverse. A search has for each vertex a
// level of 2 bytes, path count, dependency and score of 4 bytes each, a place of 4 in the list of what was found, and a
// byte for each arc. It is six kinds of loops with a barrier behind each: three that prepare, two for each level
// forwards and one backwards. The values are not computed: which vertex is on which level and which arcs lead down is
// known before (search_pattern), whatever the order of threads. The program's thread tree says on how many threads the
// loops run; a search that runs on one thread needs no atomic operations.
#pragma once

#include <callisto/app/simulate/nesting.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/machine/simulated/caches.hpp>

#include <cstdint>
#include <stop_token>
#include <vector>

namespace callisto::app {

/// What a search from one source finds.
struct search_pattern {
  static constexpr std::uint8_t unreached = 0xff;

  std::vector<std::uint32_t> order;   ///< vertices, nearest first, as one thread finds them
  std::vector<std::uint64_t> levels;  ///< level d is order[levels[d]] .. order[levels[d + 1]]
  std::vector<std::uint32_t> found;   ///< order[i] finds order[found[i]] .. order[found[i + 1]]
  std::vector<std::uint32_t> place;   ///< by vertex: where it is in `order`; nonsense if unreached
  std::vector<std::uint8_t> level;    ///< by vertex

  /// Throws usage_error if the graph is deeper than 254 levels.
  search_pattern(const graph::csr_graph<std::uint32_t>& g, std::uint32_t source);
};

/// Searches of one graph on one simulated machine. Of one program: its threads may use it at once.
class simulated_search {
 public:
  /// The graph's rows are spread over all sockets. All must outlive it.
  simulated_search(const graph::csr_graph<std::uint32_t>& g, nested_program& program,
                   machine::simulation::caches& memory, std::stop_token stop);

  /// The calling thread, in the program or in an iteration of a loop of it, searches; its loops are at level 0. What it
  /// searches with lies in its socket, is its own, and is used again. Throws graph::cancelled.
  void run(const search_pattern& p);

 private:
  struct state {
    std::uint64_t levels = 0, paths = 0, shares = 0, scores = 0, list = 0, marks = 0;  ///< addresses
    bool alone = true;                                                                 ///< one thread searches
  };
  class walk;

  state& state_here();

  const graph::csr_graph<std::uint32_t>& graph_;
  nested_program& program_;
  machine::simulation::caches& memory_;
  std::stop_token stop_;
  double per_instruction_;  ///< cycles
  std::uint64_t offsets_;
  std::uint64_t targets_;
  std::vector<state> states_;  ///< by thread; levels 0: not made yet
};

}  // namespace callisto::app
