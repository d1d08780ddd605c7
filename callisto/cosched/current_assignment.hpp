// The context assignment that the slots of a table give now; computed again when they change.
#pragma once

#include <callisto/cosched/context_assignment.hpp>
#include <callisto/cosched/job.hpp>
#include <callisto/cosched/table.hpp>
#include <callisto/export.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace callisto::cosched {

/// Returns the core of each context of this machine, in the form that tables have.
CALLISTO_API std::vector<unsigned> cores_of_host();

/// Keeps the last assignment and the table's generation that it was computed for. Not thread-safe.
class current_assignment {
 public:
  current_assignment() = default;
  /// Takes `core_of` from the table's header.
  explicit current_assignment(std::vector<unsigned> core_of);

  /// Returns the assignment; never null. One load if nothing has changed since the last call.
  std::shared_ptr<const context_assignment> of(const shared_table& shared);

  /// True if `job` would take turns with other jobs on its main context. The question counts `job`, the jobs that
  /// share, and the jobs that do not share for this reason. Computes an assignment.
  bool would_take_turns(const shared_table& shared, unsigned job) const;

  /// Returns the table's generation that the last assignment was computed for.
  std::uint64_t generation() const noexcept { return made_for_; }

  const std::vector<unsigned>& cores() const noexcept { return core_of_; }

 private:
  std::vector<unsigned> core_of_;
  context_set known_{};              ///< the contexts that exist
  std::vector<job_demand> demands_;  ///< the slots' records, with room for all; too much for small stacks
  std::shared_ptr<const context_assignment> made_;
  std::uint64_t made_for_ = 0;
};

}  // namespace callisto::cosched
