// How long the processes of other jobs have been asleep, from the kernel's accounts of their processor time.
#pragma once

#include <callisto/cosched/table.hpp>
#include <callisto/cosched/timing.hpp>

#include <array>
#include <cstdint>
#include <mutex>

#include <sys/types.h>

namespace callisto::cosched {

/// Samples the processor time of jobs' processes. Thread-safe.
class activity_sampler {
 public:
  /// A job's process: its recent use of the processor.
  struct activity {
    bool awake = false;           ///< it has run since the last sample; unknown before the second sample
    std::uint64_t quiet_for = 0;  ///< nanoseconds without a run, as far as samples go back
    pid_t pid = 0;
  };

  /// Samples the process of `job`, which has the record `r`, at `now`; at most once every delays.p_low.
  activity look(unsigned job, const job_record& r, std::uint64_t now, const timing& delays);

  /// Says that a process that looks quiet could have run: the machine is busy with other things. Its rest begins anew.
  void could_run(unsigned job);

  /// Marks a job as known to be dormant. True the first time since it last ran.
  bool tell_dormant(unsigned job);

 private:
  struct sample {
    std::uint64_t pid, start;
    std::uint64_t at;           ///< when it was taken
    std::uint64_t used;         ///< processor time by then; 0: unknown
    std::uint64_t quiet_since;  ///< the process has not run since then, or had no earlier sample
    bool awake;                 ///< the process had run since the sample before
    bool told;                  ///< waiting threads of this process know that it is dormant
  };

  std::mutex sampling_;
  std::array<sample, max_jobs> samples_{};
};

}  // namespace callisto::cosched
