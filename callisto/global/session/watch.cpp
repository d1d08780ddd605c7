#include <callisto/global/session/uncaught.hpp>
#include <callisto/global/session/watch.hpp>
#include <callisto/global/tasks/core.hpp>
#include <callisto/global/transport/limits.hpp>
#include <callisto/global/transport/node_memory.hpp>
#include <callisto/machine/system/blocked_signals.hpp>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace callisto::global {

namespace {

// State of the one rank of this process, for the handlers of signals and of std::terminate.
std::atomic<int> reports_wanted{0};
std::atomic<transport*> net_of_process{nullptr};
char prefix_of_process[128];

void want_report(int) { reports_wanted.fetch_add(1, std::memory_order_relaxed); }  // relaxed: polled

struct fatal_signal {
  int number;
  const char* cause;
  struct sigaction before = {};
} fatal_signals[] = {{SIGSEGV, "invalid memory access (SIGSEGV)\n"},
                     {SIGBUS, "memory that does not exist (SIGBUS)\n"},
                     {SIGFPE, "arithmetic error (SIGFPE)\n"},
                     {SIGILL, "invalid instruction (SIGILL)\n"},
                     {SIGABRT, "aborted (SIGABRT)\n"}};

/// Tells `cause`, a line, if this rank has not told another one. Safe in handlers of signals.
void tell_once(const char* cause) noexcept {
  transport* const net = net_of_process.exchange(nullptr, std::memory_order_acquire);  // acquire: pairs with watch()
  if (net == nullptr) return;
  if (net->memory() != nullptr && !net->memory()->take_last_word()) return net->memory()->say_goodbye();
  char line[400];
  std::size_t length = 0;
  for (const char* text : {static_cast<const char*>(prefix_of_process), cause})
    for (; *text != '\0' && length < sizeof line; ++text) line[length++] = *text;
  if (write(STDERR_FILENO, line, length) > 0 && net->memory() != nullptr) net->memory()->say_goodbye();
}

/// Tells the cause, then lets the signal do what it would have done: end the process, or call MPI's handler.
void tell_signal(int number, siginfo_t* info, void*) {
  const int error_before = errno;
  if (number == SIGSEGV) core::end_if_stack_is_full(info->si_addr);
  const char* cause = "";
  for (const fatal_signal& s : fatal_signals)
    if (s.number == number) cause = s.cause;
  tell_once(cause);
  for (const fatal_signal& s : fatal_signals)
    if (s.number == number) sigaction(number, &s.before, nullptr);
  raise(number);  // is delivered when this handler returns
  errno = error_before;
}

/// Ends the job by an exception that this rank does not catch.
void tell_exception(const std::string& cause, int status) {
  transport* const net = net_of_process.exchange(nullptr, std::memory_order_acquire);  // acquire: pairs with watch()
  if (net == nullptr) return;
  // The line of an error that ended the job already names a rank.
  net->abort(cause.starts_with("callisto: rank ") ? cause : prefix_of_process + cause, status);
}

void tell_exit() {
  transport* const net = net_of_process.exchange(nullptr, std::memory_order_acquire);  // acquire: pairs with watch()
  if (net != nullptr) net->abort(std::string(prefix_of_process) + "the program called exit() before its session ended");
}

/// Once a process: a second session finds all in place.
void handle_ends_of_process() {
  set_end_of_rank(&tell_exception);
  core::set_last_words(&tell_once);
  std::atexit(tell_exit);
  for (fatal_signal& of : fatal_signals) {
    struct sigaction action = {};
    action.sa_sigaction = tell_signal;
    action.sa_flags = SA_ONSTACK | SA_SIGINFO;
    sigaction(of.number, &action, &of.before);
  }
  struct sigaction action = {};
  action.sa_handler = want_report;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, nullptr);
}

}  // namespace

watch::watch(message_engine& engine, std::function<std::string()> report, options how)
    : engine_(engine),
      report_(std::move(report)),
      how_(how),
      rank_(engine.net().rank()),
      before_((rank_ + engine.net().ranks() - 1) % engine.net().ranks()),
      next_((rank_ + 1) % engine.net().ranks()),
      end_(eventfd(0, EFD_CLOEXEC)),
      messages_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  transport& net = engine_.net();
  if (net.memory() != nullptr)
    for (int i = 1; i < net.ranks() && before_on_node_ < 0; ++i) {
      const int r = (rank_ + net.ranks() - i) % net.ranks();
      if (net.node_of(r) == net.node_of(rank_)) before_on_node_ = r;
    }
  if (before_on_node_ >= 0) {
    const pid_t process = net.memory()->process(net.place_on_node(before_on_node_));
    // Negative if the kernel has no such descriptors, or the rank lives in another namespace of processes: then the
    // lock in the node's memory tells, a beat later.
    if (process != 0) neighbour_ = machine::descriptor(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
  }
  if (net.owns_process()) {
    std::snprintf(prefix_of_process, sizeof prefix_of_process, "%s: ", net.name_of(rank_).c_str());
    net_of_process.store(&net, std::memory_order_release);  // release: publishes the prefix
    static std::once_flag once;
    std::call_once(once, handle_ends_of_process);
  }
  reports_ = reports_wanted.load(std::memory_order_relaxed);  // relaxed: polled
  const machine::blocked_signals none;                        // signals of the program go to its own threads
  thread_ = std::thread([this] { run(); });
}

watch::~watch() {
  {
    const std::lock_guard guard(lock_);
    ending_ = true;
  }
  eventfd_write(end_.get(), 1);
  thread_.join();
  try {
    beat(control_message::kinds::goodbye);
  } catch (const job_failed&) {
    // The other ranks have ended, too.
  }
  net_of_process.store(nullptr, std::memory_order_relaxed);  // relaxed: handlers of signals take what they find
}

void watch::run() {
  std::unique_lock guard(lock_);
  auto last_turn = clock::now();
  while (!ending_) {
    guard.unlock();
    try {
      // The whole job, or this rank alone, may have been stopped: silence of other ranks counts from now on.
      if (const auto now = clock::now(); now - last_turn > how_.limit / 3) last_heard_ = now;
      last_turn = clock::now();
      beat(control_message::kinds::alive);
      look_at_neighbour();
      if (const int wanted = reports_wanted.load(std::memory_order_relaxed); wanted != reports_) {  // relaxed: polled
        reports_ = wanted;
        const std::string lines = engine_.report() + (report_ ? report_() : std::string());
        std::fputs((lines.empty() ? engine_.net().name_of(rank_) + ": waits for nothing\n" : lines).c_str(), stderr);
      }
    } catch (const job_failed&) {
      return;
    }
    await_next();
    guard.lock();
  }
}

/// Waits until the next beat is due, or something has happened.
void watch::await_next() {
  const auto until = clock::now() + how_.beat;
  for (;;) {
    pollfd ends[3] = {{end_.get(), POLLIN, 0}, {messages_.get(), POLLIN, 0}, {neighbour_.get(), POLLIN, 0}};
    // A neighbour that has ended is looked at once; later it stays readable.
    const bool is_watched = neighbour_.get() >= 0 && !neighbour_has_ended_;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - clock::now());
    if (left.count() <= 0) return;
    const bool pushes = is_pushing_.load(std::memory_order_relaxed);  // relaxed: the event wakes this thread
    if (poll(ends, is_watched ? 3 : 2, pushes ? 1 : static_cast<int>(left.count())) < 0) continue;
    if (is_watched && ends[2].revents != 0) neighbour_has_ended_ = true;
    if (ends[0].revents != 0 || (is_watched && neighbour_has_ended_)) return;
    if (eventfd_t times = 0; ends[1].revents != 0) eventfd_read(messages_.get(), &times);
    if (pushes || ends[1].revents != 0) push_out();
  }
}

void watch::expect_messages() noexcept {
  // acq_rel: pairs with push_out(), which looks once more after it has taken the mark away.
  if (!is_pushing_.exchange(true, std::memory_order_acq_rel)) eventfd_write(messages_.get(), 1);
}

void watch::push_out() {
  const std::optional<bool> pushed = engine_.push_out();
  if (!pushed) return;
  fruitless_pushes_ = *pushed ? 0 : fruitless_pushes_ + 1;
  if (fruitless_pushes_ < rank_limits::fruitless_pushes) return;
  fruitless_pushes_ = 0;
  is_pushing_.exchange(false, std::memory_order_acq_rel);  // acq_rel: as in expect_messages()
  if (engine_.push_out() != false) is_pushing_.store(true, std::memory_order_relaxed);  // relaxed: this thread looks
}

void watch::beat(control_message::kinds kind) {
  if (before_ == rank_) return;
  const auto until = clock::now() + how_.beat;
  const auto exchange = [&](transport& net) {
    control_message m;
    m.kind = kind;
    m.source = rank_;
    net.post_control(next_, m);
    while (net.take_control(m)) {
      if (m.source != before_) continue;
      last_heard_ = clock::now();
      has_left_ = m.kind == control_message::kinds::goodbye;
    }
  };
  // Another thread may be making progress, which takes microseconds. If it takes longer, this rank is silent.
  while (!engine_.with_transport(exchange)) {
    if (clock::now() >= until) {
      last_heard_ = clock::now();  // not the fault of the rank before
      return;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

void watch::look_at_neighbour() {
  transport& net = engine_.net();
  if (before_on_node_ >= 0 && !net.memory()->lives(net.place_on_node(before_on_node_)))
    return fail(before_on_node_, "its process has ended before the job (killed, out of memory, or an early exit)");
  // A rank that has told its own end is about to take the job with it.
  if (before_ == rank_ || has_left_) return;
  if (clock::now() - last_heard_ > how_.limit)
    fail(before_, "does not answer for " + std::to_string(how_.limit.count() / 1000) + "." +
                      std::to_string(how_.limit.count() % 1000 / 100) +
                      " s (its process is stopped, its host is gone, or a message handler does not return)");
}

void watch::fail(int rank, const std::string& cause) {
  engine_.net().abort(engine_.net().name_of(rank) + ": " + cause);
  const std::lock_guard guard(lock_);
  ending_ = true;
}

}  // namespace callisto::global
