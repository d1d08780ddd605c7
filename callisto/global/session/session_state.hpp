// The state of a session: a member a subject. Only the sources of this folder include this header.
#pragma once

#include <callisto/global/session/collective_order.hpp>
#include <callisto/global/session/core_sleep.hpp>
#include <callisto/global/session/deadlock.hpp>
#include <callisto/global/session/phase.hpp>
#include <callisto/global/session/rank_parts.hpp>
#include <callisto/global/session/rank_stealing.hpp>
#include <callisto/global/session/session.hpp>
#include <callisto/global/session/timeline.hpp>
#include <callisto/global/session/watch.hpp>

#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <exception>
#include <latch>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace callisto::global {

/// The threads of a rank's cores. Core 0 is that of the thread that runs main.
struct core_threads {
  core_options each;
  std::optional<core> first;
  std::vector<std::thread> others;
  std::optional<std::latch> started;
  std::optional<std::barrier<>> ended;
  std::atomic<bool> ending{false};
};

/// Data that a rank keeps for its statistics and its timeline.
struct session_record {
  const std::uint64_t began = rank_clock::ticks();
  const double began_by_clock =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  std::vector<rank_statistics> gathered;      ///< in rank 0, by handlers
  std::optional<timeline_recorder> recorder;  ///< core 0's thread alone looks at it
  double phase_began = 0;                     ///< the phase's of this rank, in seconds since `began`
  std::vector<rank_timeline> timelines;       ///< in rank 0, by rank, by handlers

  double seconds() const noexcept {
    return static_cast<double>(rank_clock::ticks() - began) / static_cast<double>(rank_clock::ticks_per_second());
  }
};

/// The duties of a rank's cores, which its subjects divide among them.
struct session_state final : core_duties {
  /// `threads_before`: as deadlock_search has it.
  session_state(std::unique_ptr<transport> by, const session_options& wish, session& of, int threads_before);
  ~session_state() override;

  bool poll(core& c) override;
  bool find_work(core& c) override;
  void sleep(core& c, unsigned idle) override;
  void resume(core& c) override;
  void offer(core& c) override;
  void failed(core& c, std::exception_ptr thrown) noexcept override;

  /// The session that the calling thread runs a core of. Throws usage_error.
  static session_state& here();

  void job_broke(std::exception_ptr why) noexcept;
  void say_idle(bool is_idle) noexcept;
  void run_core(unsigned number);
  void stop_cores();
  std::string report();

  session& self;
  rank_parts rank;
  const session_options how;
  collective_order order{rank};
  phase_control phase{rank, order};
  rank_stealing stealing{rank, phase};
  core_sleep sleeping{rank};
  deadlock_search deadlock;
  core_threads threads;
  session_record record;
  std::optional<watch> watcher;  ///< of a job with several processes

  std::atomic<bool> said_idle{false};
  std::exception_ptr broken_job;  ///< why the job failed; under the rank's lock
  const int uncaught = std::uncaught_exceptions();
  bool inside = false;  ///< main is between begin_phase() and the end; main's
};

}  // namespace callisto::global
