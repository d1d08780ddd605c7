// The answer to ask_usage: lines of jobs or users, a page of them at a time.
#pragma once

#include <callisto/broker/arbiter.hpp>
#include <callisto/broker/messages.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include <sys/types.h>

namespace callisto::broker {

/// A job as the kernel and the job itself describe it.
struct listed_job {
  unsigned number;
  std::uint64_t account;
  pid_t process;
  const job_facts& facts;
};

/// Returns the page for a question. `jobs` are all jobs by number; `only` is the account that is listed, if not all
/// are. The context time is that of the arbiter's last count().
usage_page answer_to(const ask_usage& asked, const arbiter& of, const std::vector<listed_job>& jobs,
                     std::optional<std::uint64_t> only, const std::function<unsigned(std::uint64_t)>& weight_of);

}  // namespace callisto::broker
