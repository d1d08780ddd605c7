// A breadth-first search from one end, a level at a time, in time and memory for what it meets.
#pragma once

#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/pair/arguments.hpp>
#include <callisto/graph/pair/met_vertices.hpp>

#include <cstddef>
#include <cstdint>

namespace callisto::graph {

template <class Vertex>
struct level_place {
  Vertex parent;  ///< by number
  std::uint32_t level;
};

/// The table of the vertices met is the queue, too: a level is a range of numbers.
template <class Vertex>
class level_search {
 public:
  using table = met_vertices<Vertex, level_place<Vertex>>;
  static constexpr std::size_t none = table::none;

  level_search(const adjacency<Vertex>& rows, std::uint64_t begin) : rows_(rows), next_arcs_(rows.degree(begin)) {
    met_.add(static_cast<Vertex>(begin), {0, 0});
  }

  /// True if the last level has vertices.
  bool waits() const noexcept { return first_ != met_.size(); }
  /// Returns the first number of the last level.
  std::size_t last_level() const noexcept { return first_; }
  std::uint32_t level() const noexcept { return level_; }
  /// Returns how many arcs the vertices of the last level have.
  std::uint64_t next_arcs() const noexcept { return next_arcs_; }
  std::uint64_t looked_at() const noexcept { return looked_at_; }
  const table& met() const noexcept { return met_; }

  /// Meets the next level. Calls meet(vertex, number) for each of its vertices, and ends at once, and returns true, if
  /// that returns true.
  template <class Meet>
  bool next_level(const run_control& control, Meet meet) {
    const std::size_t last = met_.size();
    ++level_;
    next_arcs_ = 0;
    for (std::size_t i = first_; i != last; ++i) {
      if (i % steps_between_checks == 0) control.check();
      const auto row = rows_.row(met_[i].vertex);
      looked_at_ += row.size();
      for (const Vertex w : row) {
        const auto [number, is_new] = met_.add(w, {static_cast<Vertex>(i), level_});
        if (!is_new) continue;
        next_arcs_ += rows_.degree(w);
        if (meet(w, number)) return true;
      }
    }
    first_ = last;
    return false;
  }

 private:
  const adjacency<Vertex>& rows_;
  table met_;
  std::size_t first_ = 0;
  std::uint32_t level_ = 0;
  std::uint64_t next_arcs_;
  std::uint64_t looked_at_ = 0;
};

}  // namespace callisto::graph
