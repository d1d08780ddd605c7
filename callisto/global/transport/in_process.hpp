// Many ranks in one process, with seeded delays and reordering, and ranks that die or hang: what the tests run on.
#pragma once

#include <callisto/global/transport/transport.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

namespace callisto::global {

/// A rank that stops: after it has called receive() `after` times.
struct planned_failure {
  enum class ways {
    dies,  ///< its own calls throw; the other ranks learn of it
    hangs  ///< its own calls block until the job ends
  };
  int rank = 0;
  std::uint64_t after = 0;
  ways way = ways::dies;
};

/// How the ranks in one process are set up.
struct in_process_options {
  int ranks = 1;
  int ranks_per_node = 1;
  std::uint64_t seed = 1;
  /// Each packet arrives after a random time up to this; packets then overtake each other. 0: in order, at once.
  std::chrono::microseconds most_delay{0};
  std::vector<planned_failure> failures;
};

/// The network between ranks of one process. Its transports keep it alive.
class in_process_cluster {
 public:
  /// Throws usage_error if there are not 1 to 32,768 ranks.
  explicit in_process_cluster(in_process_options options);
  /// Returns the transport of `rank`; once a rank.
  std::unique_ptr<transport> attach(int rank);

  struct network;

 private:
  std::shared_ptr<network> network_;
};

}  // namespace callisto::global
