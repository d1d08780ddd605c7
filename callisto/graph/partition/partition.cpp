// Multilevel partitioning.
#include <callisto/graph/partition/partition.hpp>

#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/graph/csr/simple_neighbours.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <queue>
#include <random>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

struct weighted_arc {
  std::uint32_t to;
  double weight;
};

/// A graph on the way from fine to coarse; a vertex stands for `size` vertices of the finest.
struct part_level {
  std::vector<std::uint64_t> size;
  std::vector<std::uint64_t> begins;
  std::vector<weighted_arc> arcs;
  std::vector<std::uint32_t> above;  ///< by vertex: the vertex of the coarser level

  std::uint32_t vertices() const { return static_cast<std::uint32_t>(size.size()); }
  auto row(std::uint32_t v) const {
    return std::span(arcs).subspan(begins[v], static_cast<std::size_t>(begins[v + std::size_t{1}] - begins[v]));
  }
};

using parts_list = std::vector<std::uint32_t>;

template <class Vertex>
part_level finest_level(const csr_graph<Vertex>& graph, bool weighted) {
  const std::uint64_t n = graph.vertices();
  part_level level;
  level.size.assign(n, 1);
  level.begins.assign(1, 0);
  std::vector<weighted_arc> row;
  const auto add = [&](const adjacency<Vertex>& rows, std::uint64_t v) {
    for (std::uint64_t a = rows.offsets[v]; a < rows.offsets[v + 1]; ++a) {
      if (rows.targets[a] == v) continue;
      const double weight = weighted && graph.weighted() ? static_cast<double>(rows.weights[a]) : 1;
      if (weight < 0) throw usage_error("a weight is negative, and cannot be the strength of a tie");
      row.push_back({static_cast<std::uint32_t>(rows.targets[a]), weight});
    }
  };
  for (std::uint64_t v = 0; v < n; ++v) {
    row.clear();
    add(graph.out(), v);
    if (graph.directed()) add(graph.in(), v);
    std::sort(row.begin(), row.end(), [](const weighted_arc& a, const weighted_arc& b) { return a.to < b.to; });
    for (const weighted_arc& a : row) {
      const bool again = level.arcs.size() > level.begins.back() && level.arcs.back().to == a.to;
      if (!again) {
        level.arcs.push_back(a);
      } else if (weighted && graph.weighted()) {
        level.arcs.back().weight += a.weight;
      }
    }
    level.begins.push_back(level.arcs.size());
  }
  return level;
}

/// Matches vertices along heavy edges, up to `most` in size, and returns the coarser level; one without vertices if
/// hardly any match.
part_level coarser_level(part_level& fine, std::uint64_t most, std::mt19937_64& random) {
  const std::uint32_t n = fine.vertices();
  constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  for (std::uint32_t i = n; i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  std::vector<std::uint32_t> mate(n, none);
  for (const std::uint32_t v : order) {
    if (mate[v] != none) continue;
    std::uint32_t best = v;
    double heaviest = -1;
    for (const weighted_arc& a : fine.row(v)) {
      if (mate[a.to] != none || fine.size[v] + fine.size[a.to] > most || a.weight <= heaviest) continue;
      heaviest = a.weight;
      best = a.to;
    }
    mate[v] = best;
    mate[best] = v;
  }
  // Leaves of one hub, which it cannot all match, match each other.
  std::vector<std::uint32_t> waiting(n, none);
  for (std::uint32_t v = 0; v < n; ++v) {
    if (mate[v] != v || fine.row(v).size() > 2 || fine.row(v).empty()) continue;
    const std::uint32_t hub = fine.row(v).front().to;
    const std::uint32_t other = std::exchange(waiting[hub], none);
    if (other == none || fine.size[v] + fine.size[other] > most) {
      waiting[hub] = v;
    } else {
      mate[v] = other;
      mate[other] = v;
    }
  }
  part_level coarse;
  fine.above.assign(n, none);
  std::vector<std::uint32_t> first;
  for (std::uint32_t v = 0; v < n; ++v) {
    if (fine.above[v] != none) continue;
    fine.above[v] = fine.above[mate[v]] = static_cast<std::uint32_t>(first.size());
    first.push_back(v);
    coarse.size.push_back(fine.size[v] + (mate[v] == v ? 0 : fine.size[mate[v]]));
  }
  if (first.size() > std::size_t{n} / 20 * 19) return {};
  coarse.begins.assign(1, 0);
  std::vector<std::uint64_t> at(first.size());
  for (std::uint32_t c = 0; c < first.size(); ++c) {
    const std::uint64_t begin = coarse.arcs.size();
    const auto add = [&](std::uint32_t v) {
      for (const weighted_arc& a : fine.row(v)) {
        const std::uint32_t to = fine.above[a.to];
        if (to == c) continue;
        if (at[to] < begin + 1) {  // places count from 1, so that 0 is none
          coarse.arcs.push_back({to, a.weight});
          at[to] = coarse.arcs.size();
        } else {
          coarse.arcs[at[to] - 1].weight += a.weight;
        }
      }
    };
    add(first[c]);
    if (mate[first[c]] != first[c]) add(mate[first[c]]);
    coarse.begins.push_back(coarse.arcs.size());
  }
  return coarse;
}

/// The state of a division: sizes of parts, and by vertex the weight of its edges to parts.
class refined_parts {
 public:
  refined_parts(const part_level& level, parts_list parts, std::uint32_t count, std::uint64_t most)
      : level_(level), part_(std::move(parts)), size_(count), most_(most), ties_(count), seen_(count) {
    for (std::uint32_t v = 0; v < level.vertices(); ++v) size_[part_[v]] += level.size[v];
    for (const std::uint64_t s : size_) over_ += above_bound(s);
    find_hubs();
  }

  double cut() const {
    double sum = 0;
    for (std::uint32_t v = 0; v < level_.vertices(); ++v) {
      for (const weighted_arc& a : level_.row(v)) sum += part_[a.to] != part_[v] ? a.weight : 0;
    }
    return sum / 2;
  }

  std::uint64_t excess() const { return over_; }  ///< vertices above the bound, in all parts
  /// Moves vertices by gain, the best first, also those that lose, and goes back to the best division seen. Returns
  /// whether it got better. `exchange`: on the way a part may be above the bound by one vertex, so that full parts can
  /// exchange vertices (Fiduccia and Mattheyses 1982).
  bool improve(std::mt19937_64& random, bool exchange) {
    slack_ = exchange ? *std::max_element(level_.size.begin(), level_.size.end()) : 0;
    struct candidate {
      double gain;  ///< at most
      std::uint64_t tie;
      std::uint32_t vertex;
      bool operator<(const candidate& o) const { return std::tie(gain, tie) < std::tie(o.gain, o.tie); }
    };
    constexpr double never = -std::numeric_limits<double>::infinity();
    const std::uint32_t n = level_.vertices();
    std::priority_queue<candidate> queue;
    std::vector<double> most(n);           // what a vertex gains at most
    std::vector<double> queued(n, never);  // the entry that counts; lower ones of the vertex do not
    std::vector<bool> waits(n);
    std::vector<std::priority_queue<candidate>> waiting(size_.size());  // by part without room
    const auto offer = [&](std::uint32_t v, double gain) {
      queue.push({gain, random(), v});
      queued[v] = gain;
    };
    const auto take_note = [&](std::uint32_t v, const best_of& found) {
      most[v] = found.most;
      waits[v] = found.to != found.wished;
      if (waits[v]) waiting[found.wished].push({found.most, random(), v});
    };
    for (std::uint32_t v = 0; v < n; ++v) {
      const best_of found = best_move(v);
      take_note(v, found);
      if (found.to != part_[v]) offer(v, found.gain);
    }
    std::vector<bool> moved(n);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> moves;  // vertex, where it was
    std::uint64_t over = excess();
    const std::uint64_t first_over = over;
    double gained = 0, best_gain = 0;
    std::uint64_t best_over = over;
    std::size_t best = 0;
    const std::size_t patience = std::max<std::size_t>(100, n / 50);
    while (!queue.empty() && moves.size() - best < patience) {
      const candidate c = queue.top();
      queue.pop();
      const std::uint32_t v = c.vertex;
      if (moved[v] || c.gain != queued[v]) continue;
      queued[v] = never;
      const best_of found = best_move(v);
      take_note(v, found);
      const std::uint32_t from = part_[v];
      if (found.to == from) continue;
      if (found.gain < c.gain && !queue.empty() && found.gain < queue.top().gain) {
        offer(v, found.gain);
        continue;
      }
      moves.emplace_back(v, from);
      moved[v] = true;
      move(v, found.to);
      over = excess();
      gained += found.gain;
      const bool better = over < best_over || (over == best_over && gained > best_gain + 1e-12);
      if (better) {
        best_over = over;
        best_gain = gained;
        best = moves.size();
      }
      while (!waiting[from].empty()) {
        const std::uint32_t next = waiting[from].top().vertex;
        waiting[from].pop();
        if (moved[next] || !waits[next]) continue;
        waits[next] = false;
        if (most[next] > queued[next]) offer(next, most[next]);
        break;
      }
      for (const weighted_arc& a : level_.row(v)) {
        if (moved[a.to]) continue;
        // A neighbour left behind loses a tie at home and gains one where v went; one there already gains nothing.
        most[a.to] += part_[a.to] == from ? 2 * a.weight : part_[a.to] == found.to ? -a.weight : a.weight;
        if (waits[a.to]) {  // what it gains where there is room is not known by what it gains at most
          const best_of other = best_move(a.to);
          most[a.to] = other.most;
          waits[a.to] = other.to != other.wished;
          if (other.to != part_[a.to] && other.gain > queued[a.to]) offer(a.to, other.gain);
          continue;
        }
        if (part_[a.to] != found.to && most[a.to] > queued[a.to]) offer(a.to, most[a.to]);
      }
    }
    for (std::size_t i = moves.size(); i-- > best;) move(moves[i].first, moves[i].second);
    return best_over < first_over || best_gain > 1e-12;
  }

  /// Moves vertices out of parts that are too large, whatever the cut loses, into the smallest that has room.
  void balance() {
    for (std::uint32_t v = 0; v < level_.vertices() && excess() != 0; ++v) {
      if (size_[part_[v]] <= most_) continue;
      const auto to = static_cast<std::uint32_t>(std::min_element(size_.begin(), size_.end()) - size_.begin());
      if (size_[to] + level_.size[v] <= most_) move(v, to);
    }
  }

  parts_list take() { return std::move(part_); }
  const std::vector<std::uint64_t>& sizes() const { return size_; }

 private:
  void move(std::uint32_t v, std::uint32_t to) {
    const std::uint32_t from = part_[v];
    over_ -= above_bound(size_[from]) + above_bound(size_[to]);
    size_[from] -= level_.size[v];
    size_[to] += level_.size[v];
    over_ += above_bound(size_[from]) + above_bound(size_[to]);
    part_[v] = to;
    if (hubs_ == 0) return;
    for (const weighted_arc& a : level_.row(v)) {
      if (hub_[a.to] == no_hub) continue;
      double* const ties = ties_of(a.to);
      ties[from] -= a.weight;
      ties[to] += a.weight;
    }
  }

  /// Counts the ties of vertices that have many neighbours beside the parts: reading their rows would take too long.
  void find_hubs() {
    for (std::uint32_t v = 0; v < level_.vertices(); ++v) {
      if (level_.row(v).size() < std::max<std::size_t>(32, size_.size())) continue;
      if (hubs_ == 0) hub_.assign(level_.vertices(), no_hub);
      hub_[v] = hubs_++;
    }
    hub_ties_.resize(std::size_t{hubs_} * size_.size());
    for (std::uint32_t v = 0; hubs_ != 0 && v < level_.vertices(); ++v) {
      if (hub_[v] == no_hub) continue;
      for (const weighted_arc& a : level_.row(v)) ties_of(v)[part_[a.to]] += a.weight;
    }
  }
  double* ties_of(std::uint32_t hub) { return hub_ties_.data() + std::size_t{hub_[hub]} * size_.size(); }

  struct best_of {
    std::uint32_t to;      ///< the neighbouring part with room where a vertex gains most; its own if there is none
    double gain;           ///< what the cut loses then
    std::uint32_t wished;  ///< the neighbouring part where it gains most, with room or not; its own if there is none
    double most;           ///< what the cut would lose then
  };
  best_of best_move(std::uint32_t v) {
    double own = 0;
    touched_.clear();
    if (hubs_ != 0 && hub_[v] != no_hub) {
      const double* const ties = ties_of(v);
      for (std::uint32_t p = 0; p < size_.size(); ++p) {
        if (ties[p] <= 0 || p == part_[v]) continue;
        ties_[p] = ties[p];
        touched_.push_back(p);
      }
      return best_of_touched(v, ties[part_[v]]);
    }
    for (const weighted_arc& a : level_.row(v)) {
      const std::uint32_t p = part_[a.to];
      if (p == part_[v]) {
        own += a.weight;
        continue;
      }
      if (!seen_[p]) {
        seen_[p] = true;
        ties_[p] = 0;
        touched_.push_back(p);
      }
      ties_[p] += a.weight;
    }
    return best_of_touched(v, own);
  }

  best_of best_of_touched(std::uint32_t v, double own) {
    std::uint32_t best = part_[v];
    double most = 0;
    std::uint32_t wished = part_[v];
    double most_wished = 0;
    const bool leaves_full = size_[part_[v]] > most_;
    for (const std::uint32_t p : touched_) {
      seen_[p] = false;
      if (wished == part_[v] || ties_[p] > most_wished) {
        wished = p;
        most_wished = ties_[p];
      }
      const bool room =
          size_[p] + level_.size[v] <= most_ + slack_ || (leaves_full && size_[p] + level_.size[v] < size_[part_[v]]);
      if (!room) continue;
      if (best == part_[v] || ties_[p] > most || (ties_[p] == most && size_[p] < size_[best])) {
        best = p;
        most = ties_[p];
      }
    }
    return {best, most - own, most == most_wished ? best : wished, most_wished - own};
  }

  std::uint64_t above_bound(std::uint64_t size) const { return size > most_ ? size - most_ : 0; }

  const part_level& level_;
  parts_list part_;
  std::vector<std::uint64_t> size_;
  std::uint64_t most_;
  std::uint64_t slack_ = 0;  ///< what a part may be above the bound on the way
  std::uint64_t over_ = 0;
  std::vector<double> ties_;
  std::vector<bool> seen_;
  std::vector<std::uint32_t> touched_;
  static constexpr std::uint32_t no_hub = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t hubs_ = 0;
  std::vector<std::uint32_t> hub_;  ///< by vertex: its number among hubs; empty if there are none
  std::vector<double> hub_ties_;    ///< by hub and part
};

struct start {
  std::uint64_t seed;
  parts_list parts;
  std::pair<std::uint64_t, double> found;  ///< vertices above the bound, cut
};

/// Grows part after part, each by the vertex with most weight into it; the rest is the last part.
parts_list grown(const part_level& level, std::uint32_t count, std::mt19937_64& random) {
  const std::uint32_t n = level.vertices();
  const std::uint64_t all = std::accumulate(level.size.begin(), level.size.end(), std::uint64_t{0});
  parts_list part(n, count - 1);
  std::vector<bool> taken(n);
  std::uint64_t left = all;
  for (std::uint32_t p = 0; p + 1 < count; ++p) {
    const std::uint64_t wanted = left / (count - p);
    std::uint64_t size = 0;
    std::vector<double> pull(n);
    std::priority_queue<std::pair<double, std::uint32_t>> queue;
    while (size < wanted) {
      std::uint32_t v = n;
      while (!queue.empty()) {
        const auto [weight, w] = queue.top();
        queue.pop();
        if (!taken[w] && weight == pull[w]) {
          v = w;
          break;
        }
      }
      if (v == n) {  // a start, or a new one where a component ends
        std::uint32_t w = static_cast<std::uint32_t>(random() % n);
        while (taken[w]) w = (w + 1) % n;
        v = w;
      }
      taken[v] = true;
      part[v] = p;
      size += level.size[v];
      for (const weighted_arc& a : level.row(v)) {
        if (taken[a.to]) continue;
        pull[a.to] += a.weight;
        queue.emplace(pull[a.to], a.to);
      }
    }
    left -= size;
  }
  return part;
}

}  // namespace

template <class Vertex>
partition_result partition(const csr_graph<Vertex>& graph, const partition_options& options,
                           const run_control& control) {
  if (options.parts == 0) throw usage_error("no parts");
  if (!(options.imbalance >= 0)) throw usage_error("the imbalance is negative");
  if (!graph.has_in()) throw usage_error("the graph was built without in-edges, which this needs");
  const std::uint64_t n = graph.vertices();
  if (n > std::numeric_limits<std::uint32_t>::max() / 2) throw usage_error("the graph has more than 2^31 vertices");
  partition_result result;
  result.part = machine::page_array<std::uint32_t>(n);
  if (n == 0) return result;
  const double mean = static_cast<double>(n) / options.parts;
  const std::uint64_t most =
      std::max((n + options.parts - 1) / options.parts, static_cast<std::uint64_t>((1 + options.imbalance) * mean));
  std::mt19937_64 random(options.seed);
  std::vector<part_level> levels;
  levels.push_back(finest_level(graph, options.weighted));
  if (control.report != nullptr) control.report->begin("partition", 2, "halves");
  // A vertex of the coarsest level is small beside a part, so that parts can be filled.
  const std::uint64_t enough = std::max<std::uint64_t>(200, std::uint64_t{30} * options.parts);
  const std::uint64_t largest = std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(1.5 * static_cast<double>(n) / static_cast<double>(enough)));
  while (levels.back().vertices() > enough) {
    control.check();
    part_level next = coarser_level(levels.back(), largest, random);
    if (next.vertices() == 0) break;
    levels.push_back(std::move(next));
  }
  if (control.report != nullptr) control.report->advance(1);
  const auto refine = [&](const part_level& level, parts_list parts, int most_rounds, std::mt19937_64& draws) {
    refined_parts d(level, std::move(parts), options.parts, most);
    // Exchanges alone fill parts by what gains most at first, and end at a larger cut.
    for (int round = 0; round < most_rounds && (d.improve(draws, false) || d.improve(draws, true)); ++round)
      control.check();
    return d;
  };
  constexpr int rounds_of_start = 4, rounds_of_level = 8;  // more cut hardly fewer edges
  // Each start has its own random numbers: the best start is the same on any number of threads.
  std::array<start, 8> tried;
  for (start& t : tried) t.seed = random();
  const auto try_start = [&](std::size_t i) {
    std::mt19937_64 own(tried[i].seed);
    refined_parts d = refine(levels.back(), grown(levels.back(), options.parts, own), rounds_of_start, own);
    tried[i].found = {d.excess(), d.cut()};
    tried[i].parts = d.take();
  };
  if (!parallel_for(std::size_t{0}, tried.size(), try_start, {.stop = control.stop})) throw cancelled();
  parts_list best = std::move(std::ranges::min_element(tried, {}, &start::found)->parts);
  for (std::size_t i = levels.size() - 1; i-- != 0;) {
    parts_list finer(levels[i].vertices());
    for (std::uint32_t v = 0; v < levels[i].vertices(); ++v) finer[v] = best[levels[i].above[v]];
    best = refine(levels[i], std::move(finer), rounds_of_level, random).take();
  }
  refined_parts last(levels.front(), std::move(best), options.parts, most);
  last.balance();
  result.cut = last.cut();
  result.smallest = *std::min_element(last.sizes().begin(), last.sizes().end());
  result.largest = *std::max_element(last.sizes().begin(), last.sizes().end());
  best = last.take();
  std::copy(best.begin(), best.end(), result.part.begin());
  if (control.report != nullptr) control.report->advance(1);
  return result;
}

template CALLISTO_API partition_result partition(const csr_graph<std::uint32_t>&, const partition_options&,
                                                 const run_control&);
template CALLISTO_API partition_result partition(const csr_graph<std::uint64_t>&, const partition_options&,
                                                 const run_control&);

std::uint64_t needs::partition(const any_graph& graph) noexcept {
  const graph_size s = size_of(graph);
  // All coarser levels are at most as large as the finest; lists grow by doubling. Counted ties: one for each
  // neighbour.
  return 2 * (2 * 16 * 2 * s.edges + 64 * s.n) + 16 * s.edges;
}

}  // namespace callisto::graph
