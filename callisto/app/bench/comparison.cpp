// Taking turns and medians.
#include <callisto/app/bench/comparison.hpp>

#include <callisto/app/base/stopwatch.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <thread>
#include <utility>

namespace callisto::app {

std::string contender::name() const {
  if (batch == 0) return "Callisto";
  return fmt::format("{} with batch size {}", openmp ? "OpenMP" : "Callisto", batch);
}

double contender::median() const {
  std::vector<double> sorted = times;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 != 0 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

contest::contest(std::string name, std::initializer_list<std::uint64_t> batches, bool with_openmp)
    : name_(std::move(name)), batches_(batches), contenders_{{false, 0}} {
  for (const std::uint64_t batch : batches) {
    contenders_.push_back({false, batch});
    if (with_openmp) contenders_.push_back({true, batch});
  }
}

void contest::hold(unsigned most, double budget, const graph::run_control& context,
                   const std::function<void(const contender&)>& once,
                   const std::function<void(const contender&)>& check) {
  if (context.report != nullptr) context.report->begin("comparing " + name_, most * contenders_.size(), "runs");
  const stopwatch total;
  for (rounds_ = 0; rounds_ < most; ++rounds_) {
    if (rounds_ != 0 && total.seconds() / rounds_ * (rounds_ + 1) > budget) break;
    for (contender& c : contenders_) {
      if (context.stop.stop_requested()) throw graph::cancelled();
      // The threads of the runtime that ran before spin for a while before they sleep, and would disturb this run.
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      const stopwatch time;
      once(c);
      c.times.push_back(time.seconds());
      check(c);
      if (context.report != nullptr) context.report->advance(1);
    }
  }
}

const contender* contest::find(bool openmp, std::uint64_t batch) const noexcept {
  const auto at = std::find_if(contenders_.begin(), contenders_.end(),
                               [&](const contender& c) { return c.openmp == openmp && c.batch == batch; });
  return at == contenders_.end() ? nullptr : &*at;
}

const contender* contest::best_openmp() const {
  const contender* best = nullptr;
  for (const contender& c : contenders_) {
    if (c.openmp && (best == nullptr || c.median() < best->median())) best = &c;
  }
  return best;
}

}  // namespace callisto::app
