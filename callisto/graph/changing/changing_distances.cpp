#include <callisto/graph/changing/changing_distances.hpp>

#include <callisto/domino/cells.hpp>
#include <callisto/domino/computation.hpp>
#include <callisto/graph/changing/room.hpp>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

namespace callisto::graph {

using changing::joined;
using changing::room_for;

namespace {

/// A vertex that got another distance, and the one that it had then.
struct changed_vertex {
  std::uint32_t vertex;
  bool forgotten;  ///< it was forgotten, which happens first and once
  double before;
};

}  // namespace

/// An arc that came, or that is lighter than it was.
struct lighter_arc {
  std::uint32_t from;
  std::uint32_t to;
  double length;
};

/// The computation. Groups, in this order:
/// 1. `doubt`: a vertex loses its distance if no vertex that keeps its own, and is nearer, explains it.
/// 2. `forget`: these distances become infinite.
/// 3. `relax`: such a vertex takes the least distance from its neighbours; then distances fall as in sssp by ranks.
struct changing_distances::state {
  state(const changing_graph& of, std::uint32_t from, bool uses_weights, std::uint64_t capacity)
      : graph(of),
        source(from),
        weighted(uses_weights),
        distance(c, capacity, unreached),
        lost(c, capacity, 0),
        changed(c) {
    double sum = 0;
    std::uint64_t arcs = 0;
    for (std::uint32_t v = 0; v < graph.vertices() && arcs < 100'000; ++v) {
      for (const auto& a : graph.out(v)) sum += weight_of(a);
      arcs += graph.out(v).size();
    }
    // Ranks about as wide as an arc is long: narrower ones cost phases, wider ones cost tasks.
    width = arcs == 0 || sum == 0 ? 1 : sum / static_cast<double>(arcs) / (weighted ? 8 : 1);
    lowering.after(forgetting);
    forgetting.after(doubting);

    lost.on_change(spread, domino::now, is_set);
    lost.on_change(forget, domino::now, is_set);
    lost.on_change(explain, domino::rank_of([](std::uint8_t, std::uint64_t) { return 0; }), is_set);
    distance.on_change(relax, domino::rank_of([this](double d) { return rank(d); }),
                       [](double old, double d) { return d < old; });
  }

  static bool is_set(std::uint8_t, std::uint8_t value) { return value != 0; }
  double weight_of(const changing_graph::arc& a) const { return weighted ? a.weight : 1; }
  std::uint64_t rank(double d) const { return static_cast<std::uint64_t>(std::min(d / width, 9e18)); }
  /// True if a nearer vertex that keeps its distance explains that of v.
  bool is_explained(std::uint32_t v) const {
    const double mine = distance.get(v);
    return std::any_of(graph.in(v).begin(), graph.in(v).end(), [&](const changing_graph::arc& a) {
      const double theirs = distance.get(a.to);
      return theirs < mine && theirs + weight_of(a) == mine && lost.get(a.to) == 0;
    });
  }
  void lower(domino::here& at, std::uint32_t v, double d) {
    const double old = distance.get(v);
    if (d < old && distance.improve(at, v, d)) note(at, v, old);
  }
  void note(domino::here& at, std::uint64_t v, double old, bool forgotten = false) {
    changed.at(at).push_back({static_cast<std::uint32_t>(v), forgotten, old});
  }

  const changing_graph& graph;
  std::uint32_t source;
  bool weighted;
  double width = 1;
  std::uint64_t earlier_tasks = 0;

  domino::computation c;
  domino::cells<double> distance;
  domino::cells<std::uint8_t> lost;  ///< 1: to get a new distance
  domino::reducer<std::vector<changed_vertex>> changed;
  domino::task_group& doubting = c.group();
  domino::task_group& forgetting = c.group();
  domino::task_group& lowering = c.group(domino::strict);

  domino::merged_task& doubt = c.task(doubting, lost.size(), [this](domino::here& at, std::uint64_t v) {
    const auto i = static_cast<std::uint32_t>(v);
    if (i != source && lost.get(v) == 0 && distance.get(v) != unreached && !is_explained(i)) lost.set(at, v, 1);
  });
  domino::merged_task& spread = c.task(doubting, lost.size(), [this](domino::here& at, std::uint64_t v) {
    const double mine = distance.get(v);
    for (const auto& a : graph.out(static_cast<std::uint32_t>(v))) {
      if (mine + weight_of(a) <= distance.get(a.to)) doubt.spawn(at, a.to);  // it may be lighter than it was
    }
  });
  domino::merged_task& forget = c.task(forgetting, lost.size(), [this](domino::here& at, std::uint64_t v) {
    note(at, v, distance.get(v), true);
    distance.put(v, unreached);
    lost.put(v, 0);
  });
  domino::merged_task& explain = c.task(lowering, lost.size(), [this](domino::here& at, std::uint64_t v) {
    double least = unreached;
    for (const auto& a : graph.in(static_cast<std::uint32_t>(v)))
      least = std::min(least, distance.get(a.to) + weight_of(a));
    lower(at, static_cast<std::uint32_t>(v), least);
  });
  domino::merged_task& relax = c.task(lowering, distance.size(), [this](domino::here& at, std::uint64_t v) {
    const double mine = distance.get(v);
    for (const auto& a : graph.out(static_cast<std::uint32_t>(v))) lower(at, a.to, mine + weight_of(a));
  });
  // The arc alone: `from` may have thousands of arcs.
  domino::counted_task<lighter_arc>& follow = c.counted<lighter_arc>(
      lowering,
      [this](domino::here& at, const lighter_arc& arc) { lower(at, arc.to, distance.get(arc.from) + arc.length); });
};

changing_distances::changing_distances(const changing_graph& graph, std::uint32_t source, bool weighted,
                                       const run_control& control)
    : state_(std::make_unique<state>(graph, source, weighted, room_for(graph.vertices()))) {
  state_->distance.set(state_->c.outside(), source, 0);
  if (!state_->c.run(control.stop)) throw cancelled();
  state_->changed.take(joined<changed_vertex>);
}

changing_distances::~changing_distances() = default;
changing_distances::changing_distances(changing_distances&&) noexcept = default;
changing_distances& changing_distances::operator=(changing_distances&&) noexcept = default;

std::uint32_t changing_distances::source() const noexcept { return state_->source; }

double changing_distances::operator[](std::uint32_t v) const noexcept {
  return v < state_->distance.size() ? state_->distance.get(v) : unreached;
}

std::vector<std::uint32_t> changing_distances::update(std::span<const changing_graph::change> changes) {
  if (state_->graph.vertices() > state_->distance.size()) {
    auto larger =
        std::make_unique<state>(state_->graph, state_->source, state_->weighted, room_for(state_->graph.vertices()));
    for (std::uint64_t v = 0; v < state_->distance.size(); ++v) larger->distance.put(v, state_->distance.get(v));
    larger->earlier_tasks = tasks();
    state_ = std::move(larger);
  }
  state& s = *state_;
  domino::here& outside = s.c.outside();
  const auto length = [&](double weight) { return s.weighted ? weight : 1; };
  const auto is_heavier = [&](const changing_graph::change& c) {
    return c.before && (!c.after || length(*c.after) > length(*c.before));
  };
  const bool any_heavier = std::any_of(changes.begin(), changes.end(), is_heavier);
  const auto arc_changed = [&](std::uint32_t u, std::uint32_t v, const changing_graph::change& c) {
    // A distance that the arc explained is in doubt; one that it shortens follows from u, if u keeps its distance.
    // Of several changes of one arc, a middle one may have been lighter than what v was explained by.
    const double mine = s.distance.get(u);
    const double theirs = s.distance.get(v);
    if (any_heavier && is_heavier(c) && mine + length(*c.before) <= theirs) s.doubt.spawn(outside, v);
    if (!c.after || mine + length(*c.after) >= theirs) return;
    if (!any_heavier) return s.lower(outside, v, mine + length(*c.after));
    // A later change of the same update may have made it heavier again, or taken it out.
    const std::optional<double> now = s.graph.weight(u, v);
    if (now && mine + length(*now) < theirs) s.follow.spawn_at(outside, {u, v, length(*now)}, s.rank(mine));
  };
  for (const auto& c : changes) {
    arc_changed(c.from, c.to, c);
    if (!s.graph.directed() && c.from != c.to) arc_changed(c.to, c.from, c);
  }
  s.c.run();
  std::vector<changed_vertex> touched = s.changed.take(joined<changed_vertex>);
  // The distance before the update is the forgotten one; else the largest, as distances only fell.
  std::sort(touched.begin(), touched.end(), [](const changed_vertex& a, const changed_vertex& b) {
    return std::tuple(a.vertex, !a.forgotten, -a.before) < std::tuple(b.vertex, !b.forgotten, -b.before);
  });
  std::vector<std::uint32_t> vertices;
  for (std::size_t i = 0; i < touched.size(); ++i) {
    const std::uint32_t v = touched[i].vertex;
    if ((i == 0 || touched[i - 1].vertex != v) && s.distance.get(v) != touched[i].before) vertices.push_back(v);
  }
  return vertices;
}

std::uint64_t changing_distances::tasks() const { return state_->earlier_tasks + state_->c.statistics().tasks; }

}  // namespace callisto::graph
