// The division as the slots of a table say now: made anew when they change.
#pragma once

#include <callisto/cosched/context_assignment.hpp>
#include <callisto/cosched/job.hpp>
#include <callisto/cosched/table.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace callisto::cosched {

/// Process numbers are not above this (PID_MAX_LIMIT).
inline constexpr std::uint64_t max_pid = 1 << 22;

/// The core of each context of this machine, as tables have it.
std::vector<unsigned> cores_of_host();

/// Not thread-safe.
class current_assignment {
 public:
  current_assignment() = default;
  /// For a table whose header says `core_of`.
  explicit current_assignment(std::vector<unsigned> core_of);

  /// Never null. One load if nothing has changed since the last time.
  std::shared_ptr<const context_assignment> of(const shared_table& shared);

  /// The table's generation that the last one was made for.
  std::uint64_t generation() const noexcept { return made_for_; }

  const std::vector<unsigned>& cores() const noexcept { return core_of_; }

 private:
  std::vector<unsigned> core_of_;
  context_set known_{};  ///< contexts that exist
  std::shared_ptr<const context_assignment> made_;
  std::uint64_t made_for_ = 0;
};

}  // namespace callisto::cosched
