// A session: the ranks of a job, the cores of this rank, and phases that end everywhere at once.
#pragma once

#include <callisto/export.hpp>
#include <callisto/global/messages/messages.hpp>
#include <callisto/global/session/statistics.hpp>
#include <callisto/global/tasks/core.hpp>
#include <callisto/global/transport/here.hpp>
#include <callisto/global/transport/in_process.hpp>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace callisto::global {

/// How a rank is set up. From the environment, by default: CALLISTO_GLOBAL_THREADS, CALLISTO_GLOBAL_STACK,
/// CALLISTO_GLOBAL_WORKERS, CALLISTO_GLOBAL_STATISTICS, CALLISTO_GLOBAL_TIMELINE.
struct session_options {
  unsigned threads = 0;         ///< cores of the rank; 0: its contexts, divided among the ranks of its node
  std::size_t stack_bytes = 0;  ///< of each worker; 0: 32 KiB
  std::size_t workers = 0;      ///< core_options::plenty; 0: 1,024
  std::uint64_t seed = 1;       ///< of the choice of victims
  /// Where rank 0 writes what the ranks did when the session ends: a file gets JSON, "1" is a table on standard error;
  /// empty or "0": nowhere.
  std::string statistics = {};
  std::string timeline = {};  ///< where rank 0 writes what the ranks did over time; empty: nowhere

  /// Throws usage_error that names the variable.
  static session_options from_environment();
};

/// A rank's part in a job. Made and destroyed by the thread that runs main, in every rank. One a process, apart from
/// run_in_process().
class session {
 public:
  /// Joins the job that a launcher of MPI has started, else is a job of one rank. Throws usage_error and error.
  session(int argc, const char* const* argv, const session_options& how = session_options::from_environment());
  /// Joins by a transport that exists.
  session(std::unique_ptr<transport> net, const session_options& how);
  /// Waits until all ranks come here, unless the job has failed. If an exception leaves main, ends the job.
  ~session();
  session(const session&) = delete;
  session& operator=(const session&) = delete;

  /// The session that the calling thread runs a core of. Throws usage_error.
  static session& here();

  int rank() const noexcept;
  int ranks() const noexcept;
  /// Returns the number of cores of this rank.
  unsigned threads() const noexcept;

  /// Calls start(), then returns when everything that it and all ranks' start() began has ended: tasks and messages.
  /// Collective: the main of each rank calls it. If a task or a start() threw, throws it in all ranks: of several, what
  /// the lowest rank threw first. Throws job_failed if the job has failed.
  template <std::invocable F>
  void run_phase(F start) {
    begin_phase();
    try {
      start();
    } catch (...) {
      fail_phase(std::current_exception());
    }
    end_phase();
  }

  /// Queues f(core number) on every core of this rank, as a part of the phase.
  template <std::invocable<unsigned> F>
  void on_each_core(const F& f) {
    for (unsigned c = 0; c != threads(); ++c) post_to(c, task([f, c] { f(c); }));
  }

  /// Asks the tasks of the phase in all ranks to end early. Any thread of a session.
  void cancel_phase();
  /// True if a task of the phase has thrown, or cancel_phase() was called, as far as this rank knows. One load.
  bool phase_cancelled() const noexcept;
  /// Returns what this rank did so far. This thread may be any core's.
  rank_statistics own_statistics();
  /// Returns what each rank did so far, in rank 0; empty in the others. Collective, as run_phase().
  std::vector<rank_statistics> statistics();
  /// Returns in some lines what this rank waits for. Any thread of the session.
  std::string report();

  /// True between run_phase()'s begin and end in this rank.
  bool in_phase() const noexcept;

 private:
  struct state;
  void write_statistics();
  void write_timeline();
  void begin_phase();
  void fail_phase(std::exception_ptr thrown);
  void end_phase();
  void post_to(unsigned core, const task& t);

  std::unique_ptr<state> state_;
};

/// True if the phase's tasks are to end early. One load.
inline bool phase_cancelled() { return here().is_cancelled.load(std::memory_order_relaxed); }  // relaxed: a hint

/// How many ranks run in one process.
struct in_process_job {
  in_process_options net;  ///< ranks, delays, failures
  session_options how{.threads = 1};
};

/// Runs main(session) as each rank of a job, each on threads of its own. Rethrows what the lowest rank threw, rather
/// what is no job_failed.
CALLISTO_API void run_in_process(const in_process_job& job, const std::function<void(session&)>& main);

}  // namespace callisto::global
