// Sets the number of threads for a while.
#pragma once

#include <callisto/workers/teams/runtime.hpp>

namespace callisto::tests {

/// While the object lives, loops have `count` threads; then they have as many as before.
class with_threads {
 public:
  explicit with_threads(unsigned count) : before_(threads()) { set_threads(count); }
  ~with_threads() { set_threads(before_); }
  with_threads(const with_threads&) = delete;
  with_threads& operator=(const with_threads&) = delete;

 private:
  const unsigned before_;
};

}  // namespace callisto::tests
