#include <callisto/global/session/core_sleep.hpp>

#include <callisto/global/transport/limits.hpp>
#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/ticks_of.hpp>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <utility>

namespace callisto::global {

void core_sleep::join_other_jobs(unsigned cores) {
  if (!rank_.net->owns_process() || rank_.context.ranks == 1) return;
  std::vector<unsigned> contexts = machine::limits::current().cpus;
  std::ranges::sort(contexts);
  leases_.resize(cores);
  for (unsigned c = 0; c != cores; ++c) {
    const std::size_t place = static_cast<std::size_t>(rank_.net->place_among_rivals()) * cores + c;
    leases_[c].context = contexts[place % contexts.size()];
  }
  if (cores > 1) {
    contexts.clear();
    for (const lease& l : leases_) contexts.push_back(l.context);
    std::ranges::sort(contexts);
    contexts.erase(std::ranges::unique(contexts).begin(), contexts.end());
  }
  workers::join_for_long_work(std::move(contexts));
  leases_[0].on = workers::lease_of_this_leader();
}

void core_sleep::take_lease(unsigned number) {
  if (leases_.empty()) return;
  lease& l = leases_[number];
  l.own = workers::lease_on(l.context);
  l.on = l.own.get();
}

void core_sleep::drop_lease(unsigned number) {
  if (!leases_.empty()) leases_[number].own.reset();
}

void core_sleep::check_in(const core& c) {
  if (leases_.empty()) return;
  lease& l = leases_[c.number()];
  if (l.on == nullptr || l.is_lent) return;
  const std::uint64_t now = machine::native::ticks();
  if (l.on->undisturbed(now) || now < l.ask_at) return;
  l.on->stay(false);
  l.ask_at = machine::native::ticks() + machine::ticks_of<machine::native>(rank_limits::check_in_ns);
}

void core_sleep::give_back(core& c, unsigned idle) {
  if (idle == rank_limits::sleeps_before_lending && !leases_.empty() && leases_[c.number()].on != nullptr) {
    leases_[c.number()].on->idle();
    leases_[c.number()].is_lent = true;
  }
  if (idle == rank_limits::sleeps_before_trim) c.trim();
}

void core_sleep::sleep(core& c, unsigned idle) {
  const std::chrono::microseconds most = sleep_times::most(idle);
  asleep_.fetch_add(1, std::memory_order_relaxed);  // relaxed, here and below: a hint
  if (const std::unique_lock at_network(at_network_, std::try_to_lock); !at_network) {
    c.park(most);
  } else if (c.lie_down_elsewhere()) {
    rank_.engine->wait(most);
    c.get_up();
  }
  asleep_.fetch_sub(1, std::memory_order_relaxed);
}

void core_sleep::come_back(const core& c) {
  if (leases_.empty() || !std::exchange(leases_[c.number()].is_lent, false)) return;
  while (!leases_[c.number()].on->come([] { return false; })) {
  }
}

}  // namespace callisto::global
