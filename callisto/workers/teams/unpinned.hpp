// Threads and programs that a loop's body starts, and the processors where they may run.
#pragma once

#include <callisto/export.hpp>

#include <memory>

namespace callisto {

/// Lets the calling thread run on all processors of the process while the object lives; then restores its affinity.
/// Threads that run loops have a processor each, and threads and programs that a body starts inherit that: a body that
/// starts any makes an `unpinned` first. For the thread that made it. Takes some system calls. Throws std::bad_alloc.
/// A child of fork() runs on all processors without it.
class CALLISTO_API unpinned {
 public:
  unpinned();
  ~unpinned();
  unpinned(const unpinned&) = delete;
  unpinned& operator=(const unpinned&) = delete;

 private:
  struct impl;
  std::unique_ptr<impl> in_;
};

}  // namespace callisto
