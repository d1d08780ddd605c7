// One level: vertices move between communities until few want to.
#pragma once

#include <callisto/graph/communities/communities.hpp>
#include <callisto/graph/communities/moves.hpp>
#include <callisto/graph/communities/row_owners.hpp>
#include <callisto/graph/communities/rows.hpp>
#include <callisto/graph/communities/steps.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace callisto::graph {

/// Add to a sum, set a mark. relaxed, here and below: the end of the step that makes them orders them.
inline void add_to(std::uint64_t& sum, std::uint64_t amount) noexcept {
  std::atomic_ref(sum).fetch_add(amount, std::memory_order_relaxed);
}
inline void take_from(std::uint64_t& sum, std::uint64_t amount) noexcept {
  std::atomic_ref(sum).fetch_sub(amount, std::memory_order_relaxed);
}
template <class T>
void mark(T& flag) noexcept {
  std::atomic_ref(flag).store(1, std::memory_order_relaxed);
}

/// Add what v brings to the volume of a community, or take it away.
inline void add_to(mass_arrays& volume, std::uint64_t community, const mass_arrays& mass, std::uint64_t v) noexcept {
  add_to(volume.out[community], mass.out[v]);
  if (!mass.in.empty()) add_to(volume.in[community], mass.in[v]);
}
inline void take_from(mass_arrays& volume, std::uint64_t community, const mass_arrays& mass, std::uint64_t v) noexcept {
  take_from(volume.out[community], mass.out[v]);
  if (!mass.in.empty()) take_from(volume.in[community], mass.in[v]);
}

/// The least vertices that decide together, and the most parts of a round: vertices that decide together do not see
/// each other's moves.
inline constexpr std::uint64_t least_part = 256;
inline constexpr std::uint64_t most_parts = 64;
/// With fewer restless vertices, one thread moves them one by one, each on the last state of all other vertices.
inline constexpr std::uint64_t few_vertices = 1024;
/// Rounds end after `most_rounds`; also, unless the level is to be run to its end, when fewer than one in
/// `restless_share` of the vertices is restless and any has moved.
inline constexpr unsigned most_rounds = 64;
inline constexpr std::uint64_t restless_share = 100;
/// From the second round until this one, labels that are equal to a vertex's own may replace it. Otherwise small groups
/// remain. In the first round all labels are new, and one that spreads could gather two groups.
inline constexpr unsigned first_faithful_round = 6;

/// The tables of all threads, which levels use in turn.
template <class Vertex>
using weight_tables = std::vector<weight_table<Vertex>>;

/// Calls visit(v) for the vertices that `order` has in [first, last). Fetches their rows some visits before, as these
/// lie all over the memory. The vertices up to `known` are likely to be visited next.
template <class Vertex, class Weights, class Visit>
void each_fetched(const weighted_rows<Vertex, Weights>& rows, const machine::page_array<Vertex>& order,
                  std::uint64_t first, std::uint64_t last, std::uint64_t known, Visit visit) {
  constexpr std::uint64_t ahead = 6;
  for (std::uint64_t i = first; i < last; ++i) {
    if (i + 2 * ahead < known) rows.fetch_bounds(order[i + 2 * ahead]);
    if (i + ahead < known) rows.fetch_targets(order[i + ahead]);
    visit(order[i]);
  }
}

/// The vertices of one level and their communities, which are numbers below that of vertices.
template <class Vertex, class Weights>
class community_moves {
 public:
  using rows_type = weighted_rows<Vertex, Weights>;

  /// Begins with the communities `begin`; if it is empty, each vertex is a community.
  community_moves(const rows_type& rows, const mass_arrays& mass, double chance, machine::page_array<Vertex> begin,
                  const machine::page_array<Vertex>& order, weight_tables<Vertex>& tables, const run_control& control)
      : rows_(rows),
        mass_(mass),
        control_(control),
        order_(order),
        tables_(tables),
        community_(std::move(begin)),
        next_(rows.vertices, machine::page_kind::used),
        restless_(rows.vertices, machine::page_kind::used),
        queue_(rows.vertices, machine::page_kind::used) {
    const bool alone = community_.empty();
    if (alone) community_ = machine::page_array<Vertex>(rows.vertices, machine::page_kind::used);
    volume_ =
        mass_arrays::of(rows.vertices, !mass.in.empty(), alone ? machine::page_kind::used : machine::page_kind::huge);
    parallel_for(std::uint64_t{0}, rows.vertices, [&](std::uint64_t v) {
      restless_[v] = 1;
      if (alone) community_[v] = static_cast<Vertex>(v);
      if (alone) {
        volume_.out[v] = mass_.out[v];
        if (!mass_.in.empty()) volume_.in[v] = mass_.in[v];
      } else {
        add_to(volume_, community_[v], mass_, v);
      }
    });
    choice_.worth = {chance, mass_.out.data(), mass_.in.data(), volume_.out.data(), volume_.in.data()};
    choice_.community = community_.data();
    if constexpr (have_sign) {
      for (std::uint64_t c = 0; c < rows.vertices; ++c) {
        if (volume_.out[c] == 0) empty_.push_back(static_cast<Vertex>(c));
      }
    }
  }

  community_level run(bool to_the_end) {
    community_level done{rows_.vertices, 0, 0};
    for (still_ = false; !still_ && done.rounds < most_rounds; ++done.rounds) {
      if (rows_.owners != nullptr && done.rounds != 0) join_marks(*rows_.owners->among, restless_);
      const std::uint64_t restless = gather();
      still_ = restless == 0;
      choice_.prefer_own = choice_.worth.chance != 0 || done.rounds == 0 || done.rounds >= first_faithful_round;
      if (still_ || (!to_the_end && done.moves != 0 && restless < rows_.vertices / restless_share)) break;
      // Vertices that go to empty communities do so one by one: two must not choose the same.
      done.moves += have_sign || restless < few_vertices ? move_few(restless) : move_in_parts(restless);
      control_.check();
      if (control_.report != nullptr) control_.report->advance(1);
    }
    return done;
  }

  /// True if the last round left nothing to move.
  bool still() const noexcept { return still_; }
  machine::page_array<Vertex>& community() noexcept { return community_; }
  mass_arrays take_volume() noexcept { return std::move(volume_); }

 private:
  static constexpr bool have_sign = Weights::have_sign;
  static constexpr std::uint64_t often = 1 << 12;

  /// Fills queue_ with the restless vertices in their order; returns how many there are.
  std::uint64_t gather() {
    constexpr std::uint64_t in_block = 1 << 13;
    const std::uint64_t blocks = (rows_.vertices + in_block - 1) / in_block;
    block_begins_.assign(blocks + 1, 0);
    const auto each_block = [&](auto f) {
      parallel_for(std::uint64_t{0}, blocks,
                   [&](std::uint64_t b) { f(b, b * in_block, std::min(rows_.vertices, (b + 1) * in_block)); });
    };
    each_block([&](std::uint64_t b, std::uint64_t first, std::uint64_t last) {
      std::uint64_t count = 0;
      for (std::uint64_t i = first; i != last; ++i) count += restless_[order_[i]];
      block_begins_[b + 1] = count;
    });
    for (std::uint64_t b = 0; b < blocks; ++b) block_begins_[b + 1] += block_begins_[b];
    each_block([&](std::uint64_t b, std::uint64_t first, std::uint64_t last) {
      std::uint64_t at = block_begins_[b];
      for (std::uint64_t i = first; i != last; ++i) {
        if (restless_[order_[i]] != 0) queue_[at++] = order_[i];
      }
    });
    return block_begins_[blocks];
  }

  std::uint64_t move_in_parts(std::uint64_t restless) {
    const std::uint64_t parts = std::clamp<std::uint64_t>(restless / least_part, 1, most_parts);
    const auto begin_of = [&](std::uint64_t part) { return restless * part / parts; };
    if (rows_.owners != nullptr) return move_among(parts, begin_of);
    const auto size = [&](std::uint64_t step) { return begin_of(step / 2 + 1) - begin_of(step / 2); };
    struct alignas(64) tally {
      std::uint64_t moves = 0;
    };
    std::vector<tally> moved(threads());
    in_steps(2 * parts, size, [&](unsigned slot, std::uint64_t step, std::uint64_t first, std::uint64_t last) {
      if (control_.stop.stop_requested()) return;
      const std::uint64_t begin = begin_of(step / 2);
      if (step % 2 == 0) {
        each_fetched(rows_, queue_, begin + first, begin + last, begin + last, [&](Vertex v) {
          restless_[v] = 0;
          next_[v] = choice_.best(v, tables_[slot]);
        });
      } else {
        for (std::uint64_t i = begin + first; i != begin + last; ++i) {
          moved[slot].moves += move(rows_, queue_[i]) ? 1 : 0;
        }
      }
    });
    std::uint64_t all = 0;
    for (const tally& t : moved) all += t.moves;
    return all;
  }

  /// Moves a part of the queue as one process does: each process decides for its own vertices, then all move all. A
  /// process marks the neighbours of vertices with rows that it has.
  template <class Begin>
  std::uint64_t move_among(std::uint64_t parts, const Begin& begin_of) {
    partners& among = *rows_.owners->among;
    std::vector<Vertex> chosen;  // by place in the part: what its process has decided
    std::uint64_t moves = 0;
    for (std::uint64_t p = 0; p != parts; ++p) {
      // Vertices that decide together may do so in any order.
      const std::vector<std::uint64_t> at = sort_by_owner(*rows_.owners, queue_.data(), begin_of(p), begin_of(p + 1));
      const std::uint64_t begin = at.front();
      chosen.resize(at.back() - begin);
      parallel_for(at[among.number()], at[among.number() + 1], [&](std::uint64_t first, std::uint64_t last) {
        std::uint64_t i = first - begin;
        each_fetched(rows_, queue_, first, last, last,
                     [&](Vertex v) { chosen[i++] = choice_.best(v, tables_[this_thread()]); });
      });
      share_places(among, chosen.data(), at);
      parallel_for(at.front(), at.back(), [&](std::uint64_t i) {
        restless_[queue_[i]] = 0;
        next_[queue_[i]] = chosen[i - begin];
      });
      moves += parallel_reduce(at.front(), at.back(), std::uint64_t{0},
                               [&](std::uint64_t i) { return move(rows_, queue_[i]) ? std::uint64_t{1} : 0; });
    }
    return moves;
  }

  /// Returns a community without vertices. There is one if a community has two vertices: the vertex that asks has
  /// company, so its own number does not come back before it is free.
  Vertex empty() {
    while (volume_.out[empty_.back()] != 0) empty_.pop_back();
    return empty_.back();
  }

  std::uint64_t move_few(std::uint64_t restless) {
    if constexpr (!have_sign) {  // weights with a sign are those of one process
      if (rows_.owners != nullptr) {
        // All processes do the same with all of these rows.
        std::vector<Vertex> by_owner(queue_.begin(), queue_.begin() + restless);
        const std::vector<std::uint64_t> places = sort_by_owner(*rows_.owners, by_owner.data(), 0, restless);
        const gathered_rows<Vertex> few = gather_rows(rows_, places, [&](std::uint64_t i) { return by_owner[i]; });
        const weighted_rows<Vertex, whole_weights> rows = few.rows();
        return move_one_by_one(
            rows, community_choice<Vertex, whole_weights>{rows, choice_.community, choice_.worth, choice_.prefer_own},
            restless);
      }
    }
    return move_one_by_one(rows_, choice_, restless);
  }

  template <class Rows, class Choice>
  std::uint64_t move_one_by_one(const Rows& rows, const Choice& choice, std::uint64_t restless) {
    std::uint64_t moves = 0;
    for (std::uint64_t i = 0; i != restless; ++i) {
      const Vertex v = queue_[i];
      restless_[v] = 0;
      if (have_sign && i % often == 0) control_.check();
      next_[v] = choice.best(v, tables_.front());
      if constexpr (have_sign) {
        if (next_[v] == choice.alone) next_[v] = empty();
      }
      moves += move(rows, v) ? 1 : 0;
    }
    return moves;
  }

  template <class Rows>
  bool move(const Rows& rows, Vertex v) {
    const Vertex from = community_[v];
    const Vertex to = next_[v];
    if (from == to) return false;
    std::atomic_ref(community_[v]).store(to, std::memory_order_relaxed);
    take_from(volume_, from, mass_, v);
    add_to(volume_, to, mass_, v);
    if (have_sign && volume_.out[from] == 0) empty_.push_back(from);
    for (std::uint64_t a = rows.begins[v]; a != rows.ends[v]; ++a) {
      const Vertex w = rows.targets[a];
      // With negative ties, a neighbour in the community that v has come to may want to leave.
      if (restless_of(w) == 0 && (have_sign || next_[w] != to)) mark(restless_[w]);
    }
    return true;
  }

  std::uint8_t restless_of(Vertex w) noexcept { return std::atomic_ref(restless_[w]).load(std::memory_order_relaxed); }

  const rows_type& rows_;
  const mass_arrays& mass_;
  const run_control& control_;
  const machine::page_array<Vertex>& order_;
  weight_tables<Vertex>& tables_;               ///< by slot
  machine::page_array<Vertex> community_;       ///< by vertex: its community
  machine::page_array<Vertex> next_;            ///< by vertex: the community that it has decided for
  mass_arrays volume_;                          ///< by community: the masses of its vertices
  machine::page_array<std::uint8_t> restless_;  ///< by vertex: 1 if it has to decide again
  machine::page_array<Vertex> queue_;           ///< the vertices of a round
  std::vector<std::uint64_t> block_begins_;
  std::vector<Vertex> empty_;  ///< if weights have a sign: all communities without vertices, and some that have got one
  community_choice<Vertex, Weights> choice_{rows_, nullptr, {}};
  bool still_ = false;
};

}  // namespace callisto::graph
