// What ranks of a simulated cluster do between two points of their mains.
#pragma once

#include <callisto/global/session/session.hpp>
#include <callisto/global/synchronization/collectives.hpp>
#include <callisto/global/transport/rank_clock.hpp>
#include <lab/simulate/grappa_programs.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace callisto::lab {

/// Measures a part of the mains of all ranks, and adds up what they did in it.
class measured_part {
 public:
  explicit measured_part(const global::simulation::cluster_options& cluster)
      : nodes_(cluster.nodes), before_(cluster.ranks()), after_(cluster.ranks()) {}

  void begin(global::session& s) {
    global::barrier();
    before_[static_cast<std::size_t>(s.rank())] = s.own_statistics();
    begin_ = std::max(begin_, global::rank_clock::ticks());
  }
  void end(global::session& s) {
    end_ = std::max(end_, global::rank_clock::ticks());
    after_[static_cast<std::size_t>(s.rank())] = s.own_statistics();
  }

  program_outcome outcome(std::uint64_t operations, bool is_right,
                          const global::simulation::cluster_outcome& network) const {
    program_outcome o{.is_right = is_right,
                      .cores = static_cast<unsigned>(after_.size()),
                      .nodes = nodes_,
                      .all = {},
                      .network = network};
    o.seconds = static_cast<double>(end_ - begin_) * 1e-9;
    o.rate = static_cast<double>(operations) / o.seconds;
    global::rank_statistics& all = o.all;
    double workers = 0;
    double ready = 0;
    for (std::size_t r = 0; r != after_.size(); ++r) {
      const global::rank_statistics& a = before_[r];
      const global::rank_statistics& b = after_[r];
      all.messages += b.messages - a.messages;
      all.message_bytes += b.message_bytes - a.message_bytes;
      all.packets += b.packets - a.packets;
      all.tasks += b.tasks - a.tasks;
      all.switches += b.switches - a.switches;
      all.most_workers = std::max(all.most_workers, b.most_workers);
      all.steals_tried += b.steals_tried - a.steals_tried;
      all.steals_made += b.steals_made - a.steals_made;
      all.idle_seconds += b.idle_seconds - a.idle_seconds;
      all.looks += b.looks - a.looks;
      workers += b.workers * static_cast<double>(b.looks) - a.workers * static_cast<double>(a.looks);
      ready += b.ready * static_cast<double>(b.looks) - a.ready * static_cast<double>(a.looks);
    }
    all.seconds = o.seconds;
    all.cores = o.cores;
    all.workers = workers / static_cast<double>(std::max<std::uint64_t>(all.looks, 1));
    all.ready = ready / static_cast<double>(std::max<std::uint64_t>(all.looks, 1));
    return o;
  }

 private:
  unsigned nodes_;
  std::vector<global::rank_statistics> before_;
  std::vector<global::rank_statistics> after_;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
};

}  // namespace callisto::lab
