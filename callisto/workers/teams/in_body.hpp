// Whether the calling thread runs a body or a task, also one that no other thread joined.
#pragma once

#include <cstdint>

namespace callisto::workers {

/// The bodies and tasks around the calling thread's present code. initial-exec: every loop writes it.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local std::uint32_t bodies_of_thread;

/// Says that the calling thread runs a body or a task from here on. The threads must not be started anew meanwhile:
/// those that end may wait for it.
class in_body {
 public:
  in_body() noexcept { ++bodies_of_thread; }
  ~in_body() { --bodies_of_thread; }
  in_body(const in_body&) = delete;
  in_body& operator=(const in_body&) = delete;
};

}  // namespace callisto::workers
