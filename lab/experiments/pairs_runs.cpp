// Runs commands at the same time, again and again.
#include <lab/experiments/pairs_runs.hpp>

#include <callisto/app/base/sample_statistics.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <lab/experiments/one_run.hpp>

#include <algorithm>
#include <memory>

#include <poll.h>

namespace callisto::lab {

double run_times::median() const { return seconds.empty() ? unfinished : median_of(seconds); }
double run_times::best() const {
  return seconds.empty() ? unfinished : *std::min_element(seconds.begin(), seconds.end());
}
double run_times::worst() const {
  return seconds.empty() ? unfinished : *std::max_element(seconds.begin(), seconds.end());
}

std::vector<run_times> run_together(std::span<const repeated_command> commands, double limit,
                                    const std::stop_token& stop, const std::function<void()>& on_run) {
  const auto start = [](const repeated_command& c) { return std::make_unique<one_run>(c.name, c.what, c.output); };
  std::vector<run_times> times(commands.size());
  std::vector<std::unique_ptr<one_run>> running;
  for (const repeated_command& c : commands) running.push_back(start(c));
  const auto enough = [&](std::size_t i) { return times[i].seconds.size() >= commands[i].rounds; };
  const stopwatch since;
  for (;;) {
    std::vector<pollfd> ends;
    for (const auto& run : running) ends.push_back({run->end(), POLLIN, 0});
    ::poll(ends.data(), ends.size(), 50);  // wakes every 50 ms to check the time and the stop token
    if (stop.stop_requested()) throw graph::cancelled();
    bool all = true;
    std::vector<std::size_t> again;
    for (std::size_t i = 0; i < commands.size(); ++i) {
      const double seconds = running[i]->seconds();
      if ((ends[i].revents & POLLIN) != 0 && running[i]->ended()) {
        if (!enough(i)) on_run();
        times[i].seconds.push_back(seconds);
        again.push_back(i);
      }
      all = all && enough(i);
    }
    if (all) return times;
    for (const std::size_t i : again) {
      running[i].reset();  // ends the old run first, so that there are never two
      running[i] = start(commands[i]);
    }
    if (since.seconds() > limit) break;
  }
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (times[i].seconds.empty()) times[i].unfinished = running[i]->seconds();
  }
  return times;
}

}  // namespace callisto::lab
