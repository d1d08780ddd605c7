#include <callisto/cluster/hub_arcs.hpp>
#include <callisto/cluster/posts.hpp>
#include <callisto/cluster/sssp.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/graph/sssp/choose_delta.hpp>
#include <callisto/graph/sssp/kernel.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace callisto::cluster {

namespace {

constexpr double unreached = graph::sssp_result::unreached;

template <class Vertex, class Weight>
class dealt_paths {
 public:
  dealt_paths(const graph::csr_graph<Vertex>& graph, const path_plan<Vertex>& plan,
              const graph::shared_control& control)
      : graph_(graph),
        among_(*control.among),
        control_(control),
        plan_(plan),
        first_(among_.first()),
        last_(among_.last()),
        width_(1 / plan.delta),
        may_overflow_(plan.weights.most * static_cast<double>(graph.vertices()) > std::numeric_limits<double>::max()),
        distances_(graph.vertices(), machine::page_kind::used),
        buckets_(threads()) {
    parallel_for(std::uint64_t{0}, graph.vertices(), [&](std::uint64_t v) { distances_[v] = unreached; });
  }

  graph::sssp_result from(std::uint64_t source) {
    if (control_.report != nullptr) control_.report->begin("shortest paths", 0, "vertices");
    open(0);
    if (is_own(source)) {
      distances_[source] = 0;
      buckets_.front().push(static_cast<Vertex>(source), 0);
    }
    const bool split = plan_.light != unreached;
    step_through(split ? &plan_.rows : nullptr);
    among_.share(distances_.data(), among_.bounds());
    if (split) {
      relax_heavy();
      step_through(nullptr);
      among_.share(distances_.data(), among_.bounds());
    }
    return finish();
  }

 private:
  using buckets = graph::sssp_buckets<Vertex, double>;
  using entry = typename buckets::entry;
  using entries = typename buckets::list;
  using arc = graph::sssp_arc<Vertex, double>;

  /// Entries that one thread relaxes alone.
  static constexpr std::size_t few = 128;

  struct sums {
    std::uint64_t reached = 0;
    std::uint64_t relaxations = 0;
    std::uint64_t shortened = 0;
  };

  bool is_own(std::uint64_t v) const noexcept { return v >= first_ && v < last_; }
  bool is_hub(std::uint64_t v) const noexcept {
    return !plan_.hubs.empty() && hub_number(plan_.hubs, v) != plan_.hubs.size();
  }
  bool is_stale(const entry& e) const noexcept { return distances_[e.vertex] != e.distance; }

  void open(std::uint64_t first) {
    for (buckets& b : buckets_) b.open(width_, first);
  }

  template <class T>
  T least_of_all(const T& mine) {
    const std::vector<T> all = among_.all_of(mine);
    return *std::min_element(all.begin(), all.end());
  }

  using light_rows = graph::light_rows<Vertex, double>;
  using relax_arcs = graph::sssp_relax<Vertex, double, Weight>;

  relax_arcs relax_over(const light_rows* light) {
    return {graph_.out(), light, {distances_.data(), buckets_.size() == 1}};
  }

  /// Empties the buckets of all processes in ascending order, over the arcs of `light` or, if that is null, all arcs.
  void step_through(const light_rows* light) {
    do {
      for (std::size_t bucket = next_bucket(); bucket < buckets::window; bucket = next_bucket()) {
        control_.check();
        relax_own(bucket, relax_over(light));
        post_far();
        relax_hubs(light != nullptr);
      }
    } while (open_window());
  }

  /// Relaxes the heavy arcs of own vertices; the shortened vertices wait in buckets.
  void relax_heavy() {
    open(0);
    const relax_arcs relax = relax_over(nullptr);
    const Weight* const weights = graph::weights_of<Weight>(graph_.out());
    const auto light = static_cast<Weight>(plan_.light);
    const auto some = [&](std::uint64_t first, std::uint64_t last) {
      buckets& mine = buckets_[this_thread()];
      for (std::uint64_t v = first; v != last; ++v) {
        const double distance = relax.distances.load(v);
        if (distance == unreached || is_hub(v)) continue;
        for (std::uint64_t a = graph_.out().offsets[v]; a != graph_.out().offsets[v + 1]; ++a) {
          if (weights[a] <= light) continue;
          ++mine.relaxations;
          const double to = distance + static_cast<double>(weights[a]);
          const Vertex target = graph_.out().targets[a];
          if (to < relax.distances.load(target)) relax.relax(target, to, mine);
        }
      }
    };
    if (!parallel_for(first_, last_, some, {.stop = control_.stop})) throw graph::cancelled();
    for (std::size_t h = 0; h != plan_.hubs.size(); ++h) {
      const double distance = distances_[plan_.hubs[h]];  // all processes have it
      if (distance == unreached) continue;
      for (const arc& a : plan_.of_hubs[h]) {
        if (a.weight > plan_.light) relax_arc(a, distance, relax);
      }
    }
  }

  /// Relaxes the arcs of the hubs in the bucket, of all processes, to own vertices.
  void relax_hubs(bool light_only) {
    if (plan_.hubs.empty()) return;
    const entries now = among_.lists_of_all(hubs_);
    hubs_.clear();
    const relax_arcs relax = relax_over(nullptr);
    for (const entry& e : now) {
      for (const arc& a : plan_.of_hubs[hub_number(plan_.hubs, e.vertex)]) {
        if (!light_only || a.weight <= plan_.light) relax_arc(a, e.distance, relax);
      }
    }
  }

  void relax_arc(const arc& a, double distance, const relax_arcs& relax) {
    buckets& mine = buckets_.front();
    ++mine.relaxations;
    const double to = distance + a.weight;
    if (to < relax.distances.load(a.target)) relax.relax(a.target, to, mine);
  }

  /// Returns the first bucket of the window that has entries at any process; buckets::window or more if none has.
  std::size_t next_bucket() {
    std::size_t mine = buckets::window;
    for (const buckets& b : buckets_) mine = std::min(mine, b.occupied(0));
    return least_of_all(mine);
  }

  /// Relaxes the arcs of own vertices until the bucket is empty; the entries of other processes' vertices become far_,
  /// those of hubs hubs_.
  void relax_own(std::size_t bucket, const relax_arcs& relax) {
    entries own;
    for (;;) {
      own.clear();
      for (buckets& b : buckets_) {
        for (const entry& e : b[bucket]) {
          entries& to = !is_own(e.vertex) ? far_ : is_hub(e.vertex) ? hubs_ : own;
          if (&to != &hubs_ || !is_stale(e)) to.push_back(e);
        }
        b[bucket].clear();
      }
      if (own.empty()) return;
      const entry* const end = own.data() + own.size();
      const auto some = [&](std::uint64_t first, std::uint64_t last) {
        relax(own.data() + first, own.data() + last, end, buckets_[this_thread()]);
      };
      if (own.size() <= few || buckets_.size() == 1) {
        some(0, own.size());
      } else if (!parallel_for(std::uint64_t{0}, std::uint64_t{own.size()}, some, {.stop = control_.stop})) {
        throw graph::cancelled();
      }
    }
  }

  /// Sends the vertices of far_ to their processes, each with its distance; what comes waits in the bucket.
  void post_far() {
    std::vector<Vertex> vertices;
    for (const entry& e : far_) {
      if (!is_stale(e)) vertices.push_back(e.vertex);
    }
    far_.clear();
    const std::vector<entry> came = post_to_owners(among_, vertices, [&](Vertex v) { return entry{v, distances_[v]}; });
    for (const entry& e : came) {
      if (!(e.distance < distances_[e.vertex])) continue;
      distances_[e.vertex] = e.distance;
      buckets_.front().push(e.vertex, e.distance);
    }
  }

  /// Moves the window of all processes to the nearest entries behind it. False if no process has any.
  bool open_window() {
    entries all;
    for (buckets& b : buckets_) b.take_all(all);
    std::erase_if(all, [&](const entry& e) { return is_stale(e); });
    constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t mine = none;
    for (const entry& e : all) mine = std::min(mine, buckets_.front().number(e.distance));
    const std::uint64_t least = least_of_all(mine);
    if (least == none) return false;
    open(least);
    for (const entry& e : all) buckets_.front().push(e.vertex, e.distance);
    return true;
  }

  graph::sssp_result finish() {
    sums mine;
    for (const buckets& b : buckets_) {
      mine.relaxations += b.relaxations;
      mine.shortened += b.shortened;
    }
    graph::sssp_result result;
    for (std::uint64_t v = 0; v != graph_.vertices(); ++v) {
      if (distances_[v] == unreached) continue;
      ++result.reached;
      result.eccentricity = std::max(result.eccentricity, distances_[v]);
    }
    for (const sums& each : among_.all_of(mine)) {
      result.relaxations += each.relaxations;
      result.shortened += each.shortened;
    }
    if (may_overflow_) refuse_overflow();
    result.distances = graph::distance_map(std::move(distances_));
    return result;
  }

  /// Throws usage_error if an arc leads from a vertex with a distance to a vertex without one.
  void refuse_overflow() {
    bool found = false;
    for (std::uint64_t v = first_; v != last_; ++v) {
      if (distances_[v] == unreached) continue;
      for (const Vertex w : graph_.out().row(v)) found = found || distances_[w] == unreached;
    }
    if (among_.sum(std::uint64_t{found}) != 0) {
      throw usage_error("the distance of a vertex is larger than any double, 1.8e308");
    }
  }

  const graph::csr_graph<Vertex>& graph_;
  graph::partners& among_;
  const graph::shared_control& control_;
  const path_plan<Vertex>& plan_;
  const std::uint64_t first_;
  const std::uint64_t last_;
  const double width_;       ///< 1 / width of a bucket
  const bool may_overflow_;  ///< sums of weights can be too large for a double
  /// Distances so far of own vertices; of other processes' vertices, the shortest distances found here.
  machine::page_array<double> distances_;
  std::vector<buckets> buckets_;  ///< by thread
  entries far_;                   ///< entries of the bucket that is emptied, of other processes' vertices
  entries hubs_;                  ///< such entries of own hubs
};

template <class Vertex>
graph::weight_survey survey_of_rows(const graph::csr_graph<Vertex>& graph, const graph::shared_control& control) {
  graph::partners& among = *control.among;
  const graph::weight_array& weights = graph.out().weights;
  const auto look = [&](std::uint64_t first, std::uint64_t last, graph::weight_survey found) {
    for (std::uint64_t a = first; a != last; ++a) {
      const double w = weights[a];
      found = found + graph::weight_survey{w, !(w >= 0), std::trunc(w) == w};
    }
    return found;
  };
  const graph::weight_survey mine =
      parallel_reduce(graph.out().offsets[among.first()], graph.out().offsets[among.last()], graph::weight_survey{},
                      look, std::plus<>{}, loop_options{.stop = control.stop});
  control.check();
  return among.sum(mine);
}

/// Returns the weights of these arcs, which lie in the rows of any process, at all processes.
template <class Vertex>
std::vector<double> weights_of_ranks(const graph::csr_graph<Vertex>& graph, const std::vector<std::uint64_t>& arcs,
                                     const graph::shared_control& control) {
  graph::partners& among = *control.among;
  const std::uint64_t first = graph.out().offsets[among.first()];
  const std::uint64_t last = graph.out().offsets[among.last()];
  std::vector<double> own;  // a weight, and its place among the arcs, for each process
  for (std::size_t p = 0; p != among.count(); ++p) {
    for (std::size_t i = 0; i != arcs.size(); ++i) {
      if (arcs[i] < first || arcs[i] >= last) continue;
      own.push_back(static_cast<double>(i));
      own.push_back(graph.out().weights[arcs[i]]);
    }
  }
  const std::vector<double> came =
      among.exchange(own, std::vector<std::uint64_t>(among.count(), own.size() / among.count()));
  std::vector<double> weights(arcs.size());
  for (std::size_t i = 0; i != came.size(); i += 2) weights[static_cast<std::size_t>(came[i])] = came[i + 1];
  return weights;
}

/// Gathers the light arcs of own vertices.
template <class Vertex, class Weight>
void gather_light(const graph::csr_graph<Vertex>& graph, std::span<const Weight> weights,
                  const graph::shared_control& control, path_plan<Vertex>& plan) {
  const graph::adjacency<Vertex>& out = graph.out();
  const std::uint64_t first = control.among->first();
  const std::uint64_t last = control.among->last();
  const auto light = static_cast<Weight>(plan.light);
  auto& rows = plan.rows;
  rows.row = machine::page_array<typename graph::light_rows<Vertex, double>::range>(graph.vertices());
  const auto is_hub = [&](std::uint64_t v) { return hub_number(plan.hubs, v) != plan.hubs.size(); };
  const auto count = [&](std::uint64_t v) {
    if (is_hub(v)) return;
    for (std::uint64_t a = out.offsets[v]; a != out.offsets[v + 1]; ++a)
      rows.row[v].last += weights[a] <= light ? 1 : 0;
  };
  if (!parallel_for(first, last, count, {.stop = control.stop})) throw graph::cancelled();
  std::uint64_t next = 0;
  for (std::uint64_t v = first; v != last; ++v) {
    rows.row[v].first = next;
    next += rows.row[v].last;
    rows.row[v].last = next;
  }
  rows.arcs = machine::page_array<graph::sssp_arc<Vertex, double>>(next);
  const auto fill = [&](std::uint64_t v) {
    if (is_hub(v)) return;
    std::uint64_t to = rows.row[v].first;
    for (std::uint64_t a = out.offsets[v]; a != out.offsets[v + 1]; ++a) {
      if (weights[a] <= light) rows.arcs[to++] = {out.targets[a], static_cast<double>(weights[a])};
    }
  };
  if (!parallel_for(first, last, fill, {.stop = control.stop})) throw graph::cancelled();
}

/// Gathers the arcs of hubs to own vertices.
template <class Vertex>
void gather_hubs(const graph::csr_graph<Vertex>& graph, graph::partners& among, path_plan<Vertex>& plan) {
  plan.hubs = find_hubs(graph, among);
  plan.of_hubs.resize(plan.hubs.size());
  if (plan.hubs.empty()) return;
  const graph::adjacency<Vertex>& in = graph.in();
  for (std::uint64_t v = among.first(); v != among.last(); ++v) {
    for_each_hub(in.row(v), plan.hubs, [&](std::size_t h, std::size_t i) {
      plan.of_hubs[h].push_back({static_cast<Vertex>(v), in.weights[in.offsets[v] + i]});
    });
  }
}

}  // namespace

template <class Vertex>
path_plan<Vertex> plan_paths(const graph::csr_graph<Vertex>& graph, const graph::sssp_options& options,
                             const graph::shared_control& control) {
  if (!(options.delta >= 0) || options.delta > std::numeric_limits<double>::max()) {
    throw usage_error("the width of a bucket must be above 0");
  }
  if (!graph.weighted() && graph.arcs() != 0) {
    throw usage_error("the graph has no weights, which distances need");
  }
  path_plan<Vertex> plan;
  if (graph.weighted()) plan.weights = graph.known_weights() ? *graph.known_weights() : survey_of_rows(graph, control);
  if (plan.weights.refused()) {
    throw graph::weight_error(
        "a weight is negative, infinite or no number; over ranks, shortest paths need weights of at least 0");
  }
  graph::partners& among = *control.among;
  // Each process looks at its own rows: the offsets of other rows need not be in its memory.
  const std::uint64_t connected = among.sum(graph::sampled_with_arcs(graph, among.first(), among.last()));
  const graph::delta_choice choice = graph::choose_delta(
      graph, options.delta, weights_of_ranks(graph, graph::sampled_arcs(graph.arcs()), control), connected);
  plan.delta = choice.delta;
  plan.light = choice.light;
  gather_hubs(graph, among, plan);
  if (plan.light == unreached) return plan;
  graph.out().weights.visit([&](auto weights) { gather_light(graph, weights, control, plan); });
  std::uint64_t light_arcs = plan.rows.arcs.size();
  for (const auto& arcs : plan.of_hubs) {
    light_arcs += static_cast<std::uint64_t>(
        std::count_if(arcs.begin(), arcs.end(), [&](const auto& a) { return a.weight <= plan.light; }));
  }
  plan.light_arcs = among.sum(light_arcs);
  return plan;
}

template <class Vertex>
graph::sssp_result sssp(const graph::csr_graph<Vertex>& graph, std::uint64_t source, const path_plan<Vertex>& plan,
                        const graph::shared_control& control) {
  if (source >= graph.vertices()) {
    throw usage_error("the source is vertex " + std::to_string(source) + " of a graph that has " +
                      std::to_string(graph.vertices()));
  }
  if (graph.has_short_weights()) {
    return dealt_paths<Vertex, graph::short_weight>(graph, plan, control).from(source);
  }
  return dealt_paths<Vertex, double>(graph, plan, control).from(source);
}

#define CALLISTO_INSTANTIATE(Vertex)                                                                         \
  template path_plan<Vertex> plan_paths(const graph::csr_graph<Vertex>&, const graph::sssp_options&,         \
                                        const graph::shared_control&);                                       \
  template graph::sssp_result sssp(const graph::csr_graph<Vertex>&, std::uint64_t, const path_plan<Vertex>&, \
                                   const graph::shared_control&);
CALLISTO_INSTANTIATE(std::uint32_t)
CALLISTO_INSTANTIATE(std::uint64_t)
#undef CALLISTO_INSTANTIATE

}  // namespace callisto::cluster
