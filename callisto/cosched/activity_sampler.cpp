// Compares the processor time of a process with that of the sample before.
#include <callisto/cosched/activity_sampler.hpp>

#include <callisto/machine/shared_memory.hpp>

#include <algorithm>
#include <utility>

namespace callisto::cosched {

activity_sampler::activity activity_sampler::look(unsigned job, const job_record& r, std::uint64_t now,
                                                  const timing& delays) {
  const std::scoped_lock held(sampling_);
  sample& s = samples_[job];
  const auto pid = static_cast<pid_t>(r.pid);
  if (s.pid != r.pid || s.start != r.start || now - s.at > 4 * sharing_limits::watch_period) {
    // Another process than last time, or too long ago. Not the account of a later process of the same number.
    s = {.pid = r.pid, .start = r.start, .at = now, .used = 0, .quiet_since = now, .awake = false, .told = false};
    if (machine::look_at_process(pid).start == r.start) s.used = machine::processor_time_of(pid);
  } else if (now - s.at >= delays.p_low) {
    const std::uint64_t used = machine::processor_time_of(pid);
    s.awake = used < s.used || used - s.used > std::max<std::uint64_t>((now - s.at) / 64, sharing_limits::looking_up) ||
              machine::look_at_process(pid).state == 'R';
    // An unknown time is no rest.
    if (s.awake || s.used == 0) {
      s.quiet_since = now;
      s.told = false;
    }
    s.at = now;
    s.used = used;
  }
  return {.awake = s.awake, .quiet_for = s.at - s.quiet_since, .pid = pid};
}

void activity_sampler::could_run(unsigned job) {
  const std::scoped_lock held(sampling_);
  samples_[job].quiet_since = samples_[job].at;
}

bool activity_sampler::tell_dormant(unsigned job) {
  const std::scoped_lock held(sampling_);
  return !std::exchange(samples_[job].told, true);
}

}  // namespace callisto::cosched
