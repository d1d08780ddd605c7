// The broker's process: its socket, its jobs' connections, and the clock.
#pragma once

#include <callisto/broker/accounts.hpp>
#include <callisto/broker/messages.hpp>
#include <callisto/broker/policy.hpp>
#include <callisto/cosched/timing.hpp>
#include <callisto/export.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace callisto::broker {

struct server_settings {
  std::string path{};          ///< of the socket
  bool for_all_users = false;  ///< users other than this one may connect
  policy rules{};
  accounts known{};
  cosched::timing delays{};
  std::string root{};    ///< a tree with /proc and the mounts of control groups; empty: the system's
  std::string online{};  ///< the file with the list of CPUs that are plugged in; empty: the system's
};

/// Serves jobs until it ends. One thread uses it.
class CALLISTO_API server {
 public:
  /// Makes the socket. Throws callisto::error with one line: another broker listens there, or the system refuses.
  explicit server(server_settings how);
  server(const server&) = delete;
  /// Removes the socket. Jobs keep what they have, and run as if none shared after their grace period.
  ~server();

  /// Serves until `stop()`, which it asks at least every 0.2 s.
  void run(const std::function<bool()>& stop);

  /// Follows other rules from now on; stop() of run() may call it. Jobs above a new limit stay. Takes reserved contexts
  /// from their jobs.
  void adopt(policy rules);

  /// Returns how this broker makes jobs leave.
  enforcement grade() const noexcept;

  unsigned jobs() const noexcept;

 private:
  struct impl;
  std::unique_ptr<impl> in_;
};

}  // namespace callisto::broker
