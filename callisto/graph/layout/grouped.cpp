// Components are packed, and groups become clumps.
#include <callisto/graph/layout/grouped.hpp>

#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <utility>

namespace callisto::graph {
namespace {

constexpr std::uint32_t no_group = std::numeric_limits<std::uint32_t>::max();
/// Below this share of vertices in their own clump, a drawing by forces alone is taken as a ball.
constexpr double seen = 0.8;
/// Room between two components, and the least between two discs, by the distance of neighbours.
constexpr double room = 1.2;
/// Vertices of a part that one thread lays out alone, while other threads lay out other parts.
constexpr std::size_t small_part = 2000;

/// Vertices with the edges among them, numbered from 0.
struct part_of_graph {
  std::vector<std::uint32_t> members;
  std::vector<layout_edge> edges;
};

/// The vertices, dealt to parts, with the place of each in its part.
struct parts_of_graph {
  std::vector<part_of_graph> all;
  std::vector<std::uint32_t> place;
};

/// Returns the parts by the numbers of `part`, which are below `count`, with the edges that have both ends in one part.
parts_of_graph parts_by(std::span<const std::uint32_t> part, std::size_t count, std::span<const layout_edge> edges) {
  parts_of_graph found;
  found.all.resize(count);
  found.place.resize(part.size());
  for (std::uint32_t v = 0; v < part.size(); ++v) {
    auto& members = found.all[part[v]].members;
    found.place[v] = static_cast<std::uint32_t>(members.size());
    members.push_back(v);
  }
  for (const layout_edge& e : edges) {
    if (part[e.from] == part[e.to])
      found.all[part[e.from]].edges.push_back({found.place[e.from], found.place[e.to], e.weight});
  }
  return found;
}

/// Returns by vertex the number of its component, from 0 in the order of their first vertices, and their count.
std::pair<std::vector<std::uint32_t>, std::size_t> components_by(std::uint32_t vertices,
                                                                 std::span<const layout_edge> edges) {
  std::vector<std::uint32_t> above(vertices);
  std::iota(above.begin(), above.end(), 0u);
  const auto root = [&](std::uint32_t v) {
    while (above[v] != v) v = above[v] = above[above[v]];
    return v;
  };
  for (const layout_edge& e : edges) {
    const std::uint32_t a = root(e.from);
    const std::uint32_t b = root(e.to);
    if (a != b) above[std::max(a, b)] = std::min(a, b);
  }
  std::vector<std::uint32_t> number(vertices, no_group);
  std::uint32_t count = 0;
  for (std::uint32_t v = 0; v < vertices; ++v) {
    const std::uint32_t r = root(v);
    if (r == v) number[v] = count++;
    number[v] = number[r];
  }
  return {std::move(number), count};
}

/// Gives the groups numbers from 0 in the order of their first members; returns their count.
std::size_t make_dense(std::vector<std::uint32_t>& groups) {
  std::vector<std::uint32_t> now(groups.empty() ? 0 : *std::max_element(groups.begin(), groups.end()) + std::size_t{1},
                                 no_group);
  std::uint32_t count = 0;
  for (std::uint32_t& g : groups) {
    if (now[g] == no_group) now[g] = count++;
    g = now[g];
  }
  return count;
}

layout_point middle_of(std::span<const layout_point> places) {
  layout_point sum;
  for (const layout_point& p : places) {
    sum.x += p.x;
    sum.y += p.y;
  }
  const auto n = static_cast<double>(places.size());
  return {sum.x / n, sum.y / n};
}

double distance(const layout_point& a, const layout_point& b) { return std::hypot(a.x - b.x, a.y - b.y); }

/// Room between two discs: wide enough that the nearest neighbours of a member are in its own disc.
double gap_between(double one, double other) { return room + 0.4 * std::min(one, other); }

double radius_of_disc(std::size_t members) { return 0.55 * std::sqrt(static_cast<double>(members)); }

/// Iterations for `vertices` in many parts, none of which alone would spend fewer.
unsigned iterations_for(std::size_t vertices) {
  return static_cast<unsigned>(std::clamp(6e6 / static_cast<double>(vertices + 1), 40.0, 300.0));
}

std::vector<layout_point> places_within(const part_of_graph& part, unsigned iterations, const run_control& control) {
  switch (part.members.size()) {
    case 1:
      return {{0, 0}};
    case 2:
      return {{-0.5, 0}, {0.5, 0}};
    default:
      return force_layout(static_cast<std::uint32_t>(part.members.size()), part.edges, iterations, control);
  }
}

/// Calls lay(i) for each part, one thread a small part and all threads a large one.
template <class Lay>
void for_each_part(const std::vector<part_of_graph>& parts, const run_control& control, const Lay& lay) {
  const auto small = [&](std::size_t i) {
    if (parts[i].members.size() <= small_part) lay(i);
  };
  if (!parallel_for(std::size_t{0}, parts.size(), small, {.batch = 1, .stop = control.stop})) throw cancelled();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].members.size() > small_part) lay(i);
  }
}

/// Moves discs that overlap apart. Discs are looked at in the order of their left ends.
void separate(std::vector<layout_point>& middles, const std::vector<double>& radii) {
  constexpr int sweeps = 300;
  std::vector<std::uint32_t> order(middles.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto left = [&](std::uint32_t i) { return middles[i].x - radii[i]; };
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return left(a) < left(b) || (left(a) == left(b) && a < b); });
    bool moved = false;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::uint32_t a = order[i];
      for (std::size_t j = i + 1;
           j < order.size() && left(order[j]) < middles[a].x + radii[a] + gap_between(radii[a], radii[a]); ++j) {
        const std::uint32_t b = order[j];
        const double apart = distance(middles[a], middles[b]);
        const double lack = radii[a] + radii[b] + gap_between(radii[a], radii[b]) - apart;
        if (lack <= 1e-3) continue;
        moved = true;
        // Two discs at one place leave it in a direction by their numbers.
        const double turn = apart > 1e-9 ? std::atan2(middles[b].y - middles[a].y, middles[b].x - middles[a].x)
                                         : static_cast<double>(a) + 0.7 * b;
        const double share = radii[b] / (radii[a] + radii[b]);  // the smaller one moves more
        middles[a].x -= std::cos(turn) * lack * share;
        middles[a].y -= std::sin(turn) * lack * share;
        middles[b].x += std::cos(turn) * lack * (1 - share);
        middles[b].y += std::sin(turn) * lack * (1 - share);
      }
    }
    if (!moved) return;
  }
}

/// Returns the middles of the discs of groups, by the forces between groups.
std::vector<layout_point> middles_of(const parts_of_graph& groups, std::span<const std::uint32_t> group,
                                     std::span<const layout_edge> edges, const std::vector<double>& radii,
                                     const run_control& control) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> between;
  for (const layout_edge& e : edges) {
    const auto ends = std::minmax(group[e.from], group[e.to]);
    if (ends.first != ends.second) between[ends] += e.weight;
  }
  const auto size = [&](std::uint32_t g) { return static_cast<double>(groups.all[g].members.size()); };
  double strongest = 0;
  for (const auto& [ends, weight] : between) {
    strongest = std::max(strongest, weight / std::sqrt(size(ends.first) * size(ends.second)));
  }
  // The square brings out the near among many that are all joined.
  std::vector<layout_edge> pulls;
  for (const auto& [ends, weight] : between) {
    const double part = weight / std::sqrt(size(ends.first) * size(ends.second)) / strongest;
    pulls.push_back({ends.first, ends.second, std::max(part * part, 1e-3)});
  }
  auto middles = force_layout(static_cast<std::uint32_t>(groups.all.size()), pulls, 300, control);
  // As near as most discs allow; the rest move apart.
  std::vector<double> fits;
  for (const auto& [ends, weight] : between) {
    const double apart = std::max(distance(middles[ends.first], middles[ends.second]), 1e-3);
    fits.push_back((radii[ends.first] + radii[ends.second] + gap_between(radii[ends.first], radii[ends.second])) /
                   apart);
  }
  double scale = 1;
  if (!fits.empty()) {
    const auto at = fits.begin() + static_cast<std::ptrdiff_t>(fits.size() / 2);
    std::nth_element(fits.begin(), at, fits.end());
    scale = *at;
  }
  for (layout_point& m : middles) m = {m.x * scale, m.y * scale};
  separate(middles, radii);
  return middles;
}

/// Places the members of a disc, turned or mirrored so that those with neighbours in other discs lie towards them.
/// `pulls`: by member the sum of the directions.
void put_disc(std::vector<layout_point>& places, const part_of_graph& group, std::vector<layout_point> inner,
              const layout_point& middle, double radius, std::span<const layout_point> pulls) {
  const layout_point centre = middle_of(inner);
  double farthest = 0;
  for (layout_point& p : inner) {
    p = {p.x - centre.x, p.y - centre.y};
    farthest = std::max(farthest, std::hypot(p.x, p.y));
  }
  const double scale = farthest > 0 ? std::min(radius / farthest, 1.0) : 1;
  // The turn by an angle with the largest sum of products has a closed form; so has the one of the mirrored disc.
  std::array<layout_point, 2> sums{};
  for (std::size_t i = 0; i < inner.size(); ++i) {
    const layout_point& p = inner[i];
    const layout_point& d = pulls[i];
    sums[0].x += p.x * d.x + p.y * d.y;
    sums[0].y += p.x * d.y - p.y * d.x;
    sums[1].x += p.x * d.x - p.y * d.y;
    sums[1].y += p.x * d.y + p.y * d.x;
  }
  const bool mirrored = std::hypot(sums[1].x, sums[1].y) > std::hypot(sums[0].x, sums[0].y);
  const layout_point sum = sums[mirrored ? 1 : 0];
  const double turn = std::atan2(sum.y, sum.x);
  const double c = std::cos(turn) * scale;
  const double s = std::sin(turn) * scale;
  for (std::size_t i = 0; i < inner.size(); ++i) {
    const double y = mirrored ? -inner[i].y : inner[i].y;
    places[group.members[i]] = {middle.x + c * inner[i].x - s * y, middle.y + s * inner[i].x + c * y};
  }
}

/// Returns places of a component with a disc a group.
std::vector<layout_point> in_discs(std::span<const std::uint32_t> group, std::size_t count,
                                   std::span<const layout_edge> edges, const run_control& control) {
  const parts_of_graph groups = parts_by(group, count, edges);
  std::vector<std::vector<layout_point>> inner(count);
  const unsigned iterations = iterations_for(group.size());
  for_each_part(groups.all, control,
                [&](std::size_t i) { inner[i] = places_within(groups.all[i], iterations, control); });
  std::vector<double> radii;
  for (const part_of_graph& g : groups.all) radii.push_back(radius_of_disc(g.members.size()));
  const std::vector<layout_point> middles = middles_of(groups, group, edges, radii, control);
  std::vector<std::vector<layout_point>> pulls(count);
  for (std::size_t i = 0; i < count; ++i) pulls[i].resize(groups.all[i].members.size());
  const auto pull = [&](std::uint32_t v, std::uint32_t to, double weight) {
    const layout_point& here = middles[group[v]];
    const layout_point& there = middles[group[to]];
    const double apart = std::max(distance(here, there), 1e-9);
    layout_point& sum = pulls[group[v]][groups.place[v]];
    sum.x += weight * (there.x - here.x) / apart;
    sum.y += weight * (there.y - here.y) / apart;
  };
  for (const layout_edge& e : edges) {
    if (group[e.from] == group[e.to]) continue;
    pull(e.from, e.to, e.weight);
    pull(e.to, e.from, e.weight);
  }
  std::vector<layout_point> places(group.size());
  for (std::size_t i = 0; i < count; ++i) {
    put_disc(places, groups.all[i], std::move(inner[i]), middles[i], radii[i], pulls[i]);
  }
  return places;
}

std::vector<layout_point> component_places(const part_of_graph& component, std::span<const std::uint32_t> groups,
                                           clumps how, unsigned iterations, const run_control& control) {
  std::vector<std::uint32_t> group;
  for (const std::uint32_t v : component.members) {
    if (!groups.empty() && how != clumps::never) group.push_back(groups[v]);
  }
  const std::size_t count = make_dense(group);
  const bool several = count > 1 && component.members.size() > 3;
  std::vector<layout_point> places;
  if (!several || how == clumps::where_mixed) {
    places = places_within(component, iterations, control);
    if (!several || share_in_own_clump(places, group) >= seen) return places;
  }
  return in_discs(group, count, component.edges, control);
}

struct layout_box {
  double left = std::numeric_limits<double>::max();
  double right = std::numeric_limits<double>::lowest();
  double top = left;
  double bottom = right;

  double width() const noexcept { return right - left + room; }
  double height() const noexcept { return bottom - top + room; }
};

layout_box box_of(std::span<const layout_point> places) {
  layout_box b;
  for (const layout_point& p : places) {
    b.left = std::min(b.left, p.x);
    b.right = std::max(b.right, p.x);
    b.top = std::min(b.top, p.y);
    b.bottom = std::max(b.bottom, p.y);
  }
  return b;
}

/// Moves the boxes of components into rows, the highest first, that make about a square; returns by component how far.
std::vector<layout_point> packed(const std::vector<layout_box>& boxes) {
  std::vector<std::size_t> order(boxes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return boxes[a].height() > boxes[b].height(); });
  double area = 0;
  double widest = 0;
  for (const layout_box& b : boxes) {
    area += b.width() * b.height();
    widest = std::max(widest, b.width());
  }
  const double width = std::max(widest, 1.05 * std::sqrt(area));
  std::vector<layout_point> moves(boxes.size());
  double x = 0;
  double y = 0;
  double row = 0;
  for (const std::size_t i : order) {
    if (x > 0 && x + boxes[i].width() > width * (1 + 1e-9)) {
      y += row;
      x = row = 0;
    }
    moves[i] = {x - boxes[i].left, y - boxes[i].top};
    x += boxes[i].width();
    row = std::max(row, boxes[i].height());
  }
  return moves;
}

}  // namespace

double share_in_own_clump(std::span<const layout_point> places, std::span<const std::uint32_t> groups) {
  std::vector<std::uint32_t> group(groups.begin(), groups.end());
  const std::size_t count = make_dense(group);
  if (count < 2) return 1;
  struct clump {
    layout_point middle;
    double spread = 0;  // the mean square of distances from the middle
    double members = 0;
  };
  std::vector<clump> all(count);
  for (std::size_t v = 0; v < group.size(); ++v) {
    clump& c = all[group[v]];
    c.middle.x += places[v].x;
    c.middle.y += places[v].y;
    ++c.members;
  }
  for (clump& c : all) c.middle = {c.middle.x / c.members, c.middle.y / c.members};
  for (std::size_t v = 0; v < group.size(); ++v) {
    clump& c = all[group[v]];
    const double apart = distance(places[v], c.middle);
    c.spread += apart * apart / c.members;
  }
  // Enough for a share within some percent, and little work for many groups.
  const std::size_t most = std::clamp<std::size_t>(10'000'000 / count, 200, 4000);
  const std::size_t step = std::max<std::size_t>(1, group.size() / most);
  std::size_t looked_at = 0;
  std::size_t own = 0;
  for (std::size_t v = 0; v < group.size(); v += step, ++looked_at) {
    // By the spread of a group: a vertex at the border of a large one is not taken for one of a small one beside it.
    const auto far = [&](std::size_t g) {
      const double apart = distance(places[v], all[g].middle);
      return apart * apart / (all[g].spread + 0.1);
    };
    const double mine = far(group[v]);
    bool nearest = true;
    for (std::size_t g = 0; nearest && g < count; ++g) nearest = g == group[v] || far(g) >= mine;
    own += nearest ? 1 : 0;
  }
  return static_cast<double>(own) / static_cast<double>(looked_at);
}

std::vector<layout_point> grouped_layout(std::uint32_t vertices, std::span<const layout_edge> edges,
                                         std::span<const std::uint32_t> groups, clumps how,
                                         const run_control& control) {
  for (const layout_edge& e : edges) {
    if (std::max(e.from, e.to) >= vertices) throw usage_error("an edge of a vertex that there is not");
  }
  if (!groups.empty() && groups.size() != vertices) throw usage_error("expected a group of each vertex");
  if (vertices == 0) return {};
  const auto [component, count] = components_by(vertices, edges);
  if (control.report != nullptr) control.report->begin("layout", vertices, "vertices");
  const run_control silent{nullptr, control.stop};
  const parts_of_graph components = parts_by(component, count, edges);
  std::vector<std::vector<layout_point>> places(count);
  const unsigned iterations = count == 1 ? 300 : iterations_for(vertices);
  for_each_part(components.all, control, [&](std::size_t i) {
    places[i] = component_places(components.all[i], groups, how, iterations, silent);
    if (control.report != nullptr) control.report->advance(places[i].size());
  });
  std::vector<layout_box> boxes;
  for (const auto& p : places) boxes.push_back(box_of(p));
  const std::vector<layout_point> moves = packed(boxes);
  std::vector<layout_point> all(vertices);
  for (std::uint32_t v = 0; v < vertices; ++v) {
    const layout_point& p = places[component[v]][components.place[v]];
    all[v] = {p.x + moves[component[v]].x, p.y + moves[component[v]].y};
  }
  return all;
}

}  // namespace callisto::graph
