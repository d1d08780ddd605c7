// The part of a loop that each thread begins with, if ranges hand it out: equal parts for the threads that are
// expected.
//
// Each expected thread gets an equal part; if there are fewer iterations than threads, some threads get one. Absent
// threads (absent_threads.hpp) get none: with parts for eight absent threads of sixteen, a loop of 300 us took 60 us
// longer than on eight threads, since each stolen part was stolen again from its thief.
#pragma once

#include <callisto/distributor/absent_threads.hpp>
#include <callisto/machine/policy.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace callisto::distributor {

template <machine::policy M>
class initial_shares {
 public:
  initial_shares(std::uint64_t n, unsigned threads, const absent_threads<M>* absent) noexcept : threads_(threads) {
    if (absent != nullptr && absent->count() != 0) leave_out(*absent);
    each_ = n / expected_;
    more_ = n % expected_;
  }

  bool all_have_some() const noexcept { return each_ != 0 && expected_ == threads_; }

  /// Walks through all positions in order.
  class walk {
   public:
    explicit walk(const initial_shares& of) noexcept : of_(&of), due_(of.expected_ - 1) {}
    std::uint64_t begin() const noexcept { return at_; }
    /// Goes past position p, and returns where its part ends.
    std::uint64_t next(unsigned p) noexcept {
      if (of_->is_absent(p)) return at_;
      // Threads with one more are spread among all threads (Bresenham), and so are the iterations if there are few.
      due_ += of_->more_;
      const bool one_more = due_ >= of_->expected_;
      if (one_more) due_ -= of_->expected_;
      return at_ += of_->each_ + (one_more ? 1 : 0);
    }

   private:
    const initial_shares* of_;
    std::uint64_t due_;  ///< the first thread has one more if any has
    std::uint64_t at_ = 0;
  };

 private:
  static constexpr unsigned most_threads =
      1024;  // absent threads are known of at most this number, the contexts of the table of jobs
  static constexpr unsigned word_bits = absent_threads<M>::word_bits;

  /// Copies the set: it changes meanwhile, and all calls must compute the same parts.
  void leave_out(const absent_threads<M>& absent) noexcept {
    if (threads_ > most_threads) return;
    unsigned left = 0;
    for (unsigned w = 0; w * word_bits < threads_; ++w) {
      const unsigned here = std::min(threads_ - w * word_bits, word_bits);
      absent_[w] = absent.word(w) & (~std::uint64_t{0} >> (word_bits - here));
      left += here - static_cast<unsigned>(std::popcount(absent_[w]));
    }
    if (left != 0) expected_ = left;  // else all threads get parts, as if all were present
  }
  bool is_absent(unsigned p) const noexcept {
    return expected_ != threads_ && (absent_[p / word_bits] >> p % word_bits & 1) != 0;
  }

  unsigned threads_;
  std::uint64_t expected_ = threads_;
  std::uint64_t each_;
  std::uint64_t more_;
  std::array<std::uint64_t, most_threads / word_bits> absent_;  ///< valid only if some are absent
};

}  // namespace callisto::distributor
