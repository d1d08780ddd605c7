// Initial threads: how threads of the application become OpenMP threads, how they end, and what fork() does to them.
#include <callisto/openmp/region/omp_thread.hpp>

#include <callisto/machine/fibers/thread_identity.hpp>
#include <callisto/machine/host/placement.hpp>
#include <callisto/openmp/locks/parking_lot.hpp>
#include <callisto/openmp/locks/word_lock.hpp>
#include <callisto/openmp/region/engine.hpp>
#include <callisto/openmp/region/initial_thread.hpp>
#include <callisto/openmp/region/kernel_state.hpp>
#include <callisto/openmp/region/member_pool.hpp>
#include <callisto/openmp/region/team.hpp>
#include <callisto/openmp/region/tool.hpp>
#include <callisto/openmp/worksharing/workshare.hpp>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include <pthread.h>

namespace callisto::openmp {

constinit thread_local omp_thread* this_thread_or_null = nullptr;

namespace {

atomic<std::uint32_t> threads_made{0};

/// Which numbers in the process threads have. Never destroyed: threads continue while the process ends.
struct numbers_in_use {
  std::mutex mutex;
  std::vector<bool> used;
};
numbers_in_use& numbers() {
  static numbers_in_use& all = *new numbers_in_use;
  return all;
}

unsigned take_number() {
  numbers_in_use& all = numbers();
  const std::scoped_lock held(all.mutex);
  const auto number = static_cast<unsigned>(std::ranges::find(all.used, false) - all.used.begin());
  if (number == all.used.size()) all.used.push_back(false);
  all.used[number] = true;
  return number;
}

void give_number_back(unsigned number) noexcept {
  numbers_in_use& all = numbers();
  const std::scoped_lock held(all.mutex);
  all.used[number] = false;
}

}  // namespace

omp_thread::omp_thread(suspendable* waits, contention_group& counted_in) noexcept
    // relaxed: only a unique number is wanted.
    : id(threads_made.fetch_add(1, order::relaxed) + 1),
      number_in_process(take_number()),
      self(waits),
      group(&counted_in) {}

unsigned threads_in_process() noexcept {
  numbers_in_use& all = numbers();
  const std::scoped_lock held(all.mutex);
  return static_cast<unsigned>(std::ranges::count(all.used, true));
}

bool yield_to_members() noexcept { return this_thread().self->give_way(); }

omp_thread::~omp_thread() {
  give_number_back(number_in_process);
  delete spare_share;
  while (spare_included != nullptr) {
    task* const t = std::exchange(spare_included, spare_included->newer);
    t->~task();
    ::operator delete(t);
  }
}

namespace {

/// States of ended threads, for reuse. They are never freed, because another thread may be about to resume one.
struct {
  std::mutex mutex;
  initial_thread* first = nullptr;
} idle;

/// Holds the thread's initial_thread. Its destructor runs when such a thread ends, but not when the process ends.
pthread_key_t key;

void end_initial_thread(void* of) noexcept {
  auto* const ended = static_cast<initial_thread*>(of);
  if (tool::watched()) [[unlikely]]
    tool::thread_ends(ended->state);
  this_thread_or_null = nullptr;
  ended->end();
  const std::scoped_lock held(idle.mutex);
  ended->next = idle.first;
  idle.first = ended;
}

/// Starts a tool before the first OpenMP thread begins. Other threads that come meanwhile wait, except for calls that
/// the tool makes.
void start_tool_once() noexcept {
  static std::once_flag once;
  static thread_local bool starting [[gnu::tls_model("initial-exec")]] = false;
  if (starting) return;
  starting = true;
  std::call_once(once, tool::start);
  starting = false;
}

/// Runs in the child, which has only the thread that called fork(): no workers, no members of pools.
void begin_anew_in_child() noexcept {
  forget_engine();
  forget_waiters();
  forget_lock_alert();
  task_memory::begin_anew_in_child();
  member_pool::forget_all();
  machine::thread_identity::forget_number();
  new (&idle.mutex) std::mutex;  // another thread may have held it, and the next
  new (&numbers().mutex) std::mutex;
  omp_thread* const self = this_thread_or_null;
  if (self == nullptr) return;
  // Pools describe the parent's threads at some moment. Their memory stays where it is, unused.
  for (auto& c : self->member_pools) static_cast<void>(c.release());
  self->member_pools.clear();
  self->leading = 0;
  if (self->initial != nullptr) {
    self->initial->begin_anew_in_child();
  } else if (!kernel_state_here().is_bound) {
    machine::unpin_this_thread();  // the thread was a worker of the parent
  }
  for (const position* at = &self->at; at->in != nullptr; at = &at->in->before) {
    task* implicit = at->current;
    while (implicit->is_explicit()) implicit = implicit->parent;
    at->in->begin_anew_in_child(*self, *implicit);
  }
}

[[gnu::constructor]] void at_load() {
  pthread_key_create(&key, end_initial_thread);
  pthread_atfork(before_fork, after_fork, begin_anew_in_child);
}

}  // namespace

omp_thread& become_initial_thread() noexcept {
  start_tool_once();
  // A tool may have called the library.
  if (this_thread_or_null != nullptr) return *this_thread_or_null;
  initial_thread* self = nullptr;
  {
    const std::scoped_lock held(idle.mutex);
    if (idle.first != nullptr) {
      self = idle.first;
      idle.first = self->next;
    }
  }
  // First, since it reads files: the rate of ticks, which the thread needs, is measured over the time since the start.
  static_cast<void>(initial_icvs(icvs()));
  if (self != nullptr) {
    self->begin();
  } else {
    self = new initial_thread;
  }
  this_thread_or_null = &self->state;
  pthread_setspecific(key, self);
  if (tool::watched()) [[unlikely]]
    tool::thread_begins(self->state);
  return self->state;
}

initial_thread::initial_thread() : state(&on_its_own_, group) {
  state.initial = this;
  state.at.in = &outside;
  state.at.share = outside.first_share;
  outside.leader = &state;
  outside.members.push_back(&state);
  begin();
}

void initial_thread::begin() noexcept {
  state.implicit.icv = initial_icvs(icvs());
  state.implicit.below.begin(&state);
  state.at.current = &state.implicit;
}

void initial_thread::end() noexcept {
  dissolve_member_pools(state);
  state.threadprivates.reset();
  here_.reset();
  state.self = &on_its_own_;
}

void initial_thread::join_workers() noexcept {
  if (regions_++ != 0) return;
  workers::worker_threads& all = engine();
  if (is_set_apart()) {
    here_.reset();
    state.self = &on_its_own_;
    return;
  }
  if (here_ != nullptr) return here_->proceed();
  here_ = std::make_unique<workers::attached_here>(all);
  state.self = &workers::this_suspendable();
}

void initial_thread::leave_workers() noexcept {
  if (--regions_ == 0 && here_ != nullptr) here_->pause();
}

void initial_thread::stay_out() noexcept {
  if (regions_ != 0 && here_ != nullptr && is_set_apart()) here_->stay_out();
}

void initial_thread::begin_anew_in_child() noexcept {
  if (here_ != nullptr) here_->forget();
  here_.reset();
  state.self = &on_its_own_;
}

void dissolve_member_pools(omp_thread& leader) noexcept {
  if (leader.member_pools.empty()) return;
  // It waits for the members as in a region: a suspended attached thread needs a context to continue.
  if (leader.initial != nullptr) leader.initial->join_workers();
  preemptibly(leader, [&leader] { leader.member_pools.clear(); });  // as when the members were created
  if (leader.initial != nullptr) leader.initial->leave_workers();
}

}  // namespace callisto::openmp
