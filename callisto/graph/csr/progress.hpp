// How long operations report how far they are, and how they are asked to stop.
#pragma once

#include <callisto/export.hpp>

#include <cstdint>
#include <stdexcept>
#include <stop_token>
#include <string_view>

namespace callisto::graph {

/// Receives the progress of one operation; the base class ignores it.
class CALLISTO_API progress {
 public:
  virtual ~progress() = default;
  /// A stage begins: `total` units of `unit` ("bytes", "edges", "iterations") lie ahead, 0 if unknown. Called by the
  /// thread that runs the operation.
  virtual void begin(std::string_view stage, std::uint64_t total, std::string_view unit);
  /// `amount` more units are done. Called by any thread, at most some thousand times a second.
  virtual void advance(std::uint64_t amount);
};

/// Thrown by a long operation whose stop token was triggered; nothing was changed or written.
class CALLISTO_API cancelled : public std::runtime_error {
 public:
  cancelled() : std::runtime_error("cancelled") {}
};

/// What every long operation takes: where to report, and a token that ends it early with graph::cancelled.
struct run_control {
  progress* report = nullptr;
  std::stop_token stop;

  void check() const {
    if (stop.stop_requested()) throw cancelled();
  }
};

/// A stage of one thread's work: `total` steps, each followed by step().
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
