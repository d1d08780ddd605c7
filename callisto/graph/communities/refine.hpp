// Refinement: each community falls into connected parts, which become the vertices of the next level (Leiden).
#pragma once

#include <callisto/graph/communities/level.hpp>
#include <callisto/graph/communities/moves.hpp>
#include <callisto/graph/communities/row_owners.hpp>
#include <callisto/graph/communities/rows.hpp>
#include <callisto/graph/communities/steps.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/loop/parallel_for.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

namespace callisto::graph {

/// The parts of all communities of one level. At first each vertex is a separate part. A vertex that is still alone
/// joins the part of its community that it gains most from, if it has edges enough to its community.
///
/// A vertex with company never moves, so a part stays connected: each vertex joined by an edge. Vertices that decide
/// together (movers) join no part of another mover that is alone, since it may be about to leave.
template <class Vertex, class Weights>
class community_refinement {
 public:
  using rows_type = weighted_rows<Vertex, Weights>;

  community_refinement(const rows_type& rows, const mass_arrays& mass, double chance,
                       const machine::page_array<Vertex>& community, const mass_arrays& volume,
                       const machine::page_array<Vertex>& order, weight_tables<Vertex>& tables,
                       const run_control& control)
      : rows_(rows),
        mass_(mass),
        community_(community),
        order_(order),
        tables_(tables),
        control_(control),
        part_(rows.vertices, machine::page_kind::used),
        next_(rows.owners != nullptr ? 0 : rows.vertices, machine::page_kind::used),
        company_(rows.vertices, machine::page_kind::used),
        group_(rows.vertices, machine::page_kind::used),
        volume_(mass_arrays::of(rows.vertices, !mass.in.empty(), machine::page_kind::used)) {
    parallel_for(std::uint64_t{0}, rows.vertices, [&](std::uint64_t v) {
      part_[v] = static_cast<Vertex>(v);
      company_[v] = 0;
      group_[v] = 0;
      volume_.out[v] = mass_.out[v];
      if (!mass_.in.empty()) volume_.in[v] = mass_.in[v];
    });
    in_part_ = {chance, mass_.out.data(), mass_.in.data(), volume_.out.data(), volume_.in.data()};
    in_community_ = {chance, mass_.out.data(), mass_.in.data(), volume.out.data(), volume.in.data()};
  }

  /// Returns by vertex the part, named by one of its vertices.
  machine::page_array<Vertex> run() {
    const std::uint64_t n = rows_.vertices;
    if (n < few_vertices) {
      for (const Vertex v : order_) {
        join(v, choose(v, no_mover, tables_.front()));
      }
      return std::move(part_);
    }
    const std::uint64_t groups = std::clamp<std::uint64_t>(n / least_part, 1, most_parts);
    const auto begin_of = [&](std::uint64_t group) { return n * group / groups; };
    parallel_for(std::uint64_t{0}, groups, [&](std::uint64_t g) {
      for (std::uint64_t i = begin_of(g); i != begin_of(g + 1); ++i) group_[order_[i]] = static_cast<std::uint8_t>(g);
    });
    if (rows_.owners != nullptr) {
      join_among(groups, begin_of);
      return std::move(part_);
    }
    const auto size = [&](std::uint64_t step) { return begin_of(step / 2 + 1) - begin_of(step / 2); };
    in_steps(2 * groups, size, [&](unsigned slot, std::uint64_t step, std::uint64_t first, std::uint64_t last) {
      if (control_.stop.stop_requested()) return;
      const std::uint64_t begin = begin_of(step / 2);
      if (step % 2 == 0) {
        each_fetched(rows_, order_, begin + first, begin + last, begin + last,
                     [&](Vertex v) { next_[v] = choose(v, static_cast<std::uint8_t>(step / 2), tables_[slot]); });
      } else {
        for (std::uint64_t i = begin + first; i != begin + last; ++i) join(order_[i], next_[order_[i]]);
      }
    });
    control_.check();
    return std::move(part_);
  }

 private:
  static constexpr std::uint8_t no_mover = most_parts;

  /// Each process decides for its own vertices of a group, then all vertices of the group join at all processes.
  template <class Begin>
  void join_among(std::uint64_t groups, const Begin& begin_of) {
    partners& among = *rows_.owners->among;
    machine::page_array<Vertex> list(begin_of(1) + 1, machine::page_kind::used);
    std::vector<Vertex> chosen;
    for (std::uint64_t g = 0; g != groups; ++g) {
      const std::uint64_t size = begin_of(g + 1) - begin_of(g);
      std::copy(order_.begin() + begin_of(g), order_.begin() + begin_of(g + 1), list.begin());
      const std::vector<std::uint64_t> at = sort_by_owner(*rows_.owners, list.data(), 0, size);
      chosen.resize(size);
      parallel_for(at[among.number()], at[among.number() + 1], [&](std::uint64_t first, std::uint64_t last) {
        std::uint64_t i = first;
        each_fetched(rows_, list, first, last, last,
                     [&](Vertex v) { chosen[i++] = choose(v, static_cast<std::uint8_t>(g), tables_[this_thread()]); });
      });
      share_places(among, chosen.data(), at);
      parallel_for(std::uint64_t{0}, size, [&](std::uint64_t i) { join(list[i], chosen[i]); });
      control_.check();
    }
  }

  /// Returns the part that v joins, or v. Vertices of group `mover` decide together.
  Vertex choose(Vertex v, std::uint8_t mover, weight_table<Vertex>& table) const {
    if (company_[v] != 0) return v;
    const Vertex own = community_[v];
    std::uint64_t all = 0;
    table.template collect<Weights::have_sign>([&](auto add) {
      for (std::uint64_t a = rows_.begins[v], end = rows_.ends[v]; a != end; ++a) {
        const Vertex w = rows_.targets[a];
        if (w == v || community_[w] != own) continue;
        const std::uint64_t weight = rows_.weight(a);
        all += weight;
        add(part_[w], weight);
      }
    });
    if (mass_.in.empty()) return best_of(v, all, mover, table, in_community_.of(v), in_part_.of(v));
    return best_of(v, all, mover, table, in_community_.of_directed(v), in_part_.of_directed(v));
  }

  /// `all`: the weight of its edges to its community.
  template <class Worths>
  Vertex best_of(Vertex v, std::uint64_t all, std::uint8_t mover, const weight_table<Vertex>& table,
                 const Worths& in_community, const Worths& in_part) const {
    if (in_community.own(community_[v], all) < 0) return v;
    Vertex best = v;
    double most = 0;
    table.template for_each<Weights::have_sign>([&](Vertex p, std::uint64_t weight) {
      if (group_[p] == mover && company_[p] == 0) return;
      const double value = in_part(p, weight);
      if (value > most || (best != v && value == most && community_choice<Vertex, Weights>::prefers(v, p, best))) {
        best = p;
        most = value;
      }
    });
    return best;
  }

  void join(Vertex v, Vertex to) noexcept {
    if (to == v) return;
    part_[v] = to;
    mark(company_[v]);
    mark(company_[to]);
    take_from(volume_, v, mass_, v);
    add_to(volume_, to, mass_, v);
  }

  const rows_type& rows_;
  const mass_arrays& mass_;
  const machine::page_array<Vertex>& community_;
  const machine::page_array<Vertex>& order_;
  weight_tables<Vertex>& tables_;
  const run_control& control_;
  machine::page_array<Vertex> part_;
  machine::page_array<Vertex> next_;           ///< empty if several processes have the rows
  machine::page_array<std::uint8_t> company_;  ///< by vertex: 1 if its part has other vertices
  machine::page_array<std::uint8_t> group_;    ///< by vertex: the vertices that decide together with it
  mass_arrays volume_;                         ///< by part
  community_worth in_part_{};
  community_worth in_community_{};
};

}  // namespace callisto::graph
