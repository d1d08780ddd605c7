#include <callisto/graph/communities/changing_communities.hpp>

#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

namespace callisto::graph {
namespace {

/// After changes of 1 / share_of_changes of all edges, all communities are found anew.
constexpr std::uint64_t share_of_changes = 16;
/// A gain that is less than this share of a vertex's strength is rounding.
constexpr double least_gain = 1e-10;

/// Returns the graph as it is now, with weights if they count.
csr_graph<std::uint32_t> rows_of(const changing_graph& graph, bool weighted) {
  const auto side = [&](auto row_of) {
    adjacency<std::uint32_t> rows;
    const std::uint64_t n = graph.vertices();
    rows.offsets = machine::page_array<std::uint64_t>(n + 1);
    for (std::uint32_t v = 0; v < n; ++v) rows.offsets[v + 1] = rows.offsets[v] + row_of(v).size();
    rows.targets = machine::page_array<std::uint32_t>(rows.offsets[n]);
    machine::page_array<double> weights(weighted ? rows.offsets[n] : 0);
    for (std::uint32_t v = 0; v < n; ++v) {
      std::uint64_t at = rows.offsets[v];
      for (const auto& a : row_of(v)) {
        if (weighted) weights[at] = a.weight;
        rows.targets[at++] = a.to;
      }
    }
    if (weighted) rows.weights = std::move(weights);
    return rows;
  };
  auto out = side([&](std::uint32_t v) -> const changing_graph::row& { return graph.out(v); });
  adjacency<std::uint32_t> in;
  if (graph.directed()) in = side([&](std::uint32_t v) -> const changing_graph::row& { return graph.in(v); });
  return {graph.directed(), std::move(out), std::move(in), {}, 0};
}

}  // namespace

/// Calls f(other end, weight) for each arc from and to v but loops; an undirected edge is an arc each way.
template <class F>
void changing_communities::for_each_tie(std::uint32_t v, F f) const {
  const double twice = graph_->directed() ? 1 : 2;
  for (const auto& a : graph_->out(v)) {
    if (a.to != v) f(a.to, twice * strength_of(a.weight));
  }
  if (!graph_->directed()) return;
  for (const auto& a : graph_->in(v)) {
    if (a.to != v) f(a.to, strength_of(a.weight));
  }
}

changing_communities::changing_communities(const changing_graph& graph, const communities_options& options,
                                           weight_use weights, const run_control& control)
    : graph_(&graph), options_(options), weights_(weights) {
  if (options.method == community_method::labels || options.quality != community_quality::modularity ||
      options.hierarchy) {
    throw usage_error("communities that follow a graph are those of modularity, by leiden or louvain");
  }
  find_all(control);
}

double changing_communities::quality() const noexcept {
  return all_ > 0 ? inside_ / all_ - options_.resolution * chance_ / all_ / all_ : 0;
}

std::uint32_t changing_communities::operator[](std::uint32_t v) const {
  if (v >= of_.size()) return v;
  group& g = groups_[of_[v]];
  if (!g.known) {
    g.smallest = g.first;
    for (std::uint32_t u = next_[g.first]; u != g.first; u = next_[u]) g.smallest = std::min(g.smallest, u);
    g.known = true;
  }
  return g.smallest;
}

void changing_communities::find_all(const run_control& control) {
  const communities_result found = communities(rows_of(*graph_, weights_ != weight_use::none), options_, control);
  const std::uint32_t n = graph_->vertices();
  ++searches_;
  changed_ = 0;
  all_ = inside_ = chance_ = 0;
  count_ = 0;
  of_.assign(n, 0);
  next_.resize(n);
  last_.resize(n);
  out_.assign(n, 0);
  in_.assign(n, 0);
  groups_.assign(n, {});
  ties_.assign(n, 0);
  awake_.assign(n, 0);
  empty_.clear();
  // A group has the number of its smallest vertex. So it is there before its other members are.
  for (std::uint32_t v = 0; v < n; ++v) enter(v, static_cast<std::uint32_t>(found.of[v]));
  for (std::uint32_t v = n; v-- != 0;) {
    if (groups_[v].size == 0) empty_.push_back(v);
  }
  const bool ignored = options_.directions == community_directions::ignore;
  for (std::uint32_t v = 0; v < n; ++v) {
    double out = 0;
    double in = 0;
    for (const auto& a : graph_->out(v)) {
      // A loop of an undirected graph has two ends.
      const double w = (!graph_->directed() && a.to == v ? 2 : 1) * strength_of(a.weight);
      out += w;
      if (of_[a.to] == of_[v]) inside_ += w;
    }
    if (graph_->directed()) {
      for (const auto& a : graph_->in(v)) in += strength_of(a.weight);
      if (ignored) out = in = (out + in) / 2;
    } else {
      in = out;
    }
    all_ += out;
    add_strength(v, out, in);
  }
}

void changing_communities::add_strength(std::uint32_t v, double out, double in) {
  group& g = groups_[of_[v]];
  chance_ -= g.out * g.in;
  g.out += out;
  g.in += in;
  chance_ += g.out * g.in;
  out_[v] += out;
  in_[v] += in;
}

void changing_communities::add_vertices() {
  while (of_.size() < graph_->vertices()) {
    const auto v = static_cast<std::uint32_t>(of_.size());
    of_.push_back(0);
    next_.push_back(v);
    last_.push_back(v);
    out_.push_back(0);
    in_.push_back(0);
    awake_.push_back(0);
    groups_.emplace_back();
    ties_.push_back(0);
    empty_.push_back(v);
    moved_.push_back(v);
    came_from_.push_back(~0U);
    enter(v, empty_group());
  }
}

/// Takes v out of its group.
void changing_communities::leave(std::uint32_t v) {
  group& g = groups_[of_[v]];
  chance_ -= g.out * g.in;
  --g.size;
  if (g.size == 0) {
    g = {};
    empty_.push_back(of_[v]);
    --count_;
    return;
  }
  g.out -= out_[v];
  g.in -= in_[v];
  chance_ += g.out * g.in;
  next_[last_[v]] = next_[v];
  last_[next_[v]] = last_[v];
  if (g.first == v) g.first = next_[v];
  if (g.smallest == v) g.known = false;
}

/// Puts v, which is in no group, into one.
void changing_communities::enter(std::uint32_t v, std::uint32_t to) {
  group& g = groups_[to];
  chance_ -= g.out * g.in;
  if (g.size == 0) {
    g.first = g.smallest = next_[v] = last_[v] = v;
    g.known = true;
    ++count_;
  } else {
    next_[v] = g.first;
    last_[v] = last_[g.first];
    next_[last_[v]] = v;
    last_[g.first] = v;
    g.smallest = std::min(g.smallest, v);
  }
  ++g.size;
  g.out += out_[v];
  g.in += in_[v];
  chance_ += g.out * g.in;
  of_[v] = to;
}

std::uint32_t changing_communities::empty_group() {
  const std::uint32_t to = empty_.back();
  empty_.pop_back();
  return to;
}

void changing_communities::move(std::uint32_t v, std::uint32_t to) {
  const std::uint32_t from = of_[v];
  for_each_tie(v, [&](std::uint32_t w, double weight) {
    if (of_[w] == from) inside_ -= weight;
    if (of_[w] == to) inside_ += weight;
  });
  moved_.push_back(v);
  came_from_.push_back(from);
  leave(v);
  enter(v, to);
}

void changing_communities::wake(std::uint32_t v) {
  if (awake_[v] != 0) return;
  awake_[v] = 1;
  waiting_.push_back(v);
}

/// Returns the group in which v raises modularity most: its own if no other is better, or an empty one.
std::uint32_t changing_communities::best_for(std::uint32_t v) {
  near_.clear();
  for_each_tie(v, [&](std::uint32_t w, double weight) {
    if (weight <= 0) return;
    if (ties_[of_[w]] == 0) near_.push_back(of_[w]);
    ties_[of_[w]] += weight;
  });
  const std::uint32_t own = of_[v];
  const double factor = all_ > 0 ? options_.resolution / all_ : 0;
  const auto worth = [&](std::uint32_t g) {
    const double out = groups_[g].out - (g == own ? out_[v] : 0);
    const double in = groups_[g].in - (g == own ? in_[v] : 0);
    return ties_[g] - factor * (out_[v] * in + in_[v] * out);
  };
  std::uint32_t best = own;
  double most = worth(own) + least_gain * (out_[v] + in_[v]);
  for (const std::uint32_t g : near_) {
    if (g == own || !(worth(g) > most)) continue;
    best = g;
    most = worth(g);
  }
  // Alone it is worth 0.
  if (most < 0 && groups_[own].size > 1) best = empty_.back();
  for (const std::uint32_t g : near_) ties_[g] = 0;
  return best;
}

/// Lets all that are awake decide, and their neighbours where they move.
void changing_communities::settle() {
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    const std::uint32_t v = waiting_[i];
    awake_[v] = 0;
    const std::uint32_t from = of_[v];
    const std::uint32_t to = best_for(v);
    if (to == from) continue;
    if (groups_[to].size == 0) empty_.pop_back();
    move(v, to);
    std::vector<std::uint32_t> left;
    for_each_tie(v, [&](std::uint32_t w, double) {
      if (of_[w] != to) wake(w);
      if (of_[w] == from) left.push_back(w);
    });
    split(left);
  }
  waiting_.clear();
}

/// Splits the group that all these vertices are in, or a part of it, unless they are connected inside. Searches from
/// all of them take turns, a vertex each; searches that meet go on as one. The last one keeps the group.
void changing_communities::split(const std::vector<std::uint32_t>& ends) {
  if (ends.size() < 2) return;
  const std::uint32_t name = of_[ends.front()];
  struct search {
    std::vector<std::uint32_t> seen;
    std::size_t next = 0;
  };
  std::vector<search> searches;
  std::vector<std::size_t> joined;  // which search goes on for it
  const auto now = [&](std::size_t i) {
    while (joined[i] != i) i = joined[i] = joined[joined[i]];
    return i;
  };
  std::unordered_map<std::uint32_t, std::size_t> seen_by;
  std::vector<std::size_t> active;
  for (const std::uint32_t v : ends) {
    if (of_[v] != name || !seen_by.emplace(v, searches.size()).second) continue;
    active.push_back(searches.size());
    joined.push_back(searches.size());
    searches.push_back({{v}, 0});
  }
  for (std::size_t turn = 0; active.size() > 1;) {
    turn %= active.size();
    const std::size_t me = active[turn];
    search& mine = searches[me];
    if (mine.next == mine.seen.size()) {
      const std::uint32_t to = empty_group();
      for (const std::uint32_t v : mine.seen) {
        move(v, to);
        wake(v);
      }
      active.erase(active.begin() + static_cast<std::ptrdiff_t>(turn));
      continue;
    }
    for_each_tie(mine.seen[mine.next++], [&](std::uint32_t w, double) {
      if (of_[w] != name) return;
      const auto [at, is_new] = seen_by.emplace(w, me);
      if (is_new) {
        mine.seen.push_back(w);
        return;
      }
      const std::size_t other = now(at->second);
      if (other == me) return;
      // Vertices that the other search has looked at go in front of those that are still to be looked at.
      search& theirs = searches[other];
      const auto middle = [](search& s) { return s.seen.begin() + static_cast<std::ptrdiff_t>(s.next); };
      mine.seen.insert(mine.seen.end(), middle(theirs), theirs.seen.end());
      mine.seen.insert(middle(mine), theirs.seen.begin(), middle(theirs));
      mine.next += theirs.next;
      theirs = {};
      joined[other] = me;
      active.erase(std::find(active.begin(), active.end(), other));
    });
    ++turn;
  }
}

std::vector<std::uint32_t> changing_communities::update(std::span<const changing_graph::change> changes) {
  moved_.clear();
  came_from_.clear();
  changed_ += changes.size();
  if (changed_ > 4 + graph_->edges() / share_of_changes) {
    find_all({});
    std::vector<std::uint32_t> all(graph_->vertices());
    std::iota(all.begin(), all.end(), 0U);
    return all;
  }
  add_vertices();
  const bool ignored = options_.directions == community_directions::ignore;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> cut;
  for (const auto& c : changes) {
    const auto strength = [&](const std::optional<double>& weight) { return weight ? strength_of(*weight) : 0; };
    const double more = strength(c.after) - strength(c.before);
    const bool loop = c.from == c.to;
    const double twice = graph_->directed() ? 1 : 2;
    if (of_[c.from] == of_[c.to]) inside_ += twice * more;
    all_ += twice * more;
    if (!graph_->directed()) {
      add_strength(c.from, loop ? 2 * more : more, loop ? 2 * more : more);
      if (!loop) add_strength(c.to, more, more);
    } else if (ignored) {
      add_strength(c.from, more / 2, more / 2);
      add_strength(c.to, more / 2, more / 2);
    } else {
      add_strength(c.from, more, 0);
      add_strength(c.to, 0, more);
    }
    wake(c.from);
    wake(c.to);
    if (c.before && !graph_->weight(c.from, c.to) && !loop) cut.emplace_back(c.from, c.to);
  }
  for (const auto& [u, v] : cut) {
    if (of_[u] == of_[v]) split({u, v});
  }
  settle();
  // The first move of a vertex tells where it was before.
  std::vector<std::uint32_t> changed;
  std::unordered_map<std::uint32_t, std::uint32_t> before;
  for (std::size_t i = 0; i < moved_.size(); ++i) before.emplace(moved_[i], came_from_[i]);
  for (const auto& [v, from] : before) {
    if (of_[v] != from) changed.push_back(v);
  }
  std::sort(changed.begin(), changed.end());
  return changed;
}

}  // namespace callisto::graph
