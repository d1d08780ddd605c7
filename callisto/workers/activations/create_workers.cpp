// Workers' threads on the native machine: their start, their end, and which activation or thread a call comes from.
#include <callisto/workers/activations/create_workers.hpp>

#include <callisto/cosched/settings.hpp>
#include <callisto/machine/fibers/thread_identity.hpp>
#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/host/placement.hpp>
#include <callisto/machine/host/topology.hpp>
#include <callisto/machine/system/blocked_signals.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/signal_mask.hpp>
#include <callisto/machine/system/small_thread.hpp>
#include <callisto/machine/ticks_of.hpp>
#include <callisto/waiting/entry_gate.hpp>
#include <callisto/workers/activations/context_owners.hpp>
#include <callisto/workers/activations/context_source.hpp>
#include <callisto/workers/activations/descheduled_peer_wait.hpp>
#include <callisto/workers/activations/job_contexts.hpp>
#include <callisto/workers/activations/pinned_contexts.hpp>
#include <callisto/workers/preemption/program_signal.hpp>
#include <callisto/workers/preemption/runaway_timer.hpp>
#include <callisto/workers/preemption/tick_policy.hpp>
#include <callisto/workers/preemption/tick_rate.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <pthread.h>

namespace callisto::workers {

// The one instantiation for the native machine; simulated and checked machines make their own.
template class worker_set<machine::native>;

namespace {

using machine::native;

/// How often a busy thread looks whether other jobs want its context, if there are any: the paper's P_low, 1 ms.
constexpr std::uint64_t slow_tick_ns = 1'000'000;

/// The stack of an attached thread for the handler that leaves it, and the program's handlers that come meanwhile.
constexpr std::size_t handler_stack_bytes = std::size_t{256} << 10;

/// The alternate stack of a thread, for ticks and for handlers of the program that ask for an alternate stack.
constexpr std::size_t tick_stack_bytes = std::size_t{128} << 10;

bool distinct(const std::vector<machine::context>& contexts) {
  std::vector<unsigned> numbers;
  for (const machine::context& c : contexts) numbers.push_back(c.os_index);
  std::sort(numbers.begin(), numbers.end());
  return std::adjacent_find(numbers.begin(), numbers.end()) == numbers.end();
}

thread_local const worker<native>* this_worker = nullptr;
// Read by other threads, too: of_thread().
constinit thread_local std::atomic<native_activation*> this_identity_runs [[gnu::tls_model("initial-exec")]] = nullptr;
constinit thread_local std::atomic<attached_thread<native>*> this_attached_thread [[gnu::tls_model("initial-exec")]] =
    nullptr;
thread_local waiting::plain_thread<native> this_thread_itself;
attached_thread<native>* attached_to_this() noexcept {
  return this_attached_thread.load(std::memory_order_relaxed);  // relaxed: this thread wrote it
}

/// Returns another thread's copy of a thread_local datum, given this one's. The model puts it at the same distance from
/// each thread's register, which is what the C library's pthread_t is where identities are carried.
template <class T>
T& of_thread(pthread_t thread, T& mine) noexcept {
  const auto distance = reinterpret_cast<std::uintptr_t>(&mine) -
                        reinterpret_cast<std::uintptr_t>(machine::thread_identity::running_register());
  return *reinterpret_cast<T*>(static_cast<std::uintptr_t>(thread) + distance);
}

/// Open while the thread is attached: other threads use `this_attached_thread` inside.
constinit thread_local waiting::entry_gate_word<native> gate_of_attached [[gnu::tls_model("initial-exec")]];

}  // namespace

struct worker_threads::state final : job_contexts::user {
  struct start {
    state& of;
    unsigned number;
    /// Ticks may find an activation on a stack too small for them, such as a coroutine's of the program. The creator
    /// allocates it: the first allocation on a thread reserves 64 MiB of address space in glibc.
    std::unique_ptr<std::byte[]> of_ticks;
    /// Where the thread pins itself, by the system's number. Not its creator: that would wait for the kernel to move
    /// it.
    std::optional<unsigned> context;
  };

  explicit state(const set_options<native>& how, std::unique_ptr<posix_runaway_timer> with,
                 std::unique_ptr<context_source<native>> from, std::unique_ptr<context_owners<native>> has,
                 job_contexts* shares, std::unique_ptr<descheduled_peer_wait> waits)
      : timer(std::move(with)),
        peers(std::move(waits)),
        source(std::move(from)),
        owners(std::move(has)),
        shared(shares),
        set(how),
        spin_ticks(how.spin_ticks),
        signals(how.take_signals ? ~machine::signals_blocked() | machine::caused_signals : 0) {
    starts.reserve(how.workers);
  }

  ~state() override {
    set.finish();
    for (const pthread_t t : threads) pthread_join(t, nullptr);
    source = nullptr;  // before the set, which its threads look at
  }

  void look(bool others, bool news) override {
    const bool crowded = peers != nullptr && peers->look();
    if (crowded || (others && news)) {
      set.look_for_others();
    } else if (others) {
      set.look_soon();
    }
  }
  bool had_work(std::uint64_t nanoseconds) const override {
    return set.had_work(machine::ticks_of<native>(nanoseconds));
  }
  bool is_over() const override { return set.is_finished(); }

  static void* main(void* argument) noexcept {
    const start& s = *static_cast<start*>(argument);
    if (s.context) machine::pin_this_thread(*s.context);
    pthread_setname_np(pthread_self(), ("worker-" + std::to_string(s.number)).c_str());
    this_worker = &s.of.set.worker_of(s.number);
    machine::unblock_signals(s.of.signals);
    if (s.of.timer != nullptr) {
      posix_runaway_timer::handle_on(s.of_ticks.get(), tick_stack_bytes);
      // Without a timer, what runs there is not preempted. The creator has seen that there can be one.
      const bool made = s.of.timer->adopt(s.number, &s.of.set, true);
      if (made && s.of.peers != nullptr) s.of.peers->adopt(s.number);
      if (made) s.of.set.has_timer(s.number);
      s.of.set.run(s.number);
      if (made) {
        s.of.timer->block();
        s.of.timer->abandon(s.number);
      }
      posix_runaway_timer::handle_on(nullptr, 0);
    } else {
      s.of.set.run(s.number);
    }
    machine::block_signals(s.of.signals);
    return nullptr;
  }

  std::unique_ptr<posix_runaway_timer> timer;
  std::unique_ptr<descheduled_peer_wait> peers;    ///< null: waiting threads do not sleep for each other
  std::unique_ptr<context_source<native>> source;  ///< null: no thread can be attached, or workers are not pinned
  std::unique_ptr<context_owners<native>> owners;  ///< null as well then
  job_contexts* const shared;                      ///< the source; null: it shares with no other job
  worker_set<native> set;
  const std::uint64_t spin_ticks;      ///< of attached threads, too
  const machine::signal_bits signals;  ///< signals that its threads take
  std::vector<start> starts;
  std::vector<pthread_t> threads;
};

worker_threads::worker_threads(const set_options<native>& how) {
  machine::placement_request request = machine::placement_request::from_environment();
  if (how.workers != 0) request.threads = how.workers;
  const machine::placement plan =
      machine::place(machine::topology::host(), machine::limits::at_first_call(), request, std::nullopt);
  native::prepare();
  set_options<native> exact = how;
  exact.workers = static_cast<unsigned>(plan.contexts.size());
  std::unique_ptr<posix_runaway_timer> timer;
  if (exact.turn_ns != 0 && machine::thread_identity::can_be_carried()) {
    timer = std::make_unique<posix_runaway_timer>(
        exact.workers + exact.attached,
        tick_periods{exact.wait_ns, std::max(exact.wait_ns, exact.turn_ns / tick_policy::ticks_in_turn),
                     std::max(exact.wait_ns, slow_tick_ns)},
        posix_runaway_timer::handlers{
            .on_tick =
                [](void* set, unsigned thread, const interruption& at) noexcept {
                  return static_cast<worker_set<native>*>(set)->tick(thread, at);
                },
            .on_own_thread = [](void* a) noexcept { return static_cast<native_activation*>(a)->tick_on_own_thread(); },
            .free_stack =
                [](void* set, unsigned thread) noexcept {
                  return static_cast<worker_set<native>*>(set)->stack_for_handler(thread);
                },
            .fate =
                [](void* set, unsigned thread, std::uint64_t signal) noexcept {
                  return static_cast<worker_set<native>*>(set)->put_off_signal(thread, signal);
                },
            .fate_on_own_thread =
                [](void* a, unsigned, std::uint64_t signal) noexcept {
                  return static_cast<native_activation*>(a)->put_off_signal(signal);
                }},
        how.is_wait);
    exact.timer = timer.get();
  }
  std::unique_ptr<context_source<native>> source;
  std::unique_ptr<context_owners<native>> owners;
  std::unique_ptr<descheduled_peer_wait> peers;
  job_contexts* shared = nullptr;
  if (exact.attached != 0 && plan.pinned && distinct(plan.contexts)) {
    std::vector<unsigned> contexts;
    for (const machine::context& c : plan.contexts) contexts.push_back(c.os_index);
    std::string refusal;
    std::unique_ptr<job_contexts> joined;
    if (exact.coscheduled) joined = job_contexts::join(contexts, refusal, exact.joins_after_ns);
    if (exact.coscheduled && joined == nullptr) cosched::settings::from_environment().tell_if_wanted(refusal);
    shared = joined.get();
    source = std::move(joined);
    if (source == nullptr) source = std::make_unique<pinned_contexts>(contexts);
    owners = std::make_unique<context_owners<native>>(exact.workers, source.get());
    exact.owners = owners.get();
    // The lookout thread, which watches for other jobs, also looks whether the processors are crowded.
    if (shared != nullptr && timer != nullptr)
      peers = std::make_unique<descheduled_peer_wait>(exact.workers + exact.attached, std::move(contexts));
    exact.peers = peers.get();
  }
  state_ =
      std::make_unique<state>(exact, std::move(timer), std::move(source), std::move(owners), shared, std::move(peers));
  if (state_->timer != nullptr && !posix_runaway_timer::can_make(exact.workers))
    throw error("create_workers: the system refuses a timer for each worker (see ulimit -i)");
  int failed = 0;
  state_->threads.reserve(exact.workers);
  {
    const machine::blocked_signals blocked;
    for (unsigned n = 0; n < exact.workers && failed == 0; ++n) {
      state_->starts.push_back({*state_, n, std::make_unique_for_overwrite<std::byte[]>(tick_stack_bytes),
                                plan.pinned ? std::optional(plan.contexts[n].os_index) : std::nullopt});
      pthread_t thread{};
      failed = machine::start_small_thread(thread, &state::main, &state_->starts.back());
      if (failed != 0) break;
      state_->threads.push_back(thread);
    }
  }
  if (failed != 0) {
    throw error("create_workers: the system refuses worker " + std::to_string(state_->threads.size()) + " of " +
                std::to_string(exact.workers) + ": " + std::strerror(failed));
  }
  if (shared != nullptr) shared->look_out(*state_, *state_->owners);
}

worker_threads::~worker_threads() = default;

struct attached_here::state {
  state(worker_threads::state& workers) : of(workers), self(of.set, workers.spin_ticks) {
    if (of.timer != nullptr) unblock_for_runtime();
    self.handle_on(of_handlers.get() + handler_stack_bytes);
    if (of.timer != nullptr && posix_runaway_timer::lacks_stack()) {
      of_ticks = std::make_unique_for_overwrite<std::byte[]>(tick_stack_bytes);
      posix_runaway_timer::handle_on(of_ticks.get(), tick_stack_bytes);
    }
    ticks = of.timer != nullptr && of.timer->adopt(self.number(), &of.set, false);
    self.may_be_left(ticks);
    self.has_own_mask(ticks && !of.timer->is_usual(machine::signals_blocked()));
    if (ticks && of.peers != nullptr) of.peers->adopt(self.number());
    if (ticks) of.set.has_timer(self.number());
    this_attached_thread.store(&self, std::memory_order_relaxed);  // relaxed: the gate publishes it
    gate_of_attached.open();
  }
  ~state() {
    gate_of_attached.close_and_drain();                              // waits for as long as a few system calls take
    this_attached_thread.store(nullptr, std::memory_order_relaxed);  // relaxed: no other thread is inside
    if (ticks) of.timer->abandon(self.number());
    if (of_ticks != nullptr) posix_runaway_timer::handle_on(nullptr, 0);
  }

  worker_threads::state& of;
  const std::unique_ptr<std::byte[]> of_handlers = std::make_unique_for_overwrite<std::byte[]>(handler_stack_bytes);
  std::unique_ptr<std::byte[]> of_ticks;  ///< null: the thread has an alternate stack of the program's
  attached_thread<native> self;
  bool ticks;
};

attached_here::attached_here(worker_threads& of) {
  try {
    state_ = std::make_unique<state>(*of.state_);
  } catch (const usage_error&) {
    // As many threads are attached as can be: the system divides the contexts between this thread and all other
    // threads.
  }
}

attached_here::~attached_here() = default;

void attached_here::pause() noexcept {
  if (state_ != nullptr) state_->self.pause();
}

void attached_here::proceed() noexcept {
  if (state_ != nullptr) state_->self.proceed();
}

void attached_here::stay_out() noexcept {
  if (state_ == nullptr) return;
  const suspendable<native>::shielded shield(state_->self);
  state_->self.stay_out();
}

void attached_here::forget() noexcept {
  this_attached_thread.store(nullptr, std::memory_order_relaxed);  // relaxed: the child has one thread
  gate_of_attached.forget_followers();
  static_cast<void>(state_.release());
}

void worker_threads::leave_other_jobs() {
  if (state_->shared != nullptr) state_->shared->leave();
}

void worker_threads::before_fork() noexcept {
  if (state_->shared != nullptr) state_->shared->before_fork();
}
void worker_threads::after_fork() noexcept {
  if (state_->shared != nullptr) state_->shared->after_fork();
}

worker_set<native>& worker_threads::operator*() const noexcept { return state_->set; }

std::unique_ptr<worker_threads> create_workers(const set_options<native>& how) {
  return std::unique_ptr<worker_threads>(new worker_threads(how));
}

// Functions that read thread-local data are no templates, and stand in no header: an activation may be suspended
// between two calls and go on upon another thread, and compilers keep the address of a thread-local that they have
// computed.

void tell_identity(native_activation* self) noexcept {
  this_identity_runs.store(self, std::memory_order_release);  // release: send_signal()'s load
}

native_activation* this_activation() noexcept {
  const worker<native>* as = this_worker;
  if (as == nullptr && attached_to_this() != nullptr) as = attached_to_this()->works_as();
  // relaxed: this identity wrote it.
  return as != nullptr ? as->current() : this_identity_runs.load(std::memory_order_relaxed);
}

suspendable<native>& this_suspendable() noexcept {
  if (native_activation* const a = this_activation(); a != nullptr) return *a;
  if (attached_to_this() != nullptr) return *attached_to_this();
  return this_thread_itself;
}

std::uint64_t processor_time_here() noexcept {
  if (native_activation* const a = this_activation(); a != nullptr) return a->time_so_far();
  return attached_to_this() != nullptr ? attached_to_this()->time_so_far() : processor_time::of_thread();
}

int send_signal(pthread_t thread, int signal, int (*send)(pthread_t, int, void*), void* argument) noexcept {
  if (signal <= 0 || signal > 64 || !machine::thread_identity::can_be_carried()) return send(thread, signal, argument);
  const suspendable<native>::shielded shield(this_suspendable());
  // acquire: pairs with tell_identity().
  if (native_activation* const a = of_thread(thread, this_identity_runs).load(std::memory_order_acquire);
      a != nullptr) {
    const int failed = send(thread, signal, argument);
    if (failed == 0) a->call();
    return failed;
  }
  waiting::entry_gate_word<native>& gate = of_thread(thread, gate_of_attached);
  if (!gate.try_enter()) return send(thread, signal, argument);
  // relaxed: the gate publishes it.
  attached_thread<native>& g = *of_thread(thread, this_attached_thread).load(std::memory_order_relaxed);
  const int failed = g.set().send(g, static_cast<unsigned>(signal), [=] { return send(thread, signal, argument); });
  gate.leave();
  return failed;
}

bool stay_on_own_thread() noexcept {
  native_activation* const a = this_activation();
  if (a == nullptr) return false;
  const suspendable<native>::shielded shield(*a);
  return a->stay_on_own_thread();
}

bool let_stay_on_own_thread(pthread_t thread) noexcept {
  if (!machine::thread_identity::can_be_carried()) return false;
  const suspendable<native>::shielded shield(this_suspendable());
  // acquire: pairs with tell_identity().
  native_activation* const a = of_thread(thread, this_identity_runs).load(std::memory_order_acquire);
  if (a != nullptr) a->call(true);
  return a != nullptr;
}

void keep_mask() noexcept {
  if (this_activation() != nullptr || attached_to_this() != nullptr) this_suspendable().has_own_mask(true);
}

bool should_yield() noexcept {
  const native_activation* const a = this_activation();
  return a != nullptr && a->should_yield();
}

void yield_point() noexcept {
  if (native_activation* const a = this_activation(); a != nullptr) a->yield_point();
}

}  // namespace callisto::workers
