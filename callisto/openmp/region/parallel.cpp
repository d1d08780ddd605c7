// The parallel construct.
#include <callisto/openmp/region/parallel.hpp>

#include <callisto/machine/host/placement.hpp>
#include <callisto/openmp/abi/abi.hpp>
#include <callisto/openmp/region/binding.hpp>
#include <callisto/openmp/region/engine.hpp>
#include <callisto/openmp/region/initial_thread.hpp>
#include <callisto/openmp/region/kernel_state.hpp>
#include <callisto/openmp/region/member_pool.hpp>
#include <callisto/openmp/region/tool.hpp>
#include <callisto/openmp/settings/other_runtimes.hpp>
#include <callisto/openmp/worksharing/workshare.hpp>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <memory>
#include <utility>

#include <unistd.h>

namespace callisto::openmp {

namespace {

/// Returns how many threads a region can have, its leader included, if `busy` of at most `limit` threads are in
/// regions.
unsigned room_for(unsigned busy, unsigned limit) noexcept { return limit > busy ? limit - busy + 1 : 1; }

/// Counts as many of `threads` as the leader's contention group has room for, and returns that number.
unsigned count_in(omp_thread& leader, unsigned threads) noexcept {
  const unsigned limit = leader.icv().thread_limit;
  if (limit == UINT_MAX || threads == 1) return threads;
  // relaxed, here and where they are subtracted: only the number matters.
  unsigned busy = leader.group->threads.load(order::relaxed);
  unsigned granted = 1;
  do {
    granted = std::min(threads, room_for(busy, limit));
  } while (!leader.group->threads.compare_exchange(busy, busy + granted - 1, order::relaxed));
  return granted;
}

}  // namespace

unsigned processors_now(const omp_thread& self) noexcept {
  const unsigned at_first = icvs().available_cpus;
  if (!icvs().places.empty()) return at_first;
  // A member runs on a pinned thread, even inside a target region, which has level 0.
  const bool on_its_own = kernel_state_here().is_bound || (self.initial != nullptr && self.in().level == 0);
  const unsigned now = machine::contexts_of_affinity(on_its_own ? 0 : getpid());
  return now != 0 ? now : at_first;
}

unsigned resolve_threads(const omp_thread& leader, unsigned specified) noexcept {
  if (tool::watched()) [[unlikely]]
    leader.told.requested = specified != 0 ? specified : leader.icv().threads;
  if (specified == 1) return 1;
  const task_icvs& icv = leader.icv();
  if (leader.in().active_level >= icv.max_active_levels) return 1;
  unsigned threads = specified != 0 ? specified : icv.threads;
  if (icv.dynamic) threads = std::min(threads, processors_now(leader));
  if (icv.thread_limit != UINT_MAX) {
    // relaxed: an estimate; enter_region() decides.
    threads = std::min(threads, room_for(leader.group->threads.load(order::relaxed), icv.thread_limit));
  }
  return std::clamp(threads, 1U, most_threads);
}

namespace {

/// Returns a team for a region of one thread.
team& solo_team(omp_thread& leader) {
  if (leader.alone == leader.solo.size()) {
    leader.solo.push_back(std::make_unique<team>());
    leader.solo.back()->members.push_back(&leader);
  }
  return *leader.solo[leader.alone++];
}

/// Moves all threads to the last share of a cancelled region, in which not all threads met the same constructs. The
/// leader leaves shares for them.
void gather_shares(team& of, omp_thread& leader) noexcept {
  for (unsigned i = 0; i < of.threads; ++i) {
    workshare*& at = of.members[i]->at.share;
    // acquire: pairs with next_share()'s compare-and-swap.
    while (workshare* const next = at->next.load(order::acquire)) leave_share(leader, *std::exchange(at, next));
  }
}

}  // namespace

team& enter_region(omp_thread& leader, unsigned threads, unsigned flags) noexcept {
  team& outer = leader.in();
  team* inner = nullptr;
  threads = count_in(leader, threads);
  if (threads > 1) {
    if (leader.initial != nullptr) leader.initial->join_workers();
    if (leader.leading == leader.member_pools.size())
      leader.member_pools.push_back(std::make_unique<member_pool>(leader));
    member_pool& with = *leader.member_pools[leader.leading];
    unsigned provided = threads;
    // Creating threads takes locks of the C library, which a preempted thread may hold.
    if (with.region.members.size() < threads) preemptibly(leader, [&] { provided = with.provide(threads); });
    const unsigned refused = threads - provided;
    if (leader.icv().thread_limit != UINT_MAX) leader.group->threads.fetch_sub(refused, order::relaxed);
    threads -= refused;
    if (threads > 1) {
      inner = &with.region;
      ++leader.leading;
    } else if (leader.initial != nullptr) {
      leader.initial->leave_workers();
    }
  }
  if (inner == nullptr) inner = &solo_team(leader);
  team& t = *inner;
  if (tool::watched()) [[unlikely]]
    tool::region_begins(leader, t, threads);
  t.threads = threads;
  t.level = outer.level + 1;
  t.active_level = outer.active_level + (threads > 1 ? 1 : 0);
  t.teams = outer.teams;
  t.team_number = outer.team_number;
  t.before = leader.at;
  t.leader = &leader;
  t.level_in_others = level_in_other_runtimes();
  t.icv = leader.icv();
  const process_icvs& process = icvs();
  if (t.level < process.threads_by_level.size()) t.icv.threads = process.threads_by_level[t.level];
  // As in libgomp, the clause is ignored if threads are not bound; else it also holds for regions inside.
  const auto clause = static_cast<proc_bind>(flags & 7);
  if (t.icv.bind != proc_bind::none && clause != proc_bind::none) t.icv.bind = clause;
  t.bind = t.icv.bind;
  if (t.level < process.bind_by_level.size()) t.icv.bind = process.bind_by_level[t.level];
  t.outer = t.before.current;
  t.counted_in = leader.group;
  t.leader_task.parent = t.outer;
  t.leader_task.icv = t.icv;
  t.leader_task.group = nullptr;
  t.leader_task.below.begin(&leader);
  t.begins_in_loop = false;
  t.spin_ticks = std::max(threads, member_pool::threads_of_all()) > contexts() ? crowded_spin_ticks() : spin_ticks();
  leader.self->spin_for(t.spin_ticks);
  // relaxed: published when the region begins.
  t.first_share->staying.store(threads, order::relaxed);
  leader.at.begin(t, 0, t.first_share, t.leader_task);
  return t;
}

namespace {

[[gnu::noinline, gnu::cold]] void end_and_tell(omp_thread& leader) noexcept {
  leader.told.called_from = leader.in().told.called_from;
  {
    const tool::waiting_in noted(leader, tool::sync_kind::barrier_of_region);
    leader.in().finish_as_leader(leader);
  }
  leader.told.threads = leader.in().threads;
  tool::implicit_task_ends(leader);
}

[[gnu::noinline, gnu::cold]] void tell_of_begin(team& of) noexcept {
  tool::implicit_task_begins(*of.leader);
  if (of.begins_in_loop) tell_of_loop(*of.leader);
}

}  // namespace

void begin_region(team& of, void (*body)(void*), void* data) noexcept {
  of.body = body;
  of.data = data;
  // As in libgomp: printed again if the number of threads differs, and for each nested region.
  of.shows_affinity =
      of.threads > 1 && icvs().display_affinity && (of.level > 1 || of.threads != of.counted_in->shown_threads);
  if (of.shows_affinity) {
    if (of.level == 1) of.counted_in->shown_threads = of.threads;
    show_affinity(*of.leader);
  }
  of.start();
  if (tool::watched()) [[unlikely]]
    tell_of_begin(of);
}

void run_on_initial_team(omp_thread& self, unsigned thread_limit, void (*body)(void*), void* data) {
  team& own = enter_region(self, 1, 0);
  own.level = 0;
  own.active_level = 0;
  own.teams = 1;
  own.team_number = 0;
  own.leader_task.icv = initial_icvs(icvs());
  if (thread_limit != 0) own.leader_task.icv.thread_limit = thread_limit;
  contention_group group;
  contention_group* const around = std::exchange(self.group, &group);
  begin_region(own, nullptr, nullptr);
  body(data);
  end_region(self);
  leave_region(self);
  self.group = around;
}

void end_region(omp_thread& leader) noexcept {
  if (tool::watched()) [[unlikely]]
    return end_and_tell(leader);
  leader.in().finish_as_leader(leader);
}

void leave_region(omp_thread& leader) noexcept {
  team& t = leader.in();
  // acquire: pairs with next_share()'s compare-and-swap.
  if (t.cancelled() || leader.at.share->next.load(order::acquire) != nullptr) gather_shares(t, leader);
  t.first_share = leader.at.share;
  if (t.icv.thread_limit != UINT_MAX) leader.group->threads.fetch_sub(t.threads - 1, order::relaxed);
  const bool led = &t != (leader.alone == 0 ? nullptr : leader.solo[leader.alone - 1].get());
  leader.at = t.before;
  t.before.in = nullptr;
  if (led) {
    if (leader.initial != nullptr) leader.initial->leave_workers();
    if (leader.leading != 0) --leader.leading;  // 0: this is a child of fork(), which has dropped the pool
  } else {
    --leader.alone;
  }
  if (tool::watched()) [[unlikely]]
    tool::region_ends(leader, t);
}

void run_in_region(omp_thread& leader, void (*body)(void*), void* data) noexcept {
  team& region = leader.in();
  const auto run = [&] {
    begin_region(region, body, data);
    // Members without a context run before the leader does, as the system runs woken threads first. Leaders wait for
    // members by means that the runtime does not see more often than members wait for leaders.
    if (region.threads > 1) yield_to_members();
    if (tool::watched()) [[unlikely]] {
      tool::run_implicit(leader, body, data);
    } else {
      body(data);
    }
    end_region(leader);
  };
  if (region.threads > 1) {
    preemptibly(leader, run);
  } else {
    run();
  }
  leave_region(leader);
}

CALLISTO_OPENMP_ABI void GOMP_parallel(void (*body)(void*), void* data, unsigned threads, unsigned flags) {
  omp_thread& self = this_thread();
  const auto lead = [=, &self] {
    enter_region(self, resolve_threads(self, threads), flags);
    run_in_region(self, body, data);
  };
  CALLISTO_IF_TOLD(self, lead);
  lead();
}

// GCC up to 4.8: the compiled code calls body() itself, between these two.
CALLISTO_OPENMP_ABI void GOMP_parallel_start(void (*body)(void*), void* data, unsigned threads) {
  omp_thread& self = this_thread();
  CALLISTO_CALLED(self);
  self.told.program_runs_next = true;
  begin_region(enter_region(self, resolve_threads(self, threads), 0), body, data);
}

CALLISTO_OPENMP_ABI void GOMP_parallel_end() {
  omp_thread& self = this_thread();
  CALLISTO_CALLED(self);
  end_region(self);
  leave_region(self);
}

}  // namespace callisto::openmp
