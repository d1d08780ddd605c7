// Measures elapsed time.
#pragma once

#include <chrono>

namespace callisto::app {

/// Measures the time since its construction, by the steady clock.
class stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace callisto::app
