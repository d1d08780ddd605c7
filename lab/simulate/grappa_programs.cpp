#include <lab/simulate/grappa_programs.hpp>

#include <callisto/global/messages/messages.hpp>
#include <callisto/global/session/session.hpp>
#include <callisto/global/synchronization/collectives.hpp>
#include <callisto/global/transport/rank_clock.hpp>
#include <lab/global/kronecker_rows.hpp>
#include <lab/simulate/measured_part.hpp>
#include <lab/simulate/rank_programs.hpp>

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

// --- graphs: vertex v is at rank v % ranks

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

std::vector<std::uint32_t> depths_of(const graph_in_memory& g, std::uint32_t root) {
  std::vector<std::uint32_t> depths(g.vertices(), rank_search::unreached);
  std::vector<std::uint32_t> queue{root};
  depths[root] = 0;
  for (std::size_t i = 0; i != queue.size(); ++i) {
    const std::uint32_t v = queue[i];
    for (std::uint64_t a = g.begins[v]; a != g.begins[v + 1]; ++a) {
      const std::uint32_t w = g.neighbours[a];
      if (depths[w] != rank_search::unreached) continue;
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

std::uint32_t graph_in_memory::hub() const noexcept {
  std::uint32_t found = 0;
  for (std::uint32_t v = 0; v != vertices(); ++v)
    if (begins[v + 1] - begins[v] > begins[found + 1] - begins[found]) found = v;
  return found;
}

program_outcome simulate_search(const sim::cluster_options& cluster, const graph_in_memory& g, movement how) {
  const std::uint32_t root = g.hub();
  const std::vector<std::uint32_t> expected = depths_of(g, root);
  const std::uint32_t ranks = cluster.ranks();
  bool is_right = true;
  measured_part part(cluster);
  const sim::cluster_outcome done = sim::run_sessions(cluster, {.threads = 1}, [&](global::session& s) {
    rank_search search(s, g, cluster.net.memory);
    search.restart(root);
    part.begin(s);
    search.run(how);
    part.end(s);
    const std::vector<std::uint32_t>& depths = search.depths();
    for (std::uint32_t i = 0; i != depths.size(); ++i)
      is_right &= depths[i] == expected[i * ranks + static_cast<std::uint32_t>(s.rank())];
  });
  std::uint64_t arcs = 0;
  for (std::uint32_t v = 0; v != g.vertices(); ++v)
    if (expected[v] != rank_search::unreached) arcs += g.begins[v + 1] - g.begins[v];
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
  std::vector<std::uint32_t> expected(std::size_t{1} << rank_sort::log2_values);
  for (const std::uint32_t k : rank_sort::keys_from(0, keys)) ++expected[k];
  bool is_right = true;
  measured_part part(cluster);
  const sim::cluster_outcome done = sim::run_sessions(cluster, {.threads = 1}, [&](global::session& s) {
    rank_sort sort(s, log2_keys, cluster.net.memory);
    part.begin(s);
    sort.run(how);
    part.end(s);
    is_right &= std::equal(sort.counts().begin(), sort.counts().end(), expected.begin() + sort.first());
  });
  return part.outcome(keys, is_right, done);
}

}  // namespace callisto::lab
