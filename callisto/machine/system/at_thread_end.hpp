// Gives back what a thread has when the thread ends, without a thread_local object that has a destructor: the C library
// keeps a plug-in in memory as long as a thread lives that has such an object of it.
#pragma once

#include <atomic>
#include <cstdint>

namespace callisto::machine {

/// Calls a function at the end of each thread that expects it. A static object; thread-safe.
class at_thread_end {
 public:
  /// `gives_back` gives back what the calling thread has, and may be called when it has nothing.
  constexpr explicit at_thread_end(void (*gives_back)() noexcept) noexcept : gives_back_(gives_back) {}
  at_thread_end(const at_thread_end&) = delete;
  at_thread_end& operator=(const at_thread_end&) = delete;
  /// Calls the function for the calling thread, which ends the process or unloads the library. From now on the ends of
  /// threads go unnoticed.
  ~at_thread_end();

  /// Lets the function be called when the calling thread ends, after its thread_local objects. If the system has no
  /// room for that, what the thread has is lost then. A later call counts again, also at the thread's end.
  void expect() noexcept;

 private:
  static void run(void* its) noexcept { static_cast<at_thread_end*>(its)->gives_back_(); }

  void (*const gives_back_)() noexcept;
  std::atomic<std::int64_t> key_{none};
  static constexpr std::int64_t none = -1;
  static constexpr std::int64_t over = -2;
};

}  // namespace callisto::machine
