// Graphs from columns of edges, from ready rows, from other graphs, and from generators.
#include "arrays.hpp"
#include "bindings.hpp"
#include "graph.hpp"
#include "run.hpp"

#include <callisto/callisto.hpp>
#include <callisto/graph/construction/labels.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace callisto::python {
namespace {

using graph::run_control;
using machine::page_array;

constexpr std::size_t edges_per_block = std::size_t{1} << 18;

graph::repeats repeats_named(std::string_view name) {
  if (name == "remove") return graph::repeats::remove;
  if (name == "keep") return graph::repeats::keep;
  if (name == "heaviest") return graph::repeats::heaviest;
  if (name == "first") return graph::repeats::first;
  if (name == "sum") return graph::repeats::sum;
  if (name == "sum_weights") return graph::repeats::sum_weights;
  throw usage_error(
      fmt::format("repeats is '{}': expected 'remove', 'keep', 'heaviest', 'first', 'sum' or 'sum_weights'", name));
}

/// The smallest of the numbers that threads tell it.
class smallest {
 public:
  void tell(std::uint64_t number) noexcept {
    std::uint64_t so_far = number_.load(std::memory_order_relaxed);  // relaxed: the end of the loop publishes it
    while (number < so_far && !number_.compare_exchange_weak(so_far, number, std::memory_order_relaxed)) {
    }
  }
  std::optional<std::uint64_t> number() const noexcept {
    const std::uint64_t found = number_.load(std::memory_order_relaxed);
    return found == none ? std::nullopt : std::optional(found);
  }

 private:
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
  std::atomic<std::uint64_t> number_ = none;
};

/// Columns of edges: `weights` is empty or as long as the others.
template <class Id>
struct edge_columns {
  std::span<const Id> from;
  std::span<const Id> to;
  std::span<const double> weights;

  std::size_t blocks() const noexcept { return (from.size() + edges_per_block - 1) / edges_per_block; }
};

/// Calls f(block, first, last) for each block of edges, in parallel.
template <class Id, class F>
void for_each_block(const edge_columns<Id>& columns, const run_control& control, const F& f) {
  const auto one = [&](std::size_t block) {
    const std::size_t first = block * edges_per_block;
    f(block, first, std::min(first + edges_per_block, columns.from.size()));
  };
  if (!parallel_for(std::size_t{0}, columns.blocks(), one, {.batch = 1, .stop = control.stop})) throw cancelled();
}

/// Returns the weights in the form that takes least room; tells the first row without a number.
graph::weight_array block_weights(std::span<const double> all, std::size_t first, std::size_t last, smallest& wrong) {
  if (all.empty()) return {};
  const std::span<const double> of = all.subspan(first, last - first);
  if (graph::are_short(of)) {
    page_array<graph::short_weight> made(of.size());
    for (std::size_t i = 0; i < of.size(); ++i) made[i] = graph::weight_as<graph::short_weight>(of[i]);
    return made;
  }
  page_array<double> made(of.size());
  for (std::size_t i = 0; i < of.size(); ++i) {
    made[i] = of[i];
    if (std::isnan(of[i])) wrong.tell(first + i);
  }
  return made;
}

void refuse_weight(const smallest& wrong) {
  if (wrong.number()) throw usage_error(fmt::format("the weight of row {} is NaN: expected a number", *wrong.number()));
}

/// Returns the list of edges between vertices 0 ... vertices - 1.
template <class Vertex, class Id>
graph::any_edge_list list_of_vertices(const edge_columns<Id>& columns, std::uint64_t vertices,
                                      const run_control& control) {
  graph::edge_list<Vertex> list;
  list.vertices = vertices;
  list.weighted = !columns.weights.empty();
  list.blocks.resize(columns.blocks());
  smallest outside;
  smallest no_number;
  const auto is_outside = [&](Id id) { return id < 0 || static_cast<std::uint64_t>(id) >= vertices; };
  for_each_block(columns, control, [&](std::size_t block, std::size_t first, std::size_t last) {
    page_array<graph::edge<Vertex>> edges(last - first);
    for (std::size_t i = first; i < last; ++i) {
      if (is_outside(columns.from[i]) || is_outside(columns.to[i])) outside.tell(i);
      edges[i - first] = {static_cast<Vertex>(columns.from[i]), static_cast<Vertex>(columns.to[i])};
    }
    list.blocks[block].edges = std::move(edges);
    list.blocks[block].weights = block_weights(columns.weights, first, last, no_number);
  });
  if (const auto row = outside.number()) {
    throw usage_error(fmt::format("the edge of row {} is ({}, {}): expected vertices from 0 to {}", *row,
                                  columns.from[*row], columns.to[*row], vertices - 1));
  }
  refuse_weight(no_number);
  return list;
}

/// Returns the list of edges between labels: its vertices are the labels that occur, in ascending order.
template <class Id>
graph::any_edge_list list_of_labels(const edge_columns<Id>& columns, const run_control& control) {
  if (columns.from.empty()) {
    graph::edge_list<std::uint32_t> none;
    return none;
  }
  std::vector<graph::labelled_block> blocks(columns.blocks());
  smallest negative;
  smallest no_number;
  for_each_block(columns, control, [&](std::size_t b, std::size_t first, std::size_t last) {
    graph::labelled_block& block = blocks[b];
    const auto look = [&](Id id, std::size_t row) {
      if (id < 0) negative.tell(row);
      block.smallest = std::min(block.smallest, static_cast<std::uint64_t>(id));
      block.largest = std::max(block.largest, static_cast<std::uint64_t>(id));
    };
    for (std::size_t i = first; i < last; ++i) {
      look(columns.from[i], i);
      look(columns.to[i], i);
    }
    const auto fill = [&](auto& edges) {
      using vertex = decltype(edges[0].from);
      edges = std::remove_reference_t<decltype(edges)>(last - first);
      for (std::size_t i = first; i < last; ++i) {
        edges[i - first] = {static_cast<vertex>(columns.from[i]), static_cast<vertex>(columns.to[i])};
      }
    };
    if (block.largest <= std::numeric_limits<std::uint32_t>::max()) {
      fill(block.narrow);
    } else {
      fill(block.wide);
    }
    block.weights = block_weights(columns.weights, first, last, no_number);
  });
  if (const auto row = negative.number()) {
    throw usage_error(fmt::format("the edge of row {} is ({}, {}): expected numbers of at least 0", *row,
                                  columns.from[*row], columns.to[*row]));
  }
  refuse_weight(no_number);
  return graph::number_densely(std::move(blocks), !columns.weights.empty(), control);
}

/// A graph, and what its edges were: rows, self-loops, repeats.
nb::tuple built(graph::any_graph&& graph, const graph::build_report& report) {
  return nb::make_tuple(held_graph(std::move(graph)), report.lines, report.self_loops, report.repeats);
}

template <class Id>
nb::tuple from_edges(const column<Id>& from, const column<Id>& to, const std::optional<column<double>>& weights,
                     const std::optional<std::uint64_t>& vertices, bool directed, const std::string& repeats,
                     bool drop_loops, nb::handle progress) {
  const edge_columns<Id> columns{as_span(from), as_span(to), weights ? as_span(*weights) : std::span<const double>()};
  if (columns.to.size() != columns.from.size() || (weights && columns.weights.size() != columns.from.size())) {
    throw usage_error(fmt::format("columns of {}, {}{} rows: expected equally many", columns.from.size(),
                                  columns.to.size(), weights ? fmt::format(" and {}", columns.weights.size()) : ""));
  }
  const graph::build_options options{.undirected = !directed,
                                     .repeats = repeats_named(repeats),
                                     .loops = drop_loops ? graph::loops::remove : graph::loops::keep};
  graph::build_report report;
  graph::any_graph made = run(progress, columns.from.size() < 50'000, [&](const run_control& control) {
    const auto list = [&] {
      if (!vertices) return list_of_labels(columns, control);
      if (*vertices <= std::numeric_limits<std::uint32_t>::max() - 1) {
        return list_of_vertices<std::uint32_t>(columns, *vertices, control);
      }
      return list_of_vertices<std::uint64_t>(columns, *vertices, control);
    };
    return graph::build_graph(list(), options, control, &report);
  });
  return built(std::move(made), report);
}

/// Returns views of a graph's rows, which keep it alive.
template <class Vertex>
graph::adjacency<Vertex> shared_rows(const graph::adjacency<Vertex>& rows,
                                     const std::shared_ptr<const graph::any_graph>& owner) {
  graph::adjacency<Vertex> made;
  made.offsets = page_array<std::uint64_t>::view(rows.offsets, owner);
  made.targets = page_array<Vertex>::view(rows.targets, owner);
  if (!rows.weights.empty()) {
    made.weights = rows.weights.visit([&]<class Weight>(std::span<const Weight> weights) {
      return graph::weight_array(page_array<Weight>::view(weights, owner));
    });
  }
  return made;
}

/// Returns a graph with the same rows, labels apart: vertices are called 0, 1, 2 ...
template <class Vertex>
graph::csr_graph<Vertex> with_same_rows(const graph::csr_graph<Vertex>& of,
                                        const std::shared_ptr<const graph::any_graph>& owner) {
  return graph::csr_graph<Vertex>(of.directed(), shared_rows(of.out(), owner),
                                  of.directed() ? shared_rows(of.in(), owner) : graph::adjacency<Vertex>(), {}, 0)
      .knowing_weights(of.known_weights());
}

template <class T>
page_array<T> copied(std::span<const T> values) {
  page_array<T> made(values.size());
  std::copy(values.begin(), values.end(), made.begin());
  return made;
}

/// Returns the vertices by ascending label.
template <class Vertex>
page_array<Vertex> sorted_by_label(std::span<const std::uint64_t> labels) {
  if (std::is_sorted(labels.begin(), labels.end())) return {};
  page_array<Vertex> made(labels.size());
  for (std::size_t v = 0; v < labels.size(); ++v) made[v] = static_cast<Vertex>(v);
  std::sort(made.begin(), made.end(), [&](Vertex a, Vertex b) { return labels[a] < labels[b]; });
  return made;
}

held_graph with_labels(const held_graph& of, const column<std::uint64_t>& labels) {
  if (labels.size() != of.vertices()) {
    throw usage_error(fmt::format("{} labels for {} vertices", labels.size(), of.vertices()));
  }
  return of.visit([&]<class Vertex>(const graph::csr_graph<Vertex>& g) {
    const std::span<const std::uint64_t> all = as_span(labels);
    return held_graph(with_same_rows(g, of.shared()).with_labels(copied(all), sorted_by_label<Vertex>(all)));
  });
}

/// `bytes`: the names in ascending order, one behind the other; `ranks`: by vertex, the number of its name there.
held_graph with_names(const held_graph& of, const nb::bytes& bytes, const column<std::uint64_t>& offsets,
                      const column<std::uint64_t>& ranks) {
  const std::uint64_t n = of.vertices();
  if (offsets.size() != n + 1 || ranks.size() != n) {
    throw usage_error(fmt::format("{} names for {} vertices", ranks.size(), n));
  }
  const auto names = std::make_shared<const graph::vertex_names>(
      copied(as_span(offsets)), copied(std::span<const char>(bytes.c_str(), bytes.size())));
  return of.visit([&]<class Vertex>(const graph::csr_graph<Vertex>& g) {
    auto made = with_same_rows(g, of.shared());
    const std::span<const std::uint64_t> all = as_span(ranks);
    const bool in_order = std::is_sorted(all.begin(), all.end());
    if (!in_order) made = std::move(made).with_labels(copied(all), sorted_by_label<Vertex>(all));
    return held_graph(std::move(made).with_names(names));
  });
}

}  // namespace

void bind_construction(nb::module_& m) {
  const auto bind_edges = [&]<class Id>(Id) {
    m.def("from_edges", &from_edges<Id>, nb::arg("source").noconvert(), nb::arg("target").noconvert(),
          nb::arg("weights").noconvert().none(), nb::arg("vertices").none(), nb::arg("directed"), nb::arg("repeats"),
          nb::arg("drop_loops"), nb::arg("progress") = nb::none());
  };
  bind_edges(std::int64_t{});
  bind_edges(std::int32_t{});
  bind_edges(std::uint64_t{});
  bind_edges(std::uint32_t{});
  m.def("with_labels", &with_labels, nb::arg("graph"), nb::arg("labels").noconvert());
  m.def("with_names", &with_names, nb::arg("graph"), nb::arg("bytes"), nb::arg("offsets").noconvert(),
        nb::arg("ranks").noconvert());
}

}  // namespace callisto::python
