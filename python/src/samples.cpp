// For programs that learn: samples of neighbours, and vectors of vertices.
#include "bindings.hpp"
#include "kernels.hpp"
#include "names.hpp"

#include <callisto/graph/csr/counter_random.hpp>
#include <callisto/graph/embedding/embedding.hpp>
#include <callisto/graph/embedding/node2vec.hpp>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace callisto::python {
namespace {

using graph::run_control;

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
      const graph::counter_random word(seed);
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
              chosen.push_back(begin + graph::below(word(drawn++), degree));
          } else {
            // Floyd's way to draw without repeats (Bentley 1987).
            for (std::uint64_t i = degree - most; i < degree; ++i) {
              const std::uint64_t one = begin + graph::below(word(drawn++), i + 1);
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

/// Returns the vectors of all vertices one behind the other.
nb::object fast_random_projection(const held_graph& of, std::uint32_t dimensions, const std::vector<double>& steps,
                                  double degree_power, const std::string& weights, std::uint64_t seed,
                                  nb::handle progress) {
  const graph::embedding_options options{.dimensions = dimensions,
                                         .steps = steps,
                                         .degree_power = degree_power,
                                         .weights = weight_use_named(weights),
                                         .seed = seed};
  require(of, "embedding", [&] { return graph::needs::fast_random_projection(of.any(), dimensions); });
  return to_numpy(run(progress, by_arcs(of.any()), [&](const run_control& control) {
    return of.visit([&](const auto& g) { return graph::fast_random_projection(g, options, control); });
  }));
}

/// Returns vectors that learn from walks.
nb::object node2vec(const held_graph& of, std::uint32_t dimensions, std::uint64_t length, std::uint64_t each,
                    std::uint32_t window, std::uint32_t negative, double p, double q, double rate,
                    const std::string& weights, std::uint64_t seed, nb::handle progress) {
  const graph::node2vec_options options{.dimensions = dimensions,
                                        .walks = {.length = length,
                                                  .p = p,
                                                  .q = q,
                                                  .weighted = weight_use_named(weights) == graph::weight_use::strength,
                                                  .seed = seed},
                                        .each = each,
                                        .window = window,
                                        .negative = negative,
                                        .rate = rate};
  require(of, "node2vec", [&] { return graph::needs::node2vec(of.any(), options); });
  return to_numpy(run(progress, by_searches(of.any()), [&](const run_control& control) {
    return of.visit([&](const auto& g) { return graph::node2vec(g, options, control); });
  }));
}

}  // namespace

void bind_samples(nb::module_& m) {
  m.def("sample_neighbours", &sample_neighbours, nb::arg("graph"), nb::arg("seeds").noconvert(), nb::arg("counts"),
        nb::arg("replace"), nb::arg("incoming"), nb::arg("seed"));
  m.def("fast_random_projection", &fast_random_projection, nb::arg("graph"), nb::arg("dimensions"), nb::arg("steps"),
        nb::arg("degree_power"), nb::arg("weights"), nb::arg("seed"), nb::arg("progress") = nb::none());
  m.def("node2vec", &node2vec, nb::arg("graph"), nb::arg("dimensions"), nb::arg("length"), nb::arg("each"),
        nb::arg("window"), nb::arg("negative"), nb::arg("p"), nb::arg("q"), nb::arg("rate"), nb::arg("weights"),
        nb::arg("seed"), nb::arg("progress") = nb::none());
}

}  // namespace callisto::python
