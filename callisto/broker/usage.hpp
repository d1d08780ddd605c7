// The context time of a job.
#pragma once

#include <cstdint>

namespace callisto::broker {

/// Context time in nanoseconds, one context for one nanosecond each. It only grows.
struct usage {
  std::uint64_t had = 0;       ///< while the job had the context, with work or without
  std::uint64_t borrowed = 0;  ///< of `had`: while another job had high priority there
  std::uint64_t lent = 0;      ///< while this job had high priority on a context of another job
  std::uint64_t forced = 0;    ///< how often a context was taken since the job did not answer

  usage& operator+=(const usage& more) noexcept {
    had += more.had;
    borrowed += more.borrowed;
    lent += more.lent;
    forced += more.forced;
    return *this;
  }
};

}  // namespace callisto::broker
