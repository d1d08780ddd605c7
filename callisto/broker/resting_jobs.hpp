// Tells which jobs rest: their processes have not run for long although they could.
#pragma once

#include <callisto/cosched/timing.hpp>

#include <cstdint>

#include <sys/types.h>

namespace callisto::broker {

/// The use of the processor by a job's process.
class rest_of_job {
 public:
  rest_of_job() = default;
  explicit rest_of_job(pid_t pid) : pid_(pid) {}

  /// True if the process has not run for h_high although it could. Reads /proc at most once in p_low.
  bool rests(std::uint64_t now, const cosched::timing& delays);

 private:
  pid_t pid_ = 0;
  std::uint64_t at_ = 0;
  std::uint64_t used_ = 0;
  std::uint64_t quiet_since_ = 0;
};

}  // namespace callisto::broker
