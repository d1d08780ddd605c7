// Takes turns and medians.
#include <callisto/app/demo/comparison.hpp>

#include <callisto/app/base/stopwatch.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <thread>
#include <utility>

namespace callisto::app {

std::string compared_way::name() const {
  if (batch == 0) return "Callisto";
  return fmt::format("{} with batch size {}", openmp ? "OpenMP" : "Callisto", batch);
}

double compared_way::median() const {
  std::vector<double> sorted = times;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 != 0 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

timed_comparison::timed_comparison(std::string name, std::initializer_list<std::uint64_t> batches, bool with_openmp)
    : name_(std::move(name)), batches_(batches), ways_{{false, 0}} {
  for (const std::uint64_t batch : batches) {
    ways_.push_back({false, batch});
    if (with_openmp) ways_.push_back({true, batch});
  }
}

void timed_comparison::hold(const limits& rounds, const graph::run_control& context,
                            const std::function<void(const compared_way&)>& once,
                            const std::function<void(const compared_way&)>& check) {
  if (context.report != nullptr) context.report->begin("comparing " + name_, rounds.most * ways_.size(), "runs");
  const stopwatch total;
  for (rounds_ = 0; rounds_ < rounds.most; ++rounds_) {
    if (rounds_ != 0) {
      const bool more = rounds_ < rounds.least && rounds.disturbed && rounds.disturbed();
      if (total.seconds() / rounds_ * (rounds_ + 1) > rounds.budget * (more ? 3 : 1)) break;
    }
    for (compared_way& c : ways_) {
      if (context.stop.stop_requested()) throw graph::cancelled();
      // The threads of the previous runtime spin for a while before they sleep, and would disturb this run.
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      const stopwatch time;
      once(c);
      c.times.push_back(time.seconds());
      check(c);
      if (context.report != nullptr) context.report->advance(1);
    }
  }
}

const compared_way* timed_comparison::find(bool openmp, std::uint64_t batch) const noexcept {
  const auto at = std::find_if(ways_.begin(), ways_.end(),
                               [&](const compared_way& c) { return c.openmp == openmp && c.batch == batch; });
  return at == ways_.end() ? nullptr : &*at;
}

estimate timed_comparison::by_automatic(const compared_way& way) const {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < way.times.size(); ++i) ratios.push_back(way.times[i] / automatic().times[i]);
  return estimate_of(std::move(ratios));
}

const compared_way* timed_comparison::best_openmp() const {
  const compared_way* best = nullptr;
  for (const compared_way& c : ways_) {
    if (c.openmp && (best == nullptr || c.median() < best->median())) best = &c;
  }
  return best;
}

}  // namespace callisto::app
