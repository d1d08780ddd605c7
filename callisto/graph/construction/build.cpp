// Building CSR graphs: a stable partition into cache-sized buckets, each of which is then sorted in the cache.
//
// README.md has the passes and their files.
//
// In-edges are the arcs with row and target exchanged. The source yields them in the order of their rows, so each row
// of a bucket gets its targets in order. The partition is stable, so they need no sorting: each arc goes behind the
// last one of its row.
//
// An undirected edge is sorted once, as the arc from its larger end to the smaller one. These arcs are the lower half
// of the adjacency matrix. The upper half is the lower one with row and target exchanged; its rows go behind the rows
// of the lower half (`front`).
#include <callisto/graph/attributes/carry.hpp>
#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/construction/build_memory.hpp>
#include <callisto/graph/construction/edge_sources.hpp>
#include <callisto/graph/construction/merge_repeats.hpp>
#include <callisto/graph/construction/sorted_rows.hpp>
#include <callisto/graph/csr/called.hpp>
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/graph/csr/require_memory.hpp>
#include <callisto/graph/csr/weights.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::graph {
namespace {

using namespace construction;
using machine::page_array;

/// Returns the rows of the undirected graph with the edges of the source.
template <class Vertex, class Source>
adjacency<Vertex> both_ways(Source& source, weight_form form, repeats repeats, loops loops, const run_control& control,
                            row_tally& tally) {
  // Small pages go back to the system one by one as they are copied.
  const row_rules once{.which = arc_of::lower, .repeats = repeats, .loops = loops, .pages = machine::page_kind::small};
  auto lower = sorted_rows<Vertex>(source, form, once, control, tally);
  const row_rules again{
      .which = arc_of::reverse, .repeats = repeats::keep, .loops = loops::remove, .targets_ascend = true};
  row_source<Vertex> lower_rows(lower);
  row_tally unused;
  return sorted_rows<Vertex>(lower_rows, form, again, control, unused, &lower);
}

template <class Vertex>
adjacency<Vertex> rows_of_rows(const adjacency<Vertex>& rows, const row_rules& rules, const run_control& control) {
  row_source<Vertex> source(rows);
  row_tally tally;
  return sorted_rows<Vertex>(source, form_of(rows), rules, control, tally);
}

template <class Vertex>
adjacency<Vertex> transposed(const adjacency<Vertex>& rows, const run_control& control) {
  return rows_of_rows(rows, {.which = arc_of::reverse, .repeats = repeats::keep, .targets_ascend = true}, control);
}

/// Returns with_repeats_merged(). Throws weight_error that names the edges without a finite sum; `name(vertex)` is what
/// users call a vertex.
template <class Vertex, class Name>
adjacency<Vertex> merged(adjacency<Vertex> rows, repeats how, bool undirected, const run_control& control,
                         const Name& name) {
  try {
    return with_repeats_merged(std::move(rows), how, undirected, control);
  } catch (const no_finite_sum<Vertex>& found) {
    throw weight_error(fmt::format("the weights of the edges from {} to {} have no finite sum (--repeats)",
                                   name(found.from), name(found.to)));
  }
}

/// Returns which of repeated edges gives the attributes of the edge that stays.
giver giver_of(repeats how) noexcept {
  switch (how) {
    case repeats::remove:
      return giver::lightest;
    case repeats::heaviest:
      return giver::heaviest;
    case repeats::keep:
      return giver::each;
    case repeats::first:
    case repeats::sum:
    case repeats::sum_weights:
      return giver::first;
  }
  __builtin_unreachable();
}

template <class Vertex>
csr_graph<Vertex> build(edge_list<Vertex>&& given, const build_options& options, const run_control& control,
                        build_report* report) {
  edge_list<Vertex> list = std::exchange(given, {});
  const bool undirected = options.undirected || list.meaning == direction::undirected;
  listed_edges<Vertex> ends;
  if (list.attributes != nullptr && !list.attributes->edges.empty()) ends = edges_of_list(list, control);
  std::uint64_t bytes_of_list = 0;
  std::uint64_t largest_block = 0;
  for (const edge_block<Vertex>& block : list.blocks) {
    const std::uint64_t bytes = block.edges.size() * sizeof(edge<Vertex>);
    bytes_of_list += bytes;
    largest_block = std::max(largest_block, bytes);
  }
  list_source<Vertex> source(list);
  row_tally tally;
  const std::uint64_t lines = source.edges();
  key_layout::check(list.vertices);
  const weight_form form = !list.weighted                      ? weight_form::none
                           : source.weights_are_short(control) ? weight_form::short_ones
                                                               : weight_form::wide;
  std::uint64_t bytes = needs::build(list.vertices, lines * (undirected ? 2 : 1), bytes_of(form));
  if (form == weight_form::none && ends.ends.empty()) {
    bytes = std::min(bytes, needs::build_beside_list(list.vertices, bytes_of_list, largest_block));
  }
  require_memory("building the graph", bytes);
  const row_rules rules{.repeats = while_sorting(options.repeats, list.weighted), .loops = options.loops};
  auto out = undirected ? both_ways<Vertex>(source, form, rules.repeats, options.loops, control, tally)
                        : sorted_rows<Vertex>(source, form, rules, control, tally);
  if (is_merged_later(options.repeats, list.weighted) && tally.repeated_arcs + tally.repeated_loops != 0) {
    out = merged(std::move(out), options.repeats, undirected, control, [&](std::uint64_t v) {
      const std::uint64_t label = list.labels.empty() ? list.first_label + v : list.labels[v];
      return list.names != nullptr ? std::string((*list.names)[label]) : std::to_string(label);
    });
  }
  if (report != nullptr) {
    report->lines = lines;
    report->self_loops = tally.self_loops;
    report->repeats = tally.repeated_arcs + tally.repeated_loops;
    report->arcs = out.targets.size();
  }
  adjacency<Vertex> in;
  if (!undirected && options.in_edges) in = transposed(out, control);
  auto graph =
      surveyed(csr_graph<Vertex>(!undirected, std::move(out), std::move(in), std::move(list.labels), list.first_label)
                   .with_names(std::move(list.names)),
               control);
  if (list.attributes == nullptr) return graph;
  auto attributes = attributes_of_built(graph, list.attributes, ends, giver_of(options.repeats), control);
  return std::move(graph).with_attributes(std::move(attributes));
}

template <class T>
page_array<T> copy_of(const page_array<T>& values, const run_control& control) {
  page_array<T> copy(values.size());
  for_each_batch(control, copy.size(), [&](std::uint64_t first, std::uint64_t last) {
    std::copy(values.begin() + first, values.begin() + last, copy.begin() + first);
  });
  return copy;
}

/// Returns a graph of these rows with the vertices, labels and attributes of `graph`. `how` says what became of
/// repeats.
template <class Vertex>
csr_graph<Vertex> with_labels_of(const csr_graph<Vertex>& graph, bool directed, adjacency<Vertex> out,
                                 adjacency<Vertex> in, repeats how, const run_control& control) {
  auto result = surveyed(csr_graph<Vertex>(directed, std::move(out), std::move(in), copy_of(graph.labels(), control),
                                           graph.first_label(), copy_of(graph.by_label(), control))
                             .with_names(graph.names()),
                         control);
  auto attributes = carried(graph, result, {}, giver_of(how), control);
  return std::move(result).with_attributes(std::move(attributes));
}

}  // namespace

any_graph build_graph(any_edge_list&& list, const build_options& options, const run_control& control,
                      build_report* report) {
  return std::visit([&](auto& l) -> any_graph { return build(std::move(l), options, control, report); }, list);
}

any_graph symmetrized(const any_graph& graph, loops loops, const run_control& control, repeats repeats) {
  return std::visit(
      [&](const auto& g) -> any_graph {
        require_memory("the undirected graph", needs::symmetrize(graph));
        row_source source(g.out());
        row_tally tally;
        const graph::repeats wanted = g.directed() ? repeats : graph::repeats::remove;
        const graph::repeats now = while_sorting(wanted, g.weighted());
        auto rows = both_ways<typename std::remove_cvref_t<decltype(g)>::vertex_type>(source, form_of(g.out()), now,
                                                                                      loops, control, tally);
        if (is_merged_later(wanted, g.weighted()) && tally.repeated_arcs + tally.repeated_loops != 0) {
          rows = merged(std::move(rows), wanted, true, control,
                        [&](std::uint64_t v) { return fmt::format("{}", called(g, v)); });
        }
        return with_labels_of(g, false, std::move(rows), {}, wanted, control);
      },
      graph);
}

any_graph without_self_loops(const any_graph& graph, const run_control& control) {
  return std::visit(
      [&](const auto& g) -> any_graph {
        const row_rules rules{.repeats = repeats::keep, .loops = loops::remove, .targets_ascend = true};
        const bool has_in = g.directed() && !g.in().offsets.empty();
        auto out = rows_of_rows(g.out(), rules, control);
        auto in = has_in ? rows_of_rows(g.in(), rules, control) : decltype(out)();
        return with_labels_of(g, g.directed(), std::move(out), std::move(in), repeats::keep, control);
      },
      graph);
}

any_graph with_in_edges(any_graph&& graph, const run_control& control) {
  return std::visit(
      [&](auto& g) -> any_graph {
        if (!g.directed() || g.in().offsets.size() == g.out().offsets.size()) return std::move(g);
        auto in = transposed(g.out(), control);
        return std::move(g).with_in(std::move(in));
      },
      graph);
}

std::uint64_t count_self_loops(const any_graph& graph, const run_control& control) {
  return std::visit(
      [&](const auto& g) {
        constexpr std::uint64_t batch = 1 << 12;
        std::vector<std::uint64_t> found((g.vertices() + batch - 1) / batch);
        for_each_task(control, found.size(), [&](std::size_t i) {
          for (std::uint64_t v = i * batch; v < std::min(g.vertices(), (i + 1) * batch); ++v) {
            const auto row = g.out().row(v);
            const auto loops = std::equal_range(row.begin(), row.end(), v);
            found[i] += static_cast<std::uint64_t>(loops.second - loops.first);
          }
        });
        return std::accumulate(found.begin(), found.end(), std::uint64_t{0});
      },
      graph);
}

std::uint64_t needs::build(std::uint64_t vertices, std::uint64_t arcs, std::uint64_t weight_bytes) noexcept {
  const std::uint64_t v = vertices > std::numeric_limits<std::uint32_t>::max() ? 8 : 4;
  return 16 * vertices + arcs * (2 * v + weight_bytes);
}

std::uint64_t needs::build_beside_list(std::uint64_t vertices, std::uint64_t bytes_of_list,
                                       std::uint64_t largest_block) noexcept {
  // Measured up to 2^29 edges: at most 0.16 of the list beside the rows' ends.
  constexpr std::uint64_t of_threads = std::uint64_t{64} << 20;
  return 16 * vertices + bytes_of_list / 4 + largest_block + of_threads;
}

std::uint64_t needs::symmetrize(const any_graph& graph) noexcept {
  const graph_size s = size_of(graph);
  const std::uint64_t arcs = s.m * (s.directed ? 2 : 1);
  return 8 * s.n + arcs * (s.v + s.w) + build(s.n, arcs, s.w);
}

}  // namespace callisto::graph
