// Times several ways to run one computation, in turns.
#pragma once

#include <callisto/app/base/sample_statistics.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

namespace callisto::app {

/// One way to run a computation, and its times. A way is the runtime of the loops and their batch size.
struct compared_way {
  bool openmp;
  std::uint64_t batch;  ///< 0: chosen by Callisto
  std::vector<double> times = {};

  /// Returns a name for messages, such as "OpenMP with batch size 64".
  std::string name() const;

  /// Returns the median of the times. Requires that there is one.
  double median() const;
};

/// Compares the ways of one computation: Callisto with its own choice of batch size, then Callisto and, if wanted,
/// OpenMP at each of some batch sizes. The ways run in turns, so that other load on the machine affects all of them.
class timed_comparison {
 public:
  timed_comparison(std::string name, std::initializer_list<std::uint64_t> batches, bool with_openmp);

  /// How many rounds hold() makes: `most`, or fewer if these would take more than `budget` seconds, but at least one.
  /// If `disturbed` says after a round that other programs disturb, it makes at least `least`, in up to three budgets.
  struct limits {
    unsigned most = 1;
    double budget = 0;
    unsigned least = 1;
    std::function<bool()> disturbed = {};
  };

  /// Times `once` for all ways in turns. Calls `check` after each run, outside its time. Reports runs as progress.
  /// Throws graph::cancelled.
  void hold(const limits& rounds, const graph::run_control& context,
            const std::function<void(const compared_way&)>& once,
            const std::function<void(const compared_way&)>& check);

  const std::vector<compared_way>& ways() const noexcept { return ways_; }
  const std::vector<std::uint64_t>& batches() const noexcept { return batches_; }
  unsigned rounds() const noexcept { return rounds_; }

  const compared_way& automatic() const noexcept { return ways_.front(); }
  /// Returns the way, or null if there is none.
  const compared_way* find(bool openmp, std::uint64_t batch) const noexcept;
  /// Returns the times of `way` by those of automatic() in the same rounds: their median and its bounds.
  estimate by_automatic(const compared_way& way) const;
  /// Returns OpenMP at the batch size with the lowest median. Returns null without OpenMP.
  const compared_way* best_openmp() const;

 private:
  std::string name_;
  std::vector<std::uint64_t> batches_;
  std::vector<compared_way> ways_;
  unsigned rounds_ = 0;
};

}  // namespace callisto::app
