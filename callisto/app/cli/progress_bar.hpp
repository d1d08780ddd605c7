// A line on a terminal that shows how far a long operation is, and vanishes when it ends.
#pragma once

#include <callisto/graph/csr/progress.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

namespace callisto::app {

/// The state of an operation at one moment, as a progress line shows it.
struct progress_state {
  std::string stage;
  std::string unit;
  std::uint64_t done = 0;
  std::uint64_t total = 0;  ///< 0: unknown
  double seconds = 0;       ///< since the stage began
};

/// Returns the line for `state`, at most `width` columns: stage, bar and percentage if the total is known, rate, time
/// left.
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
  clock::time_point stage_begin_;
  clock::time_point work_begin_;
  bool working_ = false;
  std::atomic<std::uint64_t> done_{0};
  bool enabled_;
  std::jthread painter_;
};

}  // namespace callisto::app
