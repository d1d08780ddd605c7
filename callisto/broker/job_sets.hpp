// Sets of the jobs of one broker, which may have more jobs than a table.
#pragma once

#include <callisto/cosched/time_slices.hpp>

#include <array>
#include <bit>
#include <cstdint>

namespace callisto::broker {

/// Job numbers are below this. The number cosched::no_job stands for none, so 255 jobs fit.
inline constexpr unsigned most_jobs = 256;

/// A set of jobs, with the functions that the policies of cosched ask for.
class wide_job_set {
 public:
  void add(unsigned job) noexcept { bits_[job / 64] |= std::uint64_t{1} << (job % 64); }
  void remove(unsigned job) noexcept { bits_[job / 64] &= ~(std::uint64_t{1} << (job % 64)); }
  bool empty() const noexcept { return bits_ == std::array<std::uint64_t, words>{}; }

  /// Calls f(job) for each member, in ascending order. `f` may remove the member that it is called for.
  template <class F>
  void for_each(F f) const {
    for (unsigned w = 0; w < words; ++w) {
      for (std::uint64_t left = bits_[w]; left != 0; left &= left - 1) {
        f(w * 64 + static_cast<unsigned>(std::countr_zero(left)));
      }
    }
  }

  /// Returns the first member that is not below `from`; most_jobs: none.
  unsigned first_from(unsigned from) const noexcept {
    for (unsigned w = from / 64; w < words; ++w) {
      const std::uint64_t left = w == from / 64 ? bits_[w] & (~std::uint64_t{0} << (from % 64)) : bits_[w];
      if (left != 0) return w * 64 + static_cast<unsigned>(std::countr_zero(left));
    }
    return most_jobs;
  }

  friend bool has(const wide_job_set& jobs, unsigned job) noexcept {
    return job < most_jobs && (jobs.bits_[job / 64] >> (job % 64) & 1) != 0;
  }
  friend unsigned size_of(const wide_job_set& jobs) noexcept {
    unsigned n = 0;
    for (const std::uint64_t w : jobs.bits_) n += static_cast<unsigned>(std::popcount(w));
    return n;
  }

 private:
  static constexpr unsigned words = most_jobs / 64;
  std::array<std::uint64_t, words> bits_{};
};

}  // namespace callisto::broker
