// A queue of a thread of the broker, which waits there for descriptors under keys, and for a time.
#pragma once

#include <callisto/machine/system/descriptor.hpp>

#include <array>
#include <cstdint>
#include <span>

namespace callisto::broker {

/// One thread waits. Any thread may change what it waits for.
class event_queue {
 public:
  /// Throws callisto::error with one line if the system refuses.
  event_queue();

  /// Reports a descriptor under a key from now on, until it is closed. False if the system refuses.
  bool add(int fd, int key) noexcept;
  /// Reports it no more for a while, or again.
  void set(int fd, int key, bool heard) noexcept;

  /// Waits until a descriptor has something, or until `due`, a time of shared_nanoseconds(). Returns keys of
  /// descriptors that have something.
  std::span<const int> wait(std::uint64_t due) noexcept;

 private:
  machine::descriptor queue_;
  std::array<int, 64> keys_{};
};

}  // namespace callisto::broker
