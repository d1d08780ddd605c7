// One level of the Louvain method, or label propagation: vertices move between communities until few want to.
#pragma once

#include <callisto/graph/communities/communities.hpp>
#include <callisto/graph/communities/moves.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

namespace callisto::graph {

/// Add to a sum, set a mark. relaxed, here and below: the end of the loop that makes them orders them.
inline void add_to(std::uint64_t& sum, std::uint64_t amount) noexcept {
  std::atomic_ref(sum).fetch_add(amount, std::memory_order_relaxed);
}
template <class T>
void mark(T& flag) noexcept {
  std::atomic_ref(flag).store(1, std::memory_order_relaxed);
}

/// The least vertices of a sub-round: with fewer, a loop would cost more than its work. The most sub-rounds of a level:
/// vertices that decide together do not see each other's moves.
inline constexpr std::uint64_t least_part = 512;
inline constexpr std::uint64_t most_parts = 64;
/// With fewer vertices, one thread moves them one by one, each on the last state of the others.
inline constexpr std::uint64_t few_vertices = 4096;
/// Rounds end after `most_rounds`; also, in the Louvain method, when fewer than one in `restless_share` of the vertices
/// is restless and any has moved. (A level without moves ends the method, so it must be run to its end.)
inline constexpr unsigned most_rounds = 32;
inline constexpr std::uint64_t restless_share = 500;
/// From this round on, moves to communities of higher names and moves to those of lower names alternate by rounds.
/// Otherwise vertices that decide together could change places for ever.
inline constexpr unsigned first_turn = 6;

/// The vertices of one level. At first each is a community of its own.
template <class Vertex, class Weights>
class community_moves {
 public:
  using rows_type = weighted_rows<Vertex, Weights>;

  community_moves(const rows_type& rows, const machine::page_array<std::uint64_t>& strength, double chance,
                  const run_control& control)
      : rows_(rows),
        strength_(strength),
        control_(control),
        tables_(threads()),
        community_(rows.vertices),
        next_(rows.vertices),
        volume_(rows.vertices),
        restless_(rows.vertices),
        choice_{rows_, community_.data(), strength_.data(), volume_.data(), chance} {
    parallel_for(std::uint64_t{0}, rows.vertices, [&](std::uint64_t v) {
      community_[v] = next_[v] = static_cast<Vertex>(v);
      volume_[v] = strength_[v];
      restless_[v] = 1;
    });
  }

  community_level run(bool to_the_end) {
    community_level done{rows_.vertices, 0, 0};
    const bool one_by_one = rows_.vertices < few_vertices;
    if (!one_by_one) deal_parts();
    for (still_ = false; !still_ && done.rounds < most_rounds; ++done.rounds) {
      const tally found = one_by_one ? move_one_by_one() : move_in_parts(done.rounds);
      const std::uint64_t restless = found.moves + found.waiting;
      done.moves += found.moves;
      still_ = restless == 0;
      if (control_.report != nullptr) control_.report->advance(1);
      if (!to_the_end && done.moves != 0 && restless < rows_.vertices / restless_share) {
        ++done.rounds;
        break;
      }
    }
    return done;
  }

  /// True if the last round found nothing to move.
  bool still() const noexcept { return still_; }
  machine::page_array<Vertex>& community() noexcept { return community_; }

 private:
  struct tally {
    std::uint64_t moves = 0;
    std::uint64_t waiting = 0;  ///< vertices that want to move, but in a later round

    friend tally operator+(tally a, tally b) { return {a.moves + b.moves, a.waiting + b.waiting}; }
  };

  std::uint64_t part_of(std::uint64_t v) const noexcept { return below(mix_bits(v), parts_.size() - 1); }

  /// Sorts the vertices into parts by a hash, ascending inside of each.
  void deal_parts() {
    parts_.assign(std::clamp<std::uint64_t>(rows_.vertices / least_part, 1, most_parts) + 1, 0);
    order_ = machine::page_array<Vertex>(rows_.vertices);
    for (std::uint64_t v = 0; v < rows_.vertices; ++v) ++parts_[part_of(v) + 1];
    std::partial_sum(parts_.begin(), parts_.end(), parts_.begin());
    std::vector<std::uint64_t> at(parts_.begin(), parts_.end() - 1);
    for (std::uint64_t v = 0; v < rows_.vertices; ++v) order_[at[part_of(v)]++] = static_cast<Vertex>(v);
  }

  tally move_in_parts(unsigned round) {
    tally all;
    const loop_options options{.stop = control_.stop};
    for (std::size_t part = 0; part + 1 < parts_.size(); ++part) {
      const std::uint64_t waiting = parallel_reduce(
          parts_[part], parts_[part + 1], std::uint64_t{0},
          [&](std::uint64_t first, std::uint64_t last, std::uint64_t wait) {
            weight_table<Vertex>& table = tables_[this_thread()];
            for (std::uint64_t i = first; i != last; ++i) wait += decide(order_[i], round, table);
            return wait;
          },
          std::plus<>{}, options);
      const std::uint64_t moves = parallel_reduce(
          parts_[part], parts_[part + 1], std::uint64_t{0},
          [&](std::uint64_t i) { return std::uint64_t{move(order_[i])}; }, std::plus<>{}, options);
      control_.check();
      all = all + tally{moves, waiting};
    }
    return all;
  }

  /// Sets next_[v]. True if v wants to move but has to wait for the next round, which has the other direction.
  bool decide(Vertex v, unsigned round, weight_table<Vertex>& table) {
    if (restless_[v] == 0) return false;
    const Vertex from = community_[v];
    const Vertex to = choice_.best(v, table);
    const bool other_turn = (to > from) != (round % 2 != 0);
    const bool may_swap = round >= first_turn || (choice_.alone(v) && choice_.alone(to) && part_of(to) == part_of(v));
    const bool waits = to != from && other_turn && may_swap;
    restless_[v] = waits ? 1 : 0;
    if (!waits) next_[v] = to;
    return waits;
  }

  bool move(Vertex v) {
    const Vertex from = community_[v];
    const Vertex to = next_[v];
    if (from == to) return false;
    community_[v] = to;
    std::atomic_ref(volume_[from]).fetch_sub(strength_[v], std::memory_order_relaxed);
    add_to(volume_[to], strength_[v]);
    for (std::uint64_t a = rows_.begins[v]; a != rows_.ends[v]; ++a) {
      const Vertex w = rows_.targets[a];
      if (next_[w] != to) mark(restless_[w]);
    }
    return true;
  }

  tally move_one_by_one() {
    tally all;
    control_.check();
    for (std::uint64_t v = 0; v < rows_.vertices; ++v) {
      if (restless_[v] == 0) continue;
      restless_[v] = 0;
      next_[v] = choice_.best(v, tables_.front());
      if (move(static_cast<Vertex>(v))) ++all.moves;
    }
    return all;
  }

  const rows_type& rows_;
  const machine::page_array<std::uint64_t>& strength_;
  const run_control& control_;
  std::vector<weight_table<Vertex>> tables_;  ///< by thread
  machine::page_array<Vertex> community_;     ///< by vertex: its community
  machine::page_array<Vertex> next_;          ///< by vertex: the community that it has decided for
  machine::page_array<std::uint64_t> volume_;
  machine::page_array<std::uint8_t> restless_;  ///< by vertex: 1 if it has to decide again
  machine::page_array<Vertex> order_;           ///< the vertices, part by part
  std::vector<std::uint64_t> parts_;            ///< begins of parts in order_, and its end
  community_choice<Vertex, Weights> choice_;
  bool still_ = false;
};

}  // namespace callisto::graph
