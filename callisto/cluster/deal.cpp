// Dealing the rows of a graph.
#include <callisto/cluster/deal.hpp>
#include <callisto/cluster/hub_arcs.hpp>
#include <callisto/cluster/part_of_array.hpp>
#include <callisto/global/synchronization/collectives.hpp>
#include <callisto/global/synchronization/exchange.hpp>
#include <callisto/graph/construction/random_weights.hpp>
#include <callisto/graph/csr/weight_survey.hpp>
#include <callisto/loop/parallel_reduce.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

namespace callisto::cluster {

namespace {

using machine::page_array;
using machine::page_kind;

/// Facts that other ranks must know of rank 0's graph before they get its rows.
struct graph_shape {
  std::uint64_t vertices = 0;
  std::uint64_t out_arcs = 0;
  std::uint64_t in_arcs = 0;
  std::uint64_t vertex_bytes = 0;
  double heaviest = 0;
  bool directed = false;
  bool has_in = false;
  bool weighted = false;
  bool is_short = false;
  bool surveyed = false;
  bool wrong = false;
  bool whole = false;
};

template <class Vertex>
graph_shape shape_of(const graph::csr_graph<Vertex>& g) {
  graph_shape s;
  s.vertices = g.vertices();
  s.out_arcs = g.arcs();
  s.in_arcs = g.directed() ? g.in().targets.size() : 0;
  s.vertex_bytes = sizeof(Vertex);
  s.directed = g.directed();
  s.has_in = g.has_in();
  s.weighted = g.weighted();
  s.is_short = g.has_short_weights();
  if (const auto& known = g.known_weights()) {
    s.surveyed = true;
    s.heaviest = known->most;
    s.wrong = known->wrong;
    s.whole = known->whole;
  }
  return s;
}

std::vector<std::uint64_t> arc_bounds(const page_array<std::uint64_t>& offsets,
                                      const std::vector<std::uint64_t>& bounds) {
  std::vector<std::uint64_t> arcs;
  for (const std::uint64_t v : bounds) arcs.push_back(offsets[v]);
  return arcs;
}

/// Sends an array of rank 0 by parts, or receives a part of it: only this part takes memory.
template <class T>
page_array<T> dealt(const page_array<T>* from, std::uint64_t size, const std::vector<std::uint64_t>& bounds) {
  if (from != nullptr) {
    // Rank 0 only reads.
    global::deal_parts(std::span(const_cast<T*>(from->data()), size), bounds);
    return {};
  }
  page_array<T> made(size, page_kind::small);
  global::deal_parts(std::span(made.data(), size), bounds);
  return made;
}

page_array<std::uint64_t> replicated(const page_array<std::uint64_t>* from, std::uint64_t size) {
  if (from != nullptr) {
    global::replicate(std::span(const_cast<std::uint64_t*>(from->data()), size));
    return {};
  }
  page_array<std::uint64_t> made(size);
  global::replicate(std::span(made.data(), size));
  return made;
}

/// `from`: null at ranks that receive.
template <class Vertex>
graph::adjacency<Vertex> dealt_rows(const graph::adjacency<Vertex>* from, const graph_shape& shape, std::uint64_t arcs,
                                    const std::vector<std::uint64_t>& bounds) {
  graph::adjacency<Vertex> made;
  made.offsets = replicated(from != nullptr ? &from->offsets : nullptr, shape.vertices + 1);
  const std::vector<std::uint64_t> parts = arc_bounds(from != nullptr ? from->offsets : made.offsets, bounds);
  made.targets = dealt<Vertex>(from != nullptr ? &from->targets : nullptr, arcs, parts);
  if (!shape.weighted) return made;
  const auto deal_weights = [&]<class Weight>(const Weight* of) {
    if (from == nullptr) {
      made.weights = dealt<Weight>(nullptr, arcs, parts);
    } else {
      global::deal_parts(std::span(const_cast<Weight*>(of), arcs), parts);
    }
  };
  if (shape.is_short) {
    deal_weights(from != nullptr ? from->weights.template data<graph::short_weight>()
                                 : static_cast<const graph::short_weight*>(nullptr));
  } else {
    deal_weights(from != nullptr ? from->weights.template data<double>() : static_cast<const double*>(nullptr));
  }
  return made;
}

template <class Vertex>
graph::any_graph dealt_graph(const graph::csr_graph<Vertex>* from, const graph_shape& shape,
                             const std::vector<std::uint64_t>& bounds) {
  graph::adjacency<Vertex> out =
      dealt_rows<Vertex>(from != nullptr ? &from->out() : nullptr, shape, shape.out_arcs, bounds);
  graph::adjacency<Vertex> in;
  if (shape.directed && shape.has_in) {
    in = dealt_rows<Vertex>(from != nullptr ? &from->in() : nullptr, shape, shape.in_arcs, bounds);
  }
  std::optional<graph::weight_survey> known;
  if (shape.surveyed) known = graph::weight_survey{.most = shape.heaviest, .wrong = shape.wrong, .whole = shape.whole};
  return graph::csr_graph<Vertex>(shape.directed, std::move(out), std::move(in), {}, 0).knowing_weights(known);
}

std::vector<std::uint64_t> bounds_by_rows(const graph::any_graph& graph) {
  const auto parts = static_cast<std::size_t>(global::here().ranks);
  return std::visit(
      [parts](const auto& g) {
        return balanced_bounds(g.out().offsets,
                               g.directed() && g.has_in() ? std::span<const std::uint64_t>(g.in().offsets)
                                                          : std::span<const std::uint64_t>(),
                               parts);
      },
      graph);
}

template <class T>
page_array<T> copied(const page_array<T>& from) {
  page_array<T> made(from.size(), page_kind::small);
  std::copy(from.begin(), from.end(), made.begin());
  return made;
}

template <class Vertex>
graph::adjacency<Vertex> collected_rows(const graph::adjacency<Vertex>& from, graph::partners& among) {
  graph::adjacency<Vertex> made;
  made.offsets = copied(from.offsets);
  const std::vector<std::uint64_t> bounds = arc_bounds(from.offsets, among.bounds());
  const std::uint64_t first = bounds[among.number()];
  const std::uint64_t last = bounds[among.number() + 1];
  made.targets = page_array<Vertex>(bounds.back(), page_kind::small);
  std::copy(from.targets.begin() + first, from.targets.begin() + last, made.targets.begin() + first);
  among.collect(made.targets.data(), bounds);
  if (from.weights.empty()) return made;
  page_array<double> weights(bounds.back(), page_kind::small);
  for (std::uint64_t a = first; a != last; ++a) weights[a] = from.weights[a];
  among.collect(weights.data(), bounds);
  made.weights = graph::weight_array(std::move(weights));
  return made;
}

}  // namespace

graph::any_graph whole_where_told(const graph::any_graph& graph, graph::partners& among) {
  return std::visit(
      [&]<class Vertex>(const graph::csr_graph<Vertex>& g) -> graph::any_graph {
        if (g.vertices() == 0) return graph::csr_graph<Vertex>();
        graph::adjacency<Vertex> out = collected_rows(g.out(), among);
        graph::adjacency<Vertex> in;
        if (g.directed() && g.has_in()) in = collected_rows(g.in(), among);
        if (!among.tells()) return graph::csr_graph<Vertex>();
        return graph::csr_graph<Vertex>(g.directed(), std::move(out), std::move(in), copied(g.labels()),
                                        g.first_label(), copied(g.by_label()))
            .with_names(g.names());
      },
      graph);
}

std::uint64_t count_self_loops(const graph::any_graph& graph, graph::partners& among) {
  return among.sum(std::visit(
      [&](const auto& g) {
        return parallel_reduce(
            among.first(), among.last(), std::uint64_t{0},
            [&](std::uint64_t first, std::uint64_t last, std::uint64_t found) {
              for (std::uint64_t v = first; v != last; ++v) {
                const auto row = g.out().row(v);
                const auto loops = std::equal_range(row.begin(), row.end(), v);
                found += static_cast<std::uint64_t>(loops.second - loops.first);
              }
              return found;
            },
            std::plus<>{});
      },
      graph));
}

graph::any_graph with_random_weights(graph::any_graph&& graph, std::uint64_t seed, graph::partners& among,
                                     const graph::run_control& control) {
  return std::visit(
      [&](auto&& g) -> graph::any_graph {
        const auto drawn = [&](const auto& rows, graph::arc_meaning meaning) {
          auto own = graph::draw_random_weights(rows, {among.first(), among.last()}, meaning, seed, control);
          return graph::weight_array(as_part(std::move(own), rows.offsets[among.first()], rows.targets.size()));
        };
        graph::weight_array out = drawn(g.out(), {g.directed(), false});
        graph::weight_array in;
        if (g.directed() && g.has_in()) in = drawn(g.in(), {true, true});
        return std::forward<decltype(g)>(g).with_weights(std::move(out), std::move(in));
      },
      std::move(graph));
}

std::unique_ptr<rank_partners> partners_of(const graph::any_graph& graph) {
  return std::visit(
      [](const auto& g) {
        // Each rank looks at the offsets of some pieces: those of a mapped file need not be in the memory of all ranks.
        const auto ranks = static_cast<std::size_t>(global::here().ranks);
        const std::uint64_t vertices = g.vertices();
        const std::uint64_t piece = graph::partner_piece(vertices);
        std::vector<std::uint64_t> arcs((vertices + piece - 1) / piece);
        std::vector<std::uint64_t> shares;
        for (std::size_t r = 0; r <= ranks; ++r) shares.push_back(arcs.size() * r / ranks);
        const auto me = static_cast<std::size_t>(global::here().rank);
        // Kernels divide the work of a hub's row, and the row of a mapped file takes memory where it is read: what is
        // above the threshold does not count.
        const std::uint64_t most = most_arcs_of_others(g, ranks);
        const auto arcs_of = [&](const auto& rows, std::uint64_t i) {
          const std::uint64_t last = std::min(vertices, (i + 1) * piece);
          const std::uint64_t all = rows.offsets[last] - rows.offsets[i * piece];
          if (ranks == 1 || all <= most) return all;
          std::uint64_t sum = 0;
          for (std::uint64_t v = i * piece; v != last; ++v) sum += std::min(most, rows.degree(v));
          return sum;
        };
        for (std::uint64_t i = shares[me]; i != shares[me + 1]; ++i) {
          arcs[i] = arcs_of(g.out(), i);
          if (g.directed() && g.has_in()) arcs[i] += arcs_of(g.in(), i);
        }
        global::share_parts(std::span(arcs), shares);
        return std::make_unique<rank_partners>(bounds_of_pieces(vertices, arcs, ranks));
      },
      graph);
}

std::vector<std::uint64_t> bounds_of_first(const graph::any_graph& graph) {
  std::vector<std::uint64_t> bounds(static_cast<std::size_t>(global::here().ranks) + 1);
  if (global::here().rank == 0) bounds = bounds_by_rows(graph);
  global::replicate(std::span(bounds));
  return bounds;
}

void deal_graph(graph::any_graph& graph, const std::vector<std::uint64_t>& bounds) {
  const bool has = global::here().rank == 0;
  graph_shape shape;
  if (has) shape = std::visit([](const auto& g) { return shape_of(g); }, graph);
  shape = global::broadcast(shape);
  if (shape.vertices == 0) return;  // no rows, and no offsets
  const auto deal = [&]<class Vertex>(Vertex) {
    const auto* const from = has ? &std::get<graph::csr_graph<Vertex>>(graph) : nullptr;
    graph::any_graph made = dealt_graph<Vertex>(from, shape, bounds);
    if (!has) graph = std::move(made);
  };
  if (shape.vertex_bytes == sizeof(std::uint32_t)) {
    deal(std::uint32_t{});
  } else {
    deal(std::uint64_t{});
  }
}

}  // namespace callisto::cluster
