// Notes on what suspended workers wait for, and where their program says so: for the report of a job in which nothing
// goes on.
#pragma once

#include <callisto/global/tasks/core.hpp>

#include <source_location>

namespace callisto::global {

/// Notes in the calling thread's core that the running worker waits, while the scope lasts. On the worker's stack.
/// About 2 ns.
class noted_wait {
 public:
  /// `what` follows "waits for" and outlives the scope.
  noted_wait(const char* what, const std::source_location& where) noexcept
      : note_{.what = what, .where = where, .by = &core::here()->running(), .before = nullptr, .after = nullptr},
        core_(*core::here()) {
    core_.add_wait(note_);
  }
  ~noted_wait() { core_.remove_wait(note_); }
  noted_wait(const noted_wait&) = delete;
  noted_wait& operator=(const noted_wait&) = delete;

 private:
  wait_note note_;
  core& core_;
};

}  // namespace callisto::global
