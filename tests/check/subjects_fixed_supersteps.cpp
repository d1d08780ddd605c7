// Subjects: supersteps with lists that are known before the run.
#include "subject.hpp"

#include <callisto/loop/fixed_supersteps.hpp>

#include <array>

namespace callisto::check {
namespace {

/// Supersteps with lists of known sizes, some of them empty. An entry is done once, when all of the superstep before
/// are done and visible. Threads from `Running` on never run their slots: the first thread does.
template <unsigned Seats, unsigned Rounds, unsigned Running = Seats>
class planners {
 public:
  static constexpr unsigned threads = Running;
  static constexpr unsigned first_alike = threads;

  planners() { way_.start(Rounds, size); }

  void run(unsigned thread) {
    run_seat(thread);
    for (unsigned seat = Running; thread == 0 && seat < Seats; ++seat) run_seat(seat);
  }

  void finish() {
    for (unsigned round = 0; round < Rounds; ++round) require(is_done(round), "every entry is done, and once");
  }

 private:
  static std::uint64_t size(std::uint64_t round, unsigned seat) noexcept {
    return seat == 0 ? 1 + round % 2 : seat == 1 ? (round + 1) % 2 : 0;
  }

  void run_seat(unsigned seat) {
    way_.run(seat, size, [&](std::uint64_t round, unsigned owner, std::uint64_t first, std::uint64_t last) {
      require(round < Rounds && last <= size(round, owner), "only what there is is done");
      require(round == 0 || is_done(round - 1), "a superstep begins when the one before is done");
      for (std::uint64_t i = first; i < last; ++i) done_[round][owner][i] = done_[round][owner][i] + 1;
    });
  }

  bool is_done(std::uint64_t round) {
    bool all = true;
    for (unsigned s = 0; s < Seats; ++s) {
      for (std::uint64_t i = 0; i < size(round, s); ++i) all = all && done_[round][s][i] == 1u;
    }
    return all;
  }

  loop::fixed_supersteps<machine::checked> way_{Seats, 1};
  std::array<std::array<std::array<plain<unsigned>, 2>, Seats>, Rounds> done_{};
};

const char* const planned = "every entry is done once, after those of the superstep before; their writes are visible";

const registered<planners<2, 3>> planned_2("fixed_supersteps.2x3", planned, exhaustive({0, 0}), exhaustive({0, 1}));
const registered<planners<3, 3>> planned_3("fixed_supersteps.3x3", planned, pct(3, 5'000, {1, 0}),
                                           preemptions(1, {0, 0}));
const registered<planners<3, 3, 2>> planned_late("fixed_supersteps.late", planned, preemptions(2, {0, 0}),
                                                 preemptions(3, {0, 0}));

}  // namespace
}  // namespace callisto::check
