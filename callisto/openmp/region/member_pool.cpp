// The life of a pool's members.
#include <callisto/openmp/region/member_pool.hpp>

#include <callisto/openmp/region/binding.hpp>
#include <callisto/openmp/region/tool.hpp>
#include <callisto/openmp/settings/diagnostics.hpp>
#include <callisto/openmp/worksharing/loop.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <utility>

namespace callisto::openmp {
namespace {

/// Backs threads_of_all(). relaxed, everywhere: only the number matters.
atomic<unsigned> in_member_pools{0};

void report_once(std::size_t threads, unsigned wanted, const std::exception& why) noexcept {
  static std::atomic<bool> said{false};
  // relaxed: the flag publishes nothing else.
  if (!said.exchange(true, std::memory_order_relaxed))
    report("a region has %zu threads instead of %u: %s", threads, wanted, why.what());
}

}  // namespace

unsigned member_pool::threads_of_all() noexcept { return in_member_pools.load(order::relaxed); }
void member_pool::forget_all() noexcept { in_member_pools.store(0, order::relaxed); }

member_pool::member_pool(omp_thread& leader)
    : leader_(leader), counts_(leader.initial != nullptr && leader.member_pools.empty()) {
  region.members.push_back(&leader);
  if (counts_) in_member_pools.fetch_add(1, order::relaxed);
}

member_pool::~member_pool() {
  region.dissolve();
  const suspendable::shielded shield(*leader_.self);
  for (const auto& m : others_) {
    engine()->wait_complete(*m->ticket, *leader_.self);
    m->identity.end();
  }
  if (counts_) in_member_pools.fetch_sub(static_cast<unsigned>(region.members.size()), order::relaxed);
}

member_pool::member::member(member_pool& member_pool_of, unsigned has_number)
    : of(member_pool_of),
      number(has_number),
      seen(member_pool_of.region.generation()),
      inherited(kernel_state_here()),
      stays(is_set_apart()),
      identity(machine::thread_identity::can_be_carried(), stack_bytes(), !inherited.is_bound),
      thread(nullptr, *member_pool_of.leader_.group) {}

unsigned member_pool::provide(unsigned threads) noexcept {
  std::size_t ready = others_.size();
  try {
    // Creates all identities first: their lender threads start side by side, and no member waits for its own.
    while (others_.size() + 1 < threads)
      others_.push_back(std::make_unique<member>(*this, static_cast<unsigned>(others_.size()) + 1));
  } catch (const std::exception& e) {
    report_once(others_.size() + 1, threads, e);
  }
  try {
    region.members.reserve(others_.size() + 1);
    for (; ready < others_.size(); ++ready) {
      member& m = *others_[ready];
      m.ticket = engine()->create_ticket(&member_pool::live, &m, 1, leader_.self);
      region.members.push_back(&m.thread);
      if (counts_) in_member_pools.fetch_add(1, order::relaxed);
    }
  } catch (const std::exception& e) {
    others_.resize(ready);
    report_once(ready + 1, threads, e);
  }
  return std::min(threads, static_cast<unsigned>(others_.size()) + 1);
}

void member_pool::live(workers::native_activation& self, void* a_member, workers::native_ticket of) {
  member& m = *static_cast<member*>(a_member);
  m.thread.self = &self;
  engine()->set_drained(of);  // the ticket has this one activation only
  workers::run_as(self, m.identity, [&] { self.preemptible([&m] { run_regions(m); }); });
}

// Not inlined: the thread-local data inside must be looked up after the switch to the member's identity.
[[gnu::noinline]] void member_pool::run_regions(member& m) noexcept {
  omp_thread& self = m.thread;
  team& region = m.of.region;
  this_thread_or_null = &self;
  inherit_kernel_state(m.inherited);
  if (m.stays) workers::stay_on_own_thread();
  if (tool::watched()) [[unlikely]]
    tool::thread_begins(self);
  while (region.wait_for_region(self, m.number, m.seen)) {
    if (tool::watched()) [[unlikely]]
      tool::member_leaves(self);
    // Not constant: a target region has its own contention group.
    self.group = region.counted_in;
    self.implicit.parent = region.outer;
    self.implicit.icv = region.icv;
    self.implicit.group = region.group;
    self.implicit.below.begin(&self);
    self.at.begin(region, m.number, region.first_share, self.implicit);
    self.self->spin_for(region.spin_ticks);
    if (region.shows_affinity) show_affinity(self);
    if (tool::watched()) [[unlikely]] {
      tool::implicit_task_begins(self);
      if (region.begins_in_loop) enter_loop(self);
      tool::run_implicit(self, region.body, region.data);
    } else {
      if (region.begins_in_loop) enter_loop(self);
      region.body(region.data);
    }
    // The child of fork() has no other thread, so it ends as a process does when its last thread ends.
    if (region.in_child) std::exit(EXIT_SUCCESS);
    if (tool::watched()) [[unlikely]]
      tool::member_arrives(self);
    m.seen = region.finish_as_member(self);
  }
  if (tool::watched()) [[unlikely]] {
    tool::member_leaves(self);
    tool::thread_ends(self);
  }
  dissolve_member_pools(self);
  this_thread_or_null = nullptr;
}

}  // namespace callisto::openmp
