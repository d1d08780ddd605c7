// The policy file of `callisto broker`.
#pragma once

#include <callisto/broker/policy.hpp>

#include <string>
#include <vector>

namespace callisto::app {

/// Where root's broker looks for a policy that is not named.
inline constexpr const char* usual_policy = "/etc/callisto/broker.toml";

/// Reads a policy. /etc/passwd and /etc/group have the names of users and groups; a user without a name there
/// is given by number. A rule for a name that is not there is left out: `userdel` stops no broker. `warnings` gets a
/// line about each such rule, and each CPU that this machine does not have. Throws input_error, which names the file
/// and the line, if the file cannot be read, is no TOML, or has a key or value that is not known.
broker::policy read_policy(const std::string& path, std::vector<std::string>& warnings);

}  // namespace callisto::app
