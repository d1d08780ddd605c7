// A session: the ranks of a job, the cores of this rank, and phases that end everywhere at once.
#pragma once

#include <callisto/export.hpp>
#include <callisto/global/messages/messages.hpp>
#include <callisto/global/session/collective.hpp>
#include <callisto/global/session/statistics.hpp>
#include <callisto/global/tasks/core.hpp>
#include <callisto/global/transport/here.hpp>
#include <callisto/global/transport/in_process.hpp>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <source_location>
#include <span>
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

struct session_state;

/// A rank's part in a job. Made and destroyed by the thread that runs main, in every rank. One a process, apart from
/// run_in_process().
class session {
 public:
  /// Joins the job that a launcher of MPI has started, else is a job of one rank. Throws usage_error and error.
  /// An error of this library that the program does not catch from here on prints one line, and ends all ranks with the
  /// exit code 2 (wrong usage), 3 (input), 4 (output), 5 (out of memory) or 1.
  session(int /*argc*/, const char* const* /*argv*/, const session_options& how = session_options::from_environment())
      : session(installation{__FILE__}, how) {}
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

  /// Returns how many processors are this rank's share of those that it may run on.
  unsigned contexts() const;
  /// Returns "callisto: rank 1 of 4 at host a", with which lines about this rank begin.
  std::string name() const;
  /// Ends all ranks with `line`, of which one is printed for the job, and the exit code `status`. In one process with
  /// other ranks it throws job_failed.
  [[noreturn]] void end_job(const std::string& line, int status);

  /// Calls start(), then returns when everything that it and all ranks' start() began has ended: tasks and messages.
  /// Collective: the main of each rank calls it. If a task or a start() threw, throws it in all ranks: of several, what
  /// the lowest rank threw first. Throws job_failed if the job has failed.
  template <std::invocable F>
  void run_phase(F start, std::source_location where = std::source_location::current()) {
    run_phase(start, collective{.where = where});
  }
  /// Runs a phase as run_phase(start) does, as a part of the larger operation `what`.
  template <std::invocable F>
  void run_phase(F start, const collective& what) {
    begin_phase(what);
    try {
      start();
    } catch (...) {
      fail_phase(std::current_exception());
    }
    end_phase(what.where);
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
  /// Lets the running phase, or the next one, throw `thrown` in all ranks. Any thread of a core; handlers may run
  /// before the constructor returns.
  static void note_failure(std::exception_ptr thrown);

  /// Says that main is in `what`, and returns what other ranks are told of it. Ends the job with one line if a rank
  /// below this one in the tree of ranks is in another operation of the same number. Main.
  told_collective enter(const collective& what);
  /// Compares what a rank below this one in the tree is in. Handlers.
  static void hear_of(int child, const told_collective& told);

  /// Returns what this rank did so far. This thread may be any core's.
  rank_statistics own_statistics();
  /// Returns what each rank did so far, in rank 0; empty in all other ranks. Collective, as run_phase().
  std::vector<rank_statistics> statistics();
  /// Returns in some lines what this rank waits for. Any thread of the session.
  std::string report();

  /// True between run_phase()'s begin and end in this rank.
  bool in_phase() const noexcept;

 private:
  /// A header of the installation that the program was compiled with.
  struct installation {
    const char* header;
  };
  session(const installation& with, const session_options& how);
  void write_statistics();
  void write_timeline();
  void begin_phase(const collective& what);
  void fail_phase(std::exception_ptr thrown);
  void end_phase(const std::source_location& where);
  void post_to(unsigned core, const task& t);

  std::unique_ptr<session_state> state_;
};

/// True if the phase's tasks are to end early. One load.
inline bool phase_cancelled() { return here().is_cancelled.load(std::memory_order_relaxed); }  // relaxed: a hint

/// How many ranks run in one process.
struct in_process_job {
  in_process_options net;  ///< ranks, delays, failures
  session_options how{.threads = 1};
};

/// Runs main(session) as each rank of a job, each rank on separate threads. If ranks throw, it rethrows the exception
/// of the lowest rank that threw anything but job_failed; if there is none, of the lowest rank that threw.
CALLISTO_API void run_in_process(const in_process_job& job, const std::function<void(session&)>& main);

/// Runs main(session) as the rank of `net`, which is one of several in this process. Returns what it threw, or null.
std::exception_ptr run_rank(std::unique_ptr<transport> net, const session_options& how,
                            const std::function<void(session&)>& main);
/// Throws what ranks threw, by rank: the first exception that is no job_failed, else the first; nothing if all are
/// null.
void rethrow_first(std::span<const std::exception_ptr> thrown);

}  // namespace callisto::global
