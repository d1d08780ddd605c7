// The first two passes of construction: counts how many arcs go to each bucket, then places the arcs there.
#pragma once

#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/construction/key_layout.hpp>
#include <callisto/graph/construction/parallel_tasks.hpp>
#include <callisto/graph/construction/radix_sort.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/page_array.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace callisto::graph::construction {

/// The arc that an edge (from, to) gives.
enum class arc_of {
  edge,     ///< (from, to)
  reverse,  ///< (to, from)
  lower,    ///< the one of both that leads to the smaller vertex
};

/// How arcs become rows.
struct row_rules {
  arc_of which = arc_of::edge;
  graph::repeats repeats = graph::repeats::remove;
  graph::loops loops = graph::loops::keep;
  bool targets_ascend = false;                          ///< the source yields the arcs of each row by ascending target
  machine::page_kind pages = machine::page_kind::huge;  ///< of the rows' targets and weights
};

/// Irregularities counted while rows are made.
struct row_tally {
  std::uint64_t self_loops = 0;      ///< edges of the source from a vertex to itself
  std::uint64_t repeated_arcs = 0;   ///< arcs, without loops, that equal an earlier one
  std::uint64_t repeated_loops = 0;  ///< loops that equal an earlier one
};

/// Arcs that are sorted together.
struct bucket {
  std::uint64_t begin = 0;   ///< place of its first arc before repeats are removed
  std::uint64_t placed = 0;  ///< arcs before repeats are removed
  std::uint64_t kept = 0;    ///< arcs that stay
  std::uint64_t repeated_arcs = 0;
  std::uint64_t repeated_loops = 0;
};

/// Reads the arcs that the edges of a source give, in tasks of at least 2^17 edges. Call count(), then place().
template <class Vertex, class Source>
class arc_reader {
 public:
  arc_reader(Source& source, const key_layout& layout, const row_rules& rules, const run_control& control)
      : source_(source), layout_(layout), rules_(rules), control_(control) {
    const std::uint64_t edges = source.edges();
    // At most 1024 tasks: enough to balance, and their counts stay small beside the edges.
    edges_per_task_ = std::max<std::uint64_t>(std::uint64_t{1} << 17, edges >> 10);
    tasks_ = static_cast<std::size_t>((edges + edges_per_task_ - 1) / edges_per_task_);
  }

  /// Returns the buckets with their sizes and places. Throws usage_error if an edge names a vertex outside the graph.
  std::vector<bucket> count(row_tally& tally) {
    places_ = machine::page_array<std::uint64_t>(tasks_ * layout_.buckets());
    std::vector<task> seen(tasks_);
    for_each_task(control_, tasks_, [&](std::size_t i) {
      std::uint64_t* const counts = places_.data() + i * layout_.buckets();
      const key_layout layout = layout_;  // a local copy: the compiler keeps it in registers across writes
      const bool drop_loops = rules_.loops == loops::remove;
      task met;
      visit<no_weight>(i, [&](Vertex row, Vertex target, no_weight) {
        if (row >= layout.vertices() || target >= layout.vertices()) [[unlikely]] {
          met.foreign = true;
          return;
        }
        met.self_loops += row == target;
        if (row != target || !drop_loops) ++counts[layout.bucket(row, target)];
      });
      seen[i] = met;
    });
    for (std::size_t i = 0; i < tasks_; ++i) {
      if (seen[i].foreign) throw_foreign(i);
      tally.self_loops += seen[i].self_loops;
    }

    std::vector<bucket> buckets(layout_.buckets());
    for (std::size_t i = 0; i < tasks_; ++i) {
      std::uint64_t* const counts = places_.data() + i * layout_.buckets();
      for (std::size_t b = 0; b < buckets.size(); ++b) buckets[b].placed += std::exchange(counts[b], buckets[b].placed);
    }
    std::uint64_t begin = 0;
    for (auto& b : buckets) b.begin = std::exchange(begin, begin + b.placed);
    return buckets;
  }

  /// Puts every arc into its bucket, in the order of the source. Each task calls make_put() once, and the function that
  /// it returns for each arc: put(place, key, weight). Releases the edges of the source.
  template <class Weight, class MakePut>
  void place(std::span<const bucket> buckets, const MakePut& make_put) {
    begin_stage(control_, "partitioning", source_.edges());
    for_each_task(control_, tasks_, [&](std::size_t i) {
      std::uint64_t* const next = places_.data() + i * layout_.buckets();
      for (std::size_t b = 0; b < buckets.size(); ++b) next[b] += buckets[b].begin;
      const key_layout layout = layout_;
      const bool drop_loops = rules_.loops == loops::remove;
      visit<Weight>(i, [&, put = make_put()](Vertex row, Vertex target, Weight weight) {
        if (row == target && drop_loops) return;
        put(next[layout.bucket(row, target)]++, layout.key(row, target), weight);
      });
      source_.release(first_edge(i), first_edge(i + 1));
      advance_stage(control_, first_edge(i + 1) - first_edge(i));
    });
    places_ = {};
  }

 private:
  /// Findings of a task.
  struct task {
    std::uint64_t self_loops = 0;
    bool foreign = false;  ///< an edge names a vertex outside the graph
  };

  std::uint64_t first_edge(std::size_t i) const noexcept { return std::min(source_.edges(), i * edges_per_task_); }

  /// Calls f(row, target, weight) for the arcs of task i, including loops that will be dropped.
  template <class Form, class F>
  void visit(std::size_t i, F f) const {
    const std::uint64_t first = first_edge(i);
    const std::uint64_t last = first_edge(i + 1);
    switch (rules_.which) {
      case arc_of::edge:
        return source_.template visit<Form>(first, last, f);
      case arc_of::reverse:
        return source_.template visit<Form>(first, last,
                                            [&](Vertex from, Vertex to, Form weight) { f(to, from, weight); });
      case arc_of::lower:
        return source_.template visit<Form>(first, last, [&](Vertex from, Vertex to, Form weight) {
          f(std::max(from, to), std::min(from, to), weight);
        });
    }
  }

  /// Throws usage_error that names the first edge of task i with a vertex outside the graph.
  [[noreturn]] void throw_foreign(std::size_t i) const {
    source_.template visit<no_weight>(first_edge(i), first_edge(i + 1), [&](Vertex from, Vertex to, no_weight) {
      if (from >= layout_.vertices() || to >= layout_.vertices()) {
        throw usage_error(
            fmt::format("edge list: edge ({}, {}) names a vertex that is not below {}", from, to, layout_.vertices()));
      }
    });
    __builtin_unreachable();
  }

  Source& source_;
  const key_layout& layout_;
  const row_rules& rules_;
  const run_control& control_;
  std::uint64_t edges_per_task_;
  std::size_t tasks_;
  machine::page_array<std::uint64_t>
      places_;  ///< by task, then bucket: the number of arcs, later where the next one goes
};

}  // namespace callisto::graph::construction
