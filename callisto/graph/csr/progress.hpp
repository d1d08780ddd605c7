// run_control: how a long operation reports its progress, and how a caller stops it.
#pragma once

#include <callisto/export.hpp>
#include <callisto/machine/system/error.hpp>

#include <cstdint>
#include <stop_token>
#include <string_view>

namespace callisto::graph {

/// Receives the progress of one operation. The base class ignores it.
class CALLISTO_API progress {
 public:
  virtual ~progress() = default;
  /// Called when a stage begins, by the thread that runs the operation. The stage has `total` units of `unit` ("bytes",
  /// "edges", "iterations"); 0: the number is unknown.
  virtual void begin(std::string_view stage, std::uint64_t total, std::string_view unit);
  /// Called when `amount` more units are done, by any thread, at most some thousand times a second.
  virtual void advance(std::uint64_t amount);
};

using callisto::cancelled;

/// The last parameter of every long operation.
struct run_control {
  progress* report = nullptr;  ///< receives the progress; null: it is not reported
  std::stop_token stop;        ///< if a stop is requested, the operation throws cancelled

  /// Throws cancelled if a stop was requested.
  void check() const {
    if (stop.stop_requested()) throw cancelled();
  }
};

/// A stage of sequential work of `total` steps: call step() after each. Reports about 1000 times.
class sequential_stage {
 public:
  sequential_stage(const run_control& control, std::string_view name, std::uint64_t total, std::string_view unit)
      : control_(control), at_once_(total / 1000 + 1) {
    if (control.report != nullptr) control.report->begin(name, total, unit);
  }
  /// Throws cancelled.
  void step() {
    if (++untold_ != at_once_) return;
    untold_ = 0;
    control_.check();
    if (control_.report != nullptr) control_.report->advance(at_once_);
  }

 private:
  const run_control& control_;
  const std::uint64_t at_once_;
  std::uint64_t untold_ = 0;
};

}  // namespace callisto::graph
