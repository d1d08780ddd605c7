// Whether a job's process uses far more processor time than the job has contexts: its threads run without grants.
#pragma once

#include <cstdint>

namespace callisto::broker {

/// The looks at one job, some each second. One thread at a time uses it.
class overrun {
 public:
  struct facts {
    std::uint64_t now = 0;   ///< nanoseconds, these three
    std::uint64_t used = 0;  ///< processor time of the process
    std::uint64_t had = 0;   ///< context time of the job
    bool competes = false;   ///< jobs of other users have work, or want a context
    bool surplus = false;    ///< more of its threads could run than it has contexts
  };

  /// Takes a look. True if the job overruns now. It does after two looks in a row between which it used a quarter of a
  /// context more than it had, beside other users' jobs with work; a thread that computes for a moment outside of any
  /// loop does not. It overruns no more after 20 looks in a row without a surplus of threads, or without such jobs.
  bool look(const facts& f) noexcept {
    const std::uint64_t window = f.now - last_.now;
    const auto excess = static_cast<std::int64_t>(f.used - last_.used) - static_cast<std::int64_t>(f.had - last_.had);
    const bool known = last_.now != 0 && f.used != 0;
    last_ = f;
    if (overruns_) {
      calm_ = f.competes && f.surplus ? 0 : calm_ + 1;
      if (calm_ == looks_to_end) overruns_ = false, seen_ = 0;
      return overruns_;
    }
    seen_ = known && f.competes && excess > static_cast<std::int64_t>(window / 4) ? seen_ + 1 : 0;
    if (seen_ == looks_to_begin) overruns_ = true, calm_ = 0;
    return overruns_;
  }

 private:
  static constexpr unsigned looks_to_begin = 2;
  static constexpr unsigned looks_to_end = 20;

  facts last_{};
  unsigned seen_ = 0;
  unsigned calm_ = 0;
  bool overruns_ = false;
};

}  // namespace callisto::broker
