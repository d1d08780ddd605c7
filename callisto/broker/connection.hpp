// A connection of a broker, and what the broker knows of the account behind it.
#pragma once

#include <callisto/broker/messages.hpp>
#include <callisto/broker/pages.hpp>
#include <callisto/broker/process_groups.hpp>
#include <callisto/machine/system/descriptor.hpp>

#include <cstdint>
#include <optional>
#include <vector>

#include <sys/socket.h>
#include <sys/types.h>

namespace callisto::broker {

enum class stage { connected, welcomed, member };

struct connection {
  machine::descriptor socket;
  machine::descriptor process;
  ucred peer{};
  std::uint64_t account = 0;
  std::uint64_t since = 0;
  std::uint64_t nonce = 0;
  stage at = stage::connected;
  std::vector<gid_t> groups;  ///< of the process that connected
  job_facts facts;
  process_groups control_groups;  ///< of a member
  std::optional<made_pages> pages;
  unsigned job = 0;
  bool muted = false;
};

/// An account's connections, and its allowance.
struct account_state {
  unsigned connections = 0;
  unsigned jobs = 0;
  double tokens = 0;  ///< messages that it may send now
  std::uint64_t filled_at = 0;
};

/// Returns what the job demands, without contexts that its cpuset has not. If the cpuset has none of them, the job's
/// word counts: the job runs somewhere, and waits for what it knows.
inline cosched::job_demand demand_of(const connection& c) noexcept {
  cosched::job_demand d = demand_of(c.facts);
  const auto& its = c.control_groups.contexts();
  if (!its || its->shared_with(d.contexts) == 0) return d;
  for (unsigned i = 0; i < cosched::context_set::words; ++i) d.contexts.word(i) &= its->word(i);
  if (d.main != cosched::job_demand::anywhere && !d.contexts.has(d.main)) d.main = cosched::job_demand::anywhere;
  return d;
}

}  // namespace callisto::broker
