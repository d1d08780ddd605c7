// Builds the tree, and sums the pushes.
#include <callisto/graph/layout/repulsion.hpp>
#include <callisto/loop/algorithms/sort.hpp>
#include <callisto/loop/parallel_for.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace callisto::graph::layout_detail {
namespace {

/// A node pushes as one body if its box is smaller than this share of its distance from the block.
constexpr float opening = 1.5F;
/// Below this square of a distance vertices push as if they were so far apart.
constexpr float least_square = 1e-3F;

/// Returns the 16 bits of `value` with a zero before each.
std::uint32_t spread_bits(std::uint32_t value) {
  value = (value | value << 8) & 0x00ff00ffU;
  value = (value | value << 4) & 0x0f0f0f0fU;
  value = (value | value << 2) & 0x33333333U;
  return (value | value << 1) & 0x55555555U;
}

}  // namespace

repulsion::repulsion(const std::vector<double>& masses)
    : masses_(masses), order_(masses.size()), sorted_(masses.size()) {
  std::size_t count = blocks();
  if (count != 0) nodes_.emplace_back(count);
  while (count > 1) nodes_.emplace_back(count = (count + 1) / 2);
}

void repulsion::sort(const std::vector<layout_point>& places, const run_control& control) {
  if (places.empty()) return;
  double left = places[0].x;
  double bottom = places[0].y;
  double width = 0;
  for (const layout_point& p : places) {
    left = std::min(left, p.x);
    bottom = std::min(bottom, p.y);
  }
  for (const layout_point& p : places) width = std::max({width, p.x - left, p.y - bottom});
  const double scale = width > 0 ? 65535 / width : 0;
  std::vector<std::uint64_t> keys(places.size());
  parallel_for(std::size_t{0}, keys.size(),
               [&](std::size_t v) {
                 const auto x = static_cast<std::uint32_t>((places[v].x - left) * scale);
                 const auto y = static_cast<std::uint32_t>((places[v].y - bottom) * scale);
                 keys[v] = std::uint64_t{spread_bits(x) | spread_bits(y) << 1} << 32 | v;
               },
               {.stop = control.stop});
  control.check();
  callisto::sort(keys);
  for (std::size_t i = 0; i < keys.size(); ++i) order_[i] = static_cast<std::uint32_t>(keys[i]);
}

void repulsion::update(const std::vector<layout_point>& places, const run_control& control) {
  const auto joined = [](const node& a, const node& b) {
    const float mass = a.centre.mass + b.centre.mass;
    const float share = b.centre.mass / mass;
    return node{std::min(a.left, b.left),
                std::max(a.right, b.right),
                std::min(a.bottom, b.bottom),
                std::max(a.top, b.top),
                {a.centre.x + (b.centre.x - a.centre.x) * share, a.centre.y + (b.centre.y - a.centre.y) * share, mass}};
  };
  parallel_for(std::size_t{0}, blocks(),
               [&](std::size_t b) {
                 const std::size_t first = b * block_size;
                 const std::size_t last = std::min(first + block_size, order_.size());
                 for (std::size_t i = first; i < last; ++i) {
                   const std::uint32_t v = order_[i];
                   const body at{static_cast<float>(places[v].x), static_cast<float>(places[v].y),
                                 static_cast<float>(masses_[v])};
                   sorted_[i] = at;
                   const node here{at.x, at.x, at.y, at.y, at};
                   nodes_[0][b] = i == first ? here : joined(nodes_[0][b], here);
                 }
               },
               {.stop = control.stop});
  control.check();
  for (std::size_t h = 1; h < nodes_.size(); ++h) {
    for (std::size_t k = 0; k < nodes_[h].size(); ++k) {
      const std::vector<node>& below = nodes_[h - 1];
      nodes_[h][k] = 2 * k + 1 < below.size() ? joined(below[2 * k], below[2 * k + 1]) : below[2 * k];
    }
  }
}

void repulsion::push(std::size_t block, lanes& x, lanes& y) const {
  // Two loops: the first finds what pushes, the second is all arithmetic, four vertices at a time.
  thread_local std::vector<body> pushing;
  pushing.clear();
  const node box = nodes_[0][block];
  std::array<std::pair<std::size_t, std::size_t>, 80> open;  // height and number; one more a level, at most
  std::size_t opened = 0;
  open[opened++] = {nodes_.size() - 1, 0};
  while (opened != 0) {
    const auto [height, k] = open[--opened];
    const node& n = nodes_[height][k];
    const float dx = std::max({box.left - n.centre.x, n.centre.x - box.right, 0.0F});
    const float dy = std::max({box.bottom - n.centre.y, n.centre.y - box.top, 0.0F});
    const float size = std::max(n.right - n.left, n.top - n.bottom);
    if (size * size < opening * opening * (dx * dx + dy * dy)) {
      pushing.push_back(n.centre);
    } else if (height == 0) {
      const auto first = sorted_.begin() + static_cast<std::ptrdiff_t>(k * block_size);
      pushing.insert(pushing.end(), first, first + std::min<std::ptrdiff_t>(block_size, sorted_.end() - first));
    } else {
      if (2 * k + 1 < nodes_[height - 1].size()) open[opened++] = {height - 1, 2 * k + 1};
      open[opened++] = {height - 1, 2 * k};
    }
  }

  using four = float __attribute__((vector_size(16)));
  const std::size_t first = block * block_size;
  for (std::size_t part = 0; part < block_size && first + part < sorted_.size(); part += 4) {
    four at_x{};
    four at_y{};
    for (std::size_t i = 0; i < 4 && first + part + i < sorted_.size(); ++i) {
      at_x[i] = sorted_[first + part + i].x;
      at_y[i] = sorted_[first + part + i].y;
    }
    four sum_x{};
    four sum_y{};
    for (const body& from : pushing) {
      const four dx = at_x - from.x;
      const four dy = at_y - from.y;
      const four square = dx * dx + dy * dy;
      const four push = from.mass / (square > least_square ? square : four{} + least_square);
      sum_x += dx * push;
      sum_y += dy * push;
    }
    for (std::size_t i = 0; i < 4; ++i) {
      x[part + i] = sum_x[i];
      y[part + i] = sum_y[i];
    }
  }
}

}  // namespace callisto::graph::layout_detail
