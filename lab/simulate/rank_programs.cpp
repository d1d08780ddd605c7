#include <lab/simulate/rank_programs.hpp>

#include <callisto/global/messages/messages.hpp>
#include <callisto/global/synchronization/collectives.hpp>
#include <callisto/global/transport/rank_clock.hpp>
#include <lab/global/nas_keys.hpp>

#include <functional>
#include <utility>

namespace callisto::lab {
namespace {

using global::rank_clock;

struct search_part {
  std::vector<std::uint32_t> depths;
  std::vector<std::uint32_t> frontier;
  std::vector<std::uint32_t> next;
  std::uint32_t level = 0;
  double cost = 0;

  void reach(std::uint32_t at) {
    rank_clock::work(cost);
    if (depths[at] != rank_search::unreached) return;
    depths[at] = level + 1;
    next.push_back(at);
  }
};

/// An arc, told to the rank of its head: 8 bytes on the wire.
struct reach_vertex {
  std::uint32_t at;
  std::uint32_t parent;
  void operator()() const { global::rank_local<search_part>().reach(at); }
};

struct keys_part {
  std::vector<std::uint32_t> counts;  ///< of the rank's values
  std::uint32_t first = 0;
  double cost = 0;
  void count(std::uint32_t key) {
    ++counts[key - first];
    rank_clock::work(cost);
  }
};

struct key_for_rank {
  std::uint64_t key;
  void operator()() const { global::rank_local<keys_part>().count(static_cast<std::uint32_t>(key)); }
};

}  // namespace

// --- the search

rank_search::rank_search(global::session& s, const graph_in_memory& graph, double cost)
    : session_(s),
      graph_(graph),
      ranks_(static_cast<std::uint32_t>(s.ranks())),
      me_(static_cast<std::uint32_t>(s.rank())) {
  global::rank_local<search_part>().cost = cost;
}

void rank_search::restart(std::uint32_t root) {
  auto& own = global::rank_local<search_part>();
  own.depths.assign((graph_.vertices() + ranks_ - 1 - me_) / ranks_, unreached);
  own.frontier.clear();
  own.level = 0;
  if (root % ranks_ != me_) return;
  own.depths[root / ranks_] = 0;
  own.frontier.push_back(root / ranks_);
}

void rank_search::run(movement how) {
  auto& own = global::rank_local<search_part>();
  outgoing<reach_vertex> bulk(session_.ranks());
  const auto over_arcs = [&](std::size_t first, std::size_t last, const auto& f) {
    for (std::size_t i = first; i != last; ++i) {
      const std::uint32_t v = own.frontier[i] * ranks_ + me_;
      const std::uint64_t begin = graph_.begins[v];
      const std::uint64_t end = graph_.begins[v + 1];
      rank_clock::work(own.cost * (1 + static_cast<double>(end - begin) / words_of_line));
      for (std::uint64_t a = begin; a != end; ++a)
        f(graph_.neighbours[a] % ranks_, reach_vertex{graph_.neighbours[a] / ranks_, v});
    }
  };
  for (std::uint64_t found = 1; found != 0;) {
    if (how == movement::messages) {
      run_in_tasks(session_, own.frontier.size(), [&](std::size_t first, std::size_t last) {
        over_arcs(first, last,
                  [](std::uint32_t rank, const reach_vertex& r) { global::send(static_cast<int>(rank), r); });
      });
    } else {
      over_arcs(0, own.frontier.size(), [&](std::uint32_t rank, const reach_vertex& r) {
        bulk.add(rank, r);
        rank_clock::work(own.cost / words_of_line * 2);
      });
      for (const reach_vertex& r : bulk.exchange()) r();
    }
    // Before the collective: what other ranks find in the next level comes after it.
    own.frontier = std::exchange(own.next, {});
    ++own.level;
    found = global::reduce_all(std::uint64_t{own.frontier.size()}, std::plus<>());
  }
}

const std::vector<std::uint32_t>& rank_search::depths() const noexcept {
  return global::rank_local<search_part>().depths;
}

// --- the sort

std::vector<std::uint32_t> rank_sort::keys_from(std::uint64_t first, std::uint64_t last) {
  nas_random random(4 * first);
  std::vector<std::uint32_t> keys(last - first);
  for (std::uint32_t& k : keys) {
    double x = random();
    for (int i = 0; i != 3; ++i) x += random();
    k = static_cast<std::uint32_t>(x * (1U << log2_values) / 4);
  }
  return keys;
}

rank_sort::rank_sort(global::session& s, unsigned log2_keys, double cost)
    : session_(s), keys_(std::uint64_t{1} << log2_keys) {
  const auto ranks = static_cast<std::uint64_t>(s.ranks());
  const auto me = static_cast<std::uint64_t>(s.rank());
  mine_ = keys_from(keys_ * me / ranks, keys_ * (me + 1) / ranks);
  global::rank_local<keys_part>().cost = cost;
}

void rank_sort::run(movement how) {
  auto& own = global::rank_local<keys_part>();
  const auto ranks = static_cast<std::uint64_t>(session_.ranks());
  const auto me = static_cast<std::uint64_t>(session_.rank());
  // Buckets of values: enough that ranks have about as many keys each.
  unsigned log2_buckets = 10;
  while (log2_buckets != log2_values && (1U << log2_buckets) < 4 * ranks) ++log2_buckets;
  const unsigned shift = log2_values - log2_buckets;
  std::vector<std::uint32_t> owner_of(std::size_t{1} << log2_buckets);
  outgoing<std::uint32_t> bulk(session_.ranks());
  std::vector<std::uint32_t> sizes(owner_of.size());
  for (const std::uint32_t k : mine_) ++sizes[k >> shift];
  rank_clock::work(own.cost * static_cast<double>(mine_.size()) / words_of_line * 2);
  global::reduce_all(std::span(sizes), std::plus<>());
  std::uint64_t before = 0;
  std::uint32_t last = 0;
  own.first = 0;
  for (std::size_t b = 0; b != sizes.size(); ++b) {
    owner_of[b] = static_cast<std::uint32_t>(before * ranks / keys_);
    if (owner_of[b] < me) own.first = static_cast<std::uint32_t>((b + 1) << shift);
    if (owner_of[b] <= me) last = static_cast<std::uint32_t>((b + 1) << shift);
    before += sizes[b];
  }
  own.counts.assign(last - own.first, 0);
  global::barrier();  // all have places for keys
  const auto over_keys = [&](std::size_t first, std::size_t end, const auto& f) {
    for (std::size_t i = first; i != end; ++i) f(owner_of[mine_[i] >> shift], mine_[i]);
    rank_clock::work(own.cost * static_cast<double>(end - first) / words_of_line * 2);
  };
  if (how == movement::messages) {
    run_in_tasks(session_, mine_.size(), [&](std::size_t first, std::size_t end) {
      over_keys(first, end,
                [](std::uint32_t rank, std::uint32_t key) { global::send(static_cast<int>(rank), key_for_rank{key}); });
    });
  } else {
    over_keys(0, mine_.size(), [&](std::uint32_t rank, std::uint32_t key) { bulk.add(rank, key); });
    rank_clock::work(own.cost * static_cast<double>(mine_.size()) / words_of_line * 2);
    for (const std::uint32_t k : bulk.exchange()) own.count(k);
  }
  global::barrier();
}

std::uint32_t rank_sort::first() const noexcept { return global::rank_local<keys_part>().first; }
const std::vector<std::uint32_t>& rank_sort::counts() const noexcept { return global::rank_local<keys_part>().counts; }

}  // namespace callisto::lab
