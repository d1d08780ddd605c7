// Delta-stepping with Callisto's loops; the work inside the loops is in sssp_kernel.hpp.
#include <callisto/graph/csr/counter_random.hpp>
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/graph/sssp/kernel.hpp>
#include <callisto/graph/sssp/sssp.hpp>
#include <callisto/graph/sssp/supersteps.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <queue>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::graph {
namespace {

/// Where vertices have so many arcs, there are shorter ways than along the heaviest four fifths of them, and it pays to
/// gather the others. A bucket is as wide as the weight that half an arc of a vertex does not exceed on average (Meyer
/// and Sanders' choice, section 5: in inverse proportion to the degree). Tuned on graphs of scale 20, Kronecker and
/// uniform.
constexpr double least_degree = 12;
constexpr double light_share = 1.0 / 5;
constexpr double bucket_arcs = 0.5;
/// A thread looks at this many arcs by itself sooner than others could come to share them: some ten microseconds'
/// worth.
constexpr double few_arcs = 4096;
/// A search may look at one in so many arcs before anything is prepared for it. One that goes on does as much with all
/// arcs: a source may hang on a heavy one, from which light ones alone lead nowhere.
constexpr std::uint64_t arcs_before_preparing = 512;
/// In a directed graph, where many sources reach a part only, it looks at one in so many before the light ones are
/// gathered. If meanwhile it has come farther than a light arc weighs, as on web graphs, the heavy ones are of use,
/// too, and most would be looked at anyhow: then none are gathered.
constexpr std::uint64_t arcs_before_gathering = 8;
/// Such a search goes on in buckets so many times as wide, or they would hold too little for several threads.
constexpr double wider = 8;
/// Where vertices have fewer arcs than `least_degree`, a bucket of so many entries is emptied by threads that stay
/// together over it. With fewer one of them is quicker alone, with more a loop for each time that they are relaxed
/// costs little. Where vertices have more arcs, some have very many, and loops share these better.
constexpr std::uint64_t enough_to_begin = 64;
constexpr std::uint64_t enough_to_go_on = 32;
constexpr std::uint64_t most_together = 32'768;
/// More threads than this have nothing to do in buckets of that size.
constexpr unsigned most_seats = 16;
/// So many vertices are looked through, and so many arcs relaxed, before another thread has come to help: a loop is
/// some three microseconds, of which a search in a small graph needs few.
constexpr std::uint64_t vertices_for_one = 4096;
constexpr std::uint64_t arcs_for_one = 16'384;

/// Weights of some arcs, ascending; without those that no distance can be made of.
template <class Vertex>
std::vector<double> sample_weights(const csr_graph<Vertex>& graph) {
  const counter_random random(1);
  std::vector<double> sample(graph.arcs() == 0 ? 0 : 1024);
  for (std::size_t i = 0; i < sample.size(); ++i) sample[i] = graph.out().weights[below(random(i), graph.arcs())];
  std::erase_if(sample, [](double w) { return !(w >= 0 && w <= std::numeric_limits<double>::max()); });
  std::sort(sample.begin(), sample.end());
  return sample;
}

/// Arcs of a vertex that has some, by a sample of them.
template <class Vertex>
double sampled_degree(const csr_graph<Vertex>& graph) {
  constexpr std::uint64_t samples = 1024;
  const counter_random random(2);
  std::uint64_t connected = 1;
  for (std::uint64_t i = 0; i < samples; ++i) {
    connected += graph.out().degree(below(random(i), graph.vertices())) != 0 ? 1 : 0;
  }
  const double share = static_cast<double>(connected) / double{samples + 1};
  return static_cast<double>(graph.arcs()) / (share * static_cast<double>(graph.vertices()));
}

template <class Vertex>
void check_arguments(const csr_graph<Vertex>& graph, const sssp_options& options) {
  if (!graph.weighted() && graph.arcs() != 0) throw usage_error("the graph has no weights, which distances need");
  if (!(options.delta >= 0) || options.delta > std::numeric_limits<double>::max()) {
    throw usage_error("the width of a bucket must be above 0");
  }
}

template <class Vertex>
void check_source(const csr_graph<Vertex>& graph, std::uint64_t source) {
  if (source < graph.vertices()) return;
  throw usage_error(fmt::format("the source is vertex {} of a graph that has {}", source, graph.vertices()));
}

/// Dijkstra's algorithm, given up when it has looked at more than `few` arcs, or a distance is larger than any double.
/// Takes no time for vertices that it does not meet.
template <class Vertex, class Weight>
std::optional<sssp_result> search_nearby(const csr_graph<Vertex>& graph, std::span<const Weight> weights,
                                         std::uint64_t source, std::uint64_t few) {
  const adjacency<Vertex>& out = graph.out();
  machine::page_array<std::uint32_t> places(graph.vertices(), machine::page_kind::used);
  std::vector<distance_map::entry> met{{source, 0}};
  places[source] = 0;
  const auto place_of = [&](Vertex v) {
    if (places[v] >= met.size() || met[places[v]].vertex != v) {
      places[v] = static_cast<std::uint32_t>(met.size());
      met.push_back({v, sssp_result::unreached});
    }
    return places[v];
  };
  using waiting_entry = std::pair<double, std::uint32_t>;
  std::priority_queue<waiting_entry, std::vector<waiting_entry>, std::greater<>> waiting;
  waiting.emplace(0, 0);
  sssp_result result;
  while (!waiting.empty()) {
    const auto [distance, place] = waiting.top();
    waiting.pop();
    if (met[place].distance != distance) continue;  // shortened since
    const std::uint64_t v = met[place].vertex;
    ++result.reached;
    result.eccentricity = distance;
    result.relaxations += out.degree(v);
    if (result.relaxations > few) return std::nullopt;
    for (std::uint64_t a = out.offsets[v]; a != out.offsets[v + 1]; ++a) {
      const double to = distance + weights[a];
      if (to == sssp_result::unreached) return std::nullopt;
      const std::uint32_t target = place_of(out.targets[a]);
      if (!(to < met[target].distance)) continue;
      met[target].distance = to;
      waiting.emplace(to, target);
      ++result.shortened;
    }
  }
  result.distances = distance_map(std::move(places), std::move(met));
  return result;
}

template <class Vertex, class Distance, class Weight>
class delta_stepping {
 public:
  using buckets = sssp_buckets<Vertex, Distance>;
  using entry = sssp_entry<Vertex, Distance>;

  /// `light`: infinity if no arc is heavy, else `share` of the arcs are not, more or less. `degree`: the arcs of a
  /// vertex that has some. `may_overflow`: sums of weights can be too large for a Distance. Gathers the light arcs at
  /// once if `ready`, else when a search needs them.
  delta_stepping(const csr_graph<Vertex>& graph, double delta, double light, double share, double degree,
                 bool may_overflow, bool ready, const run_control& ctx)
      : graph_(graph),
        width_(1 / delta),
        split_(light != sssp_result::unreached),
        may_overflow_(may_overflow),
        light_share_(share),
        degree_(degree) {
    if (!split_) return;
    light_ = static_cast<Distance>(light);
    if (ready) gather_light(ctx);
  }

  std::uint64_t light_arcs() const noexcept { return light_arcs_; }

  sssp_result from(std::uint64_t source, const run_control& ctx) {
    const std::uint64_t vertices = graph_.vertices();
    check_source(graph_, source);
    stop_ = ctx.stop;
    if (ctx.report != nullptr) ctx.report->begin("shortest paths", 0, "vertices");
    if (rounds_ && rounds_->seats() != threads()) rounds_.reset();
    buckets_ = std::vector<buckets>(threads());
    width_of_search_ = width_;
    open(0);
    if (distances_.size() != vertices) distances_ = machine::page_array<Distance>(vertices, machine::page_kind::used);
    parallel_for(std::uint64_t{0}, vertices, [&](std::uint64_t first, std::uint64_t last) {
      std::fill(distances_.begin() + first, distances_.begin() + last, no_distance<Distance>);
    });
    distances_[source] = 0;
    buckets_.front().push(static_cast<Vertex>(source), 0);
    const sssp_distances<Distance> shared{distances_.data(), threads() == 1};
    const sssp_relax<Vertex, Distance, Weight> all{graph_.out(), nullptr, shared};
    few_entries_ = few_of(degree_);
    constexpr std::uint64_t any = std::numeric_limits<std::uint64_t>::max();
    if (step_through(all, split_ ? graph_.arcs() / arcs_before_preparing : any)) return finish();
    if (rows_.row.size() != vertices) {
      if (graph_.directed()) {
        const double before = stopped_at_;
        if (step_through(all, graph_.arcs() / arcs_before_gathering)) return finish();
        if (stopped_at_ - before > static_cast<double>(light_)) {
          widen();
          step_through(all, any);
          return finish();
        }
      }
      gather_light(ctx);
    }
    few_entries_ = few_of(light_share_ * degree_);
    step_through({graph_.out(), &rows_, shared}, any);
    relax_heavy(all);
    step_through(all, any);
    return finish();
  }

 private:
  struct nothing {};

  /// Entries that are not worth sharing, where each stands for so many arcs. One thread has nobody to share with.
  std::size_t few_of(double arcs) const noexcept {
    return buckets_.size() == 1 ? std::numeric_limits<std::size_t>::max()
                                : static_cast<std::size_t>(few_arcs / std::max(arcs, 1.0)) + 1;
  }

  /// One bucket, by all threads.
  struct bucket_loop {
    const sssp_relax<Vertex, Distance, Weight>& step;
    std::vector<buckets>& all;
    const entry* entries;
    const entry* end;
    std::size_t slot;
    std::size_t few;

    void fork(nothing&) noexcept {}
    void work(nothing&, std::uint64_t first, std::uint64_t last) {
      step(entries + first, entries + last, end, all[this_thread()]);
    }
    void join(nothing&) { fuse(step, all[this_thread()], slot, few); }
  };

  /// What a thread itself puts back into its bucket, unless it is enough to share.
  static void fuse(const sssp_relax<Vertex, Distance, Weight>& step, buckets& mine, std::size_t slot, std::size_t few) {
    typename buckets::list now;
    while (!mine[slot].empty() && mine[slot].size() <= few) {
      now.clear();
      now.swap(mine[slot]);
      step(now.data(), now.data() + now.size(), now.data() + now.size(), mine);
    }
  }

  void open(std::uint64_t first) {
    for (buckets& b : buckets_) b.open(width_of_search_, first);
  }

  std::size_t occupied(std::size_t slot) const noexcept {
    std::size_t least = buckets::window + 1;
    for (const buckets& b : buckets_) least = std::min(least, b.occupied(slot));
    return least;
  }

  /// Empties all buckets; returns false if it left some, having looked at no less than `most` arcs.
  bool step_through(const sssp_relax<Vertex, Distance, Weight>& step, std::uint64_t most) {
    std::size_t slot = 0;
    while ((slot = occupied(slot)) <= buckets::window) {
      check();
      std::uint64_t relaxations = 0;
      for (const buckets& b : buckets_) relaxations += b.relaxations;
      if (relaxations >= most) {
        stopped_at_ = buckets_.front().least(slot);
        return false;
      }
      if (slot != buckets::window && pays_together(slot)) {
        together(slot, step);
      } else {
        gather(slot);
      }
      if (slot == buckets::window) {
        begin_window();
        slot = 0;
        continue;
      }
      const entry* const end = frontier_.data() + frontier_.size();
      const entry* const first = relax_alone(step, end, slot);
      if (first == end) continue;
      bucket_loop loop{step, buckets_, first, end, slot, few_entries_};
      parallel_for<bucket_loop, nothing, std::uint64_t>(loop, 0, static_cast<std::uint64_t>(end - first),
                                                        {.stop = stop_});
    }
    check();
    return true;
  }

  /// Relaxes entries of frontier_ that are not worth sharing, and while there is nobody to share with, since other jobs
  /// have the other threads' contexts. Returns the first of those left, up to `end`, the last one's.
  const entry* relax_alone(const sssp_relax<Vertex, Distance, Weight>& step, const entry* end, std::size_t slot) {
    sssp_relax<Vertex, Distance, Weight> by_one = step;
    by_one.distances.alone = true;
    buckets& mine = buckets_[this_thread()];
    for (const entry* first = frontier_.data(); first != end;) {
      const std::size_t few = std::min(static_cast<std::size_t>(end - first), few_entries_);
      if (first + few != end && !workers::others_wait()) return first;
      by_one(first, first + few, end, mine);
      check();
      first += few;
    }
    fuse(by_one, mine, slot, few_entries_);
    return end;
  }

  bool pays_together(std::size_t slot) {
    if (degree_ >= least_degree || buckets_.size() == 1 || buckets_.size() > most_seats) return false;
    std::uint64_t entries = 0;
    for (buckets& b : buckets_) entries += b[slot].size();
    return entries >= enough_to_begin && entries <= most_together;
  }

  /// Empties a slot in rounds, until they are too small or too large; then frontier_ has what is left.
  void together(std::size_t slot, const sssp_relax<Vertex, Distance, Weight>& step) {
    if (!rounds_) rounds_.emplace(static_cast<unsigned>(buckets_.size()));
    rounds_->take(buckets_, slot);
    do {
      rounds_->start(enough_to_go_on, most_together);
      parallel_for(0u, rounds_->seats(), [&](unsigned seat) { rounds_->run(seat, step, buckets_[seat]); },
                   {.batch = 1});
      check();
    } while (rounds_->left() >= enough_to_go_on && rounds_->left() <= most_together);
    frontier_.clear();
    rounds_->leave(frontier_);
  }

  /// Moves the entries of a slot from all threads' buckets to frontier_.
  void gather(std::size_t slot) {
    frontier_.clear();
    for (buckets& b : buckets_) {
      if (frontier_.empty()) {
        frontier_.swap(b[slot]);
      } else {
        frontier_.insert(frontier_.end(), b[slot].begin(), b[slot].end());
        b[slot].clear();
      }
    }
  }

  /// Goes on in wider buckets.
  void widen() {
    frontier_.clear();
    for (buckets& b : buckets_) b.take_all(frontier_);
    width_of_search_ /= wider;
    begin_window();
  }

  /// Begins the window with the first of the entries of frontier_.
  void begin_window() {
    std::erase_if(frontier_, [&](const entry& e) { return distances_[e.vertex] != e.distance; });
    if (frontier_.empty()) return;
    const auto nearer = [](const entry& a, const entry& b) { return a.distance < b.distance; };
    buckets& mine = buckets_.front();
    open(mine.number(std::min_element(frontier_.begin(), frontier_.end(), nearer)->distance));
    for (const entry& e : frontier_) mine.push(e.vertex, e.distance);
  }

  void check() const {
    if (stop_.stop_requested()) throw cancelled();
  }

  void gather_light(const run_control& ctx);
  void relax_heavy(const sssp_relax<Vertex, Distance, Weight>& step);
  sssp_result finish();
  void refuse_overflow() const;

  const csr_graph<Vertex>& graph_;
  double width_;  ///< the inverse of a bucket's, when a search begins
  double width_of_search_ = 1;
  bool split_;
  bool may_overflow_;
  double light_share_;  ///< of the arcs, in a sample
  double degree_;
  double stopped_at_ = 0;
  std::size_t few_entries_ = 0;  ///< of the rows that are stepped through, which one thread relaxes by itself
  Distance light_ = 0;
  light_rows<Vertex, Distance> rows_;
  std::uint64_t light_arcs_ = 0;
  machine::page_array<Distance> distances_;
  std::vector<buckets> buckets_;  ///< by thread
  typename buckets::list frontier_;
  std::optional<sssp_rounds<Vertex, Distance, Weight>> rounds_;
  std::stop_token stop_;
};

/// Fills the rows of light arcs.
template <class Vertex, class Distance, class Weight>
void delta_stepping<Vertex, Distance, Weight>::gather_light(const run_control& ctx) {
  using gatherer = sssp_gather_light<Vertex, Distance, Weight>;
  const std::uint64_t vertices = graph_.vertices();
  rows_.row = machine::page_array<typename light_rows<Vertex, Distance>::range>(vertices, machine::page_kind::used);
  // A sample of the weights tells roughly how many are light; where it misleads, all is done again with enough room.
  const auto guess = static_cast<std::uint64_t>(1.25 * light_share_ * static_cast<double>(graph_.arcs()));
  for (std::uint64_t room = std::min(guess + 4096, graph_.arcs()); light_arcs_ == 0 || light_arcs_ > room;
       room = light_arcs_) {
    rows_.arcs = machine::page_array<sssp_arc<Vertex, Distance>>(room, machine::page_kind::used);
    const auto light = std::min(static_cast<double>(light_), static_cast<double>(std::numeric_limits<Weight>::max()));
    gatherer loop{graph_.out(), static_cast<Weight>(light), rows_};
    parallel_for<gatherer, std::vector<typename gatherer::arc>, std::uint64_t>(loop, 0, vertices, {.stop = ctx.stop});
    ctx.check();
    light_arcs_ = loop.used.load(std::memory_order_relaxed);  // behind the loop's end
    if (light_arcs_ == 0) return;
  }
}

/// Relaxes the heavy arcs once, with the border that makes the fewest arcs be looked at.
template <class Vertex, class Distance, class Weight>
void delta_stepping<Vertex, Distance, Weight>::relax_heavy(const sssp_relax<Vertex, Distance, Weight>& step) {
  constexpr std::size_t bins = 256;
  struct census {
    double farthest = 0;
    bool all = true;  ///< have a distance
    std::array<std::uint64_t, bins + 1> out{};
    std::array<std::uint64_t, bins + 1> in{};  ///< the last of vertices without a distance
  };
  const std::uint64_t vertices = graph_.vertices();
  const auto over_vertices = [&](const census& begin, auto look, auto combine) {
    if (vertices > vertices_for_one) return parallel_reduce(std::uint64_t{0}, vertices, begin, look, combine);
    census c = begin;
    look(std::uint64_t{0}, vertices, c);
    return c;
  };
  census found = over_vertices(
      census{},
      [&](std::uint64_t first, std::uint64_t last, census& c) {
        for (std::uint64_t v = first; v < last; ++v) {
          if (distances_[v] == no_distance<Distance>) {
            c.all = false;
          } else {
            c.farthest = std::max(c.farthest, static_cast<double>(distances_[v]));
          }
        }
      },
      [](census a, const census& b) {
        a.farthest = std::max(a.farthest, b.farthest);
        a.all = a.all && b.all;
        return a;
      });
  const double width = std::max(found.farthest, std::numeric_limits<double>::min()) / bins;
  const auto bin = [&](Distance d) {
    return d == no_distance<Distance> ? bins
                                      : std::min(static_cast<std::size_t>(static_cast<double>(d) / width), bins - 1);
  };
  found = over_vertices(
      found,
      [&](std::uint64_t first, std::uint64_t last, census& c) {
        for (std::uint64_t v = first; v < last; ++v) {
          c.out[bin(distances_[v])] += graph_.out().degree(v);
          if (graph_.has_in()) c.in[bin(distances_[v])] += graph_.in().degree(v);
        }
      },
      [](census a, const census& b) {
        for (std::size_t i = 0; i <= bins; ++i) {
          a.out[i] += b.out[i];
          a.in[i] += b.in[i];
        }
        return a;
      });
  Distance border = no_distance<Distance>;
  if (graph_.has_in()) {
    std::uint64_t pushed = 0;
    std::uint64_t pulled = 0;
    for (const std::uint64_t arcs : found.in) pulled += arcs;
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    const auto behind = static_cast<std::size_t>(std::min(static_cast<double>(light_) / width, double{bins}));
    for (std::size_t k = 0; k < behind; ++k) pulled -= found.in[k];
    for (std::size_t k = 0; k <= bins; ++k) {
      if (pushed * 4 + pulled < least) {
        least = pushed * 4 + pulled;
        border = k == bins ? no_distance<Distance> : static_cast<Distance>(width * static_cast<double>(k));
      }
      if (k == bins) break;
      pushed += found.out[k];
      if (k + behind < bins) pulled -= found.in[k + behind];
      if (k + 1 == bins) pulled = 0;
    }
  }
  const Distance farthest = found.all ? static_cast<Distance>(found.farthest) : no_distance<Distance>;
  open(0);
  const sssp_heavy<Vertex, Distance, Weight> heavy{step, graph_.in(), light_, border, farthest};
  const auto relax = [&](std::uint64_t first, std::uint64_t last) { heavy(first, last, buckets_[this_thread()]); };
  if (graph_.arcs() <= arcs_for_one) {
    relax(0, vertices);
  } else {
    parallel_for(std::uint64_t{0}, vertices, relax, {.stop = stop_});
  }
  check();
}

template <class Vertex, class Distance, class Weight>
sssp_result delta_stepping<Vertex, Distance, Weight>::finish() {
  const std::uint64_t vertices = graph_.vertices();
  sssp_result result;
  for (const buckets& b : buckets_) {
    result.relaxations += b.relaxations;
    result.shortened += b.shortened;
  }
  using count_and_most = std::pair<std::uint64_t, double>;
  std::tie(result.reached, result.eccentricity) = parallel_reduce(
      std::uint64_t{0}, vertices, count_and_most{0, 0.0},
      [&](std::uint64_t first, std::uint64_t last, count_and_most found) {
        Distance farthest = 0;
        for (std::uint64_t v = first; v < last; ++v) {
          const bool reached = distances_[v] != no_distance<Distance>;
          found.first += reached ? 1 : 0;
          farthest = std::max(farthest, reached ? distances_[v] : Distance{0});
        }
        found.second = std::max(found.second, static_cast<double>(farthest));
        return found;
      },
      [](count_and_most a, count_and_most b) {
        return count_and_most{a.first + b.first, std::max(a.second, b.second)};
      });
  if (may_overflow_) refuse_overflow();
  result.distances = distance_map(std::move(distances_));
  return result;
}

/// Throws if a distance is larger than any double.
template <class Vertex, class Distance, class Weight>
void delta_stepping<Vertex, Distance, Weight>::refuse_overflow() const {
  const bool overflown = parallel_reduce(
      std::uint64_t{0}, graph_.vertices(), false,
      [&](std::uint64_t first, std::uint64_t last, bool found) {
        for (std::uint64_t v = first; v < last; ++v) {
          if (distances_[v] == no_distance<Distance>) continue;
          for (const Vertex w : graph_.out().row(v)) found = found || distances_[w] == no_distance<Distance>;
        }
        return found;
      },
      std::logical_or<>{});
  if (overflown) throw usage_error("the distance of a vertex is larger than any double, 1.8e308");
}

}  // namespace

template <class Vertex>
class sssp_search<Vertex>::implementation {
 public:
  /// Gathers light arcs at once if `ready`.
  implementation(const csr_graph<Vertex>& graph, const sssp_options& options, bool ready, const run_control& ctx) {
    check_arguments(graph, options);
    const weight_survey found = survey_weights(graph, "shortest paths", ctx);
    const double share = choose(graph, options.delta);
    const double longest = found.most * static_cast<double>(graph.vertices());
    const auto make = [&]<class Search>(std::type_identity<Search>, bool may_overflow) {
      search_.template emplace<Search>(graph, delta, light, share, degree_, may_overflow, ready, ctx);
    };
    const bool fits = found.whole && longest < no_distance<std::uint32_t>;
    if (graph.has_short_weights()) {
      fits ? make(std::type_identity<whole_of_short>{}, false) : make(std::type_identity<real_of_short>{}, false);
    } else {
      fits ? make(std::type_identity<whole>{}, false)
           : make(std::type_identity<real>{}, longest > std::numeric_limits<double>::max());
    }
  }

  sssp_result from(std::uint64_t source, const run_control& ctx) {
    return std::visit(
        [&](auto& search) {
          if constexpr (requires { search.from(source, ctx); }) {
            return search.from(source, ctx);
          } else {
            return sssp_result{};
          }
        },
        search_);
  }

  std::uint64_t light_arcs() const noexcept {
    return std::visit(
        [](const auto& search) {
          if constexpr (requires { search.light_arcs(); }) {
            return search.light_arcs();
          } else {
            return std::uint64_t{0};
          }
        },
        search_);
  }

  double delta = 1;
  double light = sssp_result::unreached;

 private:
  using real = delta_stepping<Vertex, double, double>;
  using whole = delta_stepping<Vertex, std::uint32_t, double>;
  using real_of_short = delta_stepping<Vertex, double, short_weight>;
  using whole_of_short = delta_stepping<Vertex, std::uint32_t, short_weight>;

  /// The width of buckets and what is light; returns the share of the arcs that are, in a sample.
  double choose(const csr_graph<Vertex>& graph, double given) {
    const std::vector<double> sample = sample_weights(graph);
    if (sample.empty()) return 0;
    degree_ = sampled_degree(graph);
    const auto lightest = [&](double share) {
      return sample[std::min(static_cast<std::size_t>(share * static_cast<double>(sample.size())), sample.size() - 1)];
    };
    if (given > 0) {
      delta = light = given;
    } else if (degree_ >= least_degree) {
      delta = lightest(bucket_arcs / degree_);
      light = lightest(light_share);
    } else {
      delta = 4 * lightest(0.5);
    }
    const auto no_heavier = std::upper_bound(sample.begin(), sample.end(), light) - sample.begin();
    if (2 * static_cast<std::size_t>(no_heavier) > sample.size()) light = sssp_result::unreached;
    if (!(delta > 0)) delta = 1;
    return static_cast<double>(no_heavier) / static_cast<double>(sample.size());
  }

  double degree_ = 0;  ///< of a vertex that has arcs
  std::variant<std::monostate, real, whole, real_of_short, whole_of_short> search_;
};

template <class Vertex>
sssp_search<Vertex>::sssp_search(const csr_graph<Vertex>& graph, const sssp_options& options, const run_control& ctx)
    : implementation_(std::make_unique<implementation>(graph, options, true, ctx)) {}
template <class Vertex>
sssp_search<Vertex>::sssp_search(sssp_search&&) noexcept = default;
template <class Vertex>
sssp_search<Vertex>& sssp_search<Vertex>::operator=(sssp_search&&) noexcept = default;
template <class Vertex>
sssp_search<Vertex>::~sssp_search() = default;
template <class Vertex>
double sssp_search<Vertex>::delta() const noexcept {
  return implementation_->delta;
}
template <class Vertex>
double sssp_search<Vertex>::light() const noexcept {
  return implementation_->light;
}
template <class Vertex>
std::uint64_t sssp_search<Vertex>::light_arcs() const noexcept {
  return implementation_->light_arcs();
}
template <class Vertex>
sssp_result sssp_search<Vertex>::from(std::uint64_t source, const run_control& ctx) {
  return implementation_->from(source, ctx);
}

template <class Vertex>
sssp_result sssp(const csr_graph<Vertex>& graph, std::uint64_t source, const sssp_options& options,
                 const run_control& ctx) {
  check_arguments(graph, options);
  check_source(graph, source);
  survey_weights(graph, "shortest paths", ctx);
  ctx.check();
  constexpr std::uint64_t most_nearby = 1 << 20;  // is more than what one thread should do by itself
  const std::uint64_t nearby = std::min(graph.arcs() / arcs_before_preparing, most_nearby);
  auto found = graph.out().weights.visit([&](auto weights) { return search_nearby(graph, weights, source, nearby); });
  if (found) return std::move(*found);
  return typename sssp_search<Vertex>::implementation(graph, options, false, ctx).from(source, ctx);
}

template CALLISTO_API sssp_result sssp(const csr_graph<std::uint32_t>&, std::uint64_t, const sssp_options&,
                                       const run_control&);
template CALLISTO_API sssp_result sssp(const csr_graph<std::uint64_t>&, std::uint64_t, const sssp_options&,
                                       const run_control&);
template class sssp_search<std::uint32_t>;
template class sssp_search<std::uint64_t>;

std::uint64_t needs::sssp(const any_graph& graph) noexcept {
  const graph_size s = size_of(graph);
  return 56 * s.n + 8 * s.m;
}

}  // namespace callisto::graph
