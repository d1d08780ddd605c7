// The rules of a broker that its administrator makes.
#pragma once

#include <callisto/cosched/context_assignment.hpp>

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace callisto::broker {

struct policy {
  unsigned weight = 1;                         ///< of a user that the next two do not name
  std::map<std::uint64_t, unsigned> users{};   ///< weights by account
  std::map<std::uint64_t, unsigned> groups{};  ///< weights of groups' users, not below `weight`; the largest counts
  /// Weights of the users that have processes in these control groups, as /proc/PID/cgroup names them, or inside; as
  /// for groups.
  std::map<std::string, unsigned> control_groups{};
  unsigned jobs_of_user = 64;       ///< the most jobs of an account
  unsigned contexts_of_user = 0;    ///< the most contexts of an account's jobs, and one a job; 0: no limit
  unsigned messages_of_user = 0;    ///< the most messages of an account in a second; 0: 2,000, and 200 for each context
  cosched::context_set reserved{};  ///< contexts that no job gets
  cosched::context_set guests{};    ///< contexts of programs that are no jobs, if they are guests; none: those reserved
  std::set<std::string> guest_groups{};  ///< control groups of guests: each of their programs is one
  /// Users and groups that see the jobs of all users, as root does. Any other user sees its own jobs.
  bool all_see_all = false;
  std::set<std::uint64_t> seeing_users{};
  std::set<std::uint64_t> seeing_groups{};

  const cosched::context_set& contexts_of_guests() const noexcept { return guests.empty() ? reserved : guests; }
};

}  // namespace callisto::broker
