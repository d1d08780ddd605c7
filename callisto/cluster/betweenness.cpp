#include <callisto/cluster/betweenness.hpp>
#include <callisto/cluster/hub_arcs.hpp>
#include <callisto/cluster/posts.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/page_array.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::cluster {

namespace {

using machine::page_array;
using machine::page_kind;

template <class Vertex>
class dealt_betweenness {
 public:
  dealt_betweenness(const graph::csr_graph<Vertex>& graph, bool squares, const graph::shared_control& control)
      : graph_(graph),
        among_(*control.among),
        control_(control),
        first_(among_.first()),
        last_(among_.last()),
        lanes_(lanes_of_betweenness()),
        scores_(graph.vertices(), page_kind::small),
        squares_(squares ? graph.vertices() : 0, page_kind::small) {
    const std::uint64_t own = last_ - first_;
    for (lane& l : lanes_) {
      l.sums = page_array<double>(graph.vertices(), page_kind::small);
      l.levels = page_array<std::uint32_t>(own);
      l.paths = page_array<double>(own);
      l.dependencies = page_array<double>(own);
    }
    hubs_ = find_hubs(graph, among_);
    from_hubs_ = neighbours_of_hubs(graph_.in());
    if (graph_.directed()) to_hubs_ = neighbours_of_hubs(graph_.out());
  }

  void search(const std::vector<std::uint64_t>& sources) {
    if (control_.report != nullptr) control_.report->begin("betweenness", sources.size(), "sources");
    for (std::size_t i = 0; i < sources.size(); i += lanes_.size()) {
      const std::size_t count = std::min(lanes_.size(), sources.size() - i);
      begin(sources.data() + i, count);
      const std::uint32_t deepest = forward();
      backward(deepest);
      if (control_.report != nullptr) control_.report->advance(count);
      control_.check();
    }
  }

  /// Frees what only searches need.
  void end_search() {
    lanes_.clear();
    from_hubs_ = lists();
    to_hubs_ = lists();
  }

  /// Return the sums over the sources, all of them where the result is told.
  page_array<double> scores() { return collected(std::move(scores_)); }
  page_array<double> squares() { return squares_.empty() ? page_array<double>() : collected(std::move(squares_)); }

 private:
  static constexpr std::uint32_t unreached = std::numeric_limits<std::uint32_t>::max();

  /// One search. Arrays of own vertices count these from 0.
  struct lane {
    page_array<double> sums;                      ///< by vertex of all: what own vertices give to it in this step
    std::vector<Vertex> touched;                  ///< vertices with a sum
    std::vector<std::pair<Vertex, double>> hubs;  ///< own hubs, and what each gives to all of its neighbours
    page_array<std::uint32_t> levels;
    page_array<double> paths;
    page_array<double> dependencies;
    std::vector<Vertex> order;        ///< own vertices in the order of levels
    std::vector<std::size_t> starts;  ///< where each level begins in `order`
  };

  struct post {
    Vertex vertex;
    std::uint32_t lane;
    double value;
  };

  using lists = std::vector<std::vector<Vertex>>;

  /// Returns by hub the own vertices that have it in `rows`, loops not at all.
  lists neighbours_of_hubs(const graph::adjacency<Vertex>& rows) const {
    lists found(hubs_.size());
    for (std::uint64_t v = first_; v != last_ && !hubs_.empty(); ++v) add_to_hubs(rows.row(v), v, hubs_, found);
    return found;
  }

  page_array<double> collected(page_array<double> sums) {
    among_.collect(sums.data(), among_.bounds());
    return sums;
  }

  /// Calls f(lane) for all lanes, each on one thread.
  template <class F>
  void for_each_lane(const F& f) {
    if (!parallel_for(std::size_t{0}, lanes_.size(), [&](std::size_t l) { f(lanes_[l]); },
                      {.batch = 1, .stop = control_.stop})) {
      throw graph::cancelled();
    }
  }

  void begin(const std::uint64_t* sources, std::size_t count) {
    for_each_lane([](lane& l) {
      std::fill(l.levels.begin(), l.levels.end(), unreached);
      std::fill(l.dependencies.begin(), l.dependencies.end(), 0);
      l.order.clear();
      l.starts.assign(1, 0);
    });
    for (std::size_t i = 0; i != count; ++i) {
      if (sources[i] < first_ || sources[i] >= last_) continue;
      reach(lanes_[i], static_cast<Vertex>(sources[i]), 0, 1);
    }
  }

  void reach(lane& l, Vertex v, std::uint32_t level, double paths) {
    l.levels[v - first_] = level;
    l.paths[v - first_] = paths;
    l.order.push_back(v);
  }

  /// Adds `value` to the sum of each neighbour in `rows`: repeated arcs once, loops not at all.
  void give(lane& l, const graph::adjacency<Vertex>& rows, Vertex v, double value) const {
    if (!hubs_.empty() && hub_number(hubs_, v) != hubs_.size()) return l.hubs.push_back({v, value});
    const auto row = rows.row(v);
    for (std::size_t i = 0; i != row.size(); ++i) {
      const Vertex w = row[i];
      if (w == v || (i != 0 && row[i - 1] == w)) continue;
      if (l.sums[w] == 0) l.touched.push_back(w);
      l.sums[w] += value;
    }
  }

  /// Calls f(post) for all that own vertices get in this step. `neighbours`: of hubs, in its direction.
  template <class F>
  void take_all(const lists& neighbours, const F& f) {
    for (const post& p : exchange_sums()) f(p);
    if (hubs_.empty()) return;
    std::vector<post> own;
    for (std::size_t i = 0; i != lanes_.size(); ++i) {
      for (const auto& [hub, value] : lanes_[i].hubs) own.push_back({hub, static_cast<std::uint32_t>(i), value});
      lanes_[i].hubs.clear();
    }
    for (const post& p : among_.lists_of_all(own)) {
      for (const Vertex w : neighbours[hub_number(hubs_, p.vertex)]) f({w, p.lane, p.value});
    }
  }

  /// Sends all sums to their processes, and empties them. Returns what came, by number of the sender.
  std::vector<post> exchange_sums() {
    const std::vector<std::uint64_t>& bounds = among_.bounds();
    std::vector<std::uint64_t> counts(among_.count());
    for (const lane& l : lanes_) {
      for (const Vertex v : l.touched) ++counts[owner_of(bounds, v)];
    }
    std::vector<std::uint64_t> next(among_.count());
    for (std::size_t p = 1; p < next.size(); ++p) next[p] = next[p - 1] + counts[p - 1];
    std::vector<post> sorted(next.back() + counts.back());
    for (std::size_t i = 0; i != lanes_.size(); ++i) {
      lane& l = lanes_[i];
      for (const Vertex v : l.touched) {
        sorted[next[owner_of(bounds, v)]++] = {v, static_cast<std::uint32_t>(i), std::exchange(l.sums[v], 0)};
      }
      l.touched.clear();
    }
    return among_.exchange(sorted, counts);
  }

  /// Searches from the sources of all lanes. Returns the number of the deepest level of any.
  std::uint32_t forward() {
    bool endless = false;
    std::uint32_t level = 0;
    for (;;) {
      for_each_lane([&](lane& l) {
        const std::size_t from = l.starts.back();
        l.starts.push_back(l.order.size());
        for (std::size_t i = from; i != l.starts.back(); ++i) {
          const Vertex v = l.order[i];
          give(l, graph_.out(), v, l.paths[v - first_]);
        }
      });
      std::uint64_t found = 0;
      take_all(from_hubs_, [&](const post& p) {
        lane& l = lanes_[p.lane];
        const std::uint64_t v = p.vertex - first_;
        if (l.levels[v] == unreached) {
          reach(l, p.vertex, level + 1, p.value);
          ++found;
        } else if (l.levels[v] == level + 1) {
          l.paths[v] += p.value;
        }
        endless = endless || !std::isfinite(l.paths[v]);
      });
      if (among_.sum(std::uint64_t{endless}) != 0) {
        throw usage_error("there are more shortest paths than a double counts, which betweenness over ranks cannot do");
      }
      if (among_.sum(found) == 0) return level;
      ++level;
      control_.check();
    }
  }

  /// Adds the dependencies of the searches to the sums.
  void backward(std::uint32_t deepest) {
    for (std::uint32_t level = deepest; level != 0; --level) {
      for_each_lane([&](lane& l) {
        for (std::size_t i = l.starts[level]; i != l.starts[level + 1]; ++i) {
          const Vertex v = l.order[i];
          give(l, graph_.in(), v, (1 + l.dependencies[v - first_]) / l.paths[v - first_]);
        }
      });
      // A vertex of this level has all of its dependency.
      for (const lane& l : lanes_) {
        for (std::size_t i = l.starts[level]; i != l.starts[level + 1]; ++i) {
          const Vertex v = l.order[i];
          const double of_v = l.dependencies[v - first_];
          scores_[v] += of_v;
          if (!squares_.empty()) squares_[v] += of_v * of_v;
        }
      }
      take_all(graph_.directed() ? to_hubs_ : from_hubs_, [&](const post& p) {
        lane& l = lanes_[p.lane];
        const std::uint64_t v = p.vertex - first_;
        if (l.levels[v] == level - 1) l.dependencies[v] += l.paths[v] * p.value;
      });
    }
  }

  const graph::csr_graph<Vertex>& graph_;
  graph::partners& among_;
  const graph::shared_control& control_;
  const std::uint64_t first_;
  const std::uint64_t last_;
  std::vector<lane> lanes_;
  std::vector<Vertex> hubs_;
  lists from_hubs_;  ///< by hub: own vertices that its arcs lead to
  lists to_hubs_;    ///< of a directed graph, by hub: own vertices with arcs that lead to it
  page_array<double> scores_;
  page_array<double> squares_;
};

}  // namespace

unsigned lanes_of_betweenness() { return std::clamp(threads(), 4U, 16U); }

graph::betweenness_result betweenness(const graph::any_graph& graph, const graph::betweenness_options& options,
                                      const graph::shared_control& control) {
  if (options.error != 0) throw usage_error("betweenness over ranks has no bound of the error; expected samples");
  graph::betweenness_options checked = options;
  checked.memory = std::numeric_limits<std::uint64_t>::max();  // that of one process
  graph::check_betweenness_arguments(graph, checked);
  return std::visit(
      [&]<class Vertex>(const graph::csr_graph<Vertex>& g) {
        if (options.weights == graph::weight_use::length && g.weighted()) {
          throw usage_error("betweenness over ranks counts arcs; it does not take weights as lengths");
        }
        const std::vector<std::uint64_t> sources = graph::betweenness_sources(graph, options);
        const bool squares = options.samples != 0 && sources.size() < g.vertices();
        dealt_betweenness<Vertex> all(g, squares, control);
        all.search(sources);
        all.end_search();
        page_array<double> scores = all.scores();
        page_array<double> of_squares = all.squares();
        graph::betweenness_result result;
        if (control.among->tells()) {
          result = graph::scores_of_sums(graph, std::move(scores), std::move(of_squares), options);
        }
        result.searches = sources.size();
        result.form = graph::betweenness_form::inner;
        return result;
      },
      graph);
}

}  // namespace callisto::cluster
