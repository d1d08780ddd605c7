// The thread that is main of this process's rank, for callisto_graph.cluster.
#pragma once

#include <nanobind/nanobind.h>

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#include <sys/types.h>

namespace callisto::global {
class session;
}

namespace callisto::python {

namespace nb = nanobind;

/// Which ranks throw what an operation throws.
enum class throwers : std::uint8_t {
  all_or_job,  ///< a usage_error is thrown by all ranks, and goes on; anything else ends the job
  job,         ///< everything ends the job
};

/// Makes, uses and ends the session on a thread of its own, so that Python's main thread can handle signals meanwhile.
class rank_main {
 public:
  /// The process's one, which joins the job. It is never destroyed: leave() ends the thread. Throws usage_error.
  static rank_main& join();
  /// The process's one. Throws usage_error if there is none, or after leave().
  static rank_main& here();
  /// Waits until all ranks come here, and ends the session. Nothing without one.
  static void leave();

  int rank() const noexcept { return rank_; }
  int ranks() const noexcept { return ranks_; }

  /// Returns what operation() returns, which runs on the thread. The caller holds the GIL, which is free meanwhile.
  template <class F>
  auto run(const F& operation, throwers which = throwers::all_or_job) {
    std::optional<std::invoke_result_t<const F&>> made;
    call([&] { made.emplace(operation()); }, which);
    return std::move(*made);
  }

  /// Ends all ranks with one line that names this one, and this exit code.
  void end_job(const std::string& text, int status);

 private:
  rank_main();
  void call(const std::function<void()>& operation, throwers which);
  void serve();
  [[noreturn]] void fail(const std::string& text, int status);

  const pid_t process_;
  std::unique_ptr<global::session> session_;  ///< of the thread
  int rank_ = 0;
  int ranks_ = 1;
  std::string name_;
  std::mutex calls_;  ///< of the callers: one at a time
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* work_ = nullptr;  ///< guarded by mutex_; null: done
  std::exception_ptr thrown_;                    ///< guarded by mutex_: what the work threw
  bool ended_ = false;                           ///< guarded by mutex_
  std::thread thread_;
};

}  // namespace callisto::python
