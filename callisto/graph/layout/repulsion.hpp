// The pushes of all vertices on each, in about n log n steps: far ones push together, from their common centre (Barnes
// and Hut 1986). The tree is a complete binary one over blocks of vertices sorted along a Z-order curve (Morton 1966):
// its nodes need no search, only their boxes.
#pragma once

#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/layout/layout.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace callisto::graph::layout_detail {

/// Thread-safety: sort() and update() by one thread, which run loops; push() by many.
class repulsion {
 public:
  /// Vertices of a block, the leaf of the tree: pushes on all of them are computed together.
  static constexpr std::size_t block_size = 16;

  explicit repulsion(const std::vector<double>& masses);

  /// Sorts vertices by place: neighbours in the plane share blocks.
  void sort(const std::vector<layout_point>& places, const run_control& control);
  /// Takes new places; the order stays.
  void update(const std::vector<layout_point>& places, const run_control& control);

  std::size_t blocks() const noexcept { return (order_.size() + block_size - 1) / block_size; }

  /// Calls f(vertex, x, y) for each vertex of a block with the sum of pushes on it: (place - other) * mass /
  /// distance^2.
  template <class F>
  void for_each(std::size_t block, const F& f) const {
    lanes x{};
    lanes y{};
    push(block, x, y);
    const std::size_t first = block * block_size;
    for (std::size_t i = 0; i < block_size && first + i < order_.size(); ++i) {
      f(order_[first + i], static_cast<double>(x[i]), static_cast<double>(y[i]));
    }
  }

 private:
  using lanes = std::array<float, block_size>;

  /// A vertex, or many that push together. Drawings do not need more than 24 bits.
  struct body {
    float x;
    float y;
    float mass;
  };

  struct node {
    float left, right, bottom, top;
    body centre;
  };

  void push(std::size_t block, lanes& x, lanes& y) const;

  const std::vector<double>& masses_;
  std::vector<std::uint32_t> order_;
  std::vector<body> sorted_;              ///< by order_
  std::vector<std::vector<node>> nodes_;  ///< by height: node k has the children 2 k and 2 k + 1 one level below
};

}  // namespace callisto::graph::layout_detail
