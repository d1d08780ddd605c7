// When a job does better without sharing, and runs as if there were no table.
//
// Sharing pays where parallel jobs compete with each other. A job that mostly sleeps would wait for its turn where the
// system lets a sleeper run at once. And where other programs compete for the same contexts, jobs that take turns count
// as one thread for the system, and get one thread's part. A rank of a cluster's job waits for other processes, which
// would wait for their turns, too. In these cases the job steps aside: its threads take no contexts in the table, and
// other jobs count it as a job without work. So do many jobs on few contexts: a turn of a few milliseconds, a long time
// after the last, saves less than the hand-overs cost.
#pragma once

#include <callisto/cosched/limits.hpp>
#include <callisto/cosched/time_slices.hpp>
#include <callisto/export.hpp>

#include <array>
#include <cstdint>

namespace callisto::cosched {

/// Why a job stands aside.
enum class aside : std::uint32_t {
  no,         ///< it shares
  light,      ///< it uses far less of the processors than its share
  outsiders,  ///< programs that are no jobs compete for its contexts
  crowded,    ///< it would take turns with too many jobs, or with any if its threads wait for other processes
};

/// Decides from samples of processor time. One thread at a time uses it.
class CALLISTO_API stepping_aside {
 public:
  /// Processor time in nanoseconds, all of them totals since some beginning.
  struct sample {
    std::uint64_t at = 0;    ///< when it was taken
    std::int64_t own = 0;    ///< of this job's process, at work; may fall
    std::uint64_t jobs = 0;  ///< of all jobs' processes
    std::uint64_t busy = 0;  ///< of all programs, on the contexts where this job may run; 0: unknown
  };

  /// Takes a sample, and returns whether the job stands aside from now on. `share` is the number of contexts that the
  /// job's share comes to, `contexts` on how many it may run.
  aside look(const sample& now, double share, unsigned contexts) noexcept;

  /// True if the job uses far less than its share, whatever else look() has found.
  bool light() const noexcept { return light_; }

  /// Returns the time from one sample with `busy` to the next. The first is short: a new job shares until it knows what
  /// other programs use.
  std::uint64_t next_window() const noexcept {
    return knows_outsiders_ ? sharing_limits::outsiders_window : sharing_limits::own_window;
  }

  /// Returns the part of its contexts that outsiders may use before a job stands aside (`callisto-lab simulate
  /// manners`).
  static double outsiders_limit(unsigned contexts, bool now_aside) noexcept;

 private:
  /// The window of a job's own use, longer for a small share.
  static std::uint64_t own_window_for(double share) noexcept;

  sample own_from_{};        ///< where the window of the job's own use begins
  sample own_middle_{};      ///< the next beginning
  sample outsiders_from_{};  ///< where the window of the outsiders' use begins
  bool light_ = true;        ///< a new job is, until it has used its part of a window
  bool outsiders_ = false;
  bool knows_outsiders_ = false;  ///< a window has ended
};

/// Adds up the processor time of the jobs' processes, for stepping_aside::sample::jobs. The sum leaves out a job that
/// is marked light but in fact computes. Such a job does not check in, so it counts as an outside program.
class CALLISTO_API time_of_jobs {
 public:
  /// Counts what the process of a job has used, `used` nanoseconds of all time, since the last call for it. `job` is
  /// its slot, below max_jobs; `share` the number of contexts that its share comes to.
  void count(unsigned job, std::uint64_t process, std::uint64_t used, bool light, double share,
             std::uint64_t now) noexcept;
  std::uint64_t total() const noexcept { return total_; }

 private:
  struct account {
    std::uint64_t process = 0;
    std::uint64_t used = 0;
    std::uint64_t at = 0;
  };
  std::array<account, max_jobs> last_{};
  std::uint64_t total_ = 0;
};

}  // namespace callisto::cosched
