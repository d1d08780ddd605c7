// The context assignment as a job's seats know it: one word for each context, computed once for the whole process.
//
// When a job comes or goes, the threads of all contexts look at once. Behind a mutex each thread would be woken by the
// one before, about 7 us apart (a convoy: Blasgen et al., SIGOPS OSR 1979). A lock that threads only try would be no
// better: hand-overs on 1,024 contexts would take milliseconds (tests/machine/simulated_jobs_test.cpp).
#pragma once

#include <callisto/cosched/context_assignment.hpp>
#include <callisto/cosched/current_assignment.hpp>
#include <callisto/cosched/job.hpp>
#include <callisto/machine/native.hpp>

#include <array>
#include <cstdint>
#include <memory>

namespace callisto::cosched {

/// The owner of a context in one word:
///   generation (32 bits, modulo)    known (1 bit)    main (1 bit): the owner's main thread is here
///   owner (8 bits): number + 1, 0: no job, 255: several, in turns
struct owner_word {
  static constexpr std::uint64_t owner_mask = 0xff;
  static constexpr std::uint64_t turns = owner_mask;
  static constexpr std::uint64_t main = 1 << 8;
  static constexpr std::uint64_t known = 1 << 9;

  static std::uint64_t of(const context_assignment& d, unsigned context, std::uint64_t generation);
};

/// Computes the assignment when the table has changed, and keeps it as words. Thread-safe but for reset().
class owner_cache {
 public:
  /// Starts with the table's `core_of`, before other threads use the cache.
  void reset(std::vector<unsigned> core_of) { current_ = current_assignment(std::move(core_of)); }
  const std::vector<unsigned>& cores() const noexcept { return current_.cores(); }

  /// Returns the assignment that the table's slots give now; null if another thread of the process computes it now.
  std::shared_ptr<const context_assignment> try_assignment(const shared_table& shared);
  /// Returns the assignment that the table's slots give now; waits for another thread that computes it.
  std::shared_ptr<const context_assignment> assignment(const shared_table& shared);

  /// See current_assignment.
  bool would_take_turns(const shared_table& shared, unsigned job) const {
    return current_.would_take_turns(shared, job);
  }

  /// Returns the owner_word of a context, of whatever generation it says.
  std::uint64_t word(unsigned context) const noexcept {
    return owners_[context].load(machine::order::relaxed);  // relaxed: the word says all that there is
  }

  /// Pauses between two attempts to get what another thread has for microseconds.
  static void pause_in_turn(unsigned attempt) noexcept;

 private:
  using native = machine::native;
  /// 1: a thread has the next two members to itself. On a separate cache line: other threads watch it.
  alignas(native::line_size) native::atomic<std::uint32_t> looking_{0};
  alignas(native::line_size) current_assignment current_;
  std::uint64_t published_ = 0;  ///< the generation of `owners_`, unless they are being written
  std::array<native::atomic<std::uint64_t>, max_contexts> owners_{};
};

/// Lets another process run; sleeps, since the holder of a lock may be on this processor.
void pause_for(std::uint64_t nanoseconds) noexcept;

}  // namespace callisto::cosched
