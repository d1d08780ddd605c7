// A line on a terminal that shows how far a long operation is, and vanishes when it ends.
#pragma once

#include <callisto/graph/csr/progress.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace callisto::app {

/// A stage that a command is going to have, and its usual share of the command's time, in any unit.
struct expected_stage {
  std::string_view name;  ///< a part of the stage's name; empty: any that no later one names
  double share;
};

/// The state of a command at one moment, as a progress line shows it.
struct progress_state {
  std::string stage;
  std::string unit;
  std::uint64_t done = 0;
  std::uint64_t total = 0;  ///< 0: unknown
  double seconds = 0;       ///< since the stage began
  double seconds_before = 0;
  double share_before = 0;  ///< of the expected stages that are over
  double share = 0;         ///< of this stage; 0: it was not expected
  double share_behind = 0;  ///< of the stages that come; without any the line tells of this stage alone
  double least = 0;         ///< the part shown already, so that the bar never goes back
};

/// How far a command is, from 0 to 1, and the seconds left; nothing if unknown. A stage's rest is by its own rate,
/// later stages take as long for their shares as the command has taken until now.
struct progress_estimate {
  std::optional<double> part;
  std::optional<double> left;
};
progress_estimate estimate_progress(const progress_state& state) noexcept;

/// Returns the line for `state`, at most `width` columns: stage, bar and percentage if known, rate, time left.
std::string render_progress(const progress_state& state, std::size_t width);

/// Shows progress on standard error, ten times a second, once the work has lasted half a second. If `enabled` is false,
/// it shows nothing. One object may serve several operations in turn.
class progress_bar final : public graph::progress {
 public:
  /// True if standard error is a terminal that can erase a line.
  static bool possible() noexcept;

  explicit progress_bar(bool enabled);
  progress_bar(const progress_bar&) = delete;
  progress_bar& operator=(const progress_bar&) = delete;
  ~progress_bar() override;

  /// Tells the stages to come, in their order. Call it before the work begins.
  void expect(std::vector<expected_stage> stages);

  void begin(std::string_view stage, std::uint64_t total, std::string_view unit) override;
  void advance(std::uint64_t amount) override { done_.fetch_add(amount, std::memory_order_relaxed); }

  /// Erases the line, because the work is over. Call it before anything else is printed.
  void finish();

  /// Erases the line of the bar that is on show, if one is, and writes `text`, which ends with a line feed.
  static void print_above(std::string_view text);

  /// Erases the line of the bar that is on show, if one is; for a process about to _exit.
  static void erase_now() noexcept;

 private:
  using clock = std::chrono::steady_clock;
  void draw(const std::stop_token& stop);

  std::mutex mutex_;  ///< guards the members below except done_, and the writing of the line
  std::condition_variable_any wake_;
  std::string stage_;
  std::string unit_;
  std::uint64_t total_ = 0;
  std::vector<expected_stage> expected_;
  std::size_t next_ = 0;     ///< the first expected stage that has not begun
  double share_before_ = 0;  ///< of the expected stages that are over
  double share_ = 0;         ///< of the present one
  double least_ = 0;         ///< the part that is shown
  clock::time_point stage_begin_;
  clock::time_point work_begin_;
  bool working_ = false;
  std::atomic<std::uint64_t> done_{0};
  bool enabled_;
  std::jthread painter_;
};

}  // namespace callisto::app
