// The spatial policy: which job has high priority on which hardware context while all jobs are runnable (EuroSys'14
// section 2.1).
//
// A pure function of the jobs in the table: every job computes it for itself, and all come to the same. So the result
// is not shared memory that could be out of date, half-written by a job that died, or corrupted.
#pragma once

#include <callisto/cosched/time_slices.hpp>
#include <callisto/export.hpp>

#include <array>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

namespace callisto::cosched {

/// Contexts that a table has room for, by the operating system's numbers.
inline constexpr unsigned max_contexts = 1024;

/// A set of contexts.
class context_set {
 public:
  static constexpr unsigned words = max_contexts / 64;

  bool has(unsigned context) const noexcept { return (bits_[context / 64] >> (context % 64) & 1) != 0; }
  void add(unsigned context) noexcept { bits_[context / 64] |= std::uint64_t{1} << (context % 64); }
  bool empty() const noexcept { return bits_ == std::array<std::uint64_t, words>{}; }
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
  unsigned main = anywhere;  ///< where its main thread would rather stay; anywhere: anywhere
  bool wants_main = true;    ///< whether it needs a context for a main thread at all

  static constexpr unsigned anywhere = ~0u;
};

/// How the cores of a job lie.
enum class arrangement_rule {
  spread,  ///< jobs alternate, so that each has a part of every cache and memory
  packed,  ///< neighbours, so that jobs share as little as possible
};

struct context_assignment {
  std::pmr::vector<time_slices> high;          ///< by context: who has high priority there
  std::array<unsigned, max_jobs> main;  ///< by job: the context of its main thread; no_context: none
  std::size_t jobs = 0;                 ///< how many there are

  static constexpr unsigned no_context = ~0u;
};

/// Divides the contexts of a machine, where core_of[c] is the core of context c, or no_core if there is no such context
/// (at most max_contexts), among `jobs` (any order, numbers below max_jobs, each once):
/// - whole cores to one job, as far as it may use all of a core's contexts;
/// - each job that wants one has a context for its main thread, where there are enough that it may use, and the others
///   share one, by turns;
/// - cores beyond that by weight: always to the job that has least of them for its weight;
/// - the only core of a job of little weight by turns, in which those have a part that lack an eighth of a core or
/// more. Deterministic. 2 contexts: a microsecond; 1,024 and 64 jobs: about a millisecond. All memory, also the
/// result's, comes from `memory`.
CALLISTO_API context_assignment divide(const std::vector<unsigned>& core_of, std::span<const job_demand> jobs,
                             arrangement_rule how = arrangement_rule::packed,
                             std::pmr::memory_resource* memory = std::pmr::get_default_resource());
inline constexpr unsigned no_core = ~0u;

}  // namespace callisto::cosched
