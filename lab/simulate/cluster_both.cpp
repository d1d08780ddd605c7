#include <lab/simulate/cluster_both.hpp>

#include <callisto/global/arrays/array.hpp>
#include <callisto/global/loops/spawn_where.hpp>
#include <callisto/global/memory/delegates.hpp>
#include <callisto/global/memory/global_heap.hpp>
#include <callisto/global/messages/messages.hpp>
#include <callisto/global/synchronization/collectives.hpp>
#include <callisto/global/transport/rank_clock.hpp>
#include <callisto/machine/system/error.hpp>
#include <lab/simulate/grappa_programs.hpp>
#include <lab/simulate/rank_programs.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace callisto::lab {
namespace {

using global::rank_clock;

std::uint64_t mixed_bits(std::uint64_t x) noexcept {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
  x = (x ^ x >> 27) * 0x94d049bb133111ebU;
  return x ^ x >> 31;
}

void require_right(bool right, std::string_view program) {
  const bool all = global::reduce_all(right ? 1 : 0, [](int a, int b) { return std::min(a, b); }) == 1;
  if (!all) throw error("simulate cluster: a result of " + std::string(program) + " is wrong");
}

/// Returns the seconds of the slowest rank, at all ranks.
template <class Body>
double seconds_of_all(Body body) {
  global::barrier();
  const std::uint64_t begin = rank_clock::ticks();
  body();
  const double own =
      static_cast<double>(rank_clock::ticks() - begin) / static_cast<double>(rank_clock::ticks_per_second());
  return global::reduce_all(own, [](double a, double b) { return std::max(a, b); });
}

template <class Run>
double fastest(unsigned repeats, Run run) {
  double least = run();
  for (unsigned i = 1; i < repeats; ++i) least = std::min(least, run());
  return least;
}

// --- GUPS

struct updated_part {
  std::vector<std::uint64_t> words;
  std::uint64_t mask = 0;
  double cost = 0;
};

struct update_of_both {
  std::uint64_t random;
  const void* prefetch() const {
    auto& part = global::rank_local<updated_part>();
    return &part.words[random & part.mask];
  }
  void operator()() const {
    auto& part = global::rank_local<updated_part>();
    part.words[random & part.mask] ^= random;
    rank_clock::work(part.cost);
  }
};

double update_words(global::session& s, unsigned repeats, double cost) {
  constexpr std::uint64_t updates = std::uint64_t{1} << 21;
  const auto ranks = static_cast<std::uint64_t>(s.ranks());
  auto& part = global::rank_local<updated_part>();
  part.words.assign(std::bit_floor((std::uint64_t{1} << log2_updated_words) / ranks), 0);
  part.mask = part.words.size() - 1;
  part.cost = cost;
  const auto me = static_cast<std::uint64_t>(s.rank());
  const double seconds = fastest(repeats, [&] {
    return seconds_of_all([&] {
      s.run_phase([&] {
        for (std::uint64_t i = me; i < updates; i += ranks) {
          const std::uint64_t random = mixed_bits(i + 1);
          global::send(static_cast<int>((random >> 32) % ranks), update_of_both{random});
        }
      });
    });
  });
  std::uint64_t all = 0;
  for (const std::uint64_t w : part.words) all ^= w;
  std::uint64_t sent = 0;
  for (std::uint64_t i = me; i < updates; i += ranks) sent ^= mixed_bits(i + 1);
  if (repeats % 2 != 0) all ^= sent;
  require_right(global::reduce_all(all, std::bit_xor<>()) == 0, both_names[0]);
  part.words = {};
  return static_cast<double>(updates) / seconds;
}

// --- UTS T1

struct both_visits {
  std::uint64_t visited = 0;
  double cost = 0;
};

/// Visits vertices where they are, and sends tasks to their children.
struct visitor_of_both {
  global::array<tree_in_memory::vertex> vertices;

  void operator()(std::span<tree_in_memory::vertex> here) const {
    auto& own = global::rank_local<both_visits>();
    own.visited += here.size();
    rank_clock::work(own.cost * static_cast<double>(here.size()));
    for (const tree_in_memory::vertex v : here)
      if (v.children != 0) global::spawn_where(vertices, v.first_child, v.first_child + v.children, *this);
  }
};

double search_tree(global::session& s, unsigned scale, unsigned repeats, const word_costs& costs) {
  constexpr std::size_t together = 8;  // vertices that follow each other at a rank
  uts_tree law = uts_tree::t1();
  law.depth = std::min(10U, std::max(4U, scale / 2));
  const tree_in_memory tree(law);
  const std::size_t row = together * static_cast<std::size_t>(s.ranks());
  auto vertices = global::make_array<tree_in_memory::vertex>((tree.vertices.size() + row - 1) / row * row,
                                                             global::cyclic(together));
  const std::span<tree_in_memory::vertex> own = vertices.local();
  for (std::size_t i = 0; i != own.size(); ++i) {
    const std::size_t number = i / together * row + static_cast<std::size_t>(s.rank()) * together + i % together;
    if (number < tree.vertices.size()) own[i] = tree.vertices[number];
  }
  auto& visits = global::rank_local<both_visits>();
  visits.cost = costs.tree + costs.far_vertex * (1 - 1.0 / s.ranks());
  const double seconds = fastest(repeats, [&] {
    visits.visited = 0;
    const double once = seconds_of_all([&] {
      s.run_phase([&] {
        if (s.rank() == 0) global::spawn_where(vertices, 0, 1, visitor_of_both{vertices});
      });
    });
    require_right(global::reduce_all(visits.visited, std::plus<>()) == tree.vertices.size(), both_names[1]);
    return once;
  });
  return static_cast<double>(tree.vertices.size()) / seconds;
}

// --- BFS

double search_graph(global::session& s, unsigned scale, unsigned repeats, double cost) {
  const graph_in_memory g(scale);
  const std::uint32_t root = g.hub();
  rank_search search(s, g, cost);
  std::uint64_t arcs = 0;
  const double seconds = fastest(repeats, [&] {
    search.restart(root);
    const double once = seconds_of_all([&] { search.run(movement::messages); });
    std::uint64_t of_rank = 0;
    bool right = true;
    for (std::uint32_t i = 0; i != search.depths().size(); ++i) {
      const std::uint32_t v = i * static_cast<std::uint32_t>(s.ranks()) + static_cast<std::uint32_t>(s.rank());
      const std::uint32_t depth = search.depths()[i];
      if (depth == rank_search::unreached) continue;
      of_rank += g.begins[v + 1] - g.begins[v];
      right &= (depth == 0) == (v == root);
    }
    require_right(right, both_names[2]);
    arcs = global::reduce_all(of_rank, std::plus<>());
    return once;
  });
  return static_cast<double>(arcs) / 2 / seconds;
}

// --- IntSort

double sort_keys(global::session& s, unsigned log2_keys, unsigned repeats, double cost) {
  const std::uint64_t keys = std::uint64_t{1} << log2_keys;
  rank_sort sort(s, log2_keys, cost);
  const double seconds = fastest(repeats, [&] {
    const double once = seconds_of_all([&] { sort.run(movement::messages); });
    std::uint64_t counted = 0;
    for (const std::uint32_t n : sort.counts()) counted += n;
    require_right(global::reduce_all(counted, std::plus<>()) == keys, both_names[3]);
    return once;
  });
  return static_cast<double>(keys) / seconds;
}

// --- blocking reads

double read_words(global::session& s, unsigned repeats, const word_costs& costs) {
  constexpr std::uint64_t workers = 256;  // of a rank
  constexpr std::uint64_t reads = 400;    // of a worker
  constexpr std::uint64_t words = std::uint64_t{1} << 16;
  const auto memory = global::broadcast(
      s.rank() == 0 ? global::global_allocate<std::uint64_t>(words) : global::global_address<std::uint64_t>(), 0);
  const auto me = static_cast<std::uint64_t>(s.rank());
  const double cost = costs.reads + costs.far_read * (1 - 1.0 / s.ranks());
  const double seconds = fastest(repeats, [&] {
    return seconds_of_all([&] {
      s.run_phase([&] {
        for (std::uint64_t w = 0; w != workers; ++w) {
          global::spawn([memory, cost, state = mixed_bits(me * 1000 + w + 1)]() mutable {
            for (std::uint64_t i = 0; i != reads; ++i) {
              state = mixed_bits(state + 1);
              static_cast<void>(global::read(memory + static_cast<std::int64_t>(state % words)));
              rank_clock::work(cost);
            }
          });
        }
      });
    });
  });
  return static_cast<double>(workers * reads * static_cast<std::uint64_t>(s.ranks())) / seconds;
}

// --- the way between two ranks

struct ball {
  std::uint32_t left;
  std::uint32_t from;
  void operator()() const {
    if (left != 0)
      global::send(static_cast<int>(from), ball{left - 1, static_cast<std::uint32_t>(global::here().rank)});
  }
};

struct block_of_bytes {
  std::uint64_t number;
  void operator()(std::span<const std::byte>) const {}
};

double seconds_a_tick() { return 1 / static_cast<double>(rank_clock::ticks_per_second()); }

}  // namespace

both_outcome run_link(global::session& s, unsigned repeats, const word_costs& costs) {
  both_outcome o;
  if (s.ranks() < 2) return o;
  const int other = s.ranks() - 1;
  constexpr std::uint32_t bounces = 400;
  o.half_round = fastest(repeats,
                         [&] {
                           return seconds_of_all([&] {
                             s.run_phase([&] {
                               if (s.rank() != 0) return;
                               global::send(other, ball{bounces, 0});
                               global::flush();
                             });
                           });
                         }) /
                 bounces;
  constexpr unsigned alone = 200;
  o.send = fastest(repeats, [&] {
    std::uint64_t ticks = 0;
    s.run_phase([&] {
      if (s.rank() != 0) return;
      for (unsigned i = 0; i != alone; ++i) {
        const std::uint64_t begin = rank_clock::ticks();
        global::send(other, ball{0, 0});
        global::flush();
        ticks += rank_clock::ticks() - begin;
        // Until the packet has left. The receiver is still awake.
        const std::uint64_t end = rank_clock::ticks() + rank_clock::ticks_per_second() / 200'000;
        rank_clock::work(5000);
        while (rank_clock::ticks() < end) rank_clock::relax();
      }
    });
    return global::reduce_all(static_cast<double>(ticks) * seconds_a_tick() / alone, std::plus<>());
  });
  constexpr unsigned looks = 1000;
  o.poll = fastest(repeats, [&] {
    global::barrier();
    const std::uint64_t begin = rank_clock::ticks();
    for (unsigned i = 0; s.rank() == 0 && i != looks; ++i) global::progress();
    const double own = static_cast<double>(rank_clock::ticks() - begin) * seconds_a_tick() / looks;
    return global::reduce_all(s.rank() == 0 ? own : 0, std::plus<>());
  });
  constexpr unsigned workers = 64;
  constexpr unsigned reads = 200;  // of a worker
  const auto place = reinterpret_cast<std::uintptr_t>(&global::rank_local<both_visits>().visited);
  auto* const there = reinterpret_cast<std::uint64_t*>(global::broadcast(place, other));
  o.read = fastest(repeats,
                   [&] {
                     return seconds_of_all([&] {
                       s.run_phase([&] {
                         for (unsigned w = 0; s.rank() == 0 && w != workers; ++w)
                           global::spawn(
                               [from = global::global_address<std::uint64_t>::at(other, there), cost = costs.far_read] {
                                 for (unsigned i = 0; i != reads; ++i) {
                                   static_cast<void>(global::read(from));
                                   rank_clock::work(cost);
                                 }
                               });
                       });
                     });
                   }) /
           (workers * reads);
  constexpr unsigned blocks = 1000;
  const std::vector<std::byte> bytes(block_bytes);
  o.block = fastest(repeats,
                    [&] {
                      return seconds_of_all([&] {
                        s.run_phase([&] {
                          if (s.rank() != 0) return;
                          for (unsigned i = 0; i != blocks; ++i)
                            global::send(other, block_of_bytes{i}, std::span(bytes));
                        });
                      });
                    }) /
            blocks;
  return o;
}

both_outcome run_both(global::session& s, unsigned scale, unsigned repeats, const word_costs& costs) {
  both_outcome o = run_link(s, repeats, costs);
  o.rates = {update_words(s, repeats, costs.updates), search_tree(s, scale, repeats, costs),
             search_graph(s, scale, repeats, costs.vertices), sort_keys(s, scale + 3, repeats, costs.keys),
             read_words(s, repeats, costs)};
  return o;
}

}  // namespace callisto::lab
