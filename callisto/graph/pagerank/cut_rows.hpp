// Long rows that partners sum together: each adds what its own vertices contribute, in turn. So no process holds the
// contributions of a whole row, nor reads the row itself. The sum has the bits of long_sum(): a partner goes on where
// the one before it stopped.
#pragma once

#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/hub_rows.hpp>
#include <callisto/graph/csr/partners.hpp>
#include <callisto/graph/pagerank/blocks.hpp>
#include <callisto/graph/pagerank/kernel.hpp>
#include <callisto/graph/pagerank/rows.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace callisto::graph {

/// A sum as long_sum() makes it, of a row that comes in pieces. Processes send it to each other.
template <class Value>
class row_sum {
 public:
  template <class Vertex>
  void add(const Value* values, const Vertex* first, const Vertex* last) noexcept {
    while (waiting_ != 0 && first != last) wait_for(values[*first++]);
    for (; last - first >= stretch; first += stretch) take(values, first);
    while (first != last) wait_for(values[*first++]);
  }
  double value() const noexcept {
    if constexpr (std::is_same_v<Value, double>) {
      double sum = (chains_[0] + chains_[1]) + (chains_[2] + chains_[3]);
      for (std::uint32_t i = 0; i != waiting_; ++i) sum += values_[i];
      return sum;
    } else {
      return chains_[0] + short_sum(values_.data(), in_order.data(), in_order.data() + waiting_);
    }
  }

 private:
  static constexpr std::ptrdiff_t stretch = std::is_same_v<Value, double> ? 4 : 32;  ///< of long_sum()
  static constexpr auto in_order = [] {
    std::array<std::uint32_t, stretch> all{};
    for (std::uint32_t i = 0; i != stretch; ++i) all[i] = i;
    return all;
  }();

  template <class Vertex>
  void take(const Value* values, const Vertex* first) noexcept {
    if constexpr (std::is_same_v<Value, double>) {
      for (std::size_t i = 0; i != stretch; ++i) chains_[i] += values[first[i]];
    } else {
      chains_[0] += short_sum(values, first, first + stretch);
    }
  }
  void wait_for(Value value) noexcept {
    values_[waiting_++] = value;
    if (waiting_ != stretch) return;
    take(values_.data(), in_order.data());
    waiting_ = 0;
  }

  std::array<double, 4> chains_{};
  std::array<Value, stretch> values_{};  ///< the begin of a stretch
  std::uint32_t waiting_ = 0;
};

template <class Vertex>
class cut_rows {
 public:
  cut_rows() = default;

  /// Finds the rows, which are in-rows longer than row_is_cut() says, and the arcs of own vertices to them.
  cut_rows(const csr_graph<Vertex>& graph, const block_layout& layout, partners& among) {
    const adjacency<Vertex>& in = graph.in();
    std::vector<Vertex> own;
    for (std::uint64_t v = among.first(); v != among.last(); ++v) {
      if (!row_is_cut(in, v, among)) continue;
      const std::uint64_t block = layout.block_of(v);
      const auto row = in.row(v);
      // Of a row that lies in its block, the block reads values of this sweep.
      if (!lies_in(row.data(), row.data() + row.size(), layout.first(block), layout.last(block)))
        own.push_back(static_cast<Vertex>(v));
    }
    vertices_ = among.lists_of_all(own);
    arcs_.resize(vertices_.size());
    for (const Vertex v : vertices_) {
      sums_.push_back({v, 0});
      of_colour_[layout.colour_of(layout.block_of(v))].push_back(sums_.size() - 1);
    }
    for (std::uint64_t v = among.first(); v != among.last() && !vertices_.empty(); ++v) {
      for_each_hub(graph.out().row(v), vertices_,
                   [&](std::size_t h, std::size_t) { arcs_[h].push_back(static_cast<Vertex>(v)); });
    }
    for (auto& arcs : arcs_) arcs.shrink_to_fit();
    sums_.push_back(no_cut_rows.front());
  }

  /// True for a row that takes more than a 16th of a process' share, and long enough to repay what processes wait.
  static bool row_is_cut(const adjacency<Vertex>& in, std::uint64_t v, const partners& among) noexcept {
    constexpr std::uint64_t least = std::uint64_t{1} << 16;
    constexpr std::uint64_t in_share = 16;
    return among.count() != 1 && in.degree(v) > std::max(least, in.targets.size() / (in_share * among.count()));
  }
  bool has(std::uint64_t v) const noexcept { return hub_number(vertices_, v) != vertices_.size(); }
  /// Returns the rows with their sums, ascending by vertex, and the end.
  const cut_row* sums() const noexcept { return sums_.empty() ? no_cut_rows.data() : sums_.data(); }

  /// Sums the rows in blocks of a colour; each owner of one gets its sum. `published`: contributions of own vertices.
  template <class Value>
  void sum(std::uint64_t colour, const Value* published, partners& among) {
    const std::vector<std::size_t>& rows = of_colour_[colour];
    if (rows.empty()) return;
    std::vector<row_sum<Value>> running(rows.size());
    std::vector<std::uint64_t> counts(among.count());
    for (std::size_t turn = 0; turn != among.count(); ++turn) {
      const bool mine = turn == among.number();
      for (std::size_t i = 0; mine && i != rows.size(); ++i) {
        const std::vector<Vertex>& arcs = arcs_[rows[i]];
        running[i].add(published, arcs.data(), arcs.data() + arcs.size());
      }
      if (turn + 1 == among.count()) break;
      counts[turn + 1] = mine ? rows.size() : 0;
      const auto came = among.exchange(mine ? running : std::vector<row_sum<Value>>(), counts);
      counts[turn + 1] = 0;
      if (!came.empty()) running = came;
    }
    // The last one has the sums. Rows ascend, and so do their owners.
    std::vector<double> ready;
    for (std::size_t i = 0; among.number() + 1 == among.count() && i != rows.size(); ++i) {
      const auto after = std::upper_bound(among.bounds().begin(), among.bounds().end(), vertices_[rows[i]]);
      ++counts[static_cast<std::size_t>(after - among.bounds().begin()) - 1];
      ready.push_back(running[i].value());
    }
    const std::vector<double> came = among.exchange(ready, counts);
    std::size_t next = 0;
    for (const std::size_t row : rows) {
      if (vertices_[row] >= among.first() && vertices_[row] < among.last()) sums_[row].sum = came[next++];
    }
  }

 private:
  std::vector<Vertex> vertices_;
  std::vector<std::vector<Vertex>> arcs_;  ///< by row: its entries that are own vertices
  std::vector<cut_row> sums_;              ///< by row; and the end
  std::array<std::vector<std::size_t>, block_colours> of_colour_;
};

}  // namespace callisto::graph
