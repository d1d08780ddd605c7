// The process's thread tree on the native machine: its threads and their start, and loops that they lead.
#include <callisto/distributor/seats.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <callisto/cosched/settings.hpp>
#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/host/placement.hpp>
#include <callisto/machine/host/topology.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/machine/system/blocked_signals.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/coscheduling.hpp>
#include <callisto/workers/teams/in_body.hpp>
#include <callisto/workers/teams/leader_placement.hpp>
#include <callisto/workers/teams/long_work.hpp>
#include <callisto/workers/teams/nesting.hpp>
#include <callisto/workers/teams/process_runtime.hpp>
#include <callisto/workers/teams/team.hpp>
#include <callisto/workers/teams/thread_tree.hpp>
#include <callisto/workers/teams/tree_node.hpp>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

namespace callisto::workers {

// The one instantiation for the native machine; simulated and checked machines make their own.
template class team<machine::native>;
template class tree_node<machine::native>;
template class thread_tree<machine::native>;

constinit thread_local std::uint32_t bodies_of_thread = 0;
constinit thread_local member<machine::native>* own_member [[gnu::tls_model("initial-exec")]] = nullptr;
constinit thread_local coscheduling::leader* leads_on [[gnu::tls_model("initial-exec")]] = nullptr;

namespace {

using machine::native;
using machine::order;

constexpr unsigned max_threads = machine::most_threads;

/// When to see whether the program's affinity has changed, in ticks. Outside the runtime: every loop reads it.
constexpr std::uint64_t never = ~std::uint64_t{0};
constinit native::atomic<std::uint64_t> look_after_affinity_at{never};

bool runs_body() noexcept { return own_member != nullptr || bodies_of_thread != 0; }

}  // namespace

tree_node<native>& one_thread() {
  static thread_tree<native>* const one = [] {
    const distributor::seat anywhere;
    return new thread_tree<native>(std::span(&anywhere, 1), {}, {});
  }();
  return one->root();
}

runtime& runtime::instance() {
  static runtime* const only = new runtime;
  return *only;
}

void runtime::set_threads(unsigned count) {
  join_first();
  const std::scoped_lock held(mutex_);
  if (ended_) return;
  restart(count, wanted_levels_);
}

void runtime::set_levels(const nesting& levels) {
  const std::scoped_lock held(mutex_);
  if (!ended_) restart(wanted_, levels);
}

thread_hooks runtime::set_hooks(thread_hooks hooks) {
  auto wanted = std::make_shared<const thread_hooks>(std::move(hooks));
  const std::scoped_lock held(mutex_);
  const std::shared_ptr<const thread_hooks> before = std::exchange(hooks_, std::move(wanted));
  return before != nullptr ? *before : thread_hooks{};
}

nesting runtime::levels() {
  const std::scoped_lock held(mutex_);
  return tree_ != nullptr ? tree_->levels() : levels_or_environment(wanted_levels_);
}

void runtime::stand(standing_item<native>& item) {
  root();
  const std::scoped_lock held(mutex_);
  standing_ = &item;
  if (tree_ != nullptr) {
    item.stand_at(&tree_->root().stand(item));
  } else {
    item.stand_at(&nowhere_);  // the process ends
  }
}

bool runtime::follow_affinity(std::uint64_t now) {
  look_after_affinity_at.store(now + native::ticks_per_second() / 100, order::relaxed);
  std::vector<unsigned> mask = machine::affinity_of(0);
  const std::scoped_lock held(mutex_);
  if (ended_ || tree_ == nullptr || mask.empty() || starter_ != gettid() || mask == mask_) return false;
  if (placement_is_decided()) return false;
  limits_ = machine::read_limits("", mask);
  mask_ = std::move(mask);
  restart(wanted_, wanted_levels_);
  return true;
}

tree_node<native>& runtime::start() {
  const std::scoped_lock held(mutex_);
  tree_node<native>* const known = root_.load(order::relaxed);  // relaxed: stored under the lock
  return known != nullptr ? *known
                          : start_followers(make_plan(wanted_), levels_or_environment(wanted_levels_),
                                            cosched::settings::from_environment());
}

bool runtime::placement_is_decided() const {
  if (wanted_ != 0) return true;
  const auto wanted = machine::placement_request::from_environment();
  return wanted.threads.has_value() || !wanted.list.empty();
}

void runtime::restart(unsigned count, const std::optional<nesting>& levels) {
  // Calls that may throw come before anything changes.
  machine::placement plan = make_plan(count);
  const nesting mapping = levels_or_environment(levels);
  static_cast<void>(schedule::from_environment());
  const cosched::settings with_others = cosched::settings::from_environment();
  end_followers();
  wanted_ = count;
  wanted_levels_ = levels;
  start_followers(std::move(plan), mapping, with_others);
}

machine::placement runtime::make_plan(unsigned threads) const {
  machine::placement_request request = machine::placement_request::from_environment();
  if (threads != 0) request.threads = threads;
  const int here = sched_getcpu();
  return machine::place(machine::topology::host(), limits_now(), request,
                        here < 0 ? std::nullopt : std::optional(static_cast<unsigned>(here)));
}

tree_node<native>& runtime::start_followers(machine::placement plan, const nesting& levels,
                                            const cosched::settings& with_others) {
  const schedule how = schedule::from_environment();
  native::prepare();
  // Here for the same reason as prepare(): a child of a fork would wait for ever for another thread's first call.
  static_cast<void>(one_thread());
  share(plan, with_others);
  for (;;) {
    tree_ = &keep(distributor::seats_of(plan.contexts), levels, how);
    if (start_threads(plan)) break;
    // If the system refuses more threads, the tree has those that it allows.
    plan.contexts.resize(followers_.size() + 1);
    end_followers();
  }
  leader_.set_spare_context(plan.contexts[0].os_index);
  // Not the context where it runs now: if it has moved meanwhile, its next loop will see.
  leader_.leader_is_on(static_cast<int>(plan.contexts[0].os_index));
  if (starter_ == 0) {
    starter_ = gettid();
    mask_ = machine::affinity_of(0);
  }
  look_after_affinity_at.store(placement_is_decided() ? never : native::ticks() + native::ticks_per_second() / 100,
                               order::relaxed);
  if (standing_ != nullptr) standing_->stand_at(&tree_->root().stand(*standing_));
  root_.store(&tree_->root(), order::release);
  return tree_->root();
}

bool runtime::start_threads(const machine::placement& plan) {
  followers_.reserve(plan.contexts.size());
  abandoned_.reserve(abandoned_.size() + plan.contexts.size());  // room for in_child()
  const machine::blocked_signals blocked;
  for (unsigned i = 1; i < plan.contexts.size(); ++i) {
    auto f = std::make_unique<follower>(follower{tree_, i, {}, std::nullopt, nullptr, hooks_});
    if (sharing_ != nullptr && plan.pinned) {
      f->on = std::make_unique<coscheduling::follower>(*sharing_, plan.contexts[i].os_index);
    }
    if (pthread_create(&f->thread, nullptr, &runtime::follower_main, f.get()) != 0) break;
    if (plan.pinned && machine::pin(f->thread, plan.contexts[i].os_index)) f->os_index = plan.contexts[i].os_index;
    followers_.push_back(std::move(f));
  }
  return followers_.size() + 1 == plan.contexts.size();
}

runtime::tree& runtime::keep(const std::vector<distributor::seat>& seats, const nesting& levels, const schedule& how) {
  const distributor::layout where(seats);
  const auto same = [&](const auto& t) { return t->where() == where && t->levels() == levels && t->how() == how; };
  const auto found = std::find_if(trees_.begin(), trees_.end(), same);
  if (found != trees_.end()) return **found;
  trees_.push_back(std::make_unique<tree>(seats, levels, how));
  abandoned_trees_.reserve(abandoned_trees_.size() + trees_.size());  // room for in_child()
  return *trees_.back();
}

void* runtime::follower_main(void* argument) {
  const follower& f = *static_cast<follower*>(argument);
  own_member = &f.where->member_of(f.number);
  own_member->on = f.on.get();
  // The program cannot cancel a thread that it has not made; a body that asks for it would leave iterations undone.
  int before = 0;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  pthread_setname_np(pthread_self(), ("callisto-" + std::to_string(f.number)).c_str());
  if (f.hooks != nullptr && f.hooks->start) f.hooks->start(f.number);
  f.where->root().follow(f.number);
  if (f.hooks != nullptr && f.hooks->end) f.hooks->end(f.number);
  return nullptr;
}

void runtime::make_room(int here) noexcept {
  if (!leader_.may_move()) return;
  const std::unique_lock held(mutex_, std::try_to_lock);
  if (held) leader_.make_room(here, followers_, sharing_.get());
}

const loop_team_choice& alone() { return one_thread().at(0); }

const loop_team_choice& loop_team_here(unsigned level) {
  if (own_member == nullptr) return runtime::instance().root().at(level);
  return (own_member->here != nullptr ? *own_member->here : one_thread()).at(level);
}

const loop_team_choice& claim::take(const loop_team_choice& wanted) noexcept {
  tree_node<native>& in = static_cast<const node_team<native>&>(wanted).in;
  return in.claim() ? wanted : in.at(0);
}

void claim::give_back() noexcept { static_cast<const node_team<native>&>(with).in.give_back(); }

const distributor::absent_threads<native>* absent_from(const loop_team_choice& with) noexcept {
  return static_cast<const node_team<native>&>(with).absent();
}

const distributor::absent_threads<native>* all_but_leader(const loop_team_choice& with) noexcept {
  return static_cast<const node_team<native>&>(with).all_but_leader();
}

bool follow_affinity(std::uint64_t now) {
  // relaxed: a hint.
  const std::uint64_t at = look_after_affinity_at.load(order::relaxed);
  if (at == never || runs_body()) return false;
  if (now == 0) now = native::ticks();
  return now >= at && runtime::instance().follow_affinity(now);
}

bool inside_flat() noexcept { return own_member != nullptr && own_member->here == nullptr; }

const loop_team_choice* idle_threads() noexcept { return runtime::instance().idle_threads(); }

void stand(standing_item<native>& item) { runtime::instance().stand(item); }

void check_in(bool arrives) noexcept {
  if (own_member == nullptr) {
    runtime& all = runtime::instance();
    if (arrives) all.meet_leader();
    all.lease_of_leader();
  } else if (context_lease<native>* const on = own_member->on; on != nullptr && !on->undisturbed()) {
    on->stay(false);
  }
}

bool others_wait() noexcept { return own_member == nullptr && runtime::instance().followers_wait(); }

std::string sharing_in_words() { return runtime::instance().sharing_in_words(); }

void join_for_long_work(std::vector<unsigned> contexts) { runtime::instance().join_for_long_work(std::move(contexts)); }

context_lease<native>* lease_of_this_leader() { return runtime::instance().lease_of_leader(); }

std::shared_ptr<context_lease<native>> lease_on(unsigned context) { return runtime::instance().lease_on(context); }

void lead(work_item<native>& item, const loop_team_choice& with) noexcept {
  // A claim has it, so it is this loop's alone.
  auto& threads = const_cast<node_team<native>&>(static_cast<const node_team<native>&>(with));
  if (own_member != nullptr) return threads.in.lead(item, threads, *own_member);
  runtime& all = runtime::instance();
  all.meet_leader();
  member<native> top;
  top.on = all.lease_of_leader();
  own_member = &top;
  threads.in.lead(item, threads, top);
  own_member = nullptr;
}

}  // namespace callisto::workers

namespace callisto {

unsigned threads() {
  static_cast<void>(workers::runtime::instance().root());
  workers::follow_affinity(machine::native::ticks());
  return workers::runtime::instance().root().threads();
}

void set_threads(unsigned count) {
  if (count == 0 || count > workers::max_threads) {
    throw usage_error("set_threads(" + std::to_string(count) + "): expected a number of threads from 1 to " +
                      std::to_string(workers::max_threads));
  }
  if (workers::runs_body()) throw usage_error("set_threads: called from a loop body; call it between loops");
  workers::runtime::instance().set_threads(count);
}

nesting levels() { return workers::runtime::instance().levels(); }

void set_levels(const nesting& mapping) {
  if (workers::runs_body()) throw usage_error("set_levels: called from a loop body; call it between loops");
  workers::runtime::instance().set_levels(mapping);
}

thread_hooks set_thread_hooks(thread_hooks hooks) { return workers::runtime::instance().set_hooks(std::move(hooks)); }

unsigned this_thread() noexcept { return workers::own_member != nullptr ? workers::own_member->number : 0; }

}  // namespace callisto
