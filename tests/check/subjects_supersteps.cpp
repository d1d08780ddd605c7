// Subjects: supersteps, in which threads stay together over many short steps.
#include "subject.hpp"

#include <callisto/loop/supersteps.hpp>

#include <array>

namespace callisto::check {
namespace {

/// Supersteps of as many entries as there are in the first, each of which makes one of the next. An entry is done once,
/// by one thread, in its superstep, and what was written for it in the superstep before is visible. Threads from
/// `Running` on never run their slots: the first thread does.
template <unsigned Seats, unsigned Entries, unsigned Rounds, unsigned Running = Seats>
class meeters {
 public:
  static constexpr unsigned threads = Running;
  static constexpr unsigned first_alike = threads;

  meeters() {
    for (unsigned e = 0; e < Entries; ++e) lists_[0][0][e] = e;
    meeting_.put([](unsigned s) { return s == 0 ? std::uint64_t{Entries} : 0; });
    meeting_.start({.rounds = Rounds, .fewest = 1, .most = Entries});
  }

  void run(unsigned thread) {
    run_seat(thread);
    for (unsigned seat = Running; thread == 0 && seat < Seats; ++seat) run_seat(seat);
  }

  void finish() {
    require(meeting_.run_so_far() == Rounds, "the run is over after as many supersteps as it may have");
    require(meeting_.entries() == Entries, "what was found for the next superstep is counted");
    std::uint64_t left = 0;
    for (unsigned s = 0; s < Seats; ++s) {
      for (std::uint64_t i = 0; i < meeting_.in_list(s); ++i) left += lists_[s][meeting_.parity()][i] + 1;
    }
    require(left == Entries * (Entries + 1) / 2,
            "what was found for the next superstep is in the lists, each entry once");
    for (const auto& d : done_) require(d == Rounds, "every entry is done in every superstep");
  }

 private:
  void run_seat(unsigned seat) {
    std::uint64_t grown_for = 0;
    std::uint64_t size = 0;
    meeting_.run(seat, [&](std::uint64_t round, unsigned owner, std::uint64_t first, std::uint64_t last) {
      if (grown_for != round + 1) size = 0;
      grown_for = round + 1;
      for (std::uint64_t i = first; i < last; ++i) {
        const unsigned entry = lists_[owner][round % 2][i];
        require(done_[entry] == round - meeting_.first_round(),
                "an entry is done once in each superstep, one after the other");
        done_[entry] = done_[entry] + 1;
        lists_[seat][(round + 1) % 2][size++] = entry;
      }
      return size;
    });
  }

  loop::supersteps<machine::checked> meeting_{Seats, 1};
  std::array<std::array<std::array<plain<unsigned>, Entries>, 2>, Seats> lists_{};
  std::array<plain<unsigned>, Entries> done_{};
};

/// Supersteps that become too large, or too small: entry e of the first makes `Each` of the second.
template <unsigned Each>
class growers {
 public:
  static constexpr unsigned threads = 2;
  static constexpr unsigned first_alike = threads;

  growers() {
    meeting_.put([](unsigned s) { return s == 0 ? std::uint64_t{2} : 0; });
    meeting_.start({.rounds = 9, .fewest = 1, .most = 5});
  }

  void run(unsigned thread) {
    meeting_.run(thread, [&](std::uint64_t, unsigned, std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t i = first; i < last; ++i) found_[thread] = found_[thread] + Each;
      return found_[thread];
    });
  }

  void finish() {
    require(meeting_.run_so_far() == 1, "the run is over when there is too much or too little to do");
    require(found_[0] + found_[1] == 2 * Each, "all of the first superstep is done");
    require(meeting_.entries() == 2 * Each, "what was found is counted");
    require(meeting_.in_list(0) == found_[0] && meeting_.in_list(1) == found_[1], "each has what it found");
  }

 private:
  loop::supersteps<machine::checked> meeting_{2, 1};
  std::array<plain<std::uint64_t>, 2> found_{};
};

const char* const together =
    "every entry is done once in its superstep, and what a superstep wrote is visible in the next";
const char* const ends = "the run is over, with all that was found counted";

const registered<meeters<2, 2, 2>> rounds_2("supersteps.2x2", together, exhaustive({0, 0}), exhaustive({0, 1}));
const registered<meeters<2, 3, 2>> rounds_3("supersteps.2x3", together, preemptions(2, {0, 0}), preemptions(3, {0, 0}));
const registered<meeters<3, 3, 2>> rounds_of_3("supersteps.3x3", together, pct(3, 5'000, {1, 0}),
                                               preemptions(1, {0, 0}));
const registered<meeters<3, 2, 2, 2>> late("supersteps.late", together, preemptions(2, {0, 0}), preemptions(3, {0, 0}));
const registered<growers<3>> larger("supersteps.larger", ends, exhaustive({1, 1}), exhaustive({2, 2}));
const registered<growers<0>> none("supersteps.none", ends, exhaustive({1, 1}), exhaustive({2, 2}));

}  // namespace
}  // namespace callisto::check
