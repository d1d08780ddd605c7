// The rules of a broker that its administrator makes.
#pragma once

#include <callisto/cosched/context_assignment.hpp>

#include <cstdint>
#include <map>

namespace callisto::broker {

struct policy {
  unsigned weight = 1;                         ///< of a user that the next two do not name
  std::map<std::uint64_t, unsigned> users{};   ///< weights by account
  std::map<std::uint64_t, unsigned> groups{};  ///< weights of groups' users, not below `weight`; the largest counts
  unsigned jobs_of_user = 64;                  ///< the most jobs of an account
  unsigned messages_of_user = 0;    ///< the most messages of an account in a second; 0: 2,000, and 200 for each context
  cosched::context_set reserved{};  ///< contexts that no job gets
};

}  // namespace callisto::broker
