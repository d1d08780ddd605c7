// The spatial policy of a broker: contexts are divided among users by weight, then each user's among its jobs.
//
// A pure function, made of cosched::divide(): each user counts as one job that may run where its jobs may. A core that
// users share in turns counts as a whole core when the user's jobs divide.
#pragma once

#include <callisto/broker/job_sets.hpp>
#include <callisto/broker/user_slices.hpp>
#include <callisto/cosched/context_assignment.hpp>
#include <callisto/export.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace callisto::broker {

/// A job as the policy sees it, and its user by an index of the users' weights.
struct demand_of_user {
  unsigned user;
  cosched::job_demand of;
};

/// The result of divide_among_users().
struct division {
  std::vector<user_slices> high;  ///< by context: which jobs have high priority there, and when
  std::vector<unsigned> main;     ///< by job: the context of its main thread, or no_context
  std::size_t jobs = 0;           ///< how many jobs there are

  static constexpr unsigned no_context = cosched::context_assignment::no_context;
};

/// Divides the contexts of a machine among users, by `weights`, and then among the jobs of each. `core_of` as in
/// cosched::divide(). Job numbers are below most_jobs, each once. Deterministic. Takes 2 us for two users with two jobs
/// each on 2 contexts, about 20 ms for 1,024 contexts and 255 jobs of 64 users.
CALLISTO_API division divide_among_users(const std::vector<unsigned>& core_of, std::span<const unsigned> weights,
                                         std::span<const demand_of_user> jobs);

}  // namespace callisto::broker
