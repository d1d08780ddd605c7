// Shortest paths by triggers: a distance that falls makes its vertex look at its neighbours again.
//
// The ranks let small distances go first, as in Dijkstra's algorithm. Then a road that is opened later changes only
// what depends on it: the next run() goes on from what the last one left.
#include <callisto/domino.hpp>

#include <cstdint>
#include <cstdio>
#include <limits>
#include <vector>

namespace domino = callisto::domino;

namespace {

struct road {
  std::uint32_t to;
  std::uint32_t length;
};

constexpr std::uint32_t side = 300;
constexpr std::uint32_t towns = side * side;
constexpr std::uint32_t far_away = std::numeric_limits<std::uint32_t>::max();

}  // namespace

int main() {
  // A grid of towns; the length of a road depends on where it is.
  std::vector<std::vector<road>> roads(towns);
  const auto join = [&](std::uint32_t a, std::uint32_t b, std::uint32_t length) {
    roads[a].push_back({b, length});
    roads[b].push_back({a, length});
  };
  for (std::uint32_t t = 0; t < towns; ++t) {
    if (t % side + 1 < side) join(t, t + 1, 1 + t * 7919 % 100);
    if (t + side < towns) join(t, t + side, 1 + t * 104729 % 100);
  }

  domino::computation c;
  domino::cells<std::uint32_t> distance(c, towns, far_away);
  auto& by_distance = c.group(domino::strict);
  auto& relax = c.task(by_distance, towns, [&](domino::here& at, std::uint64_t town) {
    for (const road r : roads[town]) distance.improve(at, r.to, distance.get(town) + r.length);
  });
  distance.on_change(relax, domino::rank_of([](std::uint32_t d) { return d / 50; }));

  distance.set(c.outside(), 0, 0);
  c.run();
  const std::uint32_t before = distance.get(towns - 1);
  std::printf("the far corner: %u; fewer than two tasks for each town: %s\n", before,
              c.statistics().tasks < 2 * towns ? "yes" : "no");

  // A new road, from a corner to the middle. Only what it shortens is computed again.
  const std::uint64_t tasks = c.statistics().tasks;
  const std::uint32_t middle = towns / 2 + side / 2;
  roads[0].push_back({middle, 500});
  distance.improve(c.outside(), middle, 500);
  c.run();
  std::printf("with the new road: %s, and fewer tasks than towns: %s\n",
              distance.get(towns - 1) < before ? "nearer" : "as far",
              c.statistics().tasks - tasks < towns ? "yes" : "no");
}
