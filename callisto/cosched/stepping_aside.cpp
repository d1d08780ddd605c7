// Rates over sliding windows.
#include <callisto/cosched/stepping_aside.hpp>

#include <algorithm>

namespace callisto::cosched {

aside stepping_aside::look(const sample& now, double share, unsigned contexts) noexcept {
  if (own_from_.at == 0) own_from_ = own_middle_ = outsiders_from_ = now;

  // A window of one to one and a half lengths: it moves on by half a length.
  const auto length = static_cast<double>(std::max(now.at - own_from_.at, own_window));
  const double used = static_cast<double>(now.own - own_from_.own) / length;
  if (used > heavy_above * share) light_ = false;
  if (now.at - own_from_.at >= own_window && used < light_below * share) light_ = true;
  if (now.at - own_middle_.at >= own_window / 2) {
    if (now.at - own_from_.at >= own_window) own_from_ = own_middle_;
    own_middle_ = now;
  }

  if (now.busy != 0 && outsiders_from_.busy != 0 && now.at - outsiders_from_.at >= outsiders_window) {
    const std::uint64_t busy = now.busy - outsiders_from_.busy;
    const std::uint64_t jobs = std::min(busy, now.jobs - std::min(now.jobs, outsiders_from_.jobs));
    const double others =
        static_cast<double>(busy - jobs) / static_cast<double>(now.at - outsiders_from_.at) / std::max(1u, contexts);
    outsiders_ = others > (outsiders_ ? outsiders_below : outsiders_above);
    outsiders_from_ = now;
  } else if (outsiders_from_.busy == 0) {
    outsiders_from_ = now;
  }
  return outsiders_ ? aside::outsiders : light_ ? aside::light : aside::no;
}

}  // namespace callisto::cosched
