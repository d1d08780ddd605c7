// Samples of neighbours for training, and vectors of vertices by random projections.
#include "arrays.hpp"
#include "bindings.hpp"
#include "graph.hpp"
#include "run.hpp"

#include <callisto/callisto.hpp>

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace callisto::python {
namespace {

using graph::run_control;

/// Returns a random number that depends on the seed and the place alone: splitmix64 (Steele, Lea and Flood 2014).
std::uint64_t random_at(std::uint64_t seed, std::uint64_t place) noexcept {
  std::uint64_t z = seed + (place + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
  z = (z ^ z >> 27) * 0x94d049bb133111ebU;
  return z ^ z >> 31;
}

/// Returns (vertices, arcs' ends as places in them: from, to; arcs; vertices up to each hop). Each vertex that a hop
/// finds first is a vertex once. Arcs lead from a neighbour to the vertex that it was drawn for.
nb::tuple sample_neighbours(const held_graph& of, const column<std::uint64_t>& seeds,
                            const std::vector<std::int64_t>& counts, bool replace, bool incoming, std::uint64_t seed) {
  std::vector<std::int64_t> vertices;
  std::vector<std::int64_t> from;
  std::vector<std::int64_t> to;
  std::vector<std::int64_t> arcs;
  std::vector<std::int64_t> ends;
  of.visit([&](const auto& g) {
    for (const std::uint64_t v : as_span(seeds)) {
      if (v >= g.vertices()) throw usage_error("a seed is no vertex of the graph");
    }
    return run(nb::none(), place::caller, [&](const run_control& control) {
      std::unordered_map<std::uint64_t, std::int64_t> place;
      const auto place_of = [&](std::uint64_t v) {
        const auto [at, is_new] = place.try_emplace(v, static_cast<std::int64_t>(vertices.size()));
        if (is_new) vertices.push_back(static_cast<std::int64_t>(v));
        return at->second;
      };
      for (const std::uint64_t v : as_span(seeds)) place_of(v);
      ends.push_back(static_cast<std::int64_t>(vertices.size()));
      const auto& rows = incoming ? g.in() : g.out();
      std::size_t first = 0;
      std::uint64_t drawn = 0;
      std::vector<std::uint64_t> chosen;
      for (const std::int64_t count : counts) {
        const std::size_t last = vertices.size();
        for (; first < last; ++first) {
          if ((first & 0xfff) == 0) control.check();
          const auto v = static_cast<std::uint64_t>(vertices[first]);
          const std::uint64_t begin = rows.offsets[v];
          const std::uint64_t degree = rows.offsets[v + 1] - begin;
          const auto most = static_cast<std::uint64_t>(std::max<std::int64_t>(count, 0));
          chosen.clear();
          if (count < 0 || (!replace && degree <= most)) {
            for (std::uint64_t i = 0; i < degree; ++i) chosen.push_back(begin + i);
          } else if (replace) {
            for (std::uint64_t i = 0; i < most && degree != 0; ++i)
              chosen.push_back(begin + random_at(seed, drawn++) % degree);
          } else {
            // Floyd's way to draw without repeats (Bentley 1987).
            for (std::uint64_t i = degree - most; i < degree; ++i) {
              const std::uint64_t one = begin + random_at(seed, drawn++) % (i + 1);
              chosen.push_back(std::find(chosen.begin(), chosen.end(), one) == chosen.end() ? one : begin + i);
            }
          }
          for (const std::uint64_t arc : chosen) {
            from.push_back(place_of(rows.targets[arc]));
            to.push_back(static_cast<std::int64_t>(first));
            arcs.push_back(static_cast<std::int64_t>(arc));
          }
        }
        ends.push_back(static_cast<std::int64_t>(vertices.size()));
      }
      return true;
    });
  });
  return nb::make_tuple(to_numpy(std::move(vertices)), to_numpy(std::move(from)), to_numpy(std::move(to)),
                        to_numpy(std::move(arcs)), to_numpy(std::move(ends)));
}

/// Returns vectors of all vertices one behind the other: random projections of the first powers of the matrix of random
/// steps, each row scaled to length 1, weighted and added up (FastRP: Chen et al. 2019). `strength`: the powers of
/// degrees that scale the projection.
nb::object projection(const held_graph& of, std::uint64_t dimensions, const std::vector<double>& weights,
                      double strength, bool use_weights, std::uint64_t seed, nb::handle progress) {
  return to_numpy(run(progress, place::watched, [&](const run_control& control) {
    return of.visit([&](const auto& g) {
      const std::uint64_t n = g.vertices();
      machine::page_array<float> now(n * dimensions);
      machine::page_array<float> next(n * dimensions);
      machine::page_array<float> made(n * dimensions);
      const auto over = [&](const auto& f) {
        if (!parallel_for(std::uint64_t{0}, n, f, {.stop = control.stop})) throw cancelled();
      };
      const auto degree = [&](std::uint64_t v) {
        return static_cast<double>(g.out().offsets[v + 1] - g.out().offsets[v]);
      };
      over([&](std::uint64_t first, std::uint64_t last) {
        for (std::uint64_t v = first; v < last; ++v) {
          const auto scale = static_cast<float>(std::pow(std::max(degree(v), 1.0), strength));
          for (std::uint64_t d = 0; d < dimensions; ++d) {
            // Achlioptas (2003): one in six is +1, one in six -1.
            const std::uint64_t draw = random_at(seed, v * dimensions + d) % 6;
            now[v * dimensions + d] = draw == 0 ? scale : draw == 1 ? -scale : 0.0F;
          }
        }
      });
      for (const double weight : weights) {
        over([&](std::uint64_t first, std::uint64_t last) {
          for (std::uint64_t v = first; v < last; ++v) {
            float* const sum = next.data() + v * dimensions;
            std::fill(sum, sum + dimensions, 0.0F);
            double total = 0;
            for (std::uint64_t i = g.out().offsets[v]; i < g.out().offsets[v + 1]; ++i) {
              const double one = use_weights ? static_cast<double>(g.out().weights[i]) : 1.0;
              total += one;
              const float* const other = now.data() + std::uint64_t{g.out().targets[i]} * dimensions;
              for (std::uint64_t d = 0; d < dimensions; ++d) sum[d] += static_cast<float>(one) * other[d];
            }
            double square = 0;
            for (std::uint64_t d = 0; d < dimensions; ++d) {
              if (total > 0) sum[d] /= static_cast<float>(total);
              square += static_cast<double>(sum[d]) * static_cast<double>(sum[d]);
            }
            const double length = std::sqrt(square);
            if (length == 0) continue;
            for (std::uint64_t d = 0; d < dimensions; ++d)
              made[v * dimensions + d] += static_cast<float>(weight * static_cast<double>(sum[d]) / length);
          }
        });
        std::swap(now, next);
      }
      return std::move(made);
    });
  }));
}

}  // namespace

void bind_samples(nb::module_& m) {
  m.def("sample_neighbours", &sample_neighbours, nb::arg("graph"), nb::arg("seeds").noconvert(), nb::arg("counts"),
        nb::arg("replace"), nb::arg("incoming"), nb::arg("seed"));
  m.def("projection", &projection, nb::arg("graph"), nb::arg("dimensions"), nb::arg("weights"), nb::arg("strength"),
        nb::arg("use_weights"), nb::arg("seed"), nb::arg("progress") = nb::none());
}

}  // namespace callisto::python
