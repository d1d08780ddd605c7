// The time of a rank: this machine's, or that of a simulation, in which the rank runs.
//
// The floors above ask for time here and nowhere else, so the same code runs in both. On this machine a question costs
// one test more than the machine's own.
#pragma once

#include <callisto/global/transport/here.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/machine/ticks_of.hpp>

#include <cstddef>
#include <cstdint>

namespace callisto::global {

/// A simulated rank: what it has instead of this machine. It has one core. Its own calls alone reach it.
class simulated_rank {
 public:
  virtual ~simulated_rank() = default;
  /// Returns the rank's time in nanoseconds, with what it did so far.
  virtual std::uint64_t nanoseconds() noexcept = 0;
  /// Lets the time of one turn of a spin loop pass, at most until a packet arrives. Ranks with earlier times run.
  virtual void pause() = 0;
  /// Lets the rank's processor work for this time.
  virtual void work(double nanoseconds) noexcept = 0;
  /// Returns where the stack of the rank's main ends.
  virtual const std::byte* end_of_stack() const noexcept = 0;
};

/// The clock of the rank that the calling thread works for.
struct rank_clock {
  static std::uint64_t ticks() noexcept {
    if (simulated_rank* const rank = detail::of_thread::simulated; rank != nullptr) [[unlikely]]
      return rank->nanoseconds();
    return machine::native::ticks();
  }
  static std::uint64_t ticks_per_second() noexcept {
    return detail::of_thread::simulated != nullptr ? 1'000'000'000 : machine::native::ticks_per_second();
  }
  /// Returns a duration in ticks().
  static std::uint64_t ticks_of(std::uint64_t nanoseconds) noexcept {
    return detail::of_thread::simulated != nullptr ? nanoseconds : machine::ticks_of<machine::native>(nanoseconds);
  }
  /// Pauses in one turn of a spin loop.
  static void relax() {
    if (simulated_rank* const rank = detail::of_thread::simulated; rank != nullptr) [[unlikely]]
      rank->pause();
    else
      machine::native::relax();
  }
  /// Says that the program has worked for this time, in a simulation. Does nothing on this machine, where work takes
  /// its time by itself.
  static void work(double nanoseconds) noexcept {
    if (simulated_rank* const rank = detail::of_thread::simulated; rank != nullptr) [[unlikely]]
      rank->work(nanoseconds);
  }
};

}  // namespace callisto::global
