// How the process shares the machine with other jobs: when it joins, and where its threads may run.
#include <callisto/workers/teams/process_runtime.hpp>

#include <callisto/machine/host/limits.hpp>

#include <algorithm>
#include <utility>

#include <sched.h>
#include <sys/stat.h>

namespace callisto::workers {

using machine::native;
using machine::order;

namespace {

/// True if the process has a namespace of process numbers that is not the machine's first one, as in a container. Jobs
/// outside of it have other tables.
bool in_container() noexcept {
  constexpr ino_t first_namespace = 0xEFFFFFFC;  // PROC_PID_INIT_INO, the same in all kernels since 3.8
  struct stat here{};
  return stat("/proc/self/ns/pid", &here) == 0 && here.st_ino != first_namespace;
}

}  // namespace

void runtime::join_for_long_work(std::vector<unsigned> contexts) {
  contexts_of_long_work_ = std::move(contexts);
  join_first();
}

std::shared_ptr<context_lease<native>> runtime::lease_on(unsigned context) {
  if constexpr (!coscheduled) return nullptr;
  coscheduling* const with = sharing_now_.load(order::acquire);  // acquire: as in lease_of_leader()
  return with == nullptr ? nullptr : std::make_shared<coscheduling::follower>(*with, context);
}

std::string runtime::sharing_in_words() {
  root();
  const std::scoped_lock held(mutex_);
  if (sharing_ == nullptr) return "no: " + alone_because_;
  if (!sharing_->alone()) return sharing_->table() + ", with others at the moment";
  return sharing_->table() + (in_container()
                                  ? ", no other job of this container shares contexts at the moment; 'callisto status' "
                                    "lists also those that stand aside, and none outside of it"
                                  : ", no other job shares contexts at the moment; 'callisto status' lists also those "
                                    "that stand aside");
}

void runtime::join_first() {
  if constexpr (!coscheduled) return;
  {
    const std::scoped_lock held(mutex_);
    if (ended_ || sharing_ != nullptr || tree_ != nullptr) return;
    const cosched::settings how = cosched::settings::from_environment();
    const machine::limits limits = machine::limits::current();
    const int here = sched_getcpu();
    if (!how.wanted || here < 0 || !machine::pins(limits, machine::placement_request::from_environment())) return;
    if (contexts_of_long_work_.empty()) {
      join(how, limits.cpus, static_cast<unsigned>(here));
    } else {
      const std::vector<unsigned>& own = contexts_of_long_work_;
      const auto at = std::find(own.begin(), own.end(), static_cast<unsigned>(here));
      join(how, own, at == own.end() ? own[0] : *at);
    }
  }
  lease_of_leader();
}

void runtime::join(const cosched::settings& how, std::vector<unsigned> contexts, unsigned here) {
  alone_because_.clear();
  sharing_ = coscheduling::join(
      how, std::move(contexts), here, [this](unsigned c) { return move_leader(c); }, alone_because_,
      contexts_of_long_work_.empty());
  // release: pairs with lease_of_leader(): a thread that sees the pointer sees the whole object.
  sharing_now_.store(sharing_.get(), order::release);
}

void runtime::share(const machine::placement& plan, const cosched::settings& how) {
  if constexpr (!coscheduled) {
    alone_because_ = "built without (CALLISTO_COSCHED)";
    return;
  }
  std::vector<unsigned> contexts;
  for (const machine::context& c : plan.contexts) contexts.push_back(c.os_index);
  // One thread alone may run anywhere.
  if (contexts.size() == 1) contexts = limits_now().cpus;
  std::sort(contexts.begin(), contexts.end());
  contexts.erase(std::unique(contexts.begin(), contexts.end()), contexts.end());
  // Contexts can be shared out only among threads that stay on them.
  if (!plan.pinned) contexts.clear();
  if (sharing_ != nullptr) return sharing_->set_contexts(std::move(contexts));
  if (!how.wanted || contexts.empty()) {
    alone_because_ = how.wanted ? "the threads are not pinned" : "CALLISTO_COSCHED=off";
  } else {
    join(how, std::move(contexts), plan.contexts[0].os_index);
  }
  if (sharing_ == nullptr) how.tell_if_wanted(alone_because_);
}

bool runtime::move_leader(unsigned context) noexcept {
  if (sched_getcpu() == static_cast<int>(context)) return true;
  const std::unique_lock held(mutex_, std::try_to_lock);
  return !held || leader_.move_leader(context, followers_, sharing_.get());  // else meet_leader() tries again
}

}  // namespace callisto::workers
