// What networkx counts in loops over nodes and edges: triads, neighbours' degrees, distances of all pairs, layers,
// votes, flows.
#include "arrays.hpp"
#include "bindings.hpp"
#include "graph.hpp"
#include "networkx_graph.hpp"

#include <callisto/callisto.hpp>
#include <callisto/graph/flow/flow.hpp>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::python {

namespace nx = networkx;
using nx::no_vertex;
using nx::ordered_rows;
using nx::vertex;

namespace {

/// Returns the arcs' rows ascending, without loops; a graph with directions has both ends of each arc in them.
ordered_rows neighbours_of(const nx_graph& of) {
  const vertex n = of.out().vertices();
  ordered_rows made;
  std::vector<vertex> all;
  std::vector<vertex> row;
  for (vertex v = 0; v < n; ++v) {
    row.assign(of.out().row(v).begin(), of.out().row(v).end());
    if (of.directed()) row.insert(row.end(), of.in().row(v).begin(), of.in().row(v).end());
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    std::erase(row, v);
    all.insert(all.end(), row.begin(), row.end());
    made.offsets.push_back(all.size());
  }
  made.targets = machine::page_array<vertex>(all.size());
  std::copy(all.begin(), all.end(), made.targets.data());
  return made;
}

/// Calls f(first, last, scratch) over all vertices in parallel, each call with a scratch of its own.
template <class Scratch, class F>
void over_vertices(vertex n, const nx::control& control, const F& f) {
  const auto some = [&](std::uint64_t first, std::uint64_t last) {
    Scratch scratch(n);
    for (std::uint64_t v = first; v < last; ++v) {
      if (control.stop.stop_requested()) return;
      f(static_cast<vertex>(v), scratch);
    }
  };
  if (!parallel_for(std::uint64_t{0}, std::uint64_t{n}, some, {.stop = control.stop})) throw cancelled();
}

/// Room for one breadth-first search after another.
struct search_room {
  explicit search_room(vertex n) : distance(n, no_vertex) {}
  std::vector<vertex> distance;
  std::vector<vertex> queue;

  /// Searches from `source` and calls f(vertex, distance) for each vertex that is reached, the source included.
  template <class F>
  void search(const ordered_rows& rows, vertex source, F&& f) {
    queue.assign(1, source);
    distance[source] = 0;
    for (std::size_t at = 0; at < queue.size(); ++at) {
      const vertex v = queue[at];
      f(v, distance[v]);
      for (const vertex u : rows.row(v)) {
        if (distance[u] != no_vertex) continue;
        distance[u] = distance[v] + 1;
        queue.push_back(u);
      }
    }
    for (const vertex v : queue) distance[v] = no_vertex;
  }
};

/// Returns by vertex the sum over all vertices u of its distance to u, times weights[u]; with `squared` of the distance
/// and its square, unweighted.
std::vector<std::uint64_t> distance_sums(const nx_graph& of, const std::vector<std::uint64_t>& weights, bool squared) {
  return watched([&](const nx::control& control) {
    std::vector<std::uint64_t> made(of.out().vertices());
    over_vertices<search_room>(of.out().vertices(), control, [&](vertex v, search_room& room) {
      std::uint64_t sum = 0;
      room.search(of.out(), v, [&](vertex u, std::uint64_t d) { sum += squared ? d + d * d : d * weights[u]; });
      made[v] = sum;
    });
    return made;
  });
}

/// Returns the length of a shortest cycle of a graph without directions and loops; 0: there is none.
std::uint64_t girth(const nx_graph& of) {
  return watched([&](const nx::control& control) {
    const ordered_rows& rows = of.out();
    const vertex n = rows.vertices();
    std::vector<vertex> distance(n, no_vertex);
    std::vector<vertex> parent(n);
    std::vector<vertex> queue;
    std::uint64_t shortest = std::numeric_limits<std::uint64_t>::max();
    for (vertex source = 0; source < n && shortest > 3; ++source) {
      control.check();
      queue.assign(1, source);
      distance[source] = 0;
      parent[source] = source;
      for (std::size_t at = 0; at < queue.size(); ++at) {
        const vertex v = queue[at];
        if (2 * std::uint64_t{distance[v]} + 1 >= shortest) break;
        for (const vertex u : rows.row(v)) {
          if (distance[u] == no_vertex) {
            distance[u] = distance[v] + 1;
            parent[u] = v;
            queue.push_back(u);
          } else if (u != parent[v]) {
            shortest = std::min(shortest, std::uint64_t{distance[u]} + distance[v] + 1);
          }
        }
      }
      for (const vertex v : queue) distance[v] = no_vertex;
    }
    return shortest == std::numeric_limits<std::uint64_t>::max() ? 0 : shortest;
  });
}

/// Returns the mean of the efficiencies of the graphs that the neighbours of each vertex span.
double local_efficiency(const nx_graph& of) {
  struct room {
    explicit room(vertex n) : member(n), search(n) {}
    std::vector<char> member;
    search_room search;
  };
  return watched([&](const nx::control& control) {
    const ordered_rows& rows = of.out();
    std::vector<double> each(rows.vertices());
    over_vertices<room>(rows.vertices(), control, [&](vertex v, room& own) {
      const std::span<const vertex> members = rows.row(v);
      const auto pairs = static_cast<double>(members.size()) * (static_cast<double>(members.size()) - 1);
      if (pairs == 0) return;
      for (const vertex u : members) own.member[u] = 1;
      double sum = 0;
      std::vector<vertex>& distance = own.search.distance;
      std::vector<vertex>& queue = own.search.queue;
      for (const vertex source : members) {
        queue.assign(1, source);
        distance[source] = 0;
        for (std::size_t at = 0; at < queue.size(); ++at) {
          const vertex u = queue[at];
          if (at > 0) sum += 1 / static_cast<double>(distance[u]);
          for (const vertex w : rows.row(u)) {
            if (own.member[w] == 0 || distance[w] != no_vertex) continue;
            distance[w] = distance[u] + 1;
            queue.push_back(w);
          }
        }
        for (const vertex u : queue) distance[u] = no_vertex;
      }
      for (const vertex u : members) own.member[u] = 0;
      each[v] = sum / pairs;
    });
    double sum = 0;
    for (const double one : each) sum += one;
    return sum / static_cast<double>(rows.vertices());
  });
}

/// Returns how many triads have each code of networkx, 0 ... 63, and how many pairs of neighbours have no third one:
/// (codes, of one arc, of two arcs). Batagelj and Mrvar (Social Networks 2001).
nb::tuple triads(const nx_graph& of) {
  using codes = std::array<std::uint64_t, 64>;
  codes total{};
  std::uint64_t single = 0;
  std::uint64_t twofold = 0;
  watched([&](const nx::control& control) {
    const ordered_rows both = neighbours_of(of);
    const vertex n = both.vertices();
    // By neighbour of v: 1 if v leads there, 2 if it leads to v.
    const auto mark = [&](std::vector<char>& at, vertex v, bool set) {
      for (const vertex w : of.out().row(v)) at[w] = set ? at[w] | 1 : 0;
      for (const vertex w : of.in().row(v)) at[w] = set ? at[w] | 2 : 0;
    };
    std::vector<char> of_v(n);
    std::vector<char> of_u(n);
    std::vector<vertex> third;
    for (vertex v = 0; v < n; ++v) {
      control.check();
      mark(of_v, v, true);
      for (const vertex u : both.row(v)) {
        if (u <= v) continue;
        mark(of_u, u, true);
        third.clear();
        std::set_union(both.row(v).begin(), both.row(v).end(), both.row(u).begin(), both.row(u).end(),
                       std::back_inserter(third));
        for (const vertex w : third) {
          if (w == u || w == v) continue;
          if (u < w || (v < w && w < u && of_v[w] == 0)) {
            // As networkx numbers the arcs between v, u and w: 1, 2 of v and u; 4, 8 of v and w; 16, 32 of u and w.
            ++total[static_cast<std::size_t>(of_v[u]) | static_cast<std::size_t>(of_v[w]) << 2 |
                    static_cast<std::size_t>(of_u[w]) << 4];
          }
        }
        (of_v[u] == 3 ? twofold : single) += n - (third.size() - 2) - 2;
        mark(of_u, u, false);
      }
      mark(of_v, v, false);
    }
    return true;
  });
  return nb::make_tuple(std::vector<std::uint64_t>(total.begin(), total.end()), single, twofold);
}

/// Returns (offsets, by pair of neighbours how many neighbours they share) over rows without loops.
std::pair<std::vector<std::uint64_t>, std::vector<std::uint32_t>> shared_neighbours(const nx_graph& of) {
  return watched([&](const nx::control& control) {
    const ordered_rows rows = neighbours_of(of);
    std::vector<std::uint32_t> made(rows.arcs());
    std::vector<char> near(rows.vertices());
    for (vertex v = 0; v < rows.vertices(); ++v) {
      control.check();
      for (const vertex u : rows.row(v)) near[u] = 1;
      for (std::uint64_t i = rows.offsets[v]; i < rows.offsets[v + std::size_t{1}]; ++i) {
        for (const vertex w : rows.row(rows.targets[i])) made[i] += near[w] != 0 ? 1 : 0;
      }
      for (const vertex u : rows.row(v)) near[u] = 0;
    }
    return std::pair(rows.offsets, made);
  });
}

/// Returns by vertex the sum of `values` over the neighbours in its row; with `reverse` in the row of predecessors.
std::vector<std::int64_t> sums_over_neighbours(const nx_graph& of, const std::vector<std::int64_t>& values,
                                               bool reverse) {
  const ordered_rows& rows = of.rows(reverse);
  std::vector<std::int64_t> made(rows.vertices());
  for (vertex v = 0; v < rows.vertices(); ++v) {
    for (const vertex u : rows.row(v)) made[v] += values.at(u);
  }
  return made;
}

/// The sums over arcs (u, v) of x[u], y[v], their squares and product, arcs counted as `copies` say.
struct arc_sums {
  double arcs = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
};
nb::tuple degree_moments(const nx_graph& of, const std::vector<std::int64_t>& x, const std::vector<std::int64_t>& y,
                         const nx::edge_values* copies) {
  arc_sums s;
  const ordered_rows& rows = of.out();
  for (vertex u = 0; u < rows.vertices(); ++u) {
    for (std::uint64_t i = rows.offsets[u]; i < rows.offsets[u + std::size_t{1}]; ++i) {
      const double times = copies == nullptr ? 1 : copies->sums()[i];
      const auto a = static_cast<double>(x.at(u));
      const auto b = static_cast<double>(y.at(rows.targets[i]));
      s.arcs += times;
      s.x += times * a;
      s.y += times * b;
      s.xx += times * a * a;
      s.yy += times * b * b;
      s.xy += times * a * b;
    }
  }
  return nb::make_tuple(s.arcs, s.x, s.y, s.xx, s.yy, s.xy);
}

/// Returns by degree d how many edges have ends of degrees above d, for graphs without directions, loops, parallel
/// edges.
std::vector<std::uint64_t> edges_above_degrees(const nx_graph& of) {
  const ordered_rows& rows = of.out();
  std::vector<std::uint64_t> made;
  std::uint64_t edges = 0;
  for (vertex u = 0; u < rows.vertices(); ++u) {
    for (const vertex v : rows.row(u)) {
      if (v < u) continue;
      const std::size_t least = std::min(rows.row(u).size(), rows.row(v).size());
      if (made.size() <= least) made.resize(least + 1);
      ++made[least];
      ++edges;
    }
  }
  for (std::uint64_t& at : made) at = edges -= at;
  return made;
}

/// Returns the number of arcs with a reverse that is an arc, too; loops play no part.
std::uint64_t mutual_arcs(const nx_graph& of) {
  std::uint64_t made = 0;
  const ordered_rows& rows = of.out();
  std::vector<vertex> from(rows.vertices(), no_vertex);
  for (vertex v = 0; v < rows.vertices(); ++v) {
    for (const vertex u : of.in().row(v)) from[u] = v;
    for (const vertex u : rows.row(v)) made += u != v && from[u] == v ? 1 : 0;
  }
  return made;
}

/// Returns the onion decomposition of a graph without directions, loops and parallel edges (Hebert-Dufresne, Grochow
/// and Allard 2016) as a dictionary in networkx's order.
nb::dict onion_layers(const nx_graph& of) {
  std::vector<vertex> order;
  std::vector<std::uint64_t> layer(of.out().vertices());
  ordered(of, [&](const nx::control& control) {
    const ordered_rows& rows = of.out();
    const vertex n = rows.vertices();
    std::vector<std::uint64_t> degree(n);
    std::vector<vertex> left;
    std::uint64_t now = 1;
    for (vertex v = 0; v < n; ++v) {
      degree[v] = rows.row(v).size();
      if (degree[v] != 0)
        left.push_back(v);
      else
        order.push_back(v), layer[v] = 1;
    }
    if (!order.empty()) now = 2;
    std::uint64_t core = 1;
    std::vector<vertex> taken;
    for (; !left.empty(); ++now) {
      control.check();
      std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
      for (const vertex v : left) least = std::min(least, degree[v]);
      core = std::max(core, least);
      taken.clear();
      std::erase_if(left, [&](vertex v) {
        if (degree[v] > core) return false;
        taken.push_back(v);
        return true;
      });
      std::stable_sort(taken.begin(), taken.end(), [&](vertex a, vertex b) { return degree[a] < degree[b]; });
      for (const vertex v : taken) {
        order.push_back(v);
        layer[v] = now;
        for (const vertex u : rows.row(v)) --degree[u];
      }
    }
    return true;
  });
  nb::dict made;
  for (const vertex v : order) put(made, of.node(v), nb::int_(layer[v]));
  return made;
}

/// The largest of values that change one at a time; of equal ones the first.
class largest {
 public:
  explicit largest(std::size_t n) : leaves_(1) {
    while (leaves_ < n) leaves_ *= 2;
    best_.assign(2 * leaves_, no_vertex);
    value_.assign(n, -1);
  }
  void set(vertex v, double value) {
    value_[v] = value;
    std::size_t at = leaves_ + v;
    best_[at] = v;
    for (at /= 2; at > 0; at /= 2) {
      const vertex a = best_[2 * at];
      const vertex b = best_[2 * at + 1];
      best_[at] = b == no_vertex || (a != no_vertex && value_[a] >= value_[b]) ? a : b;
    }
  }
  vertex where() const noexcept { return best_[1]; }
  double value(vertex v) const noexcept { return value_[v]; }

 private:
  std::size_t leaves_;
  std::vector<vertex> best_;
  std::vector<double> value_;
};

/// Returns the spreaders that VoteRank elects (Zhang et al. 2016), at most `most`. Sums are done in networkx's order,
/// so that their roundings are the same. `mean`: the mean degree.
nb::object vote_rank(const nx_graph& of, std::uint64_t most, double mean) {
  const std::vector<vertex> elected = watched([&](const nx::control& control) {
    const ordered_rows& rows = of.out();
    const vertex n = rows.vertices();
    std::vector<vertex> made;
    std::vector<double> ability(n, 1);
    std::vector<char> is_elected(n);
    // Votes of v come in the order in which networkx meets its edges: those of earlier neighbours first, by neighbour.
    std::vector<std::vector<vertex>> voters(n);
    for (vertex u = 0; u < n; ++u) {
      for (const vertex v : rows.row(u)) {
        if (!of.directed() && v < u) continue;
        voters[u].push_back(v);
        if (!of.directed()) voters[v].push_back(u);
      }
    }
    largest votes(n);
    const auto count = [&](vertex v) {
      double sum = 0;
      if (is_elected[v] == 0) {
        for (const vertex u : voters[v]) sum += ability[u];
      }
      votes.set(v, sum);
    };
    for (vertex v = 0; v < n; ++v) count(v);
    std::vector<vertex> changed;
    std::vector<vertex> marked(n, no_vertex);
    while (made.size() < most) {
      control.check();
      const vertex v = votes.where();
      if (votes.value(v) == 0) break;
      made.push_back(v);
      is_elected[v] = 1;
      ability[v] = 0;
      changed.assign(1, v);
      for (const vertex u : rows.row(v)) {
        ability[u] -= 1 / mean;
        ability[u] = std::max(ability[u], 0.0);
        changed.push_back(u);
      }
      const auto round = static_cast<vertex>(made.size());
      count(v);
      for (const vertex u : changed) {
        for (const vertex w : of.directed() ? of.in().row(u) : rows.row(u)) {
          if (marked[w] == round) continue;
          marked[w] = round;
          count(w);
        }
      }
    }
    return made;
  });
  return nodes_of(of, elected);
}

/// Returns by vertex Burt's constraint, or the effective size of its network; NaN without neighbours. `values`: by arc,
/// above 0, or none. Without loops and parallel edges.
nb::object structural_holes(const nx_graph& of, const nx::edge_values* values, bool constraint) {
  return to_numpy(watched([&](const nx::control& control) {
    const ordered_rows& out = of.out();
    const vertex n = out.vertices();
    const ordered_rows rows = neighbours_of(of);
    machine::page_array<double> ties(rows.arcs());
    std::vector<std::uint64_t> at(n);
    // The ties of v in both directions together.
    for (vertex v = 0; v < n; ++v) {
      for (std::uint64_t i = out.offsets[v]; i < out.offsets[v + std::size_t{1}]; ++i) {
        const vertex u = out.targets[i];
        const double value = values == nullptr ? 1 : values->sums()[i];
        const auto add = [&](vertex a, vertex b) {
          const auto row = rows.row(a);
          const auto place = static_cast<std::uint64_t>(std::lower_bound(row.begin(), row.end(), b) - row.begin());
          ties[rows.offsets[a] + place] += value;
        };
        add(v, u);
        add(u, v);
      }
    }
    machine::page_array<double> sum(n);
    machine::page_array<double> most(n);
    for (vertex v = 0; v < n; ++v) {
      for (std::uint64_t i = rows.offsets[v]; i < rows.offsets[v + std::size_t{1}]; ++i) {
        sum[v] += ties[i];
        most[v] = std::max(most[v], ties[i]);
      }
    }
    machine::page_array<double> made(n);
    struct scratch {
      explicit scratch(vertex size) : through(size) {}
      std::vector<double> through;
    };
    over_vertices<scratch>(n, control, [&](vertex u, scratch& own) {
      if (rows.row(u).empty()) {
        made[u] = std::numeric_limits<double>::quiet_NaN();
        return;
      }
      for (std::uint64_t i = rows.offsets[u]; i < rows.offsets[u + std::size_t{1}]; ++i) {
        const vertex w = rows.targets[i];
        const double share = ties[i] / sum[u];
        for (std::uint64_t j = rows.offsets[w]; j < rows.offsets[w + std::size_t{1}]; ++j) {
          // Of the sizes' sum over w, the tie of v and w counts by the strongest tie of v.
          own.through[rows.targets[j]] += share * (ties[j] / (constraint ? sum[w] : most[rows.targets[j]]));
        }
      }
      double total = 0;
      for (std::uint64_t i = rows.offsets[u]; i < rows.offsets[u + std::size_t{1}]; ++i) {
        const double through = own.through[rows.targets[i]];
        const double one = ties[i] / sum[u] + through;
        total += constraint ? one * one : 1 - through;
      }
      made[u] = total;
      for (const vertex w : rows.row(u)) {
        for (const vertex v : rows.row(w)) own.through[v] = 0;
      }
    });
    return made;
  }));
}

/// Returns (value, vertices on the target's side of the least cut, arcs of the cut).
nb::tuple flow(const held_graph& of, std::uint64_t source, std::uint64_t target, bool weighted) {
  const graph::flow_options options{.weighted = weighted, .edges = false};
  const graph::flow_result made = run(nb::none(), place::watched, [&](const nx::control& control) {
    return graph::maximum_flow(std::get<nx::csr>(of.any()), source, target, options, control);
  });
  std::vector<std::uint64_t> beyond;
  for (std::uint64_t v = 0; v < made.on_source_side.size(); ++v) {
    if (made.on_source_side[v] == 0) beyond.push_back(v);
  }
  std::vector<std::pair<std::uint64_t, std::uint64_t>> cut;
  for (const graph::flow_edge& edge : made.cut) cut.emplace_back(edge.from, edge.to);
  return nb::make_tuple(made.value, beyond, cut);
}

}  // namespace

void bind_networkx_counts(nb::module_& m) {
  m.def("nx_distance_sums", &distance_sums);
  m.def("nx_girth", &girth);
  m.def("nx_local_efficiency", &local_efficiency);
  m.def("nx_triads", &triads);
  m.def("nx_shared_neighbours", &shared_neighbours);
  m.def("nx_sums_over_neighbours", &sums_over_neighbours);
  m.def("nx_degree_moments", &degree_moments, nb::arg("graph"), nb::arg("x"), nb::arg("y"), nb::arg("copies").none());
  m.def("nx_edges_above_degrees", &edges_above_degrees);
  m.def("nx_mutual_arcs", &mutual_arcs);
  m.def("nx_onion_layers", &onion_layers);
  m.def("nx_vote_rank", &vote_rank);
  m.def("nx_structural_holes", &structural_holes, nb::arg("graph"), nb::arg("values").none(), nb::arg("constraint"));
  m.def("nx_flow", &flow);
}

}  // namespace callisto::python
