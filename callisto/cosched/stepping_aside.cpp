// Rates over sliding windows.
#include <callisto/cosched/stepping_aside.hpp>

#include <algorithm>

namespace callisto::cosched {

double stepping_aside::outsiders_limit(unsigned contexts, bool now_aside) noexcept {
  const double above = std::clamp(sharing_limits::outsiders_contexts / std::max(1u, contexts),
                                  std::min(sharing_limits::least_outsiders, sharing_limits::most_outsiders),
                                  sharing_limits::most_outsiders);
  // Outsiders get less while this job stands aside, since more threads compete with them then.
  return !now_aside ? above : contexts > 16 ? above / 4 : above / 2;
}

std::uint64_t stepping_aside::own_window_for(double share) noexcept {
  const double slices = static_cast<double>(sharing_limits::own_slices) / std::max(share, 1e-3);
  const double window = std::min(slices, static_cast<double>(sharing_limits::longest_own_window));
  return std::max<std::uint64_t>(sharing_limits::own_window, static_cast<std::uint64_t>(window));
}

aside stepping_aside::look(const sample& now, double share, unsigned contexts) noexcept {
  if (own_from_.at == 0) own_from_ = own_middle_ = outsiders_from_ = now;

  // A window of one to one and a half lengths: it moves on by half a length.
  const std::uint64_t window = own_window_for(share);
  const auto length = static_cast<double>(std::max(now.at - own_from_.at, window));
  const double used = static_cast<double>(now.own - own_from_.own) / length;
  if (used > sharing_limits::heavy_above * share) light_ = false;
  if (now.at - own_from_.at >= window && used < sharing_limits::light_below * share) light_ = true;
  if (now.at - own_middle_.at >= window / 2) {
    if (now.at - own_from_.at >= window) own_from_ = own_middle_;
    own_middle_ = now;
  }

  if (now.busy != 0 && outsiders_from_.busy != 0 && now.at - outsiders_from_.at >= next_window()) {
    const std::uint64_t busy = now.busy - outsiders_from_.busy;
    const std::uint64_t jobs = std::min(busy, now.jobs - std::min(now.jobs, outsiders_from_.jobs));
    const double others =
        static_cast<double>(busy - jobs) / static_cast<double>(now.at - outsiders_from_.at) / std::max(1u, contexts);
    outsiders_ = others > outsiders_limit(contexts, outsiders_);
    knows_outsiders_ = true;
    outsiders_from_ = now;
  } else if (outsiders_from_.busy == 0) {
    outsiders_from_ = now;
  }
  return outsiders_ ? aside::outsiders : light_ ? aside::light : aside::no;
}

void time_of_jobs::count(unsigned job, std::uint64_t process, std::uint64_t used, bool light, double share,
                         std::uint64_t now) noexcept {
  account& last = last_[job];
  const bool known = last.process == process && last.used <= used;
  const std::uint64_t since = known ? used - last.used : used;
  const bool silent =
      known && light &&
      static_cast<double>(since) > sharing_limits::heavy_above * share * static_cast<double>(now - last.at);
  if (!silent) total_ += since;
  last = {.process = process, .used = used, .at = now};
}

}  // namespace callisto::cosched
