#include <callisto/graph/changing/changing_pagerank.hpp>

#include <callisto/domino/cells.hpp>
#include <callisto/domino/computation.hpp>
#include <callisto/graph/changing/room.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <stop_token>
#include <unordered_map>
#include <utility>

namespace callisto::graph {

using changing::joined;
using changing::room_for;

namespace {

/// Sums over all vertices.
struct magnitudes {
  double residuals = 0;
  double scores = 0;
  friend magnitudes operator+(magnitudes a, magnitudes b) { return {a.residuals + b.residuals, a.scores + b.scores}; }
};

/// Weighted products, summed over all vertices, of residuals, of `falls` and of `way_falls` (in changing_pagerank).
struct products {
  double mine_fall = 0;
  double mine_way = 0;
  double fall_fall = 0;
  double fall_way = 0;
  double way_way = 0;
  friend products operator+(products a, products b) {
    return {a.mine_fall + b.mine_fall, a.mine_way + b.mine_way, a.fall_fall + b.fall_fall, a.fall_way + b.fall_way,
            a.way_way + b.way_way};
  }
};

/// How far a sweep goes along residuals, and along the step before.
struct lengths {
  double mine = 1;
  double way = 0;
};
/// Returns the lengths that leave the least sum of weighted squares.
lengths least_squares(const products& of) {
  const double both = of.fall_fall * of.way_way - of.fall_way * of.fall_way;
  if (both <= 1e-9 * of.fall_fall * of.way_way) return {of.mine_fall / of.fall_fall, 0};  // the first, or no new one
  return {(of.mine_fall * of.way_way - of.mine_way * of.fall_way) / both,
          (of.mine_way * of.fall_fall - of.mine_fall * of.fall_way) / both};
}

/// An update ends if the sum of residuals is at most this many times what sweeps leave.
constexpr double most_left = 1.5;

// Tasks take about 10 times a sweep's time for an arc. So tasks are limited to 1 / n of all arcs, for these n:
constexpr std::uint64_t share_for_tasks = 128;   ///< that a lane's tasks look at in an update
constexpr std::uint64_t share_for_changes = 32;  ///< in rows that change; with more, a sweep computes all residuals
/// Tasks look at arcs in proportion to what an update moves, divided by the least residual that triggers. If it moves
/// more than 1 / share_for_limits of what sweeps leave, that least residual grows.
constexpr double share_for_limits = 35;

}  // namespace

/// The computation. Scores have the average 1 without dangling vertices, and are scaled where they are read.
struct changing_pagerank::state {
  state(const changing_graph& of, const options& with, std::uint64_t capacity)
      : graph(of),
        how(with),
        score(capacity, 0),
        strength(capacity, 0),
        limit(capacity, with.tolerance * (1 - with.damping) * (1 - with.damping) / 2),
        out(capacity),
        falls(capacity),
        way(capacity),
        way_falls(capacity),
        residual(c, capacity, 0),
        pushed(c),
        moved(c) {
    main.between_phases([this](domino::here&) { add_up(); });
    residual.on_change(push, domino::later,
                       [this](double, double now, std::uint64_t v) { return std::abs(now) > least * limit[v]; });
  }

  /// Sets the residual of v that triggers: in proportion to its score, so that hubs are not handed on for every change.
  /// All scores are off by the sum of residuals, divided by 1 - damping, at most. Sweeps may leave the tolerance, and
  /// these limits half of it.
  void set_limit(std::uint32_t v, double left_by_sweeps = 0) noexcept {
    limit[v] = how.tolerance * (1 - how.damping) * std::max(score[v], 1 - how.damping) / 2 + left_by_sweeps;
  }

  /// Adds to the residual of v, and to the sum of all.
  void give(domino::here& at, std::uint32_t v, double more) {
    double before = 0;
    residual.update(at, v, [&](double old) {
      before = old;
      return old + more;
    });
    moved.at(at).left += std::abs(before + more) - std::abs(before);
  }

  /// Adds up what lanes have counted. Between phases or runs.
  void add_up() {
    const counts all = moved.sum();
    left += all.left;
    sum += all.gained;
    arcs_left -= std::min(arcs_left, all.arcs);
  }

  /// Returns the sum of residuals that sweeps leave: scores are off by the tolerance then.
  double small() const noexcept { return how.tolerance * (1 - how.damping) * sum; }

  /// Adds what f returns over all vertices.
  template <class Sums, class F>
  Sums total(F of_vertex) {
    return parallel_reduce(std::uint32_t{0}, known, Sums{}, of_vertex, std::plus<>());
  }

  /// Returns the part of an amount that an arc carries, before it is divided by the strength of its row.
  double pull_of(const changing_graph::arc& a) const noexcept { return follows_weights ? a.weight : 1; }
  double strength_now(std::uint32_t u) const noexcept {
    const auto& row = graph.out(u);
    if (!follows_weights) return static_cast<double>(row.size());
    return std::accumulate(row.begin(), row.end(), 0.0, [](double all, const auto& a) { return all + a.weight; });
  }
  /// Returns what u hands on of the amount `of` for each unit of pull. A row of weights 0 hands nothing on.
  double share_of(std::uint32_t u, double of) const noexcept {
    return strength[u] > 0 ? how.damping * of / strength[u] : 0;
  }
  /// Returns what the in-neighbours of v hand on to it.
  double handed_to(std::uint32_t v) const noexcept {
    double all = 0;
    if (follows_weights) {
      for (const auto& a : graph.in(v)) all += out[a.to] * a.weight;
    } else {
      for (const auto& a : graph.in(v)) all += out[a.to];
    }
    return all;
  }

  /// Computes all residuals from scores.
  void look() {
    parallel_for(std::uint32_t{0}, known, [&](std::uint32_t v) {
      strength[v] = strength_now(v);
      out[v] = share_of(v, score[v]);
    });
    take(total<magnitudes>([&](std::uint32_t v) {
      const double mine = 1 - how.damping + handed_to(v) - score[v];
      residual.put(v, mine);
      return magnitudes{std::abs(mine), score[v]};
    }));
  }

  /// Makes all residuals together small, by sweeps. Each goes so far along the residuals, and along the step of the
  /// sweep before, that the least squares are left: the method of conjugate residuals, which takes a third of the
  /// sweeps of a power iteration. Throws cancelled.
  void settle(const run_control& control = {}) {
    parallel_for(std::uint32_t{0}, known, [&](std::uint32_t v) {
      out[v] = share_of(v, residual.get(v));
      way[v] = way_falls[v] = 0;
    });
    constexpr unsigned trial = 8;
    bool plain = false;  // steps of the power iteration, which are sure to leave no more than the share `damping`
    double before = left;
    for (unsigned round = 1; left > small(); ++round) {
      control.check();
      const auto found = total<products>([&](std::uint32_t v) {
        const double mine = residual.get(v);
        const double fall = falls[v] = mine - handed_to(v);
        const double way_fall = way_falls[v];
        // Without directions the iteration is symmetric in these weights.
        const double weight = strength[v] > 0 ? 1 / strength[v] : 1;
        return products{weight * mine * fall, weight * mine * way_fall, weight * fall * fall, weight * fall * way_fall,
                        weight * way_fall * way_fall};
      });
      const lengths go = plain ? lengths{} : least_squares(found);
      take(total<magnitudes>([&](std::uint32_t v) {
        const double mine = residual.get(v);
        way[v] = go.mine * mine + go.way * way[v];
        way_falls[v] = go.mine * falls[v] + go.way * way_falls[v];
        score[v] += way[v];
        const double rest = mine - way_falls[v];
        residual.put(v, rest);
        out[v] = share_of(v, rest);
        return magnitudes{std::abs(rest), score[v]};
      }));
      if (round % trial != 0) continue;
      plain = plain || left > std::pow(how.damping, trial) * before;
      before = left;
    }
    parallel_for(std::uint32_t{0}, known, [&](std::uint32_t v) { set_limit(v, std::abs(residual.get(v))); });
  }
  void take(magnitudes all) noexcept {
    ++sweeps;
    left = all.residuals;
    sum = all.scores;
  }

  /// Returns at most how much residuals change if the pulls of arcs of u change by `pulls` in all, of `now` then.
  double moved_by(std::uint32_t u, double pulls, double now) const noexcept {
    return 2 * how.damping * score[u] * (now > 0 ? std::min(1.0, pulls / now) : 1);
  }

  /// Runs tasks until none is left, or until they have looked at enough arcs. Tasks that are left wait for the next
  /// update.
  void run_tasks() {
    arcs_left = few_arcs(share_for_tasks);
    enough = std::stop_source();
    c.run(enough.get_token());
    add_up();
  }
  std::uint64_t few_arcs(std::uint64_t share) const noexcept {
    return 1'000 + (graph.edges() * (graph.directed() ? 1 : 2) + graph.vertices()) / share;
  }

  const changing_graph& graph;
  options how;
  const bool follows_weights = how.weights == weight_use::strength;
  std::vector<double> score;
  std::vector<double> strength;  ///< the sum of pulls of the row, as it was handed on along
  std::vector<double> limit;     ///< of residuals; unchanged while tasks run
  std::uint32_t known = 0;       ///< vertices that have a score
  double sum = 0;                ///< of all scores
  double left = 0;               ///< the sum of residuals' magnitudes
  double least = 1;              ///< a residual of `least` times its limit triggers; unchanged while tasks run
  // In a sweep, by vertex:
  std::vector<double> out;        ///< the amount that it hands on along each arc
  std::vector<double> falls;      ///< by how much residuals fall if all scores gain theirs
  std::vector<double> way;        ///< the amount that the last step added to scores
  std::vector<double> way_falls;  ///< ... and by how much residuals fell
  std::uint64_t sweeps = 0;
  std::uint64_t earlier_tasks = 0;

  domino::computation c;
  domino::cells<double> residual;
  domino::reducer<std::vector<std::uint32_t>> pushed;  ///< vertices with tasks that ran
  struct counts {
    double gained = 0;       ///< the amount that was added to scores
    double left = 0;         ///< ... to the sum of residuals' magnitudes
    std::uint64_t arcs = 0;  ///< along which tasks have handed on
    friend counts operator+(counts a, counts b) { return {a.gained + b.gained, a.left + b.left, a.arcs + b.arcs}; }
  };
  domino::reducer<counts> moved;
  std::uint64_t arcs_left = 0;  ///< that a lane's tasks may hand on along, in this update
  std::stop_source enough;
  domino::task_group& main = c.main_group();
  domino::merged_task& push = c.task(residual.size(), [this](domino::here& at, std::uint64_t v) {
    const auto u = static_cast<std::uint32_t>(v);
    // A task of an earlier update: a sweep may have made the residual small since.
    if (std::abs(residual.get(v)) <= least * limit[v]) return;
    // Its instances run in different phases, so this one has the score to itself.
    const double mine = residual.exchange(at, v, 0);
    score[v] += mine;
    counts& here = moved.at(at);
    here.gained += mine;
    here.left -= std::abs(mine);
    here.arcs += graph.out(u).size() + 1;
    if (here.arcs > arcs_left && !enough.stop_requested()) enough.request_stop();
    pushed.at(at).push_back(u);
    const double share = share_of(u, mine);
    for (const auto& a : graph.out(u)) give(at, a.to, share * pull_of(a));
  });
};

changing_pagerank::changing_pagerank(const changing_graph& graph, const options& how, const run_control& control) {
  if (!(how.damping >= 0 && how.damping < 1))
    throw usage_error(fmt::format("the damping is {}; expected a number of at least 0 and below 1", how.damping));
  if (!(how.tolerance > 0))
    throw usage_error(fmt::format("the tolerance is {}; expected a number above 0", how.tolerance));
  state_ = std::make_unique<state>(graph, how, room_for(graph.vertices()));
  state_->known = graph.vertices();
  state_->look();
  state_->settle(control);
}

changing_pagerank::~changing_pagerank() = default;
changing_pagerank::changing_pagerank(changing_pagerank&&) noexcept = default;
changing_pagerank& changing_pagerank::operator=(changing_pagerank&&) noexcept = default;

double changing_pagerank::operator[](std::uint32_t v) const noexcept {
  return v < state_->known ? state_->score[v] / state_->sum : 0;
}

std::vector<std::uint32_t> changing_pagerank::update(std::span<const changing_graph::change> changes) {
  const std::uint32_t n = state_->graph.vertices();
  if (n > state_->residual.size()) {
    auto larger = std::make_unique<state>(state_->graph, state_->how, room_for(n));
    std::copy(state_->score.begin(), state_->score.begin() + state_->known, larger->score.begin());
    std::copy(state_->strength.begin(), state_->strength.begin() + state_->known, larger->strength.begin());
    std::copy(state_->limit.begin(), state_->limit.begin() + state_->known, larger->limit.begin());
    for (std::uint32_t v = 0; v < state_->known; ++v) larger->residual.put(v, state_->residual.get(v));
    larger->known = state_->known;
    larger->sweeps = state_->sweeps;
    larger->earlier_tasks = tasks();
    larger->sum = state_->sum;
    larger->left = state_->left;
    state_ = std::move(larger);
  }
  state& s = *state_;
  domino::here& outside = s.c.outside();

  // By vertex, the ends of its arcs that have changed, and by how much their pulls have.
  std::unordered_map<std::uint32_t, std::vector<std::pair<std::uint32_t, double>>> sources;
  const auto pull = [&](const std::optional<double>& weight) { return !weight ? 0 : s.follows_weights ? *weight : 1; };
  for (const auto& c : changes) {
    const double more = pull(c.after) - pull(c.before);
    if (more == 0) continue;
    sources[c.from].emplace_back(c.to, more);
    if (!s.graph.directed() && c.from != c.to) sources[c.to].emplace_back(c.from, more);
  }
  std::uint64_t work = n - s.known;
  double moves = (1 - s.how.damping) * static_cast<double>(n - s.known);
  for (const auto& [u, row] : sources) {
    work += s.graph.out(u).size() + row.size();
    const double pulls = std::accumulate(row.begin(), row.end(), 0.0,
                                         [](double sum, const auto& e) { return sum + std::abs(e.second); });
    if (u < s.known) moves += s.moved_by(u, pulls, s.strength_now(u));
  }
  if (work > s.few_arcs(share_for_changes)) {
    s.known = n;
    s.look();
  } else {
    s.least = std::max(1.0, share_for_limits * moves / s.small());
    // Such a vertex takes back what it handed on in its old row, and hands it on in the new one.
    for (const auto& [u, row] : sources) {
      const double was = u < s.known ? s.share_of(u, s.score[u]) : 0;
      s.strength[u] = s.strength_now(u);
      if (u >= s.known) continue;  // its score is 0
      const double change = s.share_of(u, s.score[u]) - was;
      for (const auto& a : s.graph.out(u)) s.give(outside, a.to, change * s.pull_of(a));
      // The loop above has taken back the pulls of now, in place of the pulls of before.
      for (const auto& [to, more] : row) s.give(outside, to, more * was);
    }
    for (std::uint32_t v = s.known; v < n; ++v) s.give(outside, v, 1 - s.how.damping);
    s.known = n;
    s.run_tasks();
  }
  std::vector<std::uint32_t> touched = s.pushed.take(joined<std::uint32_t>);
  if (s.left > most_left * s.small()) {
    s.settle();
    touched.resize(n);
    std::iota(touched.begin(), touched.end(), 0U);
  } else {
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    for (const std::uint32_t v : touched) s.set_limit(v);
  }
  return touched;
}

std::uint64_t changing_pagerank::tasks() const { return state_->earlier_tasks + state_->c.statistics().tasks; }
std::uint64_t changing_pagerank::sweeps() const noexcept { return state_->sweeps; }

}  // namespace callisto::graph
