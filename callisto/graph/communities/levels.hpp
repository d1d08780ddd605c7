// The levels of a search for communities. Included by communities.cpp and communities_64.cpp, which compile it for
// 32-bit and for 64-bit vertices.
#pragma once

#include <callisto/graph/communities/coarse_graph.hpp>
#include <callisto/graph/communities/communities.hpp>
#include <callisto/graph/communities/input_rows.hpp>
#include <callisto/graph/communities/level.hpp>
#include <callisto/graph/communities/moves.hpp>
#include <callisto/graph/communities/refine.hpp>
#include <callisto/graph/communities/row_owners.hpp>
#include <callisto/graph/communities/rows.hpp>
#include <callisto/graph/communities/split.hpp>
#include <callisto/graph/communities/steps.hpp>
#include <callisto/loop/parallel_for.hpp>

#include <fmt/format.h>

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

namespace callisto::graph {

/// The search for communities of one graph.
template <class Vertex>
class community_search {
  using map = machine::page_array<Vertex>;

 public:
  /// `chance`: the factor of masses (community_worth).
  community_search(const communities_options& options, double chance, const run_control& control)
      : options_(options), chance_(chance), control_(control), tables_(threads()) {}

  /// Returns by vertex a number of its community, and fills levels and `converged` of `result`.
  template <class Weights>
  map run(const weighted_rows<Vertex, Weights>& rows, const mass_arrays& mass, communities_result& result) {
    if constexpr (!Weights::have_sign) {  // weights with a sign are those of one process
      if (rows.owners != nullptr && rows.vertices < few_vertices) {
        // Too few to share: vertices move one by one. All processes do the same.
        const gathered_rows<Vertex> whole = gather_all_rows(rows);
        return run(whole.rows(), mass, result);
      }
    }
    for (auto& table : tables_) table.reserve(rows.vertices);
    const map order = shuffled<Vertex>(rows.vertices, options_.seed);
    if (options_.method == community_method::labels) {
      const level_result found = one_level(rows, mass, order, {}, true, result);
      return connected_parts(rows, found.community, control_);
    }
    map found;
    for (unsigned i = 0; i < options_.iterations; ++i) {
      const std::uint64_t before = moves_;
      found = descend(rows, mass, order, std::move(found), {options_.method == community_method::leiden, true}, result);
      if (moves_ == before) break;
    }
    map parts = connected_parts(rows, found, control_);
    found = {};
    const std::uint64_t count = number(parts);
    return join_parts(rows, mass, std::move(parts), count, most_splits, result);
  }

  /// Returns the same for levels of communities of communities; `each(map)` gets the community of each vertex on each
  /// level. A level's communities are what is connected of what moves have made.
  template <class Weights, class Each>
  map run_levels(const weighted_rows<Vertex, Weights>& rows, const mass_arrays& mass, communities_result& result,
                 const Each& each) {
    for (auto& table : tables_) table.reserve(rows.vertices);
    map all(rows.vertices);
    parallel_for(std::uint64_t{0}, rows.vertices, [&](std::uint64_t v) { all[v] = static_cast<Vertex>(v); });
    go_up(rows, mass, all, result, each);
    return all;
  }

 private:
  /// Joins the vertices of this level, of which `all` has one for each vertex of the graph, and goes on with what it
  /// has made.
  template <class Weights, class Each>
  void go_up(const weighted_rows<Vertex, Weights>& rows, const mass_arrays& mass, map& all, communities_result& result,
             const Each& each) {
    const level_result level = one_level(rows, mass, shuffled<Vertex>(rows.vertices, options_.seed), {}, false, result);
    map parts = connected_parts(rows, level.community, control_);
    const std::uint64_t count = number(parts);
    if (count == rows.vertices) return;
    take_over(all, parts);
    each(all);
    const coarse_graph<Vertex, Weights> coarse = contract(rows, mass, parts, count, tables_, control_);
    parts = {};
    go_up(coarse.rows(), coarse.mass, all, result, each);
  }

  static constexpr unsigned most_splits = 8;

  struct manner {
    bool refine;    ///< the next level has parts of communities as vertices, not communities
    bool go_again;  ///< vertices move once more when the levels below are done
  };
  struct level_result {
    map community;
    mass_arrays volume;
    std::uint64_t moves;
  };

  template <class Weights>
  level_result one_level(const weighted_rows<Vertex, Weights>& rows, const mass_arrays& mass, const map& order,
                         map begin, bool to_the_end, communities_result& result) {
    if (control_.report != nullptr) {
      control_.report->begin(fmt::format("communities, level {}", result.levels.size() + 1), 0, "rounds");
    }
    community_moves<Vertex, Weights> moving(rows, mass, chance_, std::move(begin), order, tables_, control_);
    result.levels.push_back(moving.run(to_the_end));
    result.converged = moving.still();
    moves_ += result.levels.back().moves;
    return {std::move(moving.community()), moving.take_volume(), result.levels.back().moves};
  }

  /// Moves vertices from the communities `begin`, or each vertex from a separate one, then goes on with coarser graphs.
  template <class Weights>
  map descend(const weighted_rows<Vertex, Weights>& rows, const mass_arrays& mass, const map& order, map begin,
              manner how, communities_result& result) {
    level_result level = one_level(rows, mass, order, std::move(begin), false, result);
    map parts;
    if (how.refine) {
      parts = community_refinement<Vertex, Weights>(rows, mass, chance_, level.community, level.volume, order, tables_,
                                                    control_)
                  .run();
    }
    const std::uint64_t communities = number(level.community);
    if (communities == rows.vertices) return std::move(level.community);
    std::uint64_t count = how.refine ? number(parts) : 0;
    if (!how.refine || count == rows.vertices) {
      parts = copy(level.community);
      count = communities;
    }
    map over(count);
    parallel_for(std::uint64_t{0}, rows.vertices, [&](std::uint64_t v) {
      // relaxed: all vertices of a part store the same.
      std::atomic_ref(over[parts[v]]).store(level.community[v], std::memory_order_relaxed);
    });
    level = {};
    const map found = [&] {
      const coarse_graph<Vertex, Weights> coarse = contract(rows, mass, parts, count, tables_, control_);
      return descend(coarse.rows(), coarse.mass, shuffled<Vertex>(count, options_.seed), std::move(over), how, result);
    }();
    take_over(parts, found);
    if (!how.go_again) return parts;
    return std::move(one_level(rows, mass, order, std::move(parts), false, result).community);
  }

  /// Joins and moves whole parts, which are connected, until no move raises the quality. A part that leaves may cut a
  /// community in two; then it begins again with what is connected.
  template <class Weights>
  map join_parts(const weighted_rows<Vertex, Weights>& rows, const mass_arrays& mass, map parts, std::uint64_t count,
                 unsigned splits, communities_result& result) {
    const coarse_graph<Vertex, Weights> coarse = contract(rows, mass, parts, count, tables_, control_);
    map found = descend(coarse.rows(), coarse.mass, shuffled<Vertex>(count, options_.seed), {}, {false, false}, result);
    map connected = connected_parts(coarse.rows(), found, control_);
    const std::uint64_t pieces = number(connected);
    if (pieces != number(found)) {
      if (splits == 0) {
        result.converged = false;
      } else {
        connected = join_parts(coarse.rows(), coarse.mass, std::move(connected), pieces, splits - 1, result);
      }
    }
    take_over(parts, connected);
    return parts;
  }

  /// Replaces each vertex's part by what `found` has for that part.
  static void take_over(map& parts, const map& found) {
    parallel_for(std::uint64_t{0}, std::uint64_t{parts.size()}, [&](std::uint64_t v) { parts[v] = found[parts[v]]; });
  }

  static map copy(const map& of) {
    map result(of.size());
    parallel_for(std::uint64_t{0}, of.size(), [&](std::uint64_t v) { result[v] = of[v]; });
    return result;
  }

  const communities_options& options_;
  const double chance_;
  const run_control& control_;
  weight_tables<Vertex> tables_;
  std::uint64_t moves_ = 0;
};

template <class Vertex>
communities_result communities_of(const csr_graph<Vertex>& graph, const communities_options& options,
                                  const shared_control& control) {
  communities_result result;
  const std::uint64_t n = graph.vertices();
  result.communities = n;
  result.converged = true;
  with_rows(graph, options, control, [&](const auto& rows, const mass_arrays& mass, double chance) {
    community_search<Vertex> search(options, chance, control);
    if (options.hierarchy) {
      search.run_levels(rows, mass, result, [&](const machine::page_array<Vertex>& number) {
        communities_result::division& made = result.hierarchy.emplace_back();
        made.of = machine::page_array<std::uint64_t>(n);
        made.communities = name_by_smallest(number, made.of);
      });
      return;
    }
    const machine::page_array<Vertex> number = search.run(rows, mass, result);
    result.of = machine::page_array<std::uint64_t>(n);
    result.communities = name_by_smallest(number, result.of);
  });
  control.check();
  if (result.of.empty()) {  // no edges, or a hierarchy
    result.of = machine::page_array<std::uint64_t>(n);
    parallel_for(std::uint64_t{0}, n, [&](std::uint64_t v) { result.of[v] = v; });
  }
  for (auto& division : result.hierarchy) division.quality = quality_of(graph, division.of, options, control);
  if (!result.hierarchy.empty()) {
    const auto& last = result.hierarchy.back();
    result.communities = last.communities;
    parallel_for(std::uint64_t{0}, n, [&](std::uint64_t v) { result.of[v] = last.of[v]; });
  }
  result.quality = quality_of(graph, result.of, options, control);
  return result;
}

}  // namespace callisto::graph
