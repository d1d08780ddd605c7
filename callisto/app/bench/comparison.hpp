// Several ways to run one computation, timed in turns.
#pragma once

#include <callisto/graph/csr/progress.hpp>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

namespace callisto::app {

/// One way to run a computation: with whose loops, with which batch size, and its times.
struct contender {
  bool openmp;
  std::uint64_t batch;  ///< 0: chosen by Callisto
  std::vector<double> times = {};

  /// For messages: "OpenMP with batch size 64".
  std::string name() const;

  /// The middle of the times; there must be some.
  double median() const;
};

/// The contenders of one computation: Callisto choosing its batch sizes, then Callisto and, if wanted, OpenMP at each
/// of some batch sizes. They run in turns, so that whatever else happens on the machine hits all of them.
class contest {
 public:
  contest(std::string name, std::initializer_list<std::uint64_t> batches, bool with_openmp);

  /// Times `once` for all contenders in turns, `most` times each; fewer, but at least once, if it would take more than
  /// `budget` seconds. `check` follows each run, outside its time. Reports runs as progress; throws graph::cancelled.
  void hold(unsigned most, double budget, const graph::run_control& context,
            const std::function<void(const contender&)>& once, const std::function<void(const contender&)>& check);

  const std::vector<contender>& contenders() const noexcept { return contenders_; }
  const std::vector<std::uint64_t>& batches() const noexcept { return batches_; }
  unsigned rounds() const noexcept { return rounds_; }

  const contender& automatic() const noexcept { return contenders_.front(); }
  /// Null if there is no such contender.
  const contender* find(bool openmp, std::uint64_t batch) const noexcept;
  /// OpenMP at the batch size where its median is lowest; null without OpenMP.
  const contender* best_openmp() const;

 private:
  std::string name_;
  std::vector<std::uint64_t> batches_;
  std::vector<contender> contenders_;
  unsigned rounds_ = 0;
};

}  // namespace callisto::app
