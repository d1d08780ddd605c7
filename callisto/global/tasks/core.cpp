// Scheduling decisions of a core.
#include <callisto/global/tasks/core.hpp>

#include <callisto/global/messages/handlers.hpp>
#include <callisto/global/transport/limits.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/sanitizers.hpp>
#include <callisto/machine/timed_park.hpp>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <utility>

#include <pthread.h>
#include <unistd.h>
#if defined(CALLISTO_UNDER_ASAN)
#include <sanitizer/asan_interface.h>
#endif

namespace callisto::global {
namespace {

// Written above the last page's lower end when a stack is made; a task that overwrites it has used that page up.
constexpr std::uint64_t intact = 0x6b63'6174'7320'666f;
std::uint64_t& mark_of(std::byte* bottom, std::size_t bytes) noexcept {
  constexpr std::size_t page = 4096;
  return *reinterpret_cast<std::uint64_t*>(bottom + bytes - page);
}

// The function that prints the line below, if the rank is watched.
constinit std::atomic<void (*)(const char*) noexcept> last_words{nullptr};

/// Ends the process with one line. Safe in handlers of signals.
[[noreturn]] void overflowed(std::size_t stack_bytes) noexcept {
  std::array<char, 200> line{};
  const int length = std::snprintf(line.data(), line.size(),
                                   "callisto::global: a task needs more than the %zu bytes of a worker's stack; set "
                                   "CALLISTO_GLOBAL_STACK to more bytes\n",
                                   stack_bytes);
  if (const auto tell = last_words.load(std::memory_order_acquire); tell != nullptr)  // acquire: set_last_words()
    tell(line.data());
  else
    static_cast<void>(!::write(STDERR_FILENO, line.data(), static_cast<std::size_t>(length)));
  std::abort();
}

#if defined(CALLISTO_UNDER_ASAN)
/// True if `word` is an address of a variable of the calling worker: AddressSanitizer keeps variables off the stack.
bool is_in_fake_stack(std::uintptr_t word) {
  void* const fake = __asan_get_current_fake_stack();
  return fake != nullptr &&
         __asan_addr_is_in_fake_stack(fake, reinterpret_cast<void*>(word), nullptr, nullptr) != nullptr;
}
#else
bool is_in_fake_stack(std::uintptr_t) { return false; }
#endif

/// Returns the end of the stack on which the calling rank's main runs: the thread's own, unless it is simulated.
const std::byte* end_of_thread_stack() noexcept {
  if (const simulated_rank* const rank = detail::of_thread::simulated; rank != nullptr) return rank->end_of_stack();
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return nullptr;
  void* lowest = nullptr;
  std::size_t bytes = 0;
  pthread_attr_getstack(&attributes, &lowest, &bytes);
  pthread_attr_destroy(&attributes);
  return static_cast<const std::byte*>(lowest) + bytes;
}

#if !defined(CALLISTO_UNDER_ASAN) && !defined(CALLISTO_UNDER_TSAN)
struct sigaction action_before;

/// Says what a fault in a guard page means; other faults go where they went before.
void on_fault(int signal, siginfo_t* info, void*) {
  core::end_if_stack_is_full(info->si_addr);
  sigaction(signal, &action_before, nullptr);  // the instruction faults again
}

/// Lets the calling thread's faults be handled on another stack: its own may be full.
void prepare_for_faults(std::vector<std::byte>& stack) {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action = {};
    action.sa_sigaction = &on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &action_before);
  });
  stack_t other = {};
  if (sigaltstack(nullptr, &other) != 0 || (other.ss_flags & SS_DISABLE) == 0) return;
  stack.resize(std::size_t{64} << 10);
  other = {.ss_sp = stack.data(), .ss_flags = 0, .ss_size = stack.size()};
  sigaltstack(&other, nullptr);
}
#else
void prepare_for_faults(std::vector<std::byte>&) {}
#endif

}  // namespace

void core::end_if_stack_is_full(const void* address) noexcept {
  if (const core* const c = here(); c != nullptr && c->is_guard(address)) overflowed(c->stack_bytes());
}

void core::set_last_words(void (*tell)(const char*) noexcept) noexcept {
  last_words.store(tell, std::memory_order_release);  // release: publishes what `tell` uses to overflowed()
}

namespace detail {
void no_core() { throw usage_error("callisto::global: this thread runs no core of a session"); }
void require_no_stack_address(std::span<const std::uintptr_t> words, const std::source_location& where) {
  const core* const c = core::here();
  if (c == nullptr) return;
  const auto begin = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const auto end = reinterpret_cast<std::uintptr_t>(c->end_of_stack());
  for (const std::uintptr_t word : words) {
    if ((word < begin || word >= end) && !is_in_fake_stack(word)) continue;
    throw usage_error(std::string(where.file_name()) + ":" + std::to_string(where.line()) +
                      ": a function that may run at another rank has captured the address of a variable of its caller; "
                      "expected captures by value ([=]), and export_address() for what the caller keeps");
  }
}
void take_in(const task& t) { this_core().publish(t); }
}  // namespace detail

core::core(core_duties& duties, const core_options& how)
    : duties_(duties),
      how_(how),
      running_(&root_),
      exceptions_(&machine::bound_context::of_this_thread()),
      poll_every_(rank_clock::ticks_of(rank_limits::poll_ns)),
      stacks_(how.stack_bytes, how.guards),
      root_(*this, false),
      idle_(*this, false),
      idle_stack_(new std::byte[idle_stack_bytes]),
      root_end_(end_of_thread_stack()) {
  if (here() != nullptr) throw usage_error("callisto::global: this thread runs a core already");
  between_looks_ = until_look_ = 1;  // until tasks turn out to be short
  root_.status_ = worker_status::running;
  root_.context_.become_this_threads();
  auto* const top = idle_stack_.get() + idle_stack_bytes;
  idle_.context_.prepare(idle_stack_.get(), top - reinterpret_cast<std::uintptr_t>(top) % 64, &run_idle, this);
  prepare_for_faults(fault_stack_);
  detail::of_thread::of_core = this;
}

core::~core() {
  detail::of_thread::of_core = nullptr;
  if (!fault_stack_.empty()) {
    const stack_t none = {.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
    sigaltstack(&none, nullptr);
  }
  for (task& t : private_) t.drop();
  for (task& t : posted_) t.drop();
  for (task t; resident_.pop(t) || public_.pop(t);) t.drop();
  while (worker* const w = free_) {
    free_ = w->next_;
    w->~worker();
  }
}

// Calls through a pointer: AddressSanitizer takes a call that does not return for the end of the thread's stack.
void core::run_tasks(void* self) {
  void (core::* volatile loop)() = &core::tasks_loop;
  (static_cast<core*>(self)->*loop)();
}
void core::run_idle(void* self) {
  void (core::* volatile loop)() = &core::idle_loop;
  (static_cast<core*>(self)->*loop)();
}

void core::switch_to(worker& to) {
  worker& from = *running_;
  if (&from == &to) return;
  running_ = &to;
  to.status_ = worker_status::running;
  switches_.add(1);
  machine::bound_context::switch_to(from.context_, to.context_, *exceptions_);
}

void core::suspend() {
  if (in_handler()) throw usage_error("callisto::global: a message's handler must not wait");
  worker& self = *running_;
  if (broken_ != nullptr) [[unlikely]]
    std::rethrow_exception(broken_);
  if (std::exchange(self.woken_, false)) return;
  check_stack(self);
  self.status_ = worker_status::suspended;
  switch_to(choose());
  if (broken_ != nullptr) [[unlikely]]
    std::rethrow_exception(broken_);
}

void core::break_off(std::exception_ptr why) {
  if (broken_ == nullptr) broken_ = std::move(why);
  wake_here(root_);
}

void core::yield() {
  worker& self = *running_;
  check_stack(self);
  const bool looks = ready_.empty() || --until_look_ == 0;
  if (looks) look();
  worker* next = nullptr;
  // Ready workers go first; at times a task does all the same, for which they may wait with yield().
  if (looks && has_task() && with_task_ < how_.plenty) next = &worker_for_task();
  if (next == nullptr && ready_.empty()) return;
  self.status_ = worker_status::ready;
  ready_.push(self);
  switch_to(next != nullptr ? *next : ready_.pop());
}

worker& core::choose() {
  if (--until_look_ == 0) [[unlikely]]
    look();
  return ready_.empty() ? choose_without_ready() : ready_.pop();
}

worker& core::choose_without_ready() { return has_task() && with_task_ < how_.plenty ? worker_for_task() : idle_; }

worker& core::worker_for_task() {
  if (worker* const w = free_; w != nullptr) {
    free_ = w->next_;
    return *w;
  }
  // Tops at equal distances would share a few sets of the caches: each stack begins at another line of its last page.
  constexpr std::size_t colours = 16;
  constexpr std::size_t colour_bytes = 128;
  std::byte* const bottom = stacks_.take();
#if defined(CALLISTO_UNDER_ASAN)
  __asan_unpoison_memory_region(bottom, stacks_.stack_bytes());  // an earlier user may have left frames
#endif
  const std::size_t colour = reinterpret_cast<std::uintptr_t>(bottom) / stacks_.stack_bytes() % colours * colour_bytes;
  std::byte* const at = bottom + stacks_.stack_bytes() - colour - sizeof(worker);
  auto* const w = ::new (static_cast<void*>(at)) worker(*this, true);
  mark_of(bottom, stacks_.stack_bytes()) = intact;
  w->context_.prepare(bottom, at, &run_tasks, this);
  return *w;
}

void core::look() {
  // Tasks of some microseconds would let messages wait for sixteen of them: thieves of other ranks among these.
  const std::uint64_t now = rank_clock::ticks();
  const bool was_long = now - std::exchange(looked_at_, now) > 4 * poll_every_;
  between_looks_ = was_long ? 1 : std::min(2 * between_looks_, rank_limits::decisions_a_look);
  until_look_ = between_looks_;
  shown_ready_.set(ready_.size());
  shown_queued_.set(private_.size() + resident_.size() + public_.size());
  shown_with_task_.set(with_task_);
  looks_.add(1);
  workers_at_looks_.add(with_task_);
  ready_at_looks_.add(ready_.size());
  take_mail();
  share();
  if (resident_.stealable() + public_.stealable() != 0) duties_.offer(*this);
  const bool none_ready = ready_.empty();
  if (!none_ready && now < poll_at_) return;
  duties_.poll(*this);
  // The clock costs a worker of short tasks some percent: where no worker is ready each look polls, whatever the
  // deadline.
  poll_at_ = (none_ready ? now : rank_clock::ticks()) + poll_every_;
}

bool core::take_mail() {
  bool found = false;
  if (inbox_.has_mail()) {
    inbox_.take_all([this](worker& w) { wake_here(w); });
    found = true;
  }
  if (has_posted_.load(std::memory_order_relaxed)) {  // relaxed: the lock orders it
    const std::scoped_lock guard(posted_lock_);
    private_.insert(private_.end(), posted_.begin(), posted_.end());
    posted_.clear();
    has_posted_.store(false, std::memory_order_relaxed);  // relaxed: as above
    found = true;
  }
  return found;
}

void core::post(const task& t) {
  {
    const std::scoped_lock guard(posted_lock_);
    posted_.push_back(t);
    posts_.begin();
    has_posted_.store(true, std::memory_order_relaxed);  // relaxed: the nudge's release publishes it
  }
  nudge();
}

bool core::take_task(task& into) {
  if (!private_.empty()) {
    into = private_.back();
    private_.pop_back();
    return true;
  }
  return resident_.pop(into) || public_.pop(into);
}

void core::share() {
  resident_.share();
  public_.share();
}

std::size_t core::steal_from(core& victim, std::size_t most) {
  const std::size_t moved = victim.resident_.steal(most, [this](const task& t) { resident_.push(t); });
  return moved != 0 ? moved : victim.public_.steal(most, [this](const task& t) { public_.push(t); });
}

void core::run(task& t) {
  try {
    t.run();
  } catch (...) {
    duties_.failed(*this, std::current_exception());
  }
}

void core::tasks_loop() {
  for (;;) {
    worker& self = *running_;
    task t;
    if (take_task(t)) {
      most_with_task_.set(std::max<std::uint64_t>(most_with_task_.get(), ++with_task_));
      run(t);
      --with_task_;
      tasks_.end();
      check_canary(self);
    }
    if (--until_look_ == 0) [[unlikely]]
      look();
    // Workers with tasks go first; a task without one goes on this stack.
    if (ready_.empty() && has_task() && with_task_ < how_.plenty) continue;
    self.status_ = worker_status::free;
    self.woken_ = false;
    self.next_ = std::exchange(free_, &self);
    switch_to(ready_.empty() ? idle_ : ready_.pop());
  }
}

void core::idle_loop() {
  const auto patience = rank_clock::ticks_of(static_cast<std::uint64_t>(how_.patience.count()));
  std::uint64_t sleep_at = 0;  ///< ticks; 0: it was not idle at the last look
  unsigned sleeps = 0;
  std::uint64_t since = rank_clock::ticks();
  const auto leave = [&](worker& w) {
    if (sleeps != 0) duties_.resume(*this);
    sleep_at = 0;
    sleeps = 0;
    idle_time_.add(rank_clock::ticks() - since);
    switch_to(w);
    since = rank_clock::ticks();
  };
  for (;;) {
    bool found = take_mail();
    share();
    found |= duties_.poll(*this);
    if (!ready_.empty()) {
      leave(ready_.pop());
    } else if (has_task() && (with_task_ < how_.plenty || !found)) {
      // Above plenty, if messages bring nothing: a worker may wait for what a waiting task does.
      leave(worker_for_task());
    } else if (found || duties_.find_work(*this)) {
      sleep_at = 0;
    } else if (const std::uint64_t now = rank_clock::ticks(); sleep_at == 0 || now < sleep_at) {
      if (sleep_at == 0) sleep_at = now + patience;
      rank_clock::relax();
    } else {
      shown_ready_.set(0);
      shown_queued_.set(0);
      shown_with_task_.set(with_task_);
      sleeps_.add(1);
      duties_.sleep(*this, sleeps++);
    }
  }
}

void core::park(std::chrono::nanoseconds most) {
  if (!inbox_.lie_down(false)) return;
  inbox_.park([most](const auto& word, std::uint32_t low) {
    machine::park_for(word, low, static_cast<std::uint64_t>(most.count()));
  });
  inbox_.get_up();
}

void core::end_sleep(inbox::owner found) {
  if (found == inbox::owner::parked) inbox_.unpark();
  if (found == inbox::owner::elsewhere && interrupt_) interrupt_();
}

void core::nudge() noexcept { end_sleep(inbox_.nudge()); }

void wake(worker& w) {
  core& home = w.home();
  if (&home == core::here()) {
    home.wake_here(w);
    return;
  }
  home.end_sleep(home.inbox_.push(w));
}

void core::trim() {
  while (worker* const w = free_) {
    free_ = w->next_;
    std::byte* const bottom = bottom_of(*w);
    w->~worker();
    stacks_.give_back(bottom);
  }
  stacks_.trim(how_.plenty);
}

std::byte* core::bottom_of(const worker& w) const noexcept {
  return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(&w) & ~(stacks_.stack_bytes() - 1));
}

void core::check_stack(worker& w) {
  const auto at = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const std::uintptr_t other_slot = (at ^ reinterpret_cast<std::uintptr_t>(&w)) & ~(stacks_.stack_bytes() - 1);
  if (w.has_slot_ && other_slot != 0) [[unlikely]]
    overflowed(stacks_.stack_bytes());
}

void core::check_canary(worker& w) {
  check_stack(w);
  // The mark shares a page with the worker. While it is intact, the task has not left that page.
  std::uint64_t& mark = mark_of(bottom_of(w), stacks_.stack_bytes());
  if (mark == intact) [[likely]]
    return;
  mark = intact;
  // A guard page answers for itself. Otherwise the last bytes are zeros until a task needs them.
  const std::byte* const bottom = bottom_of(w);
  if (!stacks_.has_guard(bottom) && std::any_of(bottom, bottom + 256, [](std::byte b) { return b != std::byte{0}; })) {
    overflowed(stacks_.stack_bytes());
  }
}

core_counts core::counts() const noexcept {
  return {.tasks_created = tasks_.begun() + posts_.begun(),
          .tasks_finished = tasks_.ended(),
          .switches = switches_.get(),
          .workers = shown_with_task_.get(),
          .most_workers = most_with_task_.get(),
          .ready = shown_ready_.get(),
          .queued_tasks = shown_queued_.get(),
          .idle_nanoseconds =
              idle_time_.get() * 1000 / std::max<std::uint64_t>(rank_clock::ticks_per_second() / 1'000'000, 1),
          .sleeps = sleeps_.get(),
          .looks = looks_.get(),
          .workers_at_looks = workers_at_looks_.get(),
          .ready_at_looks = ready_at_looks_.get()};
}

}  // namespace callisto::global
