// PageRank by the power iteration, and by the accelerated iteration of Gauss-Seidel sweeps and Anderson mixing.
// Included by pagerank.cpp and pagerank_64.cpp, which compile it for 32-bit and for 64-bit vertices.
#pragma once

#include <callisto/graph/csr/hub_places.hpp>
#include <callisto/graph/csr/partners.hpp>
#include <callisto/graph/pagerank/blocks.hpp>
#include <callisto/graph/pagerank/cut_rows.hpp>
#include <callisto/graph/pagerank/kernel.hpp>
#include <callisto/graph/pagerank/limits.hpp>
#include <callisto/graph/pagerank/mixing.hpp>
#include <callisto/graph/pagerank/over_parts.hpp>
#include <callisto/graph/pagerank/pagerank.hpp>
#include <callisto/graph/pagerank/published_pages.hpp>
#include <callisto/graph/pagerank/rows.hpp>
#include <callisto/loop/parallel_for.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <source_location>
#include <type_traits>
#include <vector>

namespace callisto::graph {

/// `start` and `sweep` are bodies of kernel.hpp that know the graph; the rest of them is set here.
template <class Start, class Sweep>
pagerank_result power_iteration(std::uint64_t vertices, const pagerank_options& options, const shared_control& control,
                                Start start, Sweep sweep) {
  pagerank_result result;
  result.scores = machine::page_array<double>(vertices, machine::page_kind::used);
  machine::page_array<double> contributions(vertices, machine::page_kind::used);
  machine::page_array<double> next_contributions(vertices, machine::page_kind::used);
  const machine::page_array<double> restart = shares_of(options.seeds, vertices);
  const std::uint64_t sharers = restart.empty() ? vertices : 1;
  start.scores = result.scores.data();
  start.contributions = contributions.data();
  start.rank = restart.empty() ? 1 / static_cast<double>(vertices) : 1;
  start.restart = restart.data();
  sweep.scores = result.scores.data();
  sweep.damping = options.damping;
  sweep.restart = restart.data();
  double dangling = over_parts<sweep_sums>(vertices, start, options.batch, control).dangling;
  if (control.among != nullptr) control.among->share(contributions.data(), control.among->bounds());
  while (!result.converged && result.iterations < options.iterations) {
    sweep.contributions = contributions.data();
    sweep.next_contributions = next_contributions.data();
    sweep.base = pagerank_base(options.damping, 1, dangling, sharers);
    const auto sums = over_parts<sweep_sums>(vertices, sweep, options.batch, control);
    dangling = sums.dangling;
    contributions.swap(next_contributions);
    if (control.among != nullptr) control.among->share(contributions.data(), control.among->bounds());
    count_sweep(result, sums.change, options, control);
  }
  if (control.among != nullptr) control.among->collect(result.scores.data(), control.among->bounds());
  return result;
}

/// Changes below this are mostly rounding errors, which no mixture improves.
inline constexpr double least_mixed = 1e-12;

/// Added to a sweep's change for the rounding errors of sums in single precision.
template <class Real>
inline constexpr double noise = std::is_same_v<Real, float> ? 0x1p-22 : 0;

/// `Weight`: the form of the weights of the arcs; void: they have none.
template <class Real, class Vertex, class Weight = void>
class accelerated_iteration {
 public:
  /// `weights`: of the in-arcs. `inverse`: 1 / the sum of the weights of each vertex's out-arcs. Both are given if arcs
  /// have weights.
  accelerated_iteration(const csr_graph<Vertex>& graph, const pagerank_options& options, const shared_control& control,
                        const Weight* weights = nullptr, const double* inverse = nullptr)
      : graph_(graph),
        options_(options),
        control_(control),
        layout_(graph.in().offsets.data(), graph.vertices(), control.among),
        restart_(shares_of(options.seeds, graph.vertices())),
        inverse_(graph.vertices(), pages_of_part()),
        weights_(weights),
        given_inverse_(inverse) {
    if (control.among != nullptr) join_partners();
    contributions_ = reals(2 * graph.vertices() + 1, pages_.is_chosen() ? pages_of_part() : machine::page_kind::used);
    contributions_[2 * graph.vertices()] = 0;
    const row_pattern pattern =
        std::is_void_v<Weight> ? packed_rows<Vertex>::pattern_of(graph.in(), control.among) : row_pattern::none;
    if (pattern != row_pattern::none) pack_all_rows();
    if (pattern == row_pattern::repeated) sweeps_to_mix_ = most_mixed_sweeps;
    for (std::size_t i = 0; i <= sweeps_to_mix_; ++i) scores_[i] = reals(graph.vertices(), pages_of_part());
  }

  pagerank_result run() {
    pagerank_result result;
    mixed_sums before = set(start());
    choose_places();
    result.inside_order = places_.empty() ? gather_order::given : gather_order::degrees;
    for (std::size_t i = 0;;) {
      const block_sums sums = sweep(scores_[i], scores_[i + 1], before);
      scale_[i] = 1 / before.total;
      const double change = sums.change * scale_[i] + noise<Real>;
      count_sweep(result, change, options_, control_);
      if (result.converged || result.iterations == options_.iterations) {
        result.scores = normalized_parts(scores_[i + 1], sums.total, control_);
        return result;
      }
      totals_[i] = sums.total;
      before = {sums.total, sums.dangling};
      // The first sweeps gain most, so go on without mixing; but near the goal a mixture can save a sweep.
      const bool near =
          result.iterations == i + 1 && i >= 2 && change <= pagerank_limits::near_tolerance * options_.tolerance;
      if (++i < sweeps_to_mix_ && !near) continue;
      if (change > least_mixed) {
        before = mix(i);
      } else {
        scores_.front().swap(scores_[i]);
      }
      i = 0;
    }
  }

 private:
  using reals = machine::page_array<Real>;

  mixing_start start();
  void pack_all_rows();

  /// Returns the kind of pages for arrays of which a process writes its part only: at its ends huge ones waste some MB.
  machine::page_kind pages_of_part() const noexcept {
    constexpr std::uint64_t large = std::uint64_t{64} << 20;  // bytes, of which huge pages waste a sixteenth
    if (control_.among == nullptr || (control_.among->last() - control_.among->first()) * sizeof(Real) >= large)
      return machine::page_kind::used;
    return machine::page_kind::small;
  }

  /// Puts contributions in places by degree if that is faster for the sweeps to come, at least.
  void choose_places() {
    constexpr double few_sweeps = 4;
    constexpr double more_sweeps = 12;
    if (control_.among != nullptr || !packed_.empty()) return;
    const double sweeps = std::min<double>(std::is_same_v<Real, float> ? few_sweeps : more_sweeps, options_.iterations);
    if (!options_.inside_order) {
      places_ = hub_places<Vertex>::if_faster(graph_.in(), graph_.out(), contributions_.data(), sweeps, control_);
    } else if (*options_.inside_order == gather_order::degrees) {
      places_ = hub_places<Vertex>::of(graph_.in(), graph_.out(), control_);
    }
    if (places_.empty()) return;
    inside_ = machine::page_array<std::uint8_t>(graph_.vertices(), machine::page_kind::used);
    const adjacency<Vertex>& in = graph_.in();
    for (std::uint64_t colour = 0; colour < block_colours; ++colour) {
      over_blocks(colour, [&](std::uint64_t block) {
        const std::uint64_t first = layout_.first(block);
        const std::uint64_t last = layout_.last(block);
        for (std::uint64_t v = first; v < last; ++v) {
          const auto row = in.row(v);
          inside_[v] = lies_in(row.data(), row.data() + row.size(), first, last) ? 1 : 0;
        }
      });
    }
    put_all();
  }

  /// Puts all fresh contributions in the places of the published ones.
  void put_all() {
    const auto put = [&](std::uint64_t first, std::uint64_t last) { this->put(first, last); };
    if (!parallel_for(std::uint64_t{0}, graph_.vertices(), put, {.stop = control_.stop})) throw cancelled();
  }
  void put(std::uint64_t first, std::uint64_t last) noexcept {
    Real* const published = contributions_.data();
    const Real* const fresh = published + graph_.vertices();
    const Vertex* const place = places_.places();
    for (std::uint64_t v = first; v < last; ++v) published[place[v]] = fresh[v];
  }

  /// Sweeps from the scores x to the scores y, colour by colour.
  block_sums sweep(const reals& x, reals& y, mixed_sums before) {
    const std::uint64_t sharers = restart_.empty() ? graph_.vertices() : 1;
    const block_sweep<Vertex, Real, Weight> body{
        .in = graph_.in(),
        .layout = layout_,
        .packed = packed_,
        .contributions = contributions_.data(),
        .inverse = inverse_.data(),
        .x = x.data(),
        .y = y.data(),
        .base = pagerank_base(options_.damping, before.total, before.dangling, sharers),
        .damping = options_.damping,
        .restart = restart_.data(),
        .weights = weights_,
        .placed = places_.empty() ? nullptr : places_.rows(),
        .inside = inside_.data(),
        .cut = cut_.sums(),
    };
    std::vector<block_sums> parts(layout_.blocks());
    for (std::uint64_t colour = 0; colour < block_colours; ++colour) {
      publish();
      if (control_.among != nullptr) cut_.sum(colour, contributions_.data(), *control_.among);
      over_blocks(colour, [&](std::uint64_t block) { parts[block] = body(block); });
      unpublished_ = colour;
    }
    if (control_.among != nullptr) control_.among->share(parts.data(), block_bounds_);
    return std::accumulate(parts.begin(), parts.end(), block_sums{});
  }

  /// Publishes the contributions of the blocks of the colour swept last.
  void publish() {
    if (!unpublished_) return;
    if (control_.among != nullptr) {
      publish_among(*unpublished_);
      unpublished_.reset();
      return;
    }
    over_blocks(*unpublished_, [&](std::uint64_t block) {
      if (!places_.empty()) return put(layout_.first(block), layout_.last(block));
      Real* const published = contributions_.data();
      const Real* const fresh = published + graph_.vertices();
      std::copy(fresh + layout_.first(block), fresh + layout_.last(block), published + layout_.first(block));
    });
    unpublished_.reset();
  }

  template <class Body>
  void over_blocks(std::uint64_t colour, const Body& body,
                   std::source_location where = std::source_location::current()) {
    const std::vector<std::uint64_t>& blocks = layout_.of_colour(colour);
    const std::size_t me = control_.among == nullptr ? 0 : control_.among->number();
    const std::uint64_t first = control_.among == nullptr ? 0 : part_of_[colour][me];
    const std::uint64_t last = control_.among == nullptr ? blocks.size() : part_of_[colour][me + 1];
    const auto run = [&](std::uint64_t i) { body(blocks[i]); };
    const loop_options how{.batch = options_.batch == 0 ? 0 : std::uint64_t{1}, .stop = control_.stop};
    if (!parallel_for(first, last, run, how, where)) {
      throw cancelled();
    }
  }

  /// Finds the blocks of each partner.
  void join_partners() {
    const std::vector<std::uint64_t>& bounds = control_.among->bounds();
    std::uint64_t block = 0;
    for (const std::uint64_t bound : bounds) {
      while (block < layout_.blocks() && layout_.first(block) < bound) ++block;
      block_bounds_.push_back(block);
    }
    if constexpr (std::is_void_v<Weight>) cut_ = cut_rows<Vertex>(graph_, layout_, *control_.among);
    pages_ = published_pages<Real>(
        published_pages<Real>::read_by(graph_.in(), *control_.among, [&](std::uint64_t v) { return cut_.has(v); }),
        layout_, *control_.among);
    if (!pages_.is_chosen()) sent_ = reals(graph_.vertices(), machine::page_kind::used);
    for (std::uint64_t colour = 0; colour < block_colours; ++colour) {
      const std::vector<std::uint64_t>& blocks = layout_.of_colour(colour);
      place_of_[colour].push_back(0);
      for (const std::uint64_t b : blocks)
        place_of_[colour].push_back(place_of_[colour].back() + layout_.last(b) - layout_.first(b));
      for (const std::uint64_t bound : block_bounds_)
        part_of_[colour].push_back(
            static_cast<std::uint64_t>(std::lower_bound(blocks.begin(), blocks.end(), bound) - blocks.begin()));
    }
  }

  /// Publishes the contributions of the blocks of a colour at all partners: each sends the values of its blocks.
  void publish_among(std::uint64_t colour) {
    const std::vector<std::uint64_t>& blocks = layout_.of_colour(colour);
    const std::vector<std::uint64_t>& part = part_of_[colour];
    const std::vector<std::uint64_t>& place = place_of_[colour];
    Real* const published = contributions_.data();
    const Real* const fresh = published + graph_.vertices();
    const std::size_t me = control_.among->number();
    if (pages_.is_chosen()) {
      parallel_for(part[me], part[me + 1], [&](std::uint64_t i) {
        std::copy(fresh + layout_.first(blocks[i]), fresh + layout_.last(blocks[i]),
                  published + layout_.first(blocks[i]));
      });
      return pages_.exchange(colour, fresh, published, *control_.among);
    }
    parallel_for(part[me], part[me + 1], [&](std::uint64_t i) {
      std::copy(fresh + layout_.first(blocks[i]), fresh + layout_.last(blocks[i]), sent_.data() + place[i]);
    });
    std::vector<std::uint64_t> bounds;
    for (const std::uint64_t i : part) bounds.push_back(place[i]);
    control_.among->share(sent_.data(), bounds);
    parallel_for(std::uint64_t{0}, std::uint64_t{blocks.size()}, [&](std::uint64_t i) {
      std::copy(sent_.data() + place[i], sent_.data() + place[i + 1], published + layout_.first(blocks[i]));
    });
  }

  /// Sets the scores that the next sweeps begin with.
  template <class Value>
  mixed_sums set(const Value& value) {
    unpublished_.reset();
    Real* const fresh = contributions_.data() + graph_.vertices();
    const set_scores<Real, Value> body{inverse_.data(), scores_.front().data(),
                                       places_.empty() ? contributions_.data() : fresh, fresh, value};
    const mixed_sums sums = over_parts<mixed_sums>(graph_.vertices(), body, 0, control_);
    if (!places_.empty()) put_all();
    if (pages_.is_chosen()) {
      for (std::uint64_t colour = 0; colour < block_colours; ++colour)
        pages_.exchange(colour, fresh, contributions_.data(), *control_.among);
    } else if (control_.among != nullptr) {
      control_.among->share(contributions_.data(), control_.among->bounds());
    }
    return sums;
  }

  /// Begins again from the best mixture of the last `sweeps` sweeps.
  mixed_sums mix(std::size_t sweeps) {
    sweep_scores<Real> scores;
    for (std::size_t i = 0; i <= sweeps; ++i) scores[i] = scores_[i].data();
    const auto multiply = [&]<std::size_t Most>(std::integral_constant<std::size_t, Most>) {
      return over_parts<mixing_products>(graph_.vertices(),
                                         multiply_residuals<Real, Most>{only_of(scores, sweeps), scale_}, 0, control_);
    };
    const mixing_products products = sweeps <= mixed_sweeps
                                         ? multiply(std::integral_constant<std::size_t, mixed_sweeps>())
                                         : multiply(std::integral_constant<std::size_t, most_mixed_sweeps>());
    std::array<double, most_mixed_sweeps> weights = mixing_weights(products.of, sweeps, sweeps - 1);
    double total = 0;
    for (std::size_t i = 0; i < sweeps; ++i) total += (weights[i] *= scale_[i]) * totals_[i];
    mixture<Real> next{scores, {}, sweeps, static_cast<Real>(scale_[sweeps - 1])};
    for (std::size_t i = 0; i < sweeps; ++i) next.weights[i] = static_cast<Real>(weights[i] / total);
    return set(next);
  }

  const csr_graph<Vertex>& graph_;
  const pagerank_options& options_;
  const shared_control& control_;
  block_layout layout_;
  std::size_t sweeps_to_mix_ = mixed_sweeps;
  packed_rows<Vertex> packed_;
  hub_places<Vertex> places_;                 ///< of published contributions; empty: the order of vertices
  machine::page_array<std::uint8_t> inside_;  ///< with places, by vertex: whether its row lies in its block
  machine::page_array<double> restart_;
  std::array<reals, most_mixed_sweeps + 1> scores_;  ///< the scores that sweeps begin with, then each sweep's
  reals contributions_;                              ///< published, fresh, and a zero
  reals inverse_;
  const Weight* weights_;
  const double* given_inverse_;
  std::optional<std::uint64_t> unpublished_;  ///< the colour of the blocks swept last
  // With partners:
  std::vector<std::uint64_t> block_bounds_;                         ///< by partner: its first block
  std::array<std::vector<std::uint64_t>, block_colours> part_of_;   ///< by partner: its first block of the colour
  std::array<std::vector<std::uint64_t>, block_colours> place_of_;  ///< by block of the colour: its place in `sent_`
  reals sent_;                                                      ///< contributions of a colour's blocks, for all
  cut_rows<Vertex> cut_;
  published_pages<Real> pages_;
  std::array<double, most_mixed_sweeps> scale_{};   ///< by sweep: makes the sum of the scores before it 1
  std::array<double, most_mixed_sweeps> totals_{};  ///< by sweep: sum of the scores after it
};

/// Returns the first scores; sets the inverses of out-degrees. The rank on dangling vertices is chosen so that restarts
/// get as much of it as they spread: each vertex gets b = (1 - d + d D) / n, and the k dangling ones have
/// D = k b + (1 - n b) q, where q is their share of all in-arcs.
template <class Real, class Vertex, class Weight>
mixing_start accelerated_iteration<Real, Vertex, Weight>::start() {
  struct dangling_sums {
    double vertices = 0;
    double arcs = 0;
    dangling_sums operator+(const dangling_sums& o) const { return {vertices + o.vertices, arcs + o.arcs}; }
  };
  const adjacency<Vertex>& in = graph_.in();
  const auto look = [&](std::uint64_t first, std::uint64_t last, dangling_sums found) {
    for (std::uint64_t v = first; v < last; ++v) {
      if constexpr (std::is_void_v<Weight>) {
        const std::uint64_t degree = graph_.out().degree(v);
        // As a signed number: processors have an instruction for its conversion.
        inverse_[v] = degree == 0 ? Real{0} : 1 / static_cast<Real>(static_cast<std::int64_t>(degree));
      } else {
        inverse_[v] = static_cast<Real>(given_inverse_[v]);
      }
      if (inverse_[v] != 0) continue;
      found.vertices += 1;
      found.arcs += static_cast<double>(in.degree(v));
    }
    return found;
  };
  const auto dangling = over_parts<dangling_sums>(graph_.vertices(), look, 0, control_);
  const double n = static_cast<double>(graph_.vertices());
  if (!restart_.empty()) return {1, 0, in.offsets.data(), restart_.data()};
  if (graph_.arcs() == 0) return {1 / n, 0, in.offsets.data(), nullptr};
  const double arcs = static_cast<double>(in.targets.size());
  const double d = options_.damping;
  const double q = dangling.arcs / arcs;
  const double base = (1 - d + d * q) / (n - d * dangling.vertices + d * n * q);
  return {base, (1 - n * base) / arcs, in.offsets.data(), nullptr};
}

template <class Real, class Vertex, class Weight>
void accelerated_iteration<Real, Vertex, Weight>::pack_all_rows() {
  packed_ = packed_rows<Vertex>(graph_.in(), layout_.blocks());
  const auto pack = [&](std::uint64_t block) {
    packed_.pack(graph_.in(), block, layout_.first(block), layout_.last(block),
                 [&](std::uint64_t v) { return cut_.has(v); });
  };
  const std::size_t me = control_.among == nullptr ? 0 : control_.among->number();
  const std::uint64_t first = control_.among == nullptr ? 0 : block_bounds_[me];
  const std::uint64_t last = control_.among == nullptr ? layout_.blocks() : block_bounds_[me + 1];
  if (!parallel_for(first, last, pack, {.stop = control_.stop})) throw cancelled();
}

/// Returns the PageRank of a graph with weights as strengths (weighted.cpp).
template <class Vertex>
pagerank_result weighted_pagerank_of(const csr_graph<Vertex>& graph, const pagerank_options& options,
                                     const shared_control& control);

template <class Vertex>
pagerank_result pagerank_of(const csr_graph<Vertex>& graph, const pagerank_options& options,
                            const shared_control& control) {
  constexpr double single_precision = 1e-5;  // from this tolerance on single precision is exact enough by far
  if (control.report != nullptr) control.report->begin("PageRank", options.iterations, "iterations");
  if (options.weights == weight_use::strength && graph.weighted()) return weighted_pagerank_of(graph, options, control);
  if (!options.accelerated) {
    const std::uint64_t* const out_offsets = graph.out().offsets.data();
    return power_iteration(graph.vertices(), options, control, pagerank_start{.out_offsets = out_offsets},
                           pagerank_sweep<Vertex>{.in_offsets = graph.in().offsets.data(),
                                                  .in_targets = graph.in().targets.data(),
                                                  .out_offsets = out_offsets});
  }
  if (options.tolerance >= single_precision) return accelerated_iteration<float, Vertex>(graph, options, control).run();
  return accelerated_iteration<double, Vertex>(graph, options, control).run();
}

}  // namespace callisto::graph
