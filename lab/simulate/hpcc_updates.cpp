#include <callisto/global/transport/packet.hpp>
#include <callisto/global/transport/rank_clock.hpp>
#include <callisto/global/transport/transport.hpp>
#include <lab/simulate/grappa_programs.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace callisto::lab {

namespace {

namespace sim = global::simulation;
using global::rank_clock;

/// What the ranks of HPCC's program share on this machine.
struct hpcc_counts {
  std::uint64_t sent = 0;
  std::uint64_t handled = 0;
  std::uint64_t end = 0;
  std::uint64_t check = 0;
  unsigned senders = 0;
};

class hpcc_rank {
 public:
  hpcc_rank(global::transport& net, hpcc_counts& all, const sim::cluster_options& cluster)
      : net_(net), all_(all), net_costs_(cluster.net), buckets_(static_cast<std::size_t>(net.ranks())), words_(4096) {}

  void run(std::uint64_t seed, std::uint64_t end) {
    constexpr std::size_t most_kept = 1024;
    const auto ranks = static_cast<std::uint64_t>(net_.ranks());
    while (rank_clock::ticks() < end) {
      for (int i = 0; i != 64; ++i) {
        seed = seed * 6364136223846793005U + 1442695040888963407U;
        const std::uint64_t update = seed ^ seed >> 29;
        all_.check ^= update;
        ++all_.sent;
        buckets_[(update >> 16) % ranks].push_back(update);
        if (++kept_ >= most_kept) send(largest());
      }
      // What messages cost before they are in a packet, less their headers: a word is written.
      rank_clock::work(64 * net_costs_.serialize);
      handle();
    }
    for (std::size_t r = 0; r != buckets_.size(); ++r) send(r);
    --all_.senders;
    while (all_.senders != 0 || all_.handled != all_.sent) {
      if (!handle()) net_.wait(std::chrono::microseconds(50));
    }
    for (const std::uint64_t w : words_) all_.check ^= w;
  }

 private:
  std::size_t largest() const {
    return static_cast<std::size_t>(std::ranges::max_element(buckets_, {}, [](const auto& b) { return b.size(); }) -
                                    buckets_.begin());
  }
  void send(std::size_t to) {
    std::vector<std::uint64_t>& bucket = buckets_[to];
    kept_ -= bucket.size();
    if (to == static_cast<std::size_t>(net_.rank())) {
      for (const std::uint64_t u : bucket) update(u);
    } else if (!bucket.empty()) {
      const std::size_t bytes = sizeof(global::packet_header) + bucket.size() * sizeof(std::uint64_t);
      global::packet_pointer p = net_.take(static_cast<int>(to), bytes);
      p->header().bytes = static_cast<std::uint32_t>(bytes);
      p->header().source = static_cast<std::uint16_t>(net_.rank());
      std::memcpy(p->body(), bucket.data(), bucket.size() * sizeof(std::uint64_t));
      while (!net_.try_send(static_cast<int>(to), p)) {
        handle();
        rank_clock::relax();
      }
    }
    bucket.clear();
  }
  bool handle() {
    bool any = false;
    while (global::packet_pointer p = net_.receive()) {
      any = true;
      for (std::size_t at = sizeof(global::packet_header); at != p->header().bytes; at += sizeof(std::uint64_t)) {
        std::uint64_t u = 0;
        std::memcpy(&u, p->bytes() + at, sizeof u);
        update(u);
      }
      net_.give(std::move(p));
    }
    return any;
  }
  void update(std::uint64_t u) {
    words_[u % words_.size()] ^= u;
    rank_clock::work(net_costs_.memory);
    ++all_.handled;
    all_.end = std::max(all_.end, rank_clock::ticks());
  }

  global::transport& net_;
  hpcc_counts& all_;
  const sim::network& net_costs_;
  std::vector<std::vector<std::uint64_t>> buckets_;
  std::vector<std::uint64_t> words_;
  std::size_t kept_ = 0;
};

}  // namespace

program_outcome simulate_hpcc_updates(const sim::cluster_options& cluster, double microseconds) {
  hpcc_counts all;
  all.senders = cluster.ranks();
  const sim::cluster_outcome done = sim::run_cluster(cluster, [&](std::unique_ptr<global::transport> net) {
    hpcc_rank rank(*net, all, cluster);
    rank.run(cluster.seed * 7919 + static_cast<std::uint64_t>(net->rank()) * 0x9e3779b97f4a7c15U,
             static_cast<std::uint64_t>(microseconds * 1e3));
  });
  program_outcome o{.is_right = all.check == 0 && all.handled == all.sent,
                    .cores = cluster.ranks(),
                    .nodes = cluster.nodes,
                    .all = {},
                    .network = done};
  o.seconds = static_cast<double>(all.end) * 1e-9;
  o.rate = static_cast<double>(all.handled) / o.seconds;
  o.all.seconds = o.seconds;
  return o;
}

}  // namespace callisto::lab
