// Communities with Callisto's loops; what one vertex does is in community_moves.hpp.
#include <callisto/graph/communities/communities.hpp>
#include <callisto/graph/communities/moves.hpp>
#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <variant>

namespace callisto::graph {
namespace {

/// A sub-round moves so many vertices at least, or loops would cost more than their work; and a level has no more
/// sub-rounds than these: vertices that decide together do not see each other's moves.
constexpr std::uint64_t least_part = 512;
constexpr std::uint64_t most_parts = 64;
/// Fewer vertices than these one thread moves one by one, each on the others' last state.
constexpr std::uint64_t few_vertices = 4096;
/// Rounds end here, if vertices have not come to rest before; and, of Louvain, as soon as so small a share of them is
/// restless, unless none has moved: there the method ends.
constexpr unsigned most_rounds = 32;
constexpr std::uint64_t restless_share = 500;
/// From this round on vertices that go to a community of a higher name, and those that go to one of a lower, move in
/// turns: those that decide together could otherwise change places for ever.
constexpr unsigned first_turn = 6;

/// relaxed, here and below: sums and marks, read behind the end of the loop that makes them.
void add(std::uint64_t& sum, std::uint64_t amount) noexcept {
  std::atomic_ref(sum).fetch_add(amount, std::memory_order_relaxed);
}
template <class T>
void mark(T& flag) noexcept {
  std::atomic_ref(flag).store(1, std::memory_order_relaxed);
}

/// One level: vertices, each at first a community of its own, on their way to better ones.
template <class Vertex, class Weights>
class level {
 public:
  using rows_type = weighted_rows<Vertex, Weights>;

  level(const rows_type& rows, const machine::page_array<std::uint64_t>& strength, double chance,
        const run_control& ctx)
      : rows_(rows),
        strength_(strength),
        ctx_(ctx),
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
      if (ctx_.report != nullptr) ctx_.report->advance(1);
      if (!to_the_end && done.moves != 0 && restless < rows_.vertices / restless_share) {
        ++done.rounds;
        break;
      }
    }
    return done;
  }

  /// Whether the last round found nothing to move.
  bool still() const noexcept { return still_; }
  machine::page_array<Vertex>& community() noexcept { return community_; }

 private:
  struct tally {
    std::uint64_t moves = 0;
    std::uint64_t waiting = 0;  ///< of those that would move, but not in this round

    friend tally operator+(tally a, tally b) { return {a.moves + b.moves, a.waiting + b.waiting}; }
  };

  std::uint64_t part_of(std::uint64_t v) const noexcept { return below(mix_bits(v), parts_.size() - 1); }

  /// Sorts the vertices by the part that a hash puts them in, ascending inside.
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
    const loop_options options{.stop = ctx_.stop};
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
      ctx_.check();
      all = all + tally{moves, waiting};
    }
    return all;
  }

  /// Sets next_[v]. Says whether v wants to move, but waits for the next round, when the other direction has its turn.
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
    add(volume_[to], strength_[v]);
    for (std::uint64_t a = rows_.begins[v]; a != rows_.ends[v]; ++a) {
      const Vertex w = rows_.targets[a];
      if (next_[w] != to) mark(restless_[w]);
    }
    return true;
  }

  tally move_one_by_one() {
    tally all;
    ctx_.check();
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
  const run_control& ctx_;
  std::vector<weight_table<Vertex>> tables_;  ///< by thread
  machine::page_array<Vertex> community_;     ///< by vertex: where it is
  machine::page_array<Vertex> next_;          ///< where it has decided to go
  machine::page_array<std::uint64_t> volume_;
  machine::page_array<std::uint8_t> restless_;  ///< by vertex: whether it has to decide again
  machine::page_array<Vertex> order_;           ///< the vertices, part by part
  std::vector<std::uint64_t> parts_;            ///< where parts begin in order_, and its end
  community_choice<Vertex, Weights> choice_;
  bool still_ = false;
};

/// A graph whose vertices are the communities of another.
template <class Vertex>
struct coarse_graph {
  machine::page_array<std::uint64_t> begins;  ///< rows stand apart, each where its longest possible form would begin
  machine::page_array<std::uint64_t> ends;
  machine::page_array<Vertex> targets;
  machine::page_array<std::uint64_t> weights;
  machine::page_array<std::uint64_t> strength;

  weighted_rows<Vertex, whole_weights> rows() const noexcept {
    return {strength.size(), begins.data(), ends.data(), targets.data(), {weights.data()}};
  }
};

/// Numbers the communities 0, 1, ... in the order of the vertices that name them, and says how many they are.
template <class Vertex>
std::uint64_t number(machine::page_array<Vertex>& community) {
  machine::page_array<Vertex> names(community.size());
  parallel_for(std::uint64_t{0}, community.size(), [&](std::uint64_t v) { mark(names[community[v]]); });
  Vertex next = 0;
  for (Vertex& name : names) name = name != 0 ? next++ : 0;
  parallel_for(std::uint64_t{0}, community.size(), [&](std::uint64_t v) { community[v] = names[community[v]]; });
  return next;
}

/// The graph of the `communities` numbered communities. Edges inside of them are not kept: they count for no move.
template <class Vertex, class Weights>
coarse_graph<Vertex> contract(const weighted_rows<Vertex, Weights>& rows,
                              const machine::page_array<std::uint64_t>& strength,
                              const machine::page_array<Vertex>& community, std::uint64_t communities,
                              const run_control& ctx) {
  const loop_options options{.stop = ctx.stop};
  coarse_graph<Vertex> coarse;
  coarse.begins = machine::page_array<std::uint64_t>(communities);
  coarse.ends = machine::page_array<std::uint64_t>(communities);
  coarse.strength = machine::page_array<std::uint64_t>(communities);
  machine::page_array<std::uint64_t> places(communities);
  parallel_for(
      std::uint64_t{0}, rows.vertices,
      [&](std::uint64_t v) {
        add(places[community[v]], 1);
        add(coarse.ends[community[v]], rows.degree(v));  // for now the most that its row can have
      },
      options);
  std::uint64_t members = 0;
  std::uint64_t arcs = 0;
  for (std::uint64_t c = 0; c < communities; ++c) {
    members += std::exchange(places[c], members);
    coarse.begins[c] = arcs;
    arcs += std::min(coarse.ends[c], communities - 1);
  }
  machine::page_array<Vertex> vertices(rows.vertices);
  parallel_for(
      std::uint64_t{0}, rows.vertices,
      [&](std::uint64_t v) {
        // Their order in a community means nothing: the sums are exact.
        const std::uint64_t at = std::atomic_ref(places[community[v]]).fetch_add(1, std::memory_order_relaxed);
        vertices[at] = static_cast<Vertex>(v);
      },
      options);
  ctx.check();
  // places[c] is now where c's vertices end. Small pages: rows leave gaps that are never touched.
  coarse.targets = machine::page_array<Vertex>(arcs, machine::page_kind::small);
  coarse.weights = machine::page_array<std::uint64_t>(arcs, machine::page_kind::small);
  std::vector<weight_table<Vertex>> tables(threads());
  parallel_for(
      std::uint64_t{0}, communities,
      [&](std::uint64_t c) {
        weight_table<Vertex>& table = tables[this_thread()];
        std::uint64_t sum = 0;
        table.collect(std::min(coarse.ends[c], communities), [&](auto add_up) {
          for (std::uint64_t i = c == 0 ? 0 : places[c - 1]; i != places[c]; ++i) {
            const Vertex v = vertices[i];
            sum += strength[v];
            for (std::uint64_t a = rows.begins[v]; a != rows.ends[v]; ++a) {
              const Vertex to = community[rows.targets[a]];
              if (to != c) add_up(to, rows.weight(a));
            }
          }
        });
        std::uint64_t at = coarse.begins[c];
        table.for_each([&](Vertex to, std::uint64_t weight) {
          coarse.targets[at] = to;
          coarse.weights[at++] = weight;
        });
        coarse.ends[c] = at;
        coarse.strength[c] = sum;
      },
      options);
  ctx.check();
  return coarse;
}

/// The weight of each vertex's edges, a loop counted twice.
template <class Vertex, class Weights>
machine::page_array<std::uint64_t> strengths(const weighted_rows<Vertex, Weights>& rows, const run_control& ctx) {
  machine::page_array<std::uint64_t> strength(rows.vertices);
  parallel_for(std::uint64_t{0}, rows.vertices,
               [&](std::uint64_t v) {
                 std::uint64_t sum = 0;
                 for (std::uint64_t a = rows.begins[v]; a != rows.ends[v]; ++a) {
                   sum += rows.weight(a) * (rows.targets[a] == v ? 2 : 1);
                 }
                 strength[v] = sum;
               },
               {.stop = ctx.stop});
  ctx.check();
  return strength;
}

std::uint64_t sum_of(const machine::page_array<std::uint64_t>& values) {
  return parallel_reduce(std::uint64_t{0}, std::uint64_t{values.size()}, std::uint64_t{0},
                         [&](std::uint64_t i) { return values[i]; });
}

/// Calls f(rows) with the rows of an undirected graph. Throws usage_error for weights that are none.
template <class Vertex, class Function>
auto with_rows(const csr_graph<Vertex>& graph, const run_control& ctx, Function f) {
  const auto& out = graph.out();
  const std::uint64_t* begins = out.offsets.data();
  const std::uint64_t* ends = graph.vertices() == 0 ? nullptr : begins + 1;
  if (!graph.weighted()) {
    return f(weighted_rows<Vertex, unit_weights>{graph.vertices(), begins, ends, out.targets.data(), {}});
  }
  const double most = survey_weights(graph, "communities", ctx).most;
  return f(weighted_rows<Vertex, rounded_weights>{graph.vertices(), begins, ends, out.targets.data(),
                                                  round_weights(out.weights, graph.arcs(), most)});
}

/// Turns the number of each vertex's community into its smallest vertex.
void name_by_smallest(machine::page_array<std::uint64_t>& of, std::uint64_t communities) {
  constexpr std::uint64_t none = ~std::uint64_t{0};
  std::vector<std::uint64_t> names(communities, none);
  for (std::uint64_t v = 0; v < of.size(); ++v) {
    if (names[of[v]] == none) names[of[v]] = v;
  }
  parallel_for(std::uint64_t{0}, std::uint64_t{of.size()}, [&](std::uint64_t v) { of[v] = names[of[v]]; });
}

template <class Vertex>
communities_result communities_of(const csr_graph<Vertex>& graph, const communities_options& options,
                                  const run_control& ctx) {
  const bool labels = options.method == community_method::labels;
  communities_result result;
  result.of = machine::page_array<std::uint64_t>(graph.vertices());
  parallel_for(std::uint64_t{0}, graph.vertices(), [&](std::uint64_t v) { result.of[v] = v; });
  result.communities = graph.vertices();

  double chance = 0;
  // One level: false if it moved nothing, else `next` is the graph of its communities.
  const auto step = [&](const auto& rows, const machine::page_array<std::uint64_t>& strength,
                        std::optional<coarse_graph<Vertex>>* next) {
    if (ctx.report != nullptr) {
      ctx.report->begin(fmt::format("communities, level {}", result.levels.size() + 1), 0, "rounds");
    }
    level moving(rows, strength, chance, ctx);
    result.levels.push_back(moving.run(next == nullptr));
    result.converged = moving.still();
    if (result.levels.back().moves == 0) return false;
    machine::page_array<Vertex>& community = moving.community();
    result.communities = number(community);
    parallel_for(std::uint64_t{0}, graph.vertices(), [&](std::uint64_t v) { result.of[v] = community[result.of[v]]; });
    if (next != nullptr) next->emplace(contract(rows, strength, community, result.communities, ctx));
    return true;
  };
  with_rows(graph, ctx, [&](const auto& rows) {
    machine::page_array<std::uint64_t> strength = strengths(rows, ctx);
    const std::uint64_t sum = sum_of(strength);
    if (labels || sum == 0) {
      step(rows, strength, nullptr);
      return;
    }
    chance = options.resolution / static_cast<double>(sum);
    std::optional<coarse_graph<Vertex>> coarse;
    bool moved = step(rows, strength, &coarse);
    strength = {};
    while (moved) {
      const coarse_graph<Vertex> now = std::move(*coarse);
      moved = step(now.rows(), now.strength, &coarse);
    }
  });
  name_by_smallest(result.of, result.communities);
  return result;
}

template <class Vertex>
double modularity_of(const csr_graph<Vertex>& graph, const machine::page_array<std::uint64_t>& of, double resolution,
                     const run_control& ctx) {
  return with_rows(graph, ctx, [&](const auto& rows) {
    machine::page_array<std::uint64_t> volume(rows.vertices);
    const std::uint64_t inside = parallel_reduce(
        std::uint64_t{0}, rows.vertices, std::uint64_t{0},
        [&](std::uint64_t v) {
          std::uint64_t mine = 0;
          std::uint64_t strength = 0;
          for (std::uint64_t a = rows.begins[v]; a != rows.ends[v]; ++a) {
            const std::uint64_t weight = rows.weight(a) * (rows.targets[a] == v ? 2 : 1);
            strength += weight;
            if (of[rows.targets[a]] == of[v]) mine += weight;
          }
          if (strength != 0) add(volume[of[v]], strength);
          return mine;
        },
        std::plus<>{}, loop_options{.stop = ctx.stop});
    ctx.check();
    const auto all = static_cast<double>(sum_of(volume));
    if (all == 0) return 0.0;
    double squares = 0;  // one thread adds them, so that it is the same sum every time
    for (const std::uint64_t v : volume) squares += static_cast<double>(v) / all * (static_cast<double>(v) / all);
    return static_cast<double>(inside) / all - resolution * squares;
  });
}

void check_resolution(double resolution) {
  if (!(resolution >= 0 && resolution <= std::numeric_limits<double>::max())) {
    throw usage_error(fmt::format("resolution is {}, expected a number of at least 0", resolution));
  }
}

}  // namespace

std::string_view name_of(community_method method) noexcept {
  return method == community_method::louvain ? "louvain" : "labels";
}

communities_result communities(const any_graph& graph, const communities_options& options, const run_control& ctx) {
  check_resolution(options.resolution);
  return std::visit(
      [&](const auto& g) {
        if (g.directed()) return communities(symmetrized(graph, loops::keep, ctx), options, ctx);
        communities_result result = communities_of(g, options, ctx);
        result.modularity = modularity_of(g, result.of, options.resolution, ctx);
        return result;
      },
      graph);
}

double modularity(const any_graph& graph, const machine::page_array<std::uint64_t>& of, double resolution,
                  const run_control& ctx) {
  check_resolution(resolution);
  return std::visit(
      [&](const auto& g) {
        if (g.directed()) throw usage_error("modularity is of undirected graphs; symmetrize this one");
        if (of.size() != g.vertices()) throw usage_error("the division is of another number of vertices");
        return modularity_of(g, of, resolution, ctx);
      },
      graph);
}

std::uint64_t needs::communities(const any_graph& graph, community_method method) noexcept {
  graph_size s = size_of(graph);
  std::uint64_t undirected = 0;
  if (s.directed) {
    undirected = symmetrize(graph);
    s.m *= 2;
  }
  // One level's vertices; the graph of its communities, whose arcs are some of those of the level; names and members.
  const std::uint64_t level = (25 + 8 + 3 * s.v) * s.n;
  const std::uint64_t coarse = method == community_method::labels ? 0 : 24 * s.n + (s.v + 8) * s.m;
  return undirected + level + coarse + (2 * s.v + 8) * s.n + threads() * bytes_of_thread;
}

}  // namespace callisto::graph
