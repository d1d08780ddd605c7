// Subjects: the distributors alone. Every iteration is handed out once, the last claim says so once, and what exhaust()
// drops is nobody's.
#include "subject.hpp"

#include <callisto/distributor/distributed_counters.hpp>
#include <callisto/distributor/shared_counter.hpp>

#include <array>
#include <cstdint>

namespace callisto::check {
namespace {

using one_counter = distributor::shared_counter<machine::checked>;
using stripes = distributor::distributed_counters<machine::checked>;

/// Threads that claim until nothing is left, in batches of 1 and 2; with `Exhaust`, the last thread ends it early.
template <class Distributor, unsigned Threads, unsigned N, bool Exhaust = false>
class claimers {
 public:
  static constexpr unsigned threads = Threads;

  void run(unsigned thread) {
    if (Exhaust && thread == Threads - 1) {
      dropped_ = from_.exhaust();
      return;
    }
    auto at = from_.cursor_of(thread);
    for (;;) {
      const distributor::range r = from_.claim(at, 1 + thread % 2);
      require(!r.empty() || !r.is_final, "a claim that gets nothing is not the final one");
      if (r.empty()) break;
      require(r.last <= N, "a claim stays inside the loop");
      require(r.size() <= 1 + thread % 2, "a claim takes no more than it asked for");
      // No order between threads: were an iteration handed out twice, this would be a race too.
      for (std::uint64_t i = r.first; i < r.last; ++i) runs_[i] = runs_[i] + 1;
      if (r.is_final) finals_[thread] = finals_[thread] + 1;
    }
    require(from_.claim(at, 1).empty(), "a distributor that was empty stays empty");
  }

  void finish() {
    unsigned ran = 0;
    for (const auto& r : runs_) {
      require(r <= 1, "no iteration is handed out twice");
      ran += r;
    }
    unsigned finals = 0;
    for (const auto& f : finals_) finals += f;
    if (Exhaust) {
      require((ran == N) != dropped_, "exhaust() tells whether it dropped iterations");
      require(finals <= 1, "at most one claim is the final one");
    } else {
      require(ran == N, "every iteration is handed out");
      require(finals == 1, "one claim is the final one");
    }
  }

 private:
  Distributor from_{N, Threads, 1};
  std::array<plain<unsigned>, N> runs_{};
  std::array<plain<unsigned>, Threads> finals_{};
  plain<bool> dropped_{false};
};

constexpr const char* once = "every iteration once; one final claim";
constexpr const char* ended = "what exhaust() drops is not handed out";

const registered<claimers<one_counter, 2, 3>> counter_2("counter.2x3", once, exhaustive({1, 1}), exhaustive({1, 1}));
const registered<claimers<one_counter, 3, 3>> counter_3("counter.3x3", once, exhaustive({1, 1}), exhaustive({1, 1}));
const registered<claimers<one_counter, 3, 2, true>> counter_ended("counter.exhaust", ended, exhaustive({1, 1}),
                                                                  exhaustive({1, 1}));
const registered<claimers<stripes, 2, 3>> stripes_2("stripes.2x3", once, exhaustive({1, 1}), exhaustive({1, 1}));
const registered<claimers<stripes, 3, 2>> stripes_3("stripes.3x2", once, exhaustive({1, 1}), exhaustive({1, 1}));
const registered<claimers<stripes, 3, 3, true>> stripes_ended("stripes.exhaust", ended, exhaustive({1, 1}),
                                                              exhaustive({1, 1}));

}  // namespace
}  // namespace callisto::check
