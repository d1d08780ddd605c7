// The spatial policy: which job has high priority on which hardware context while all jobs are runnable (EuroSys 2014,
// section 2.1).
//
// A pure function of the jobs in the table. Every job computes it for itself, and all compute the same. So the result
// is no shared memory that could be out of date, half-written by a dying job, or corrupted.
#pragma once

#include <callisto/cosched/time_slices.hpp>
#include <callisto/export.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

namespace callisto::cosched {

/// The most contexts of a table, by the operating system's numbers.
inline constexpr unsigned max_contexts = 1024;

/// A set of contexts.
class context_set {
 public:
  static constexpr unsigned words = max_contexts / 64;

  bool has(unsigned context) const noexcept { return (bits_[context / 64] >> (context % 64) & 1) != 0; }
  void add(unsigned context) noexcept { bits_[context / 64] |= std::uint64_t{1} << (context % 64); }
  bool empty() const noexcept { return bits_ == std::array<std::uint64_t, words>{}; }
  unsigned count() const noexcept {
    unsigned n = 0;
    for (const std::uint64_t w : bits_) n += static_cast<unsigned>(std::popcount(w));
    return n;
  }
  /// Returns how many contexts both sets have.
  unsigned shared_with(const context_set& other) const noexcept {
    unsigned n = 0;
    for (unsigned i = 0; i < words; ++i) n += static_cast<unsigned>(std::popcount(bits_[i] & other.bits_[i]));
    return n;
  }
  std::uint64_t& word(unsigned i) noexcept { return bits_[i]; }
  std::uint64_t word(unsigned i) const noexcept { return bits_[i]; }
  friend bool operator==(const context_set&, const context_set&) = default;

 private:
  std::array<std::uint64_t, words> bits_{};
};

/// A job, as the policy sees it.
struct job_demand {
  unsigned job;
  unsigned weight;
  context_set contexts;      ///< where it may run
  unsigned main = anywhere;  ///< the context that its main thread prefers; anywhere: none
  bool wants_main = true;    ///< true if it has a main thread that needs a context

  static constexpr unsigned anywhere = ~0u;
};

/// How the cores of a job lie on the machine.
enum class arrangement_rule {
  spread,  ///< jobs alternate, so that each has a part of every cache and memory
  packed,  ///< neighbours, so that jobs share as little as possible
};

struct context_assignment {
  std::pmr::vector<time_slices> high;  ///< by context: which jobs have high priority there
  std::pmr::vector<unsigned> main;     ///< by job, for max_jobs or more: the context of its main thread, or no_context
  std::size_t jobs = 0;                ///< how many jobs there are

  static constexpr unsigned no_context = ~0u;
};

/// Divides the contexts of a machine among `jobs`. core_of[c] is the core of context c, or no_core if there is no such
/// context (at most max_contexts). `jobs` come in any order, each number once.
/// - A whole core goes to one job, if the job may use all contexts of the core.
/// - Each job that wants one has a context for its main thread, if there are enough that it may use. The other jobs
///   share a context in turns.
/// - Further cores go by weight: always to the job that has the fewest for its weight.
/// - The only core of a job of little weight goes by turns. Jobs that lack an eighth of a core or more have a part in
/// it. Deterministic. Takes 1 us for 2 contexts, about 1 ms for 1,024 contexts and 64 jobs. All memory, including the
/// result's, comes from `memory`.
CALLISTO_API context_assignment divide(const std::vector<unsigned>& core_of, std::span<const job_demand> jobs,
                                       arrangement_rule how = arrangement_rule::packed,
                                       std::pmr::memory_resource* memory = std::pmr::get_default_resource());
inline constexpr unsigned no_core = ~0u;

}  // namespace callisto::cosched
