// Delta-stepping for one vertex width, one form of distances and one form of weights: the order of the loops.
//
// A search runs these phases, and ends after the first that leaves every bucket empty:
// 1. Step through the buckets over the unsplit rows, until arcs/512 arcs have been relaxed.
// 2. In a directed graph, go on so until arcs/8. If the search has then come farther than a light arc weighs, finish
//    with the unsplit rows in wider buckets.
// 3. Gather the light arcs in separate rows, once for all searches.
// 4. Step through the buckets over the light rows.
// 5. Relax every heavy arc once (heavy_arcs.hpp).
// 6. Step through the buckets over the unsplit rows, from the distances that phase 5 has shortened.
// If the graph's arcs are not split, phase 1 has no limit.
#pragma once

#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/sssp/choose_delta.hpp>
#include <callisto/graph/sssp/heavy_arcs.hpp>
#include <callisto/graph/sssp/kernel.hpp>
#include <callisto/graph/sssp/limits.hpp>
#include <callisto/graph/sssp/sssp.hpp>
#include <callisto/graph/sssp/supersteps.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <stop_token>
#include <tuple>
#include <utility>
#include <vector>

namespace callisto::graph {

template <class Vertex, class Distance, class Weight>
class delta_stepping : delta_limits {
 public:
  using buckets = sssp_buckets<Vertex, Distance>;
  using entry = sssp_entry<Vertex, Distance>;
  using relax = sssp_relax<Vertex, Distance, Weight>;

  /// `may_overflow`: sums of weights can be too large for a Distance. If `ready`, gathers the light arcs at once,
  /// otherwise when a search needs them.
  delta_stepping(const csr_graph<Vertex>& graph, const delta_choice& choice, bool may_overflow, bool ready,
                 const run_control& control)
      : graph_(graph),
        width_(1 / choice.delta),
        split_(choice.light != sssp_result::unreached),
        may_overflow_(may_overflow),
        light_share_(choice.light_share),
        degree_(choice.degree) {
    if (!split_) return;
    light_ = static_cast<Distance>(choice.light);
    if (ready) gather_light(control);
  }

  std::uint64_t light_arcs() const noexcept { return light_arcs_; }

  /// Returns the distances from `source`, a vertex of the graph.
  sssp_result from(std::uint64_t source, const run_control& control) {
    begin(source, control);
    const sssp_distances<Distance> shared{distances_.data(), threads() == 1};
    const relax all{graph_.out(), nullptr, shared};
    few_entries_ = few_of(degree_);
    constexpr std::uint64_t any = std::numeric_limits<std::uint64_t>::max();
    if (step_through(all, split_ ? graph_.arcs() / arcs_before_preparing : any)) return finish();
    if (rows_.row.size() != graph_.vertices()) {
      if (graph_.directed()) {
        const double before = stopped_at_;
        if (step_through(all, graph_.arcs() / arcs_before_gathering)) return finish();
        if (stopped_at_ - before > static_cast<double>(light_)) {
          widen();
          step_through(all, any);
          return finish();
        }
      }
      gather_light(control);
    }
    few_entries_ = few_of(light_share_ * degree_);
    step_through({graph_.out(), &rows_, shared}, any);
    relax_heavy(all);
    step_through(all, any);
    return finish();
  }

 private:
  struct nothing {};

  void begin(std::uint64_t source, const run_control& control) {
    const std::uint64_t vertices = graph_.vertices();
    stop_ = control.stop;
    if (control.report != nullptr) control.report->begin("shortest paths", 0, "vertices");
    if (supersteps_ && supersteps_->slots() != threads()) supersteps_.reset();
    buckets_ = std::vector<buckets>(threads());
    width_of_search_ = width_;
    open(0);
    if (distances_.size() != vertices) distances_ = machine::page_array<Distance>(vertices, machine::page_kind::used);
    parallel_for(std::uint64_t{0}, vertices, [&](std::uint64_t first, std::uint64_t last) {
      std::fill(distances_.begin() + first, distances_.begin() + last, no_distance<Distance>);
    });
    distances_[source] = 0;
    buckets_.front().push(static_cast<Vertex>(source), 0);
  }

  /// Returns the number of entries, of `arcs` arcs each, that one thread relaxes alone. With one thread, all of them.
  std::size_t few_of(double arcs) const noexcept {
    return buckets_.size() == 1 ? std::numeric_limits<std::size_t>::max()
                                : static_cast<std::size_t>(few_arcs / std::max(arcs, 1.0)) + 1;
  }

  /// Common part of the loops that relax the entries of one bucket with all threads.
  struct bucket_loop {
    const relax& step;
    std::vector<buckets>& all;
    std::size_t bucket;
    std::size_t few;

    void fork(nothing&) noexcept {}
    void join(nothing&) { fuse(step, all[this_thread()], bucket, few); }
  };
  /// The loop for entries that stand together.
  struct gathered_loop : bucket_loop {
    const entry* entries;
    const entry* end;

    void work(nothing&, std::uint64_t first, std::uint64_t last) {
      this->step(entries + first, entries + last, end, this->all[this_thread()]);
    }
  };
  /// The loop for a bucket of many entries, which stay where the threads have put them.
  struct large_loop : bucket_loop {
    const std::vector<typename buckets::list>& lists;
    const std::vector<std::uint64_t>& ends;  ///< of the lists, as if they stood in a row

    void work(nothing&, std::uint64_t first, std::uint64_t last) {
      auto at = static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), first) - ends.begin());
      for (; first != last; ++at) {
        const std::uint64_t begin = ends[at] - lists[at].size();
        const std::uint64_t end = std::min(last, ends[at]);
        const entry* const entries = lists[at].data();
        this->step(entries + (first - begin), entries + (end - begin), entries + lists[at].size(),
                   this->all[this_thread()]);
        first = end;
      }
    }
  };

  /// Relaxes what the thread has put back into its own bucket, while that is too little to share (bucket fusion: Zhang
  /// et al., CGO'20).
  static void fuse(const relax& step, buckets& mine, std::size_t bucket, std::size_t few) {
    typename buckets::list current;
    while (!mine[bucket].empty() && mine[bucket].size() <= few) {
      current.clear();
      current.swap(mine[bucket]);
      step(current.data(), current.data() + current.size(), current.data() + current.size(), mine);
    }
  }

  void open(std::uint64_t first) {
    for (buckets& b : buckets_) b.open(width_of_search_, first);
  }

  /// Returns the first bucket from `bucket` on in which any thread has an entry.
  std::size_t occupied(std::size_t bucket) const noexcept {
    std::size_t least = buckets::window + 1;
    for (const buckets& b : buckets_) least = std::min(least, b.occupied(bucket));
    return least;
  }

  /// Empties the buckets in ascending order. Returns false if `most` arcs or more have been relaxed and entries are
  /// left.
  bool step_through(const relax& step, std::uint64_t most) {
    std::size_t bucket = 0;
    while ((bucket = occupied(bucket)) <= buckets::window) {
      check();
      std::uint64_t relaxations = 0;
      for (const buckets& b : buckets_) relaxations += b.relaxations;
      if (relaxations >= most) {
        stopped_at_ = buckets_.front().least(bucket);
        return false;
      }
      if (bucket != buckets::window && pays_in_supersteps(bucket)) {
        empty_in_supersteps(bucket, step);
      } else if (bucket != buckets::window && is_large(bucket)) {
        empty_large(bucket, step);
        continue;
      } else {
        gather(bucket);
      }
      if (bucket == buckets::window) {
        begin_window();
        bucket = 0;
        continue;
      }
      const entry* const end = frontier_.data() + frontier_.size();
      const entry* const first = relax_alone(step, end, bucket);
      if (first == end) continue;
      gathered_loop loop{{step, buckets_, bucket, few_entries_}, first, end};
      parallel_for<gathered_loop, nothing, std::uint64_t>(loop, 0, static_cast<std::uint64_t>(end - first),
                                                          {.stop = stop_});
    }
    check();
    return true;
  }

  /// Relaxes entries of frontier_ on the calling thread while they are too few to share, or while other jobs have the
  /// followers' contexts. Returns the first entry that is left; `end` if none is.
  const entry* relax_alone(const relax& step, const entry* end, std::size_t bucket) {
    relax by_one = step;
    by_one.distances.alone = true;
    buckets& mine = buckets_[this_thread()];
    for (const entry* first = frontier_.data(); first != end;) {
      const std::size_t few = std::min(static_cast<std::size_t>(end - first), few_entries_);
      if (first + few != end && !workers::others_wait()) return first;
      by_one(first, first + few, end, mine);
      check();
      first += few;
    }
    fuse(by_one, mine, bucket, few_entries_);
    return end;
  }

  /// Returns the entries that all threads have in a bucket.
  std::uint64_t entries_in(std::size_t bucket) {
    std::uint64_t entries = 0;
    for (buckets& b : buckets_) entries += b[bucket].size();
    return entries;
  }

  bool pays_in_supersteps(std::size_t bucket) {
    if (degree_ >= least_degree_to_split || buckets_.size() == 1 || buckets_.size() > most_threads_in_supersteps)
      return false;
    const std::uint64_t entries = entries_in(bucket);
    return entries >= least_to_begin_supersteps && entries <= most_in_supersteps;
  }

  /// Empties a bucket in supersteps until these become too small or too large. Then frontier_ has the entries left.
  void empty_in_supersteps(std::size_t bucket, const relax& step) {
    if (!supersteps_) supersteps_.emplace(static_cast<unsigned>(buckets_.size()));
    supersteps_->take(buckets_, bucket);
    do {
      supersteps_->start(least_to_go_on, most_in_supersteps);
      parallel_for(0u, supersteps_->slots(), [&](unsigned slot) { supersteps_->run(slot, step, buckets_[slot]); },
                   {.batch = 1});
      check();
    } while (supersteps_->left() >= least_to_go_on && supersteps_->left() <= most_in_supersteps);
    frontier_.clear();
    supersteps_->leave(frontier_);
  }

  /// True if copying the entries of a bucket would take longer than it takes all threads to find them where they are.
  bool is_large(std::size_t bucket) {
    return buckets_.size() > 1 && !workers::others_wait() && entries_in(bucket) >= least_in_place;
  }

  void empty_large(std::size_t bucket, const relax& step) {
    lists_.resize(buckets_.size());
    ends_.clear();
    std::uint64_t entries = 0;
    for (std::size_t t = 0; t < buckets_.size(); ++t) {
      lists_[t].clear();
      lists_[t].swap(buckets_[t][bucket]);
      ends_.push_back(entries += lists_[t].size());
    }
    large_loop loop{{step, buckets_, bucket, few_entries_}, lists_, ends_};
    parallel_for<large_loop, nothing, std::uint64_t>(loop, 0, entries, {.stop = stop_});
  }

  /// Moves the entries of a bucket from all threads' buckets to frontier_.
  void gather(std::size_t bucket) {
    frontier_.clear();
    for (buckets& b : buckets_) {
      if (frontier_.empty()) {
        frontier_.swap(b[bucket]);
      } else {
        frontier_.insert(frontier_.end(), b[bucket].begin(), b[bucket].end());
        b[bucket].clear();
      }
    }
  }

  /// Moves all entries to wider buckets.
  void widen() {
    frontier_.clear();
    for (buckets& b : buckets_) b.take_all(frontier_);
    width_of_search_ /= wider;
    begin_window();
  }

  /// Opens a window that begins at the nearest entry of frontier_, and puts the entries into it.
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

  template <class Result, class Look>
  Result over_vertices(const Result& begin, const Look& look) const;
  void gather_light(const run_control& control);
  void relax_heavy(const relax& step);
  sssp_result finish();
  void refuse_overflow() const;

  const csr_graph<Vertex>& graph_;
  double width_;                ///< 1 / width of a bucket, when a search begins
  double width_of_search_ = 1;  ///< 1 / width of a bucket of the current search
  bool split_;                  ///< some arcs are heavy
  bool may_overflow_;
  double light_share_;           ///< light arcs by all arcs, in a sample
  double degree_;                ///< arcs of a vertex that has arcs, estimated
  double stopped_at_ = 0;        ///< distance at which step_through() returned false
  std::size_t few_entries_ = 0;  ///< entries of the current rows that one thread relaxes alone
  Distance light_ = 0;
  light_rows<Vertex, Distance> rows_;
  std::uint64_t light_arcs_ = 0;
  machine::page_array<Distance> distances_;
  std::vector<buckets> buckets_;  ///< by thread
  typename buckets::list frontier_;
  std::vector<typename buckets::list> lists_;  ///< of a large bucket, by thread
  std::vector<std::uint64_t> ends_;            ///< of lists_, as if they stood in a row
  std::optional<sssp_supersteps<Vertex, Distance, Weight>> supersteps_;
  std::stop_token stop_;
};

template <class Vertex, class Distance, class Weight>
void delta_stepping<Vertex, Distance, Weight>::gather_light(const run_control& control) {
  light_arcs_ = gather_light_rows<Weight>(graph_.out(), light_, light_share_, control.stop, rows_);
  control.check();
}

/// Sums look(first, last, sum) over all vertices; in a small graph, on the calling thread.
template <class Vertex, class Distance, class Weight>
template <class Result, class Look>
Result delta_stepping<Vertex, Distance, Weight>::over_vertices(const Result& begin, const Look& look) const {
  const std::uint64_t vertices = graph_.vertices();
  if (vertices > vertices_for_one) return parallel_reduce(std::uint64_t{0}, vertices, begin, look, std::plus<>{});
  Result sum = begin;
  look(std::uint64_t{0}, vertices, sum);
  return sum;
}

/// Relaxes the heavy arcs once. Without in-rows every vertex pushes.
template <class Vertex, class Distance, class Weight>
void delta_stepping<Vertex, Distance, Weight>::relax_heavy(const relax& step) {
  const Distance* const distances = distances_.data();
  const auto extent = over_vertices(sssp_extent{}, [&](std::uint64_t first, std::uint64_t last, sssp_extent& sum) {
    sum.look_at(distances, first, last);
  });
  Distance border = no_distance<Distance>;
  if (graph_.has_in()) {
    const auto count = [&](std::uint64_t first, std::uint64_t last, sssp_arc_histogram& sum) {
      sum.count(graph_, distances, first, last);
    };
    border = over_vertices(sssp_arc_histogram(extent.farthest), count).cheapest_border(light_);
  }
  const Distance farthest = extent.all ? static_cast<Distance>(extent.farthest) : no_distance<Distance>;
  open(0);
  const sssp_heavy<Vertex, Distance, Weight> heavy{step, graph_.in(), light_, border, farthest};
  const auto body = [&](std::uint64_t first, std::uint64_t last) { heavy(first, last, buckets_[this_thread()]); };
  if (graph_.arcs() <= arcs_for_one) {
    body(0, graph_.vertices());
  } else {
    parallel_for(std::uint64_t{0}, graph_.vertices(), body, {.stop = stop_});
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

/// Throws usage_error if a vertex without a distance has an in-neighbour with one: its distance is larger than any
/// double.
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

}  // namespace callisto::graph
