// Watches over the ranks of a job: one that dies, hangs or gives up ends the job with one line.
#pragma once

#include <callisto/global/messages/message_engine.hpp>
#include <callisto/machine/system/descriptor.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace callisto::global {

/// A thread of this rank that tells the next rank that this one lives, and listens to the one before.
///
/// A rank has died if its process is gone (ranks of the same node see that), and hangs if it was silent for `limit`:
/// its process is stopped, its host is gone, or a handler does not return. A task that computes for long does not hang.
/// Then this rank prints one line with rank, host and cause, and ends the job.
///
/// It also lets messages leave that main has collected while main works for long.
class watch {
 public:
  struct options {
    std::chrono::milliseconds beat{250};
    std::chrono::milliseconds limit{6000};
  };

  /// Starts. `report` returns lines for SIGUSR1, after the engine's own. In a process that is a rank, also tells the
  /// cause when the process ends by an exception or a signal.
  watch(message_engine& engine, std::function<std::string()> report, options how);
  watch(message_engine& engine, std::function<std::string()> report) : watch(engine, std::move(report), options()) {}
  /// Tells the next rank that this one is not heard any more.
  ~watch();

  /// Says that main has collected messages, and may be about to work for long: they leave within milliseconds. About 1
  /// us now and then. Any thread.
  void expect_messages() noexcept;

 private:
  using clock = std::chrono::steady_clock;

  void run();
  void beat(control_message::kinds kind);
  void await_next();
  void push_out();
  void look_at_neighbour();
  void fail(int rank, const std::string& cause);

  message_engine& engine_;
  std::function<std::string()> report_;
  const options how_;
  const int rank_;
  const int before_;  ///< the rank that this one listens to
  const int next_;    ///< the rank that listens to this one
  int before_on_node_ = -1;
  clock::time_point last_heard_ = clock::now();
  bool has_left_ = false;  ///< the rank before
  int reports_ = 0;

  std::mutex lock_;
  bool ending_ = false;           ///< under lock_
  machine::descriptor end_;       ///< an event: ending_ was set
  machine::descriptor messages_;  ///< an event: messages were collected
  std::atomic<bool> is_pushing_{false};
  int fruitless_pushes_ = 0;
  machine::descriptor neighbour_;  ///< the process of before_on_node_
  bool neighbour_has_ended_ = false;
  std::thread thread_;
};

}  // namespace callisto::global
