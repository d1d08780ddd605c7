// Makes jobs leave contexts that they have lost without an answer: the grades of enforcement.
#pragma once

#include <callisto/broker/arbiter.hpp>
#include <callisto/broker/confined_process.hpp>
#include <callisto/broker/guest_groups.hpp>
#include <callisto/broker/messages.hpp>
#include <callisto/broker/moved_threads.hpp>
#include <callisto/broker/policy.hpp>
#include <callisto/machine/system/descriptor.hpp>

#include <array>
#include <optional>
#include <string>

#include <sys/types.h>

namespace callisto::broker {

/// The process of a job that is to leave.
struct offender {
  unsigned job;
  pid_t number;
  const machine::descriptor& process;
  cosched::context_set contexts;                 ///< those that it demands
  std::optional<arbiter::confinement> may_have;  ///< nullopt: it owes no answer any more
};

/// One thread uses it.
class enforcer {
 public:
  /// Chooses the highest grade that the system allows.
  enforcer(const std::string& socket, bool for_all_users, const std::string& root);

  /// Frees what a killed broker with this socket has confined. No other broker may use the socket.
  void free_what_a_killed_broker_left(const std::string& socket, const std::string& root) const;
  enforcement grade() const noexcept { return grade_; }

  /// Keeps the policy's groups of guests on the guests' contexts, if the grade is group; look_at_guests() goes on.
  void keep_guests(const policy& rules);
  void look_at_guests() const { guests_.look(); }
  void free_guests() const { guests_.undo(); }

  /// Moves a job off a context, for at most `tokens`, from which it takes what that costs as messages. True if the job
  /// cannot come back by itself.
  bool keep_off(const offender& offending, unsigned context, double& tokens);
  /// Undoes that.
  void give_back(const offender& offending, unsigned context);
  /// Follows a change of what the job may have.
  void follow(const offender& offending);
  bool confines(unsigned job) const noexcept { return confined_[job].is_confined(); }
  /// Undoes all that was done to a job.
  void free(unsigned job);

 private:
  bool confine(const offender& offending);

  enforcement grade_ = enforcement::debt;
  std::array<moved_threads, most_jobs> moved_{};
  std::array<confined_process, most_jobs> confined_{};
  guest_groups guests_;
};

}  // namespace callisto::broker
