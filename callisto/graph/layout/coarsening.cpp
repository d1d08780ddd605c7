// Coarsening by stars.
#include <callisto/graph/layout/coarsening.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace callisto::graph::layout_detail {
namespace {

constexpr std::size_t small_level = 48;
constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

std::size_t degree(const layout_level& level, std::uint32_t v) {
  return level.begins[v + std::size_t{1}] - level.begins[v];
}

/// Returns the vertices by ascending degree: leaves choose their star first, hubs are left to be centres.
std::vector<std::uint32_t> by_degree(const layout_level& level) {
  std::vector<std::uint32_t> order(level.size());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return degree(level, a) < degree(level, b); });
  return order;
}

/// Finds stars: each vertex joins the centre, or a vertex that is free to become one, to which its edge is heaviest;
/// among equals the lightest, so that stars grow evenly. Returns the number of stars.
std::uint32_t find_stars(const layout_level& level, std::vector<std::uint32_t>& parents) {
  std::uint32_t stars = 0;
  std::vector<bool> is_centre(level.size());
  std::vector<double> masses;  // of the stars
  std::uint32_t alone = 0;
  for (const std::uint32_t v : by_degree(level)) {
    if (parents[v] != none) continue;
    std::uint32_t best = none;
    double best_weight = 0;
    double best_mass = 0;
    for (std::size_t a = level.begins[v]; a != level.begins[v + std::size_t{1}]; ++a) {
      const layout_neighbour& n = level.neighbours[a];
      if (n.vertex == v || (parents[n.vertex] != none && !is_centre[n.vertex])) continue;
      const double mass = parents[n.vertex] == none ? level.masses[n.vertex] : masses[parents[n.vertex]];
      if (best != none && (n.weight < best_weight || (n.weight == best_weight && mass >= best_mass))) continue;
      best = n.vertex;
      best_weight = n.weight;
      best_mass = mass;
    }
    if (best == none && degree(level, v) == 0 && alone++ % 4 != 0) {
      parents[v] = stars - 1;  // vertices without neighbours come first, in sequence
      continue;
    }
    const std::uint32_t centre = best == none ? v : best;
    if (parents[centre] == none) {
      parents[centre] = stars++;
      is_centre[centre] = true;
      masses.push_back(level.masses[centre]);
    }
    if (centre == v) continue;
    parents[v] = parents[centre];
    masses[parents[v]] += level.masses[v];
  }
  return stars;
}

}  // namespace

std::optional<layout_level> coarsened(layout_level& level) {
  if (level.size() <= small_level) return std::nullopt;
  std::vector<std::uint32_t> parents(level.size(), none);
  const std::uint32_t stars = find_stars(level, parents);
  if (stars > level.size() - level.size() / 20) return std::nullopt;

  layout_level coarse;
  coarse.masses.resize(stars);
  std::vector<std::size_t> members_begin(std::size_t{stars} + 1);
  for (std::size_t v = 0; v < level.size(); ++v) {
    coarse.masses[parents[v]] += level.masses[v];
    ++members_begin[parents[v] + std::size_t{1}];
  }
  std::partial_sum(members_begin.begin(), members_begin.end(), members_begin.begin());
  std::vector<std::uint32_t> members(level.size());
  std::vector<std::size_t> at(members_begin.begin(), members_begin.end() - 1);
  for (std::uint32_t v = 0; v < level.size(); ++v) members[at[parents[v]]++] = v;

  coarse.begins.push_back(0);
  std::vector<layout_neighbour> row;
  for (std::uint32_t s = 0; s < stars; ++s) {
    row.clear();
    for (std::size_t m = members_begin[s]; m != members_begin[s + std::size_t{1}]; ++m) {
      const std::uint32_t v = members[m];
      for (std::size_t a = level.begins[v]; a != level.begins[v + std::size_t{1}]; ++a) {
        const std::uint32_t other = parents[level.neighbours[a].vertex];
        if (other != s) row.push_back({other, level.neighbours[a].weight});
      }
    }
    std::stable_sort(row.begin(), row.end(), [](const auto& x, const auto& y) { return x.vertex < y.vertex; });
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i != 0 && row[i - 1].vertex == row[i].vertex) {
        coarse.neighbours.back().weight += row[i].weight;
      } else {
        coarse.neighbours.push_back(row[i]);
      }
    }
    coarse.begins.push_back(coarse.neighbours.size());
  }
  level.parents = std::move(parents);
  return coarse;
}

}  // namespace callisto::graph::layout_detail
