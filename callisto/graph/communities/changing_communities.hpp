// Communities, kept up to date while the graph changes.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/changing/changing_graph.hpp>
#include <callisto/graph/communities/communities.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/csr/weight_use.hpp>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace callisto::graph {

/// Communities by modularity, each connected, with weights as strengths of ties. The graph outlives it; changes of the
/// graph and calls take turns.
///
/// The ends of edges that change decide anew, as in the Leiden method: they move to the neighbouring community, or to
/// one alone, that raises modularity most. Neighbours of a vertex that moved decide, too: a frontier (Zarayeneh and
/// Kalyanaraman 2021; Sahu 2024) that ends where no vertex moves. Searches from both ends of what was cut find
/// communities that came apart, and split them. So a change costs what it moves. After changes of one edge in 16, all
/// communities are found anew by communities(). One thread does the rest. It takes 52 bytes a vertex.
class CALLISTO_API changing_communities {
 public:
  /// Finds all communities. The method is leiden or louvain, the quality modularity. Throws what communities() throws,
  /// and usage_error for another method or quality.
  /// `weights`: none takes 1 for each edge, whatever its weight; strength.
  explicit changing_communities(const changing_graph& graph, const communities_options& options = {},
                                weight_use weights = weight_use::strength, const run_control& control = {});

  /// Returns the smallest vertex of v's community.
  std::uint32_t operator[](std::uint32_t v) const;
  std::uint64_t count() const noexcept { return count_; }
  /// Vertices of v's community.
  std::uint64_t size(std::uint32_t v) const noexcept { return v < of_.size() ? groups_[of_[v]].size : 1; }
  /// Returns the modularity, as quality() has it but for rounding.
  double quality() const noexcept;

  /// Brings all up to date after these changes, which were made since the last call. Returns the vertices that have
  /// moved to other communities, ascending; all vertices if all communities were found anew.
  std::vector<std::uint32_t> update(std::span<const changing_graph::change> changes);

  /// Times that all communities were found, the first included.
  std::uint64_t searches() const noexcept { return searches_; }

 private:
  struct group {
    double out = 0;  ///< strengths of its vertices
    double in = 0;
    std::uint32_t size = 0;
    std::uint32_t first = 0;     ///< a member, from which next_ leads to all members
    std::uint32_t smallest = 0;  ///< the smallest member, if `known`
    bool known = false;
  };

  void find_all(const run_control& control);
  void add_vertices();
  void leave(std::uint32_t v);
  void enter(std::uint32_t v, std::uint32_t to);
  void move(std::uint32_t v, std::uint32_t to);
  std::uint32_t empty_group();
  std::uint32_t best_for(std::uint32_t v);
  void settle();
  void split(const std::vector<std::uint32_t>& ends);
  void add_strength(std::uint32_t v, double out, double in);
  void wake(std::uint32_t v);
  template <class F>
  void for_each_tie(std::uint32_t v, F f) const;

  double strength_of(double weight) const noexcept { return weights_ == weight_use::none ? 1 : weight; }

  const changing_graph* graph_;
  communities_options options_;
  weight_use weights_;
  std::vector<std::uint32_t> of_;    ///< by vertex: the number of its group
  std::vector<std::uint32_t> next_;  ///< by vertex: members of a group make a ring
  std::vector<std::uint32_t> last_;  ///< ... in the other direction
  std::vector<double> out_;          ///< by vertex: its strength
  std::vector<double> in_;
  mutable std::vector<group> groups_;     ///< reading finds their smallest members
  std::vector<std::uint32_t> empty_;      ///< groups without members
  std::vector<double> ties_;              ///< by group: weight between it and the vertex that decides; else 0
  std::vector<std::uint32_t> near_;       ///< groups with such a weight
  std::vector<char> awake_;               ///< by vertex: it waits to decide
  std::vector<std::uint32_t> waiting_;    ///< vertices that do
  std::vector<std::uint32_t> moved_;      ///< since the last call of update()
  std::vector<std::uint32_t> came_from_;  ///< by entry of moved_: the group before
  double all_ = 0;                        ///< the sum of strengths
  double inside_ = 0;                     ///< weight of arcs inside of groups
  double chance_ = 0;                     ///< the sum of products of groups' strengths
  std::uint64_t count_ = 0;
  std::uint64_t changed_ = 0;  ///< edges, since all communities were found
  std::uint64_t searches_ = 0;
};

}  // namespace callisto::graph
