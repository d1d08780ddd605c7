// Compares processor times.
#include <callisto/broker/resting_jobs.hpp>

#include <callisto/cosched/job.hpp>
#include <callisto/machine/shared_memory.hpp>

#include <algorithm>

namespace callisto::broker {

bool rest_of_job::rests(std::uint64_t now, const cosched::timing& delays) {
  if (now - at_ > 4 * cosched::sharing_limits::watch_period) {
    at_ = quiet_since_ = now;
    used_ = machine::processor_time_of(pid_);
    return false;
  }
  if (now - at_ >= delays.p_low) {
    const std::uint64_t used = machine::processor_time_of(pid_);
    // Waiting threads of the process wake now and then, so its rest is not quite nothing.
    if (used == 0 || used - used_ > std::max<std::uint64_t>((now - at_) / 64, 100'000)) quiet_since_ = now;
    at_ = now;
    used_ = used;
  }
  if (now - quiet_since_ < delays.h_high) return false;
  if (!machine::could_run(pid_)) return true;
  quiet_since_ = now;
  return false;
}

}  // namespace callisto::broker
