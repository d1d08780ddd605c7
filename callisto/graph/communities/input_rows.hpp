// A graph as a search for communities sees it: rows, masses, and the factor of chance. And modularity.
#pragma once

#include <callisto/graph/communities/communities.hpp>
#include <callisto/graph/communities/level.hpp>
#include <callisto/graph/communities/row_owners.hpp>
#include <callisto/graph/communities/rows.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

namespace callisto::graph {

inline std::uint64_t sum_of(const machine::page_array<std::uint64_t>& values) {
  return parallel_reduce(std::uint64_t{0}, std::uint64_t{values.size()}, std::uint64_t{0},
                         [&](std::uint64_t i) { return values[i]; });
}

/// A weight of 1 in whole numbers: the product of two factors, because one might not fit in a double.
struct weight_unit {
  double scale = 1;
  double scale_again = 1;

  double to_whole(double weight) const noexcept { return weight * scale * scale_again; }
  double from_whole(double sum) const noexcept { return sum / scale / scale_again; }
};

/// Returns the largest weight, whatever its sign. Throws usage_error for one that is no number, or infinite.
template <class Vertex>
double largest_size(const csr_graph<Vertex>& graph, const run_control& control) {
  const auto& weights = graph.out().weights;
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const double most = parallel_reduce(
      std::uint64_t{0}, std::uint64_t{weights.size()}, 0.0,
      [&](std::uint64_t begin, std::uint64_t end, double found) {
        for (std::uint64_t a = begin; a < end; ++a) {
          const double size = std::fabs(weights[a]);
          found = size <= std::numeric_limits<double>::max() ? std::max(found, size) : infinite;
        }
        return found;
      },
      [](double a, double b) { return std::max(a, b); }, loop_options{.stop = control.stop});
  control.check();
  if (most == infinite) throw weight_error("a weight is infinite or no number; communities need finite ones");
  return most;
}

/// The bounds of the rows of one process. The pages of other vertices' are never written: zeros, which take no memory.
struct own_bounds {
  machine::page_array<std::uint64_t> begins;
  machine::page_array<std::uint64_t> ends;

  explicit own_bounds(std::uint64_t vertices)
      : begins(vertices, machine::page_kind::small), ends(vertices, machine::page_kind::small) {}
};

inline own_bounds bounds_of_own(const machine::page_array<std::uint64_t>& offsets, const partners& among) {
  own_bounds own(offsets.empty() ? 0 : offsets.size() - 1);
  parallel_for(among.first(), among.last(), [&](std::uint64_t v) {
    own.begins[v] = offsets[v];
    own.ends[v] = offsets[v + 1];
  });
  return own;
}

/// Calls f(rows, unit) with the rows of the out-arcs. Throws usage_error for invalid weights; of `quality` cpm they may
/// be negative, unless vertices take labels or several processes have the rows.
template <class Vertex, class Function>
auto with_out_rows(const csr_graph<Vertex>& graph, const communities_options& options, const shared_control& control,
                   Function f) {
  const auto& out = graph.out();
  std::optional<row_owners> owners;
  std::optional<own_bounds> own;
  if (control.among != nullptr) {
    owners = row_owners{control.among, control.among->bounds()};
    own = bounds_of_own(out.offsets, *control.among);
  }
  const row_owners* const by = owners ? &*owners : nullptr;
  const std::uint64_t* begins = own ? own->begins.data() : out.offsets.data();
  const std::uint64_t* ends = graph.vertices() == 0 ? nullptr : own ? own->ends.data() : begins + 1;
  if (!graph.weighted()) {
    return f(weighted_rows<Vertex, unit_weights>{graph.vertices(), begins, ends, out.targets.data(), {}, by},
             weight_unit{});
  }
  if (options.quality == community_quality::cpm && options.method != community_method::labels &&
      control.among == nullptr && survey_of(graph, control).refused()) {
    const rounded_weights weights = round_weights(out.weights, graph.arcs(), largest_size(graph, control));
    machine::page_array<std::uint64_t> whole(graph.arcs());
    parallel_for(std::uint64_t{0}, graph.arcs(), [&](std::uint64_t a) { whole[a] = weights.with_sign(a); });
    return f(weighted_rows<Vertex, signed_weights>{graph.vertices(), begins, ends, out.targets.data(), {whole.data()}},
             weight_unit{weights.scale, weights.scale_again});
  }
  const double most =
      survey_weights_among(graph, control.among == nullptr ? "communities other than by cpm" : "communities over ranks",
                           control)
          .most;
  const rounded_weights weights = round_weights(out.weights, graph.arcs(), most);
  return f(weighted_rows<Vertex, rounded_weights>{graph.vertices(), begins, ends, out.targets.data(), weights, by},
           weight_unit{weights.scale, weights.scale_again});
}

/// The rows of a directed graph in which a vertex has its out-arcs and its in-arcs.
template <class Vertex>
struct both_rows {
  machine::page_array<std::uint64_t> begins;
  machine::page_array<std::uint64_t> ends;  ///< empty: a row ends where the next one begins
  machine::page_array<Vertex> targets;
  machine::page_array<std::uint64_t> weights;  ///< empty: all 1
};

template <class Vertex, class Weights>
both_rows<Vertex> both_directions(const weighted_rows<Vertex, Weights>& out, const run_control& control) {
  constexpr bool weighted = !std::is_same_v<Weights, unit_weights>;
  const loop_options options{.stop = control.stop};
  const std::uint64_t n = out.vertices;
  both_rows<Vertex> both;
  both.begins = machine::page_array<std::uint64_t>(n + 1);
  const auto each_arc = [&](auto f) {
    parallel_for(
        std::uint64_t{0}, n,
        [&](std::uint64_t v) {
          for (std::uint64_t a = out.begins[v]; a != out.ends[v]; ++a) f(v, out.targets[a], a);
        },
        options);
    control.check();
  };
  machine::page_array<std::uint64_t> places(n);
  each_arc([&](std::uint64_t v, Vertex w, std::uint64_t) {
    add_to(places[v], 1);
    add_to(places[w], 1);
  });
  std::uint64_t sum = 0;
  for (std::uint64_t v = 0; v < n; ++v) {
    both.begins[v] = sum;
    sum += std::exchange(places[v], sum);
  }
  both.begins[n] = sum;
  both.targets = machine::page_array<Vertex>(sum);
  if (weighted) both.weights = machine::page_array<std::uint64_t>(sum);
  each_arc([&](std::uint64_t v, Vertex w, std::uint64_t a) {
    const auto put = [&](std::uint64_t row, std::uint64_t to) {
      // relaxed: places are reserved in any order, because the sums are exact.
      const std::uint64_t at = std::atomic_ref(places[row]).fetch_add(1, std::memory_order_relaxed);
      both.targets[at] = static_cast<Vertex>(to);
      if (weighted) both.weights[at] = out.weight(a);
    };
    put(v, w);
    put(w, v);
  });
  return both;
}

/// Returns such rows of the process' own vertices. Throws usage_error if the graph has no rows of in-arcs.
template <class Vertex, class Weights>
both_rows<Vertex> both_directions_of_own(const csr_graph<Vertex>& graph, const weighted_rows<Vertex, Weights>& out,
                                         const run_control& control) {
  constexpr bool weighted = !std::is_same_v<Weights, unit_weights>;
  if (!graph.has_in()) throw usage_error("the graph was built without in-edges, which communities over ranks need");
  const row_owners& owners = *out.owners;
  const auto& in = graph.in();
  both_rows<Vertex> both;
  own_bounds own(out.vertices);
  const std::uint64_t first_out = graph.out().offsets[owners.first()];
  const std::uint64_t first_in = in.offsets[owners.first()];
  const auto arcs_before = [&](std::uint64_t v) {
    return graph.out().offsets[v] - first_out + in.offsets[v] - first_in;
  };
  parallel_for(owners.first(), owners.last(), [&](std::uint64_t v) {
    own.begins[v] = arcs_before(v);
    own.ends[v] = arcs_before(v + 1);
  });
  both.begins = std::move(own.begins);
  both.ends = std::move(own.ends);
  const std::uint64_t arcs = arcs_before(owners.last());
  both.targets = machine::page_array<Vertex>(arcs, machine::page_kind::used);
  if (weighted) both.weights = machine::page_array<std::uint64_t>(arcs, machine::page_kind::used);
  parallel_for(
      owners.first(), owners.last(),
      [&](std::uint64_t v) {
        std::uint64_t to = both.begins[v];
        const auto copy = [&](const auto& rows, [[maybe_unused]] const auto& weight) {
          for (std::uint64_t a = rows.offsets[v]; a != rows.offsets[v + 1]; ++a, ++to) {
            both.targets[to] = rows.targets[a];
            if constexpr (weighted) both.weights[to] = weight(a);
          }
        };
        copy(graph.out(), out.weight);
        if constexpr (weighted) {
          copy(in, rounded_weights{&in.weights, out.weight.scale, out.weight.scale_again});
        } else {
          copy(in, out.weight);
        }
      },
      loop_options{.stop = control.stop});
  control.check();
  return both;
}

/// Returns the weights of each vertex's arcs: of an undirected graph with loops counted twice; of a directed one the
/// weights of out-arcs and the weights of in-arcs.
template <class Vertex, class Weights>
mass_arrays strengths(const weighted_rows<Vertex, Weights>& rows, bool directed, const run_control& control) {
  mass_arrays mass = mass_arrays::of(rows.vertices, directed);
  parallel_for(std::uint64_t{0}, rows.vertices,
               [&](std::uint64_t v) {
                 std::uint64_t sum = 0;
                 for (std::uint64_t a = rows.begins[v]; a != rows.ends[v]; ++a) {
                   const std::uint64_t weight = rows.weight(a);
                   sum += weight * (!directed && rows.targets[a] == v ? 2 : 1);
                   if (directed) add_to(mass.in[rows.targets[a]], weight);
                 }
                 mass.out[v] = sum;
               },
               {.stop = control.stop});
  control.check();
  if (rows.owners != nullptr) {
    rows.owners->among->share(mass.out.data(), rows.owners->bounds);
    if (directed) sum_among(*rows.owners->among, mass.in);
  }
  return mass;
}

/// Calls f(rows, mass, chance) with what the options make of `graph`. If there are no edges, does not.
template <class Vertex, class Function>
void with_rows(const csr_graph<Vertex>& graph, const communities_options& options, const shared_control& control,
               Function f) {
  with_out_rows(graph, options, control, [&](const auto& out, const weight_unit& unit) {
    using weights_type = std::remove_cvref_t<decltype(out.weight)>;
    const bool directed = graph.directed();
    mass_arrays mass = strengths(out, directed, control);
    const std::uint64_t all = sum_of(mass.out);  // of an undirected graph twice the weight of edges
    // Weights of both signs may have any sum.
    if (weights_type::have_sign ? graph.arcs() == 0 : all == 0) return;
    const bool follow = directed && options.directions == community_directions::follow;
    double chance = options.resolution / static_cast<double>(all);
    if (directed && !follow) {
      parallel_for(std::uint64_t{0}, out.vertices, [&](std::uint64_t v) { mass.out[v] += mass.in[v]; });
      chance /= 2;
    }
    if (!follow) mass.in = {};
    if (options.quality == community_quality::cpm) {
      mass = mass_arrays::of(out.vertices, false);
      parallel_for(std::uint64_t{0}, out.vertices, [&](std::uint64_t v) { mass.out[v] = 1; });
      chance = unit.to_whole(options.resolution) * (directed ? 2 : 1);
    }
    if (options.method == community_method::labels) chance = 0;
    if (!directed) {
      f(out, mass, chance);
      return;
    }
    const both_rows<Vertex> both = [&] {
      if constexpr (!weights_type::have_sign) {  // weights with a sign are those of one process
        if (out.owners != nullptr) return both_directions_of_own(graph, out, control);
      }
      return both_directions(out, control);
    }();
    const std::uint64_t* begins = both.begins.data();
    const std::uint64_t* ends = both.ends.empty() ? begins + 1 : both.ends.data();
    if (both.weights.empty()) {
      f(weighted_rows<Vertex, unit_weights>{out.vertices, begins, ends, both.targets.data(), {}, out.owners}, mass,
        chance);
    } else {
      f(
          weighted_rows<Vertex, coarse_weights<weights_type>>{
              out.vertices, begins, ends, both.targets.data(), {both.weights.data()}, out.owners},
          mass, chance);
    }
  });
}

/// Replaces the number of each vertex's community by the smallest vertex of the community. Returns how many there are.
template <class Vertex>
std::uint64_t name_by_smallest(const machine::page_array<Vertex>& number, machine::page_array<std::uint64_t>& of) {
  constexpr std::uint64_t none = ~std::uint64_t{0};
  machine::page_array<std::uint64_t> names(number.size());
  std::uint64_t count = 0;
  parallel_for(std::uint64_t{0}, std::uint64_t{names.size()}, [&](std::uint64_t v) { names[v] = none; });
  for (std::uint64_t v = 0; v < number.size(); ++v) {
    if (names[number[v]] != none) continue;
    names[number[v]] = v;
    ++count;
  }
  parallel_for(std::uint64_t{0}, std::uint64_t{of.size()}, [&](std::uint64_t v) { of[v] = names[number[v]]; });
  return count;
}

/// modularity() and the constant Potts model, by `options`.
template <class Vertex>
double quality_of(const csr_graph<Vertex>& graph, const machine::page_array<std::uint64_t>& of,
                  const communities_options& options, const shared_control& control) {
  return with_out_rows(graph, options, control, [&](const auto& rows, const weight_unit& unit) {
    constexpr bool have_sign = std::remove_cvref_t<decltype(rows.weight)>::have_sign;
    const bool directed = graph.directed();
    std::uint64_t inside = parallel_reduce(
        std::uint64_t{0}, rows.vertices, std::uint64_t{0},
        [&](std::uint64_t v) {
          std::uint64_t mine = 0;
          for (std::uint64_t a = rows.begins[v]; a != rows.ends[v]; ++a) {
            const Vertex w = rows.targets[a];
            if (of[w] == of[v]) mine += rows.weight(a) * (!directed && w == v ? 2 : 1);
          }
          return mine;
        },
        std::plus<>{}, loop_options{.stop = control.stop});
    control.check();
    if (rows.owners != nullptr) inside = rows.owners->among->sum(inside);
    mass_arrays mass = strengths(rows, directed, control);
    const auto all = static_cast<double>(sum_of(mass.out));
    if (have_sign ? graph.arcs() == 0 : all == 0) return 0.0;
    if (options.quality == community_quality::cpm) {
      parallel_for(std::uint64_t{0}, rows.vertices, [&](std::uint64_t v) { mass.out[v] = 1; });
      mass.in = {};
    } else if (directed && options.directions == community_directions::ignore) {
      parallel_for(std::uint64_t{0}, rows.vertices, [&](std::uint64_t v) { mass.out[v] += mass.in[v]; });
      mass.in = {};
    }
    mass_arrays volume = mass_arrays::of(rows.vertices, !mass.in.empty());
    parallel_for(std::uint64_t{0}, rows.vertices, [&](std::uint64_t v) { add_to(volume, of[v], mass, v); });
    double expected = 0;  // summed by one thread, always in the same order
    if (options.quality == community_quality::cpm) {
      for (const std::uint64_t v : volume.out) {
        expected += static_cast<double>(v) * (static_cast<double>(v) - 1);
      }
      return (unit.from_whole(as_double(inside)) - options.resolution * expected) / (directed ? 1 : 2);
    }
    const double sum = mass.in.empty() && directed ? 2 * all : all;
    for (std::uint64_t v = 0; v < rows.vertices; ++v) {
      const auto in = static_cast<double>(volume.in.empty() ? volume.out[v] : volume.in[v]);
      expected += static_cast<double>(volume.out[v]) / sum * (in / sum);
    }
    return static_cast<double>(inside) / all - options.resolution * expected;
  });
}

}  // namespace callisto::graph
