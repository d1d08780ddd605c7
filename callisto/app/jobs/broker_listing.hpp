// A broker's jobs and users as text, as JSON, and as metrics.
#pragma once

#include <callisto/app/base/json.hpp>
#include <callisto/broker/client.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace callisto::app {

/// The names of users. Those of a directory service are not looked up: that may take long.
class user_names {
 public:
  /// Reads the text of passwd(5); lines that are damaged are left out.
  explicit user_names(std::string_view passwd);
  /// Those of /etc/passwd.
  static user_names of_system();

  /// Returns the user's name, safe to print; its number if it has none.
  std::string of(std::uint64_t account) const;

 private:
  std::map<std::uint64_t, std::string> names_;
};

/// Returns the name that a job gives itself, safe to print: any job may call itself anything.
std::string shown_name(const broker::usage_line& job);
/// Returns the jobs that a broker lists for this process; none if there is no broker, or it does not answer.
std::vector<broker::usage_line> jobs_of_broker();

/// Returns a job's weight as a multiple of a weight of 1 at the usual priority.
double weight_of(const broker::usage_line& job) noexcept;

/// Returns the jobs, or the users, as an array of objects.
json jobs_to_json(const broker::broker_usage& lists, const user_names& names);
json users_to_json(const broker::broker_usage& lists, const user_names& names);

/// Returns tables of the users, if there are several, and of the jobs.
std::string to_words(const broker::broker_usage& lists, const user_names& names);

/// Returns what a broker tells in Prometheus' text format; without a broker that answers, that alone.
std::string to_metrics(const std::optional<broker::broker_report>& by, const std::optional<broker::broker_usage>& lists,
                       const user_names& names);

}  // namespace callisto::app
