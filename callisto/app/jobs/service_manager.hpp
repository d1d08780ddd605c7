// Tells the service manager, systemd, how this process is: the datagrams of sd_notify(3), without its library.
#pragma once

#include <callisto/machine/system/descriptor.hpp>

#include <chrono>
#include <string>
#include <string_view>

namespace callisto::app {

/// The manager that NOTIFY_SOCKET names; without the variable each call does nothing. No call waits: a manager that
/// reads nothing holds no one up. Not thread-safe.
class service_manager {
 public:
  using clock = std::chrono::steady_clock;

  /// Reads NOTIFY_SOCKET, and WATCHDOG_USEC if WATCHDOG_PID is this process or not set.
  service_manager();

  /// Sends lines such as "READY=1".
  void tell(std::string_view lines) const noexcept;

  /// Says "WATCHDOG=1" if a third of the manager's patience has passed since it was last said.
  void still_works(clock::time_point now = clock::now()) noexcept;

 private:
  machine::descriptor socket_;
  std::string address_;
  clock::duration patience_{0};  ///< 0: there is no watchdog
  clock::time_point told_at_{};
};

}  // namespace callisto::app
