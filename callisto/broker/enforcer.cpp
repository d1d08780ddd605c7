// First the threads' affinities, which takes microseconds; then the group, which the threads cannot undo.
#include <callisto/broker/enforcer.hpp>

#include <callisto/broker/sockets.hpp>

#include <cstdint>

namespace callisto::broker {
namespace {

/// The most threads of a job that are moved off a context: each takes some 20 us.
constexpr unsigned most_moved = 64;
/// The cost of a change of a group, in messages.
constexpr double cost_of_group = 16;

/// Returns a name for the groups of the broker with this socket (FNV-1a).
std::string name_of_groups(const std::string& path) {
  std::uint32_t hash = 2'166'136'261u;
  for (const char c : path) hash = (hash ^ static_cast<unsigned char>(c)) * 16'777'619u;
  return std::to_string(hash);
}

}  // namespace

enforcer::enforcer(const std::string& socket, bool for_all_users, const std::string& root) {
  // A user may always move its own threads.
  if (!for_all_users || may_move_others()) grade_ = enforcement::thread;
  for (confined_process& one : confined_) one = confined_process(name_of_groups(socket), root);
  guests_ = guest_groups(name_of_groups(socket), root);
  if (may_confine_others(root)) grade_ = enforcement::group;
}

void enforcer::free_what_a_killed_broker_left(const std::string& socket, const std::string& root) const {
  if (grade_ == enforcement::group) free_confined_processes(name_of_groups(socket), root);
}

void enforcer::keep_guests(const policy& rules) {
  if (grade_ == enforcement::group) guests_.follow(rules.guest_groups, rules.contexts_of_guests());
}

bool enforcer::keep_off(const offender& offending, unsigned context, double& tokens) {
  if (grade_ == enforcement::debt || !is_there(offending.process) || tokens < most_moved) return false;
  tokens -= moved_[offending.job].keep_off(offending.number, context, offending.contexts, most_moved);
  if (grade_ != enforcement::group) return false;
  tokens -= cost_of_group;
  return confine(offending);
}

void enforcer::give_back(const offender& offending, unsigned context) {
  follow(offending);
  moved_[offending.job].give_back(context);
}

void enforcer::follow(const offender& offending) {
  if (confines(offending.job)) confine(offending);
}

bool enforcer::confine(const offender& offending) {
  if (!offending.may_have) {
    confined_[offending.job].undo();
    return true;
  }
  return confined_[offending.job].confine(offending.number, offending.may_have->contexts, offending.may_have->slowly,
                                          [&] { return is_there(offending.process); });
}

void enforcer::free(unsigned job) {
  confined_[job].undo();
  moved_[job].give_all_back();
}

}  // namespace callisto::broker
