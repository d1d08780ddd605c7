// The screen of `callisto top` under a broker: the jobs that the policy shows, with means over intervals.
#pragma once

#include <callisto/app/jobs/broker_listing.hpp>
#include <callisto/app/jobs/top_screen.hpp>
#include <callisto/broker/client.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace callisto::app {

/// Takes what a broker says at the end of each interval. Not thread-safe.
class broker_screen {
 public:
  explicit broker_screen(user_names names) : names_(std::move(names)) {}

  /// Ends an interval at `now`, in nanoseconds.
  void close(std::uint64_t now, const broker::broker_report& by, std::optional<broker::broker_usage> lists);

  /// Returns the screen as lines, as top_screen::render(). Its orders are as they came, by RUNS, by LENT, by name.
  std::string render(const top_screen::style& how) const;

 private:
  /// A job's contexts, means over an interval.
  struct means {
    double runs = 0, borrowed = 0, lent = 0;
  };
  using identity = std::pair<std::uint32_t, std::uint32_t>;  ///< number and process: numbers come again
  static identity of(const broker::usage_line& job) noexcept { return {job.number, job.process}; }

  std::vector<broker::usage_line> chosen(const top_screen::style& how) const;
  std::string line_of(const broker::usage_line& job, const top_screen::style& how) const;

  user_names names_;
  std::optional<broker::broker_report> by_;
  std::optional<broker::broker_usage> lists_;
  std::map<identity, broker::usage_line> before_;
  std::map<identity, means> shown_;
  std::uint64_t closed_at_ = 0;
};

}  // namespace callisto::app
