// Subjects of distributors: threads that claim from one, come and go, and end it. Every iteration is handed out once,
// to a thread that claims; what exhaust() drops is handed out to none.
#pragma once

#include "schedules.hpp"

#include <callisto/distributor/splitting_ranges.hpp>

#include <array>
#include <cstdint>
#include <span>

namespace callisto::check {

/// What the threads of a subject do.
enum class conduct {
  stay,     ///< all claim until nothing is left; thread t up to 1 + t % 2 iterations at a time
  vary,     ///< all claim until nothing is left, 2 iterations and 1 by turns
  exhaust,  ///< thread 0 ends the loop early, after its first batch, and leaves
  stop,     ///< thread 0 ends the loop early; the others leave when they learn of it
  go,       ///< thread 0 leaves after its first batch, comes back, and claims like the others
  quit,     ///< thread 0 leaves after its first batch for good
  return_,  ///< all that find nothing left come once more, as followers do that see a stale notice
};

/// Threads with a distributor for n <= 5 iterations. With `reserve`, they reserve so many at a time and run them one by
/// one.
template <class Distributor>
class claimers {
 public:
  claimers(const distributor::layout& where, std::span<const stage> stages, unsigned threads, std::uint64_t n,
           conduct what, std::uint64_t reserve)
      : threads_(threads), n_(n), what_(what), reserve_(reserve), from_(n, where, stages) {}

  void run(unsigned thread) {
    auto at = from_.cursor_of(thread);
    std::uint64_t batches = 0;
    for (;;) {
      if (what_ == conduct::stop && thread != 0 && stopped_.load(order::relaxed) != 0) return from_.leave(at);
      const std::uint64_t k = what_ == conduct::vary ? 1 + (thread + ++batches) % 2 : 1 + thread % 2;
      const distributor::range r = next(at, k);
      if (r.empty()) break;
      require(r.last <= n_, "a claim stays inside the loop");
      require(r.size() <= k, "a claim takes no more than it asked for");
      // No order between threads: if an iteration were handed out twice, this would be a race, too.
      for (std::uint64_t i = r.first; i < r.last; ++i) runs_[i] = runs_[i] + 1;
      if (thread != 0) continue;
      if (what_ == conduct::exhaust || what_ == conduct::stop) {
        from_.exhaust();
        stopped_.store(1, order::relaxed);
        from_.leave(at);
        if (threads_ == 1) {
          at = from_.cursor_of(thread);
          require(from_.claim(at, 1).empty(), "an exhausted distributor hands out nothing");
        }
        return;
      }
      if (what_ == conduct::quit) return from_.leave(at);
      if (what_ == conduct::go && !was_away_) {
        was_away_ = true;
        from_.leave(at);
        require(from_.claim(at, 1).empty(), "a thread that has left gets nothing");
        at = from_.cursor_of(thread);
      }
    }
    // Ranges may be given something back at any time: a thread that comes again may get it.
    if constexpr (!distributor::divisible<Distributor>) {
      require(from_.claim(at, 1).empty(), "a distributor that was empty stays empty");
    }
    if (what_ != conduct::return_) return;
    at = from_.cursor_of(thread);
    for (distributor::range r = next(at, 1); !r.empty(); r = next(at, 1)) {
      require(distributor::divisible<Distributor>,
              "a distributor that was empty stays empty for a thread that comes again");
      for (std::uint64_t i = r.first; i < r.last; ++i) runs_[i] = runs_[i] + 1;
    }
  }

  void finish() {
    unsigned ran = 0;
    for (const auto& r : runs_) {
      require(r <= 1, "no iteration is handed out twice");
      ran += r;
    }
    require(from_.dropped() == (ran != n_), "dropped() tells whether iterations were not handed out");
    if (what_ == conduct::stay || what_ == conduct::vary || what_ == conduct::return_) {
      require(ran == n_, "every iteration is handed out");
    }
  }

 private:
  distributor::range next(typename Distributor::cursor& at, std::uint64_t k) {
    if constexpr (distributor::divisible<Distributor>) {
      while (reserve_ != 0) {
        if (const distributor::range r = from_.piece(at, 1); !r.empty()) return r;
        if (!from_.reserve(at, reserve_)) return {};
      }
    }
    return from_.claim(at, k);
  }

  static constexpr std::uint64_t most = 5;

  const unsigned threads_;
  const std::uint64_t n_;
  const conduct what_;
  const std::uint64_t reserve_;
  Distributor from_;
  std::array<plain<unsigned>, most> runs_{};
  plain<bool> was_away_{false};
  atomic<unsigned> stopped_{0};
};

/// A thin layer over claimers, so that the compiler has few large templates: one for each kind of distributor.
template <class Distributor, class Schedule, class Seats, unsigned Threads, std::uint64_t N,
          conduct What = conduct::stay, std::uint64_t Reserve = 0>
struct subject_of : claimers<Distributor> {
  static constexpr unsigned threads = Threads;
  subject_of() : claimers<Distributor>(Seats::where(), Schedule::stages, Threads, N, What, Reserve) {}
};

using one_core_2 = on_cores<0, 0>;
using one_core_3 = on_cores<0, 0, 0>;
using two_cores = on_cores<0, 1>;
using pair_and_one = on_cores<0, 0, 1>;
using two_pairs = on_cores<0, 0, 1, 1>;

constexpr const char* once = "every iteration once";
constexpr const char* ended = "what exhaust() drops is not handed out, and dropped() says so";
constexpr const char* left = "what was granted to a thread that left is dropped, and dropped() says so";

constexpr whims one_each{1, 1};
constexpr whims none{0, 0};

}  // namespace callisto::check
