// Graphs from columns of edges, from ready rows, from other graphs, and from generators.
#include "arrays.hpp"
#include "arrow.hpp"
#include "bindings.hpp"
#include "graph.hpp"
#include "names.hpp"
#include "run.hpp"

#include <callisto/algorithms.hpp>
#include <callisto/callisto.hpp>
#include <callisto/graph/attributes/attributes.hpp>
#include <callisto/graph/construction/labels.hpp>
#include <callisto/graph/construction/names.hpp>
#include <callisto/machine/system/encoding.hpp>

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
#include <utility>
#include <vector>

namespace callisto::python {
namespace {

using graph::run_control;
using machine::page_array;

constexpr std::size_t edges_per_block = std::size_t{1} << 18;

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

std::size_t blocks_of(std::size_t rows) noexcept { return (rows + edges_per_block - 1) / edges_per_block; }

/// Columns of edges: `weights` is empty or as long as the others.
template <class Id>
struct edge_columns {
  std::span<const Id> from;
  std::span<const Id> to;
  std::span<const double> weights;

  std::size_t blocks() const noexcept { return blocks_of(from.size()); }
};

/// Calls f(block, first, last) for each block of rows, in parallel.
template <class F>
void for_each_block(std::size_t rows, const run_control& control, const F& f) {
  const auto one = [&](std::size_t block) {
    const std::size_t first = block * edges_per_block;
    f(block, first, std::min(first + edges_per_block, rows));
  };
  if (!parallel_for(std::size_t{0}, blocks_of(rows), one, {.batch = 1, .stop = control.stop})) throw cancelled();
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
  for_each_block(columns.from.size(), control, [&](std::size_t block, std::size_t first, std::size_t last) {
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
  for_each_block(columns.from.size(), control, [&](std::size_t b, std::size_t first, std::size_t last) {
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

graph::build_options options_of(bool directed, std::string_view repeats, bool drop_loops) {
  return {.undirected = !directed,
          .repeats = repeats_named(repeats),
          .loops = drop_loops ? graph::loops::remove : graph::loops::keep};
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
  const graph::build_options options = options_of(directed, repeats, drop_loops);
  graph::build_report report;
  graph::any_graph made = run(progress, by_arcs(2 * columns.from.size()), [&](const run_control& control) {
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

/// Throws usage_error: a text of one of the columns is no UTF-8.
[[noreturn]] void refuse_bytes(const arrow_column& from, const arrow_column& to) {
  const auto look = [](const arrow_column& column, std::string_view name) {
    for_texts(column, 0, column.rows, [&](std::int64_t row, std::string_view text) {
      if (!machine::is_utf8(text))
        throw usage_error(fmt::format("{} of row {} is no UTF-8: expected a text", name, row));
    });
  };
  look(from, "source");
  look(to, "target");
  throw usage_error("source or target is no UTF-8: expected texts");
}

/// Returns the list of edges between texts: its vertices are the texts that occur, in ascending order of their bytes,
/// as in files.
graph::any_edge_list list_of_texts(const arrow_column& from, const arrow_column& to, std::span<const double> weights,
                                   const run_control& control) {
  const auto rows = static_cast<std::size_t>(from.rows);
  std::vector<graph::named_block> blocks(blocks_of(rows));
  graph::name_table_pool tables;
  smallest no_number;
  for_each_block(rows, control, [&](std::size_t b, std::size_t first, std::size_t last) {
    graph::named_block& block = blocks[b];
    block.edges = page_array<graph::edge<std::uint32_t>>(last - first);
    block.table = tables.take();
    graph::name_batch batch(tables[block.table]);
    const auto begin = static_cast<std::int64_t>(first);
    const auto end = static_cast<std::int64_t>(last);
    for_texts(from, begin, end, [&](std::int64_t row, std::string_view text) {
      batch.add(text, block.edges[static_cast<std::size_t>(row - begin)].from);
    });
    for_texts(to, begin, end, [&](std::int64_t row, std::string_view text) {
      batch.add(text, block.edges[static_cast<std::size_t>(row - begin)].to);
    });
    batch.flush();
    tables.give_back(block.table);
    block.weights = block_weights(weights, first, last, no_number);
  });
  refuse_weight(no_number);
  for (const graph::name_table& table : tables.all()) {
    for (std::uint32_t i = 0; i < table.size(); ++i) {
      if (!machine::is_utf8(table[i])) refuse_bytes(from, to);
    }
  }
  return graph::number_by_name(std::move(blocks), std::move(tables.all()), !weights.empty(),
                               graph::numeric_names::stay_names, control);
}

/// Returns the graph of two columns of texts, of at least one row, without a Python object a row.
nb::tuple from_texts(const arrow_column& from, const arrow_column& to, const std::optional<column<double>>& weights,
                     bool directed, const std::string& repeats, bool drop_loops, nb::handle progress) {
  if (!from.holds_texts() || !to.holds_texts() || from.rows == 0 || to.rows != from.rows ||
      (weights && weights->size() != static_cast<std::size_t>(from.rows)))
    throw usage_error("columns: expected texts, in equally many rows");
  const graph::build_options options = options_of(directed, repeats, drop_loops);
  graph::build_report report;
  graph::any_graph made = run(progress, by_arcs(2 * from.rows), [&](const run_control& control) {
    return graph::build_graph(list_of_texts(from, to, weights ? as_span(*weights) : std::span<const double>(), control),
                              options, control, &report);
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

/// Returns a graph over the arrays of another, which it keeps alive.
template <class Vertex>
graph::csr_graph<Vertex> shared_copy(const graph::csr_graph<Vertex>& of,
                                     const std::shared_ptr<const graph::any_graph>& owner) {
  return graph::csr_graph<Vertex>(of.directed(), shared_rows(of.out(), owner),
                                  of.directed() ? shared_rows(of.in(), owner) : graph::adjacency<Vertex>(),
                                  page_array<std::uint64_t>::view(of.labels(), owner), of.first_label(),
                                  page_array<Vertex>::view(of.by_label(), owner))
      .with_names(of.names())
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
  struct labelled {
    std::uint64_t label;
    std::uint64_t vertex;
  };
  std::vector<labelled> sorted(labels.size());
  for (std::size_t v = 0; v < labels.size(); ++v) sorted[v] = {labels[v], v};
  callisto::sort(sorted, {}, &labelled::label);
  page_array<Vertex> made(labels.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) made[i] = static_cast<Vertex>(sorted[i].vertex);
  return made;
}

held_graph with_labels(const held_graph& of, const column<std::uint64_t>& labels) {
  if (labels.size() != of.vertices()) {
    throw usage_error(fmt::format("{} labels for {} vertices", labels.size(), of.vertices()));
  }
  return of.visit([&]<class Vertex>(const graph::csr_graph<Vertex>& g) {
    const std::span<const std::uint64_t> all = as_span(labels);
    return held_graph(
        shared_copy(g, of.shared()).with_names(nullptr).with_labels(copied(all), sorted_by_label<Vertex>(all)));
  });
}

/// Returns the same graph with vertices called 0, 1, 2 ...; columns stay with their vertices.
held_graph without_labels(const held_graph& of) {
  return of.visit([&]<class Vertex>(const graph::csr_graph<Vertex>& g) {
    std::shared_ptr<const graph::graph_attributes> columns = g.attributes();
    if (columns != nullptr && !g.by_label().empty()) {
      std::vector<std::uint64_t> rank(g.vertices());  // rows were in the order of the labels
      for (std::uint64_t i = 0; i < rank.size(); ++i) rank[g.by_label(i)] = i;
      columns = graph::attributes_of(graph::rows_of(columns->vertices, rank), columns->edges);
    }
    return held_graph(
        graph::csr_graph<Vertex>(g.directed(), shared_rows(g.out(), of.shared()),
                                 g.directed() ? shared_rows(g.in(), of.shared()) : graph::adjacency<Vertex>(), {}, 0)
            .knowing_weights(g.known_weights())
            .with_attributes(std::move(columns)));
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
    const std::span<const std::uint64_t> all = as_span(ranks);
    return held_graph(
        shared_copy(g, of.shared()).with_labels(copied(all), sorted_by_label<Vertex>(all)).with_names(names));
  });
}

/// True if the graph's rows of in-edges equal those of its out-edges.
template <class Vertex>
bool is_reciprocal(const graph::csr_graph<Vertex>& g, const run_control& control) {
  std::atomic<bool> differs = false;  // relaxed throughout: the end of the loop publishes it
  const auto compare = [&](std::uint64_t first, std::uint64_t last) {
    const auto& out = g.out();
    const auto& in = g.in();
    if (differs.load(std::memory_order_relaxed)) return;
    const std::uint64_t a = out.offsets[first];
    const std::uint64_t b = out.offsets[last];
    bool same = std::equal(out.offsets.begin() + first, out.offsets.begin() + last + 1, in.offsets.begin() + first) &&
                std::equal(out.targets.begin() + a, out.targets.begin() + b, in.targets.begin() + a);
    for (std::uint64_t i = a; same && g.weighted() && i < b; ++i) same = out.weights[i] == in.weights[i];
    if (!same) differs.store(true, std::memory_order_relaxed);
  };
  if (!parallel_for(std::uint64_t{0}, g.vertices(), compare, {.stop = control.stop})) throw cancelled();
  return !differs.load(std::memory_order_relaxed);
}

enum class rows_state { ascending, unsorted, outside };

/// What the rows are: ascending without repeats, or with them if they `may_repeat`; or not; or with targets that are no
/// vertices.
template <class Vertex>
rows_state state_of(std::span<const std::uint64_t> offsets, std::span<const Vertex> targets, bool may_repeat,
                    const run_control& control) {
  const std::uint64_t n = offsets.size() - 1;
  if (offsets.front() != 0 || offsets.back() != targets.size() || !std::is_sorted(offsets.begin(), offsets.end())) {
    return rows_state::outside;
  }
  std::atomic<bool> unsorted = false;  // relaxed throughout: the end of the loop publishes it
  std::atomic<bool> outside = false;   // relaxed, as well
  const auto look = [&](std::uint64_t first, std::uint64_t last) {
    bool any_unsorted = false;
    bool any_outside = false;
    for (std::uint64_t v = first; v < last; ++v) {
      for (std::uint64_t i = offsets[v]; i < offsets[v + 1]; ++i) {
        any_outside |= targets[i] >= n;
        any_unsorted |= i > offsets[v] && targets[i] < targets[i - 1] + (may_repeat ? 0 : 1);
      }
    }
    if (any_unsorted) unsorted.store(true, std::memory_order_relaxed);
    if (any_outside) outside.store(true, std::memory_order_relaxed);
  };
  if (!parallel_for(std::uint64_t{0}, n, look, {.stop = control.stop})) throw cancelled();
  if (outside.load(std::memory_order_relaxed)) return rows_state::outside;
  return unsorted.load(std::memory_order_relaxed) ? rows_state::unsorted : rows_state::ascending;
}

/// Returns the graph of ready rows, which it copies, or shares and keeps alive. Returns None if rows do not ascend, or
/// repeat targets and `repeats` is not "keep". Without directions, an entry without its opposite makes an edge, too.
template <class Vertex>
nb::object from_rows(const column<std::uint64_t>& offsets, const column<Vertex>& targets,
                     const std::optional<column<double>>& weights, bool directed, bool share,
                     const std::string& repeats, nb::handle progress) {
  if (offsets.size() == 0) throw usage_error("offsets are empty: expected one more than vertices");
  if (weights && weights->size() != targets.size()) {
    throw usage_error(fmt::format("{} weights for {} targets", weights->size(), targets.size()));
  }
  const graph::repeats merge = repeats_named(repeats);
  const std::shared_ptr<const void> offsets_owner = share ? keep_alive(nb::cast(offsets)) : nullptr;
  const std::shared_ptr<const void> targets_owner = share ? keep_alive(nb::cast(targets)) : nullptr;
  const std::shared_ptr<const void> weights_owner = share && weights ? keep_alive(nb::cast(*weights)) : nullptr;
  const auto taken = []<class T>(std::span<const T> values, const std::shared_ptr<const void>& owner) {
    return owner ? page_array<T>::view(values, owner) : copied(values);
  };
  auto made = run(progress, by_arcs(2 * targets.size()), [&](const run_control& control) {
    std::optional<graph::any_graph> result;
    const rows_state state = state_of(as_span(offsets), as_span(targets), merge == graph::repeats::keep, control);
    if (state == rows_state::outside) {
      throw usage_error(
          fmt::format("the rows are not those of a square matrix: expected offsets that ascend from 0 to "
                      "{} and targets below {}",
                      targets.size(), offsets.size() - 1));
    }
    if (state == rows_state::unsorted) return result;
    graph::adjacency<Vertex> out;
    out.offsets = taken(as_span(offsets), offsets_owner);
    out.targets = taken(as_span(targets), targets_owner);
    if (weights) {
      const std::span<const double> values = as_span(*weights);
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isnan(values[i])) throw usage_error(fmt::format("weight {} is NaN: expected a number", i));
      }
      if (!share && graph::are_short(values)) {
        page_array<graph::short_weight> shortened(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
          shortened[i] = graph::weight_as<graph::short_weight>(values[i]);
        }
        out.weights = std::move(shortened);
      } else {
        out.weights = taken(values, weights_owner);
      }
    }
    const auto base =
        std::make_shared<const graph::any_graph>(graph::csr_graph<Vertex>(true, std::move(out), {}, {}, 0));
    const auto& given = std::get<graph::csr_graph<Vertex>>(*base);
    graph::any_graph both = graph::with_in_edges(shared_copy(given, base), control);
    if (directed) {
      result.emplace(std::move(both));
    } else if (is_reciprocal(std::get<graph::csr_graph<Vertex>>(both), control)) {
      result.emplace(graph::csr_graph<Vertex>(false, shared_rows(given.out(), base), {}, {}, 0));
    } else {
      result.emplace(graph::symmetrized(both, graph::loops::keep, control, merge));
    }
    return result;
  });
  return made ? nb::cast(held_graph(std::move(*made))) : nb::none();
}

/// Makes the graph of another with `change(any_graph copy, control)`; the copy shares its arrays.
template <class F>
held_graph changed(const held_graph& of, nb::handle progress, F&& change) {
  return held_graph(
      run(progress, by_arcs(of.any()), [&](const run_control& control) { return change(shared_graph(of), control); }));
}

held_graph symmetrized(const held_graph& of, const std::string& repeats, nb::handle progress) {
  const graph::repeats merge = repeats_named(repeats);
  return changed(of, progress, [&](graph::any_graph&& g, const run_control& control) {
    return graph::symmetrized(g, graph::loops::keep, control, merge);
  });
}

held_graph without_loops(const held_graph& of, nb::handle progress) {
  return changed(of, progress, [](graph::any_graph&& g, const run_control& control) {
    return graph::without_self_loops(g, control);
  });
}

held_graph hubs_first(const held_graph& of, nb::handle progress) {
  return changed(of, progress,
                 [](graph::any_graph&& g, const run_control& control) { return graph::hubs_first(g, control); });
}

held_graph with_random_weights(const held_graph& of, std::uint64_t seed, nb::handle progress) {
  return changed(of, progress, [&](graph::any_graph&& g, const run_control& control) {
    return graph::with_random_weights(std::move(g), seed, control);
  });
}

held_graph reversed(const held_graph& of) {
  return of.visit([&]<class Vertex>(const graph::csr_graph<Vertex>& g) {
    if (!g.directed()) return held_graph(shared_copy(g, of.shared()));
    return held_graph(graph::csr_graph<Vertex>(true, shared_rows(g.in(), of.shared()),
                                               shared_rows(g.out(), of.shared()),
                                               page_array<std::uint64_t>::view(g.labels(), of.shared()),
                                               g.first_label(), page_array<Vertex>::view(g.by_label(), of.shared()))
                          .with_names(g.names()));
  });
}

held_graph unweighted(const held_graph& of) {
  return of.visit([&](const auto& g) {
    return held_graph(shared_copy(g, of.shared()).with_weights({}, {}).with_attributes(g.attributes()));
  });
}

/// Builds a generator's edges.
template <class Options, class Generate>
held_graph generated(Options options, std::uint64_t seed, bool directed, nb::handle progress,
                     const Generate& generate) {
  options.seed = seed;
  options.meaning = directed ? graph::direction::directed : graph::direction::undirected;
  return held_graph(run(progress, place::watched, [&](const run_control& control) {
    return graph::build_graph(generate(options, control), {}, control);
  }));
}

}  // namespace

held_graph with_attributes(const held_graph& of, std::shared_ptr<const graph::graph_attributes> attributes) {
  return of.visit(
      [&](const auto& g) { return held_graph(shared_copy(g, of.shared()).with_attributes(std::move(attributes))); });
}

graph::any_graph shared_graph(const held_graph& of) {
  return of.visit(
      [&](const auto& g) { return graph::any_graph(shared_copy(g, of.shared()).with_attributes(g.attributes())); });
}

void bind_construction(nb::module_& m) {
  const auto bind_edges = [&]<class Id>(Id) {
    m.def("from_edges", &from_edges<Id>, nb::arg("source").noconvert(), nb::arg("target").noconvert(),
          nb::arg("weights").noconvert().none(), nb::arg("vertices").none(), nb::arg("directed"), nb::arg("repeats"),
          nb::arg("drop_loops"), nb::arg("progress") = nb::none());
  };
  m.def("from_texts", &from_texts, nb::arg("source"), nb::arg("target"), nb::arg("weights").noconvert().none(),
        nb::arg("directed"), nb::arg("repeats"), nb::arg("drop_loops"), nb::arg("progress") = nb::none());
  bind_edges(std::int64_t{});
  bind_edges(std::int32_t{});
  bind_edges(std::uint64_t{});
  bind_edges(std::uint32_t{});
  m.def("with_labels", &with_labels, nb::arg("graph"), nb::arg("labels").noconvert());
  m.def("without_labels", &without_labels, nb::arg("graph"));
  m.def("with_names", &with_names, nb::arg("graph"), nb::arg("bytes"), nb::arg("offsets").noconvert(),
        nb::arg("ranks").noconvert());
  const auto bind_rows = [&]<class Vertex>(Vertex) {
    m.def("from_rows", &from_rows<Vertex>, nb::arg("offsets").noconvert(), nb::arg("targets").noconvert(),
          nb::arg("weights").noconvert().none(), nb::arg("directed"), nb::arg("share"), nb::arg("repeats") = "remove",
          nb::arg("progress") = nb::none());
  };
  bind_rows(std::uint32_t{});
  bind_rows(std::uint64_t{});
  m.def("symmetrized", &symmetrized, nb::arg("graph"), nb::arg("repeats") = "remove", nb::arg("progress") = nb::none());
  m.def("without_loops", &without_loops, nb::arg("graph"), nb::arg("progress") = nb::none());
  m.def("hubs_first", &hubs_first, nb::arg("graph"), nb::arg("progress") = nb::none());
  m.def("with_random_weights", &with_random_weights, nb::arg("graph"), nb::arg("seed") = 1,
        nb::arg("progress") = nb::none());
  m.def("reversed", &reversed, nb::arg("graph"));
  m.def("unweighted", &unweighted, nb::arg("graph"));
  m.def(
      "kronecker",
      [](unsigned scale, std::uint64_t degree, std::uint64_t seed, bool directed, nb::handle progress) {
        graph::kronecker_options options;
        options.scale = scale;
        options.degree = degree;
        return generated(options, seed, directed, progress, graph::generate_kronecker);
      },
      nb::arg("scale"), nb::arg("degree") = 16, nb::arg("seed") = 1, nb::arg("directed") = false,
      nb::arg("progress") = nb::none());
  m.def(
      "uniform",
      [](std::uint64_t vertices, std::uint64_t edges, std::uint64_t seed, bool directed, nb::handle progress) {
        graph::uniform_options options;
        options.vertices = vertices;
        options.edges = edges;
        return generated(options, seed, directed, progress, graph::generate_uniform);
      },
      nb::arg("vertices"), nb::arg("edges"), nb::arg("seed") = 1, nb::arg("directed") = false,
      nb::arg("progress") = nb::none());
  m.def(
      "power_law",
      [](std::uint64_t vertices, std::uint64_t edges, double exponent, std::uint64_t seed, bool directed,
         nb::handle progress) {
        graph::power_law_options options;
        options.vertices = vertices;
        options.edges = edges;
        options.exponent = exponent;
        return generated(options, seed, directed, progress, graph::generate_power_law);
      },
      nb::arg("vertices"), nb::arg("edges"), nb::arg("exponent") = 2.5, nb::arg("seed") = 1,
      nb::arg("directed") = false, nb::arg("progress") = nb::none());
  m.def(
      "grid",
      [](std::uint64_t rows, std::uint64_t columns, bool directed, nb::handle progress) {
        graph::grid_options options;
        options.rows = rows;
        options.columns = columns;
        return generated(options, 1, directed, progress, graph::generate_grid);
      },
      nb::arg("rows"), nb::arg("columns"), nb::arg("directed") = false, nb::arg("progress") = nb::none());
}

}  // namespace callisto::python
