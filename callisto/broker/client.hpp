// A job's connection with a broker.
#pragma once

#include <callisto/broker/messages.hpp>
#include <callisto/cosched/broker_link.hpp>
#include <callisto/cosched/context_assignment.hpp>
#include <callisto/export.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace callisto::cosched {
struct membership;
}

namespace callisto::broker {

/// Returns where a job looks for a broker: `CALLISTO_COSCHED_DIR/broker` alone if that is set, else
/// /run/callisto/broker, then /run/user/UID/callisto-broker. Programs in secure mode heed no variable.
CALLISTO_API std::vector<std::string> broker_places();

/// Joins the first broker of broker_places() that answers, as cosched::broker_finder says. A socket of another user
/// than root and this one is passed over, as is one that sends pages without seals. Takes some 200 us if there is a
/// broker, and 2 us if there is none.
CALLISTO_API std::unique_ptr<cosched::broker_link> find(const cosched::membership& how, std::string& refusal);

/// The facts that a broker tells of itself and of this user's jobs.
struct broker_report {
  std::string path;
  report says;
  bool answers = true;  ///< false: it is stopped, and `says` nothing
};
/// Asks the first broker of broker_places() that is there; nullopt: there is none. For processes that are no jobs.
/// Takes half a second if it is stopped.
CALLISTO_API std::optional<broker_report> ask_for_report();

/// True if a broker that this process would trust takes connections at `path`, also one that does not answer.
CALLISTO_API bool listens_at(const std::string& path);
/// Returns the first of broker_places() that is a socket of root's or this user's at which no process listens, as a
/// killed broker leaves it. Empty: there is none.
CALLISTO_API std::string socket_left();

/// The jobs and users that a broker lists for this process.
struct broker_usage {
  bool all_users = false;  ///< false: the policy lets this process see its own user alone
  std::vector<usage_line> jobs;
  std::vector<usage_line> users;  ///< also users without a job at the moment
};
/// Asks the broker at `path`; nullopt: it does not answer, or knows no such question.
CALLISTO_API std::optional<broker_usage> ask_for_usage(const std::string& path);

/// Asks the first broker of broker_places() that is there where a program that is no job is to run. No context: its
/// policy has none for such programs; nullopt: there is no broker, or it does not answer.
CALLISTO_API std::optional<cosched::context_set> ask_for_place();

/// Returns the word for a grade.
constexpr const char* name_of(enforcement grade) noexcept {
  return grade == enforcement::group ? "group" : grade == enforcement::thread ? "thread" : "debt";
}

/// Connects a socket with a broker, and returns its descriptor; -1: none of root's or this user's listens there (in a
/// user namespace: none of a user outside in a folder that only that user can write). No
/// call on it blocks for more than half a second; none at all unless it `waits`.
CALLISTO_API int connect_to_broker(const std::string& path, bool waits = true);

}  // namespace callisto::broker
