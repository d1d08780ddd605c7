#include <callisto/global/messages/routes.hpp>
#include <callisto/global/transport/limits.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <unordered_map>

namespace callisto::global {
namespace {

/// Returns the least k with k to the power of `dimensions` of at least n.
std::size_t side_of(std::size_t n, unsigned dimensions) {
  std::size_t k = 1;
  const auto volume = [&] { return dimensions == 2 ? k * k : k * k * k; };
  while (volume() < n) ++k;
  return k;
}

/// Returns the scheme for `nodes` nodes of which the largest has `each` ranks: one with at most `neighbours`
/// neighbours, if possible.
routes::scheme choose(std::size_t nodes, std::size_t each, std::size_t neighbours, unsigned most_hops) {
  struct candidate {
    routes::scheme how;
    unsigned hops;
    std::size_t neighbours;
  };
  std::vector<candidate> all{{routes::scheme::direct, 1, nodes * each - 1}};
  const std::size_t square = 2 * (side_of(nodes, 2) - 1) + each - 1;
  if (each > 1) {
    all.push_back({routes::scheme::by_node, 2, nodes + each - 2});
    all.push_back({routes::scheme::gathered, 3, (nodes + each - 1) / each + each - 1});
    all.push_back({routes::scheme::square, 3, square});
  } else {
    all.push_back({routes::scheme::square, 2, square});
    all.push_back({routes::scheme::cube, 3, 3 * (side_of(nodes, 3) - 1)});
  }
  const candidate* best = all.data();
  for (const candidate& c : all) {
    const bool suffices = best->neighbours <= neighbours;
    const bool is_allowed = c.hops <= (most_hops == 0 ? 3 : most_hops);
    // Asked for a number of hops, it takes them all if that leaves fewer neighbours.
    if (is_allowed && c.neighbours < best->neighbours && (most_hops != 0 || !suffices)) best = &c;
  }
  return best->how;
}

}  // namespace

routes::routes(int me, std::span<const int> node_of, unsigned most_hops) {
  // Nodes count from 0 in the order of their first ranks.
  std::unordered_map<int, std::size_t> numbers;
  std::vector<std::vector<int>> at;
  std::vector<std::size_t> node(node_of.size());
  for (std::size_t r = 0; r != node_of.size(); ++r) {
    node[r] = numbers.emplace(node_of[r], at.size()).first->second;
    if (node[r] == at.size()) at.emplace_back();
    at[node[r]].push_back(static_cast<int>(r));
  }
  const std::size_t nodes = at.size();
  const std::size_t each = std::ranges::max(at, {}, [](const auto& ranks) { return ranks.size(); }).size();
  const std::size_t mine = node[static_cast<std::size_t>(me)];
  const auto place = static_cast<std::size_t>(std::ranges::find(at[mine], me) - at[mine].begin());
  const auto rank_at = [&](std::size_t of, std::size_t which) { return at[of][which % at[of].size()]; };
  // The next node on the way from this one. A step sets one digit of the node's number, written to the base `side`, to
  // that of the destination. A node that a step would lead to may not exist, since the last rows may be short; a step
  // that sets a higher digit leads to one then: the destination's row has all that rows after it have.
  const auto toward = [&](std::size_t to, std::size_t side) {
    for (std::size_t unit = 1; unit < nodes; unit *= side) {
      const std::size_t wanted = to / unit % side;
      const std::size_t own = mine / unit % side;
      const std::size_t step = mine + wanted * unit - own * unit;
      if (wanted != own && step < nodes) return step;
    }
    return to;
  };
  for (const unsigned way : {0U, 1U}) {
    const scheme how =
        nodes < 2
            ? scheme::direct
            : choose(nodes, each, way == 0 ? rank_limits::most_neighbours : rank_limits::few_neighbours, most_hops);
    schemes_[way] = how;
    far_[way] = node_of.size() - at[mine].size();
    if (how == scheme::direct) continue;
    const std::size_t side = side_of(nodes, how == scheme::cube ? 3 : 2);
    std::vector<int>& next = next_[way];
    next.resize(node_of.size());
    std::vector<bool> is_far(node_of.size());
    for (std::size_t r = 0; r != node_of.size(); ++r) {
      const std::size_t to = node[r];
      if (to == mine) {
        next[r] = static_cast<int>(r);
      } else if (how == scheme::by_node) {
        next[r] = rank_at(to, place);
      } else if (how == scheme::gathered) {
        const int gatherer = rank_at(mine, to);
        next[r] = gatherer == me ? rank_at(to, mine) : gatherer;
      } else {
        next[r] = rank_at(toward(to, side), place);
      }
      if (node[static_cast<std::size_t>(next[r])] != mine) is_far[static_cast<std::size_t>(next[r])] = true;
    }
    far_[way] = static_cast<std::size_t>(std::ranges::count(is_far, true));
  }
}

}  // namespace callisto::global
