#include <callisto/graph/changing/changing_pagerank.hpp>

#include <callisto/domino/cells.hpp>
#include <callisto/domino/computation.hpp>
#include <callisto/graph/changing/room.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <stop_token>
#include <unordered_map>
#include <utility>

namespace callisto::graph {

using changing::joined;
using changing::room_for;

/// The computation. Scores have the average 1 without dangling vertices, and are scaled where they are read.
struct changing_pagerank::state {
  state(const changing_graph& of, const options& with, std::uint64_t capacity)
      : graph(of),
        how(with),
        score(capacity, 0),
        limit(capacity, with.tolerance * (1 - with.damping) * (1 - with.damping) / 2),
        residual(c, capacity, 0),
        pushed(c),
        gained(c),
        arcs(c) {
    main.between_phases([this](domino::here&) { arcs_left -= std::min(arcs_left, arcs.sum()); });
    residual.on_change(push, domino::later,
                       [this](double, double now, std::uint64_t v) { return std::abs(now) > limit[v]; });
  }

  /// Sets the residual of v that triggers: in proportion to its score, so that hubs do not wait for every change. All
  /// scores are off by the sum of residuals, divided by 1 - damping, at most. Sweeps may leave the tolerance, and tasks
  /// half of it more.
  void set_limit(std::uint32_t v, double left_by_sweeps = 0) noexcept {
    limit[v] = how.tolerance * (1 - how.damping) * std::max(score[v], 1 - how.damping) / 2 + left_by_sweeps;
  }

  /// Hands shares of what u has gained on to its out-neighbours.
  void hand_on(domino::here& at, std::uint32_t u, double of) {
    const auto& row = graph.out(u);
    if (row.empty()) return;
    const double share = how.damping * of / static_cast<double>(row.size());
    for (const auto& a : row) residual.add(at, a.to, share);
  }

  /// Lets a lane's tasks look at a thirty-second of the arcs. A sweep takes an arc some fifty times faster, so tasks
  /// that go on longer have lost.
  void allow_tasks() {
    arcs_left = 1'000 + (graph.edges() * (graph.directed() ? 1 : 2) + graph.vertices()) / 32;
    enough = std::stop_source();
  }

  /// Computes scores anew from those that there are, until the sum of residuals is small, and then the residuals:
  /// sweeps over all vertices, which use scores as soon as they are made. Throws cancelled; scores are then on their
  /// way.
  void sweep(const run_control& control = {}) {
    const std::uint32_t n = graph.vertices();
    std::vector<double> out(n);  // what a vertex hands on along each arc
    const auto share_of = [this](std::uint32_t v) {
      const auto& row = graph.out(v);
      return row.empty() ? 0 : how.damping * score[v] / static_cast<double>(row.size());
    };
    const auto implied = [&](std::uint32_t v) {
      double all = 1 - how.damping;
      // relaxed: an older share costs a sweep, not the result.
      for (const auto& a : graph.in(v)) all += std::atomic_ref(out[a.to]).load(std::memory_order_relaxed);
      return all;
    };
    struct sums {
      double differences;
      double scores;
    };
    const auto total = [&](auto of_vertex) {
      control.check();
      ++sweeps;
      return parallel_reduce(std::uint32_t{0}, n, sums{0, 0}, of_vertex,
                             [](sums a, sums b) { return sums{a.differences + b.differences, a.scores + b.scores}; });
    };
    const auto is_small = [this](sums all, double factor) {
      return factor * all.differences <= how.tolerance * (1 - how.damping) * all.scores;
    };
    const auto renew = [&](std::uint32_t v) {
      const double now = implied(v);
      const double before = std::exchange(score[v], now);
      std::atomic_ref(out[v]).store(share_of(v), std::memory_order_relaxed);  // relaxed: as in implied()
      return sums{std::abs(now - before), now};
    };
    const auto look = [&](std::uint32_t v) {
      const double left = implied(v) - score[v];
      residual.put(v, left);
      set_limit(v, std::abs(left));
      return sums{std::abs(left), score[v]};
    };
    parallel_for(std::uint32_t{0}, n, [&](std::uint32_t v) { out[v] = share_of(v); });
    do {
      while (!is_small(total(renew), how.damping)) {
      }
    } while (!is_small(total(look), 1));
    known = n;
    sum = std::accumulate(score.begin(), score.begin() + n, 0.0);
    // What the tasks before have kept for update().
    gained.sum();
    pushed.take(joined<std::uint32_t>);
  }

  const changing_graph& graph;
  options how;
  std::vector<double> score;
  std::vector<double> limit;  ///< residuals that trigger; unchanged while tasks run
  std::uint32_t known = 0;    ///< vertices that have a score
  double sum = 0;             ///< of all scores
  std::uint64_t sweeps = 0;
  std::uint64_t earlier_tasks = 0;

  domino::computation c;
  domino::cells<double> residual;
  domino::reducer<std::vector<std::uint32_t>> pushed;  ///< vertices with tasks that ran
  domino::reducer<double> gained;                      ///< what was added to scores
  domino::reducer<std::uint64_t> arcs;                 ///< along which tasks have handed on, in this phase
  std::uint64_t arcs_left = 0;                         ///< that a lane's tasks may hand on along, in this update
  std::stop_source enough;
  domino::task_group& main = c.main_group();
  domino::merged_task& push = c.task(residual.size(), [this](domino::here& at, std::uint64_t v) {
    const auto u = static_cast<std::uint32_t>(v);
    // Its instances run in different phases, so this one has the score to itself.
    const double mine = residual.exchange(at, v, 0);
    if (mine == 0) return;
    score[v] += mine;
    gained.at(at) += mine;
    arcs.at(at) += graph.out(u).size() + 1;
    if (arcs.at(at) > arcs_left && !enough.stop_requested()) enough.request_stop();
    pushed.at(at).push_back(u);
    hand_on(at, u, mine);
  });
};

changing_pagerank::changing_pagerank(const changing_graph& graph, const options& how, const run_control& control) {
  if (!(how.damping >= 0 && how.damping < 1))
    throw usage_error(fmt::format("the damping is {}; expected a number of at least 0 and below 1", how.damping));
  if (!(how.tolerance > 0))
    throw usage_error(fmt::format("the tolerance is {}; expected a number above 0", how.tolerance));
  state_ = std::make_unique<state>(graph, how, room_for(graph.vertices()));
  state_->sweep(control);
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
    std::copy(state_->limit.begin(), state_->limit.begin() + state_->known, larger->limit.begin());
    for (std::uint32_t v = 0; v < state_->known; ++v) larger->residual.put(v, state_->residual.get(v));
    larger->known = state_->known;
    larger->sweeps = state_->sweeps;
    larger->earlier_tasks = tasks();
    larger->sum = state_->sum;
    state_ = std::move(larger);
  }
  state& s = *state_;
  domino::here& outside = s.c.outside();

  // By vertex, how its row has changed: 1, an arc came; -1, one went.
  std::unordered_map<std::uint32_t, std::vector<std::pair<std::uint32_t, int>>> sources;
  for (const auto& c : changes) {
    const int came = (c.after ? 1 : 0) - (c.before ? 1 : 0);
    if (came == 0) continue;
    sources[c.from].emplace_back(c.to, came);
    if (!s.graph.directed() && c.from != c.to) sources[c.to].emplace_back(c.from, came);
  }
  std::uint64_t work = n - s.known;
  for (const auto& [u, row] : sources) work += s.graph.out(u).size();
  bool many = work > n / 4 || 16 * sources.size() > n;
  if (!many) {
    // Such a vertex takes back what it handed on in its old row, and hands it on in the new one.
    for (const auto& [u, row] : sources) {
      if (u >= s.known) continue;  // its score is 0
      const auto now = static_cast<double>(s.graph.out(u).size());
      const double before = std::accumulate(row.begin(), row.end(), now, [](double d, auto e) { return d - e.second; });
      const double mine = s.how.damping * s.score[u];
      const double was = before > 0 ? mine / before : 0;
      for (const auto& a : s.graph.out(u)) s.residual.add(outside, a.to, mine / now - was);
      // An arc that came was not there before; one that went is not in the row.
      for (const auto& [to, came] : row) s.residual.add(outside, to, came * was);
    }
    for (std::uint32_t v = s.known; v < n; ++v) s.residual.add(outside, v, 1 - s.how.damping);
    s.allow_tasks();
    many = !s.c.run(s.enough.get_token());
  }
  s.known = n;
  std::vector<std::uint32_t> touched;
  if (many) {
    s.sweep();
    touched.resize(n);
    std::iota(touched.begin(), touched.end(), 0U);
  } else {
    touched = s.pushed.take(joined<std::uint32_t>);
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    s.sum += s.gained.sum();
    for (const std::uint32_t v : touched) s.set_limit(v);
  }
  return touched;
}

std::uint64_t changing_pagerank::tasks() const { return state_->earlier_tasks + state_->c.statistics().tasks; }
std::uint64_t changing_pagerank::sweeps() const noexcept { return state_->sweeps; }

}  // namespace callisto::graph
