// Sources of the edges that construction sorts: a list of edges, or the rows of a graph.
//
// A source has four members:
// - vertices() and edges(): their numbers;
// - visit<Weight>(first, last, f): calls f(from, to, weight) for the edges of these numbers, in order. Weight is
//   no_weight, or a type that holds all weights of the source;
// - release(first, last): these edges are not read again, and their memory may go. Several threads may release disjoint
//   ranges at the same time.
#pragma once

#include <callisto/graph/construction/parallel_tasks.hpp>
#include <callisto/graph/construction/radix_sort.hpp>
#include <callisto/graph/csr/edge_list.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace callisto::graph::construction {

/// The edges of a list.
template <class Vertex>
class list_source {
 public:
  /// Throws usage_error if a block of a weighted list lacks weights.
  explicit list_source(edge_list<Vertex>& list) : list_(list) {
    begin_.reserve(list.blocks.size() + 1);
    begin_.push_back(0);
    for (const auto& block : list.blocks) {
      if (list.weighted && block.weights.size() != block.edges.size()) {
        throw usage_error(fmt::format("edge list: a weighted list has a block of {} edges with {} weights",
                                      block.edges.size(), block.weights.size()));
      }
      begin_.push_back(begin_.back() + block.edges.size());
    }
  }

  std::uint64_t vertices() const noexcept { return list_.vertices; }
  std::uint64_t edges() const noexcept { return begin_.back(); }

  template <class Weight, class F>
  void visit(std::uint64_t first, std::uint64_t last, F f) const {
    auto block = static_cast<std::size_t>(std::upper_bound(begin_.begin(), begin_.end(), first) - begin_.begin()) - 1;
    for (; first < last; ++block) {
      const auto& now = list_.blocks[block];
      const std::uint64_t end = std::min(last, begin_[block + 1]);
      const auto each = [&](auto weight) {
        for (std::uint64_t i = first - begin_[block]; i < end - begin_[block]; ++i) {
          f(now.edges[i].from, now.edges[i].to, weight(i));
        }
      };
      if constexpr (std::is_same_v<Weight, no_weight>) {
        each([](std::uint64_t) { return no_weight{}; });
      } else {
        now.weights.visit([&](auto weights) { each([=](std::uint64_t i) { return weight_as<Weight>(weights[i]); }); });
      }
      first = end;
    }
  }

  /// True if all weights are short ones by value, whatever their form.
  bool weights_are_short(const run_control& control) const {
    std::atomic<bool> all{true};
    for_each_task(control, list_.blocks.size(), [&](std::size_t i) {
      const weight_array& weights = list_.blocks[i].weights;
      // relaxed: a stale `true` costs an extra look; the end of the loop publishes the final value.
      if (weights.is_short() || !all.load(std::memory_order_relaxed)) return;
      if (!are_short({weights.data<double>(), weights.size()})) all.store(false, std::memory_order_relaxed);
    });
    return all.load(std::memory_order_relaxed);
  }

  void release(std::uint64_t first, std::uint64_t last) noexcept {
    auto block = static_cast<std::size_t>(std::upper_bound(begin_.begin(), begin_.end(), first) - begin_.begin()) - 1;
    for (; first < last; ++block) {
      const std::uint64_t end = std::min(last, begin_[block + 1]);
      auto& now = list_.blocks[block];
      const auto from = static_cast<std::size_t>(first - begin_[block]);
      const auto to = static_cast<std::size_t>(end - begin_[block]);
      now.edges.discard(from, to);
      now.weights.discard(from, to);
      first = end;
    }
  }

 private:
  edge_list<Vertex>& list_;
  std::vector<std::uint64_t> begin_;  ///< for each block the number of its first edge; last entry: edges()
};

/// The arcs of the rows of a graph, row by row. visit()'s Weight is the rows' own form.
template <class Vertex>
class row_source {
 public:
  explicit row_source(const adjacency<Vertex>& rows) : rows_(rows) {}

  std::uint64_t vertices() const noexcept { return rows_.offsets.empty() ? 0 : rows_.offsets.size() - 1; }
  std::uint64_t edges() const noexcept { return rows_.targets.size(); }

  template <class Weight, class F>
  void visit(std::uint64_t first, std::uint64_t last, F f) const {
    [[maybe_unused]] const Weight* weights = nullptr;
    if constexpr (!std::is_same_v<Weight, no_weight>) weights = rows_.weights.template data<Weight>();
    auto row = static_cast<std::uint64_t>(std::upper_bound(rows_.offsets.begin(), rows_.offsets.end(), first) -
                                          rows_.offsets.begin()) -
               1;
    for (; first < last; ++row) {
      const std::uint64_t end = std::min(last, rows_.offsets[row + 1]);
      for (; first < end; ++first) {
        if constexpr (std::is_same_v<Weight, no_weight>) {
          f(static_cast<Vertex>(row), rows_.targets[first], no_weight{});
        } else {
          f(static_cast<Vertex>(row), rows_.targets[first], weights[first]);
        }
      }
    }
  }

  void release(std::uint64_t, std::uint64_t) noexcept {}

 private:
  const adjacency<Vertex>& rows_;
};

}  // namespace callisto::graph::construction
