// Several ways to run one computation, timed in turns.
#pragma once

#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

namespace callisto::app {

/// One way to run a computation: the runtime of its loops, the batch size, and its times.
struct compared_way {
  bool openmp;
  std::uint64_t batch;  ///< 0: chosen by Callisto
  std::vector<double> times = {};

  /// For messages: "OpenMP with batch size 64".
  std::string name() const;

  /// The middle of the times; there must be some.
  double median() const;
};

/// The ways of one computation: Callisto choosing its batch sizes, then Callisto and, if wanted, OpenMP at each
/// of some batch sizes. They run in turns, so that whatever else happens on the machine hits all of them.
class timed_comparison {
 public:
  timed_comparison(std::string name, std::initializer_list<std::uint64_t> batches, bool with_openmp);

  /// Times `once` for all ways in turns, `most` times each; fewer, but at least once, if it would take more than
  /// `budget` seconds. `check` follows each run, outside its time. Reports runs as progress; throws graph::cancelled.
  void hold(unsigned most, double budget, const graph::run_control& context,
            const std::function<void(const compared_way&)>& once,
            const std::function<void(const compared_way&)>& check);

  const std::vector<compared_way>& ways() const noexcept { return ways_; }
  const std::vector<std::uint64_t>& batches() const noexcept { return batches_; }
  unsigned rounds() const noexcept { return rounds_; }

  const compared_way& automatic() const noexcept { return ways_.front(); }
  /// Null if there is no such way.
  const compared_way* find(bool openmp, std::uint64_t batch) const noexcept;
  /// OpenMP at the batch size where its median is lowest; null without OpenMP.
  const compared_way* best_openmp() const;

 private:
  std::string name_;
  std::vector<std::uint64_t> batches_;
  std::vector<compared_way> ways_;
  unsigned rounds_ = 0;
};

}  // namespace callisto::app
