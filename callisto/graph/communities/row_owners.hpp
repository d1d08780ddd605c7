// Rows of a level that several processes have: each those of some vertices. Everything else of a level is the same at
// all processes: communities, volumes, masses, the order of vertices.
//
// A process sees the rows of other ones as empty, so a loop over all vertices looks at its own arcs alone. The
// functions here bring together what such loops find.
#pragma once

#include <callisto/graph/communities/rows.hpp>
#include <callisto/graph/csr/partners.hpp>
#include <callisto/graph/csr/shared_sums.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/machine/system/page_array.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace callisto::graph {

/// The processes that have the rows of a level.
struct row_owners {
  partners* among;
  std::vector<std::uint64_t> bounds;  ///< the first vertex of each process, and the number of vertices

  std::uint64_t first() const noexcept { return bounds[among->number()]; }
  std::uint64_t last() const noexcept { return bounds[among->number() + 1]; }
  std::size_t of(std::uint64_t v) const noexcept {
    return static_cast<std::size_t>(std::upper_bound(bounds.begin(), bounds.end(), v) - bounds.begin()) - 1;
  }
};

/// Sorts list[first, last) by the processes that have the vertices. Returns the place of each process' first one, and
/// `last`.
template <class Vertex>
std::vector<std::uint64_t> sort_by_owner(const row_owners& owners, Vertex* list, std::uint64_t first,
                                         std::uint64_t last) {
  const std::size_t processes = owners.among->count();
  std::vector<std::uint64_t> places(processes + 1);
  for (std::uint64_t i = first; i != last; ++i) ++places[owners.of(list[i]) + 1];
  places[0] = first;
  for (std::size_t p = 0; p != processes; ++p) places[p + 1] += places[p];
  std::vector<std::uint64_t> next(places.begin(), places.end() - 1);
  const std::vector<Vertex> before(list + first, list + last);
  for (const Vertex v : before) list[next[owners.of(v)]++] = v;
  return places;
}

/// Shares what each process p has for places [places[p], places[p + 1]); values[0] is for places[0].
template <class T>
void share_places(partners& among, T* values, std::vector<std::uint64_t> places) {
  const std::uint64_t first = places.front();
  for (std::uint64_t& place : places) place -= first;
  among.share(values, places);
}

/// Returns the arcs of all processes.
template <class Vertex, class Weights>
std::uint64_t arcs_of_all(const weighted_rows<Vertex, Weights>& rows) {
  return rows.owners->among->sum(parallel_reduce(rows.owners->first(), rows.owners->last(), std::uint64_t{0},
                                                 [&](std::uint64_t v) { return rows.degree(v); }));
}

/// Sets the marks, 0 or 1, that any process has set, at all processes.
inline void join_marks(partners& among, machine::page_array<std::uint8_t>& marks) {
  constexpr std::uint64_t bits = 64;
  const std::uint64_t size = marks.size();
  const std::uint64_t count = (size + bits - 1) / bits;
  machine::page_array<std::uint64_t> words(count, machine::page_kind::used);
  parallel_for(std::uint64_t{0}, count, [&](std::uint64_t w) {
    std::uint64_t word = 0;
    for (std::uint64_t v = w * bits, end = std::min(size, v + bits); v != end; ++v) {
      word |= std::uint64_t{marks[v]} << (v % bits);
    }
    words[w] = word;
  });
  const std::size_t processes = among.count();
  const std::vector<std::uint64_t> bounds = even_bounds(among, count);
  const std::vector<std::uint64_t> counts = sizes_of(bounds);
  const std::vector<std::uint64_t> came = among.exchange(std::span<const std::uint64_t>(words.data(), count), counts);
  const std::uint64_t own = counts[among.number()];
  for (std::uint64_t i = 0; i != own; ++i) {
    std::uint64_t word = 0;
    for (std::size_t p = 0; p != processes; ++p) word |= came[p * own + i];
    words[bounds[among.number()] + i] = word;
  }
  among.share(words.data(), bounds);
  parallel_for(std::uint64_t{0}, size,
               [&](std::uint64_t v) { marks[v] = static_cast<std::uint8_t>(words[v / bits] >> (v % bits) & 1); });
}

/// Rows of some vertices that all processes have; those of other vertices are empty.
template <class Vertex>
struct gathered_rows {
  machine::page_array<std::uint64_t> begins;
  machine::page_array<std::uint64_t> ends;
  machine::page_array<Vertex> targets;
  machine::page_array<std::uint64_t> weights;

  weighted_rows<Vertex, whole_weights> rows() const noexcept {
    return {begins.size(), begins.data(), ends.data(), targets.data(), {weights.data()}};
  }
};

/// Brings the rows of the vertices at(0), at(1), ... to all processes. `places` of them: the first of each process, and
/// their number; each process has the rows of its vertices.
template <class Vertex, class Weights, class At>
gathered_rows<Vertex> gather_rows(const weighted_rows<Vertex, Weights>& rows, const std::vector<std::uint64_t>& places,
                                  const At& at) {
  partners& among = *rows.owners->among;
  const std::size_t me = among.number();
  const std::uint64_t count = places.back();
  machine::page_array<std::uint64_t> arcs(count + 1, machine::page_kind::used);
  parallel_for(places[me], places[me + 1], [&](std::uint64_t i) { arcs[i] = rows.degree(at(i)); });
  among.share(arcs.data(), places);
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i != count; ++i) sum += std::exchange(arcs[i], sum);
  arcs[count] = sum;
  gathered_rows<Vertex> whole;
  // Small pages: few vertices of many may have rows.
  whole.begins = machine::page_array<std::uint64_t>(rows.vertices, machine::page_kind::small);
  whole.ends = machine::page_array<std::uint64_t>(rows.vertices, machine::page_kind::small);
  whole.targets = machine::page_array<Vertex>(sum, machine::page_kind::used);
  whole.weights = machine::page_array<std::uint64_t>(sum, machine::page_kind::used);
  parallel_for(std::uint64_t{0}, count, [&](std::uint64_t i) {
    const std::uint64_t v = at(i);
    whole.begins[v] = arcs[i];
    whole.ends[v] = arcs[i + 1];
    if (i < places[me] || i >= places[me + 1]) return;
    for (std::uint64_t a = rows.begins[v], to = arcs[i]; a != rows.ends[v]; ++a, ++to) {
      whole.targets[to] = rows.targets[a];
      whole.weights[to] = rows.weight(a);
    }
  });
  std::vector<std::uint64_t> bounds;
  for (const std::uint64_t p : places) bounds.push_back(arcs[p]);
  among.share(whole.targets.data(), bounds);
  among.share(whole.weights.data(), bounds);
  return whole;
}

/// Brings all rows to all processes.
template <class Vertex, class Weights>
gathered_rows<Vertex> gather_all_rows(const weighted_rows<Vertex, Weights>& rows) {
  return gather_rows(rows, rows.owners->bounds, [](std::uint64_t i) { return i; });
}

}  // namespace callisto::graph
