// Maximal cliques: sets of vertices that are all neighbours of each other, to which no vertex can be added.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace callisto::graph {

struct clique_options {
  bool list = false;        ///< the cliques are listed, else counted
  std::uint64_t least = 1;  ///< vertices of the smallest cliques that are listed and counted
  /// A list of more members is given up: then the result has none, but all counts.
  std::uint64_t most_members = std::numeric_limits<std::uint64_t>::max();
  /// If set, gets the members of each clique, ascending, in the order of the list, on the calling thread; nothing is
  /// kept of them, so that a list of any length takes little memory.
  std::function<void(std::span<const std::uint64_t> members)> each = {};
};

struct clique_result {
  std::uint64_t cliques = 0;           ///< how many there are
  std::vector<std::uint64_t> by_size;  ///< by number of vertices: how many
  std::vector<std::uint64_t> largest;  ///< one of most vertices, ascending
  /// If they are listed: the members of clique i are members[begins[i]] to members[begins[i + 1]], ascending.
  std::vector<std::uint64_t> begins;
  std::vector<std::uint64_t> members;
};

/// Finds the maximal cliques of the simple undirected graph underlying `graph`. A vertex without neighbours is one. The
/// result, the order of the list included, depends on the graph and the options alone.
///
/// Method: the cliques that begin with v in an order of degeneracy lie among v's later neighbours (Eppstein and
/// Strash 2011); threads take vertices. Among those, Bron and Kerbosch's recursion with the pivot of Tomita, Tanaka and
/// Takahashi (2006), on bits.
///
/// Cost: as many steps as 3^(d / 3) n, where d is the degeneracy, at worst; about in proportion to the cliques on most
/// graphs. Memory: needs::maximal_cliques(), and 8 bytes a member of the list; what waits for its turn in the list has
/// at most some 32 MiB. Reports vertices as progress. Throws
/// usage_error for a directed graph without the rows of its in-edges; cancelled; std::bad_alloc.
template <class Vertex>
CALLISTO_API clique_result maximal_cliques(const csr_graph<Vertex>& graph, const clique_options& options = {},
                                           const run_control& control = {});

namespace needs {
/// Returns the bytes that maximal_cliques() takes beyond the graph, but for the list and a thread's bits: those have no
/// useful bound.
CALLISTO_API std::uint64_t maximal_cliques(const any_graph& graph) noexcept;
}  // namespace needs

}  // namespace callisto::graph
