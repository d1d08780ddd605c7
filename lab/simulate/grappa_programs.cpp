#include <lab/simulate/grappa_programs.hpp>

#include <callisto/global/messages/messages.hpp>
#include <callisto/global/session/session.hpp>
#include <callisto/global/synchronization/collectives.hpp>
#include <callisto/global/synchronization/exchange.hpp>
#include <callisto/global/transport/rank_clock.hpp>
#include <lab/global/kronecker_rows.hpp>
#include <lab/global/nas_keys.hpp>
#include <lab/simulate/measured_part.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>
#include <utility>

namespace callisto::lab {
namespace {

namespace sim = global::simulation;
using global::rank_clock;

/// Words of a line of memory that are read in turn: each costs so much less than a random one.
constexpr double words_of_line = 16;

// --- graphs: vertex v is at rank v % ranks

struct search_part {
  std::vector<std::uint32_t> depths;
  std::vector<std::uint32_t> frontier;
  std::vector<std::uint32_t> next;
  std::uint32_t level = 0;
  double cost = 0;

  void reach(std::uint32_t at) {
    rank_clock::work(cost);
    if (depths[at] != none) return;
    depths[at] = level + 1;
    next.push_back(at);
  }
  static constexpr std::uint32_t none = ~0U;
};

/// An arc, told to the rank of its head: 8 bytes on the wire.
struct reach_vertex {
  std::uint32_t at;
  std::uint32_t parent;
  void operator()() const { global::rank_local<search_part>().reach(at); }
};

struct scores_part {
  std::vector<double> scores;
  std::vector<double> next;
  double cost = 0;
};

struct share_of_score {
  std::uint64_t at;
  double share;
  void operator()() const {
    auto& part = global::rank_local<scores_part>();
    part.next[at] += share;
    rank_clock::work(part.cost);
  }
};

/// What a rank has for the others, in the order of ranks.
template <class T>
class outgoing {
 public:
  explicit outgoing(int ranks) : of_(static_cast<std::size_t>(ranks)) {}
  void add(std::uint32_t rank, const T& value) { of_[rank].push_back(value); }
  /// Exchanges all; returns what came. Collective.
  std::vector<T> exchange() {
    std::vector<T> all;
    std::vector<std::uint64_t> counts;
    for (std::vector<T>& of : of_) {
      counts.push_back(of.size());
      all.insert(all.end(), of.begin(), of.end());
      of.clear();
    }
    std::vector<T> received;
    global::exchange(std::span<const T>(all), counts, received);
    return received;
  }

 private:
  std::vector<std::vector<T>> of_;
};

std::vector<std::uint32_t> depths_of(const graph_in_memory& g, std::uint32_t root) {
  std::vector<std::uint32_t> depths(g.vertices(), search_part::none);
  std::vector<std::uint32_t> queue{root};
  depths[root] = 0;
  for (std::size_t i = 0; i != queue.size(); ++i) {
    const std::uint32_t v = queue[i];
    for (std::uint64_t a = g.begins[v]; a != g.begins[v + 1]; ++a) {
      const std::uint32_t w = g.neighbours[a];
      if (depths[w] != search_part::none) continue;
      depths[w] = depths[v] + 1;
      queue.push_back(w);
    }
  }
  return depths;
}

constexpr double damping = 0.85;

std::vector<double> scores_of(const graph_in_memory& g, unsigned iterations) {
  const auto n = static_cast<double>(g.vertices());
  std::vector<double> scores(g.vertices(), 1 / n);
  for (unsigned i = 0; i != iterations; ++i) {
    std::vector<double> next(g.vertices(), (1 - damping) / n);
    for (std::uint64_t v = 0; v != g.vertices(); ++v) {
      const double share = damping * scores[v] / static_cast<double>(g.begins[v + 1] - g.begins[v]);
      for (std::uint64_t a = g.begins[v]; a != g.begins[v + 1]; ++a) next[g.neighbours[a]] += share;
    }
    scores.swap(next);
  }
  return scores;
}

// --- keys

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

constexpr unsigned log2_values = 19;

std::vector<std::uint32_t> keys_from(std::uint64_t first, std::uint64_t last) {
  nas_random random(4 * first);
  std::vector<std::uint32_t> keys(last - first);
  for (std::uint32_t& k : keys) {
    double x = random();
    for (int i = 0; i != 3; ++i) x += random();
    k = static_cast<std::uint32_t>(x * (1U << log2_values) / 4);
  }
  return keys;
}

/// Tasks that send take so many vertices or keys each.
constexpr std::size_t sent_by_task = 64;

/// Runs f(first, last) over parts of [0, n) in tasks of the calling rank, as a phase.
template <class F>
void run_in_tasks(global::session& s, std::size_t n, const F& f) {
  s.run_phase([&] {
    for (std::size_t i = 0; i < n; i += sent_by_task)
      global::spawn([&f, i, last = std::min(n, i + sent_by_task)] { f(i, last); });
  });
}

}  // namespace

double program_outcome::bytes_a_message() const noexcept {
  return static_cast<double>(all.message_bytes) / static_cast<double>(std::max<std::uint64_t>(all.messages, 1));
}
double program_outcome::bytes_a_packet() const noexcept {
  return static_cast<double>(network.bytes) / static_cast<double>(std::max<std::uint64_t>(network.packets, 1));
}

graph_in_memory::graph_in_memory(unsigned scale_in) : scale(scale_in) {
  const std::uint64_t edges = std::uint64_t{16} << scale;
  begins.assign((std::size_t{1} << scale) + 1, 0);
  std::vector<kronecker_edge> all(edges);
  for (std::uint64_t i = 0; i != edges; ++i) {
    const kronecker_edge e = all[i] = kronecker_edge_at(scale, i);
    if (e.from == e.to) continue;
    ++begins[e.from + 1];
    ++begins[e.to + 1];
  }
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  neighbours.resize(begins.back());
  std::vector<std::uint64_t> place(begins.begin(), begins.end() - 1);
  for (const kronecker_edge e : all) {
    if (e.from == e.to) continue;
    neighbours[place[e.from]++] = e.to;
    neighbours[place[e.to]++] = e.from;
  }
}

program_outcome simulate_search(const sim::cluster_options& cluster, const graph_in_memory& g, movement how) {
  std::uint32_t root = 0;
  for (std::uint32_t v = 0; v != g.vertices(); ++v)
    if (g.begins[v + 1] - g.begins[v] > g.begins[root + 1] - g.begins[root]) root = v;
  const std::vector<std::uint32_t> expected = depths_of(g, root);
  const std::uint32_t ranks = cluster.ranks();
  bool is_right = true;
  measured_part part(cluster);
  const sim::cluster_outcome done = sim::run_sessions(cluster, {.threads = 1}, [&](global::session& s) {
    const auto me = static_cast<std::uint32_t>(s.rank());
    auto& own = global::rank_local<search_part>();
    own.cost = cluster.net.memory;
    own.depths.assign((g.vertices() + ranks - 1 - me) / ranks, search_part::none);
    if (root % ranks == me) {
      own.depths[root / ranks] = 0;
      own.frontier.push_back(root / ranks);
    }
    outgoing<reach_vertex> bulk(s.ranks());
    const auto over_arcs = [&](std::size_t first, std::size_t last, const auto& f) {
      for (std::size_t i = first; i != last; ++i) {
        const std::uint32_t v = own.frontier[i] * ranks + me;
        rank_clock::work(own.cost * (1 + static_cast<double>(g.begins[v + 1] - g.begins[v]) / words_of_line));
        for (std::uint64_t a = g.begins[v]; a != g.begins[v + 1]; ++a)
          f(g.neighbours[a] % ranks, reach_vertex{g.neighbours[a] / ranks, v});
      }
    };
    part.begin(s);
    for (std::uint64_t found = 1; found != 0;) {
      if (how == movement::messages) {
        run_in_tasks(s, own.frontier.size(), [&](std::size_t first, std::size_t last) {
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
    part.end(s);
    for (std::uint32_t i = 0; i != own.depths.size(); ++i) is_right &= own.depths[i] == expected[i * ranks + me];
  });
  std::uint64_t arcs = 0;
  for (std::uint32_t v = 0; v != g.vertices(); ++v)
    if (expected[v] != search_part::none) arcs += g.begins[v + 1] - g.begins[v];
  return part.outcome(arcs / 2, is_right, done);
}

program_outcome simulate_pagerank(const sim::cluster_options& cluster, const graph_in_memory& g, unsigned iterations,
                                  movement how) {
  const std::vector<double> expected = scores_of(g, iterations);
  const std::uint32_t ranks = cluster.ranks();
  double difference = 0;
  measured_part part(cluster);
  const sim::cluster_outcome done = sim::run_sessions(cluster, {.threads = 1}, [&](global::session& s) {
    const auto me = static_cast<std::uint32_t>(s.rank());
    auto& own = global::rank_local<scores_part>();
    own.cost = cluster.net.memory;
    const auto n = static_cast<double>(g.vertices());
    own.scores.assign((g.vertices() + ranks - 1 - me) / ranks, 1 / n);
    own.next.assign(own.scores.size(), (1 - damping) / n);
    outgoing<share_of_score> bulk(s.ranks());
    const auto over_arcs = [&](std::size_t first, std::size_t last, const auto& f) {
      for (std::size_t i = first; i != last; ++i) {
        const std::size_t v = i * ranks + me;
        const std::uint64_t arcs = g.begins[v + 1] - g.begins[v];
        const double share = damping * own.scores[i] / static_cast<double>(arcs);
        rank_clock::work(own.cost * static_cast<double>(arcs + 2) / words_of_line);
        for (std::uint64_t a = g.begins[v]; a != g.begins[v + 1]; ++a)
          f(g.neighbours[a] % ranks, share_of_score{g.neighbours[a] / ranks, share});
      }
    };
    part.begin(s);
    for (unsigned i = 0; i != iterations; ++i) {
      if (how == movement::messages) {
        run_in_tasks(s, own.scores.size(), [&](std::size_t first, std::size_t last) {
          over_arcs(first, last,
                    [](std::uint32_t rank, const share_of_score& m) { global::send(static_cast<int>(rank), m); });
        });
      } else {
        over_arcs(0, own.scores.size(), [&](std::uint32_t rank, const share_of_score& m) {
          bulk.add(rank, m);
          rank_clock::work(own.cost / words_of_line * 4);
        });
        for (const share_of_score& m : bulk.exchange()) m();
      }
      own.scores.swap(own.next);
      own.next.assign(own.scores.size(), (1 - damping) / n);
      global::barrier();
    }
    part.end(s);
    for (std::size_t i = 0; i != own.scores.size(); ++i)
      difference += std::abs(own.scores[i] - expected[i * ranks + me]);
  });
  return part.outcome(g.neighbours.size() * iterations, difference < 1e-9, done);
}

program_outcome simulate_sort(const sim::cluster_options& cluster, unsigned log2_keys, movement how) {
  const std::uint64_t keys = std::uint64_t{1} << log2_keys;
  const std::uint32_t ranks = cluster.ranks();
  std::vector<std::uint32_t> expected(std::size_t{1} << log2_values);
  for (const std::uint32_t k : keys_from(0, keys)) ++expected[k];
  bool is_right = true;
  measured_part part(cluster);
  const sim::cluster_outcome done = sim::run_sessions(cluster, {.threads = 1}, [&](global::session& s) {
    const auto me = static_cast<std::uint64_t>(s.rank());
    const std::vector<std::uint32_t> mine = keys_from(keys * me / ranks, keys * (me + 1) / ranks);
    auto& own = global::rank_local<keys_part>();
    own.cost = cluster.net.memory;
    // Buckets of values: enough that ranks have about as many keys each.
    unsigned log2_buckets = 10;
    while (log2_buckets != log2_values && (1U << log2_buckets) < 4 * ranks) ++log2_buckets;
    const unsigned shift = log2_values - log2_buckets;
    std::vector<std::uint32_t> owner_of(std::size_t{1} << log2_buckets);
    outgoing<std::uint32_t> bulk(s.ranks());
    part.begin(s);
    std::vector<std::uint32_t> sizes(owner_of.size());
    for (const std::uint32_t k : mine) ++sizes[k >> shift];
    rank_clock::work(own.cost * static_cast<double>(mine.size()) / words_of_line * 2);
    global::reduce_all(std::span(sizes), std::plus<>());
    std::uint64_t before = 0;
    std::uint32_t last = 0;
    for (std::size_t b = 0; b != sizes.size(); ++b) {
      owner_of[b] = static_cast<std::uint32_t>(before * ranks / keys);
      if (owner_of[b] < me) own.first = static_cast<std::uint32_t>((b + 1) << shift);
      if (owner_of[b] <= me) last = static_cast<std::uint32_t>((b + 1) << shift);
      before += sizes[b];
    }
    own.counts.assign(last - own.first, 0);
    global::barrier();  // all have places for keys
    const auto over_keys = [&](std::size_t first, std::size_t end, const auto& f) {
      for (std::size_t i = first; i != end; ++i) f(owner_of[mine[i] >> shift], mine[i]);
      rank_clock::work(own.cost * static_cast<double>(end - first) / words_of_line * 2);
    };
    if (how == movement::messages) {
      run_in_tasks(s, mine.size(), [&](std::size_t first, std::size_t end) {
        over_keys(first, end, [](std::uint32_t rank, std::uint32_t key) {
          global::send(static_cast<int>(rank), key_for_rank{key});
        });
      });
    } else {
      over_keys(0, mine.size(), [&](std::uint32_t rank, std::uint32_t key) { bulk.add(rank, key); });
      rank_clock::work(own.cost * static_cast<double>(mine.size()) / words_of_line * 2);
      for (const std::uint32_t k : bulk.exchange()) own.count(k);
    }
    global::barrier();
    part.end(s);
    is_right &= std::equal(own.counts.begin(), own.counts.end(), expected.begin() + own.first);
  });
  return part.outcome(keys, is_right, done);
}

}  // namespace callisto::lab
