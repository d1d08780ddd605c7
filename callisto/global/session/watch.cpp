#include <callisto/global/session/watch.hpp>
#include <callisto/global/transport/node_memory.hpp>
#include <callisto/machine/system/blocked_signals.hpp>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace callisto::global {

namespace {

// What the handlers of signals and of std::terminate know of the one rank of this process.
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

/// Tells the cause, then lets the signal do what it would have done: end the process, or call MPI's handler.
void tell_signal(int number) {
  const int error_before = errno;
  transport* net = net_of_process.exchange(nullptr, std::memory_order_acquire);  // acquire: pairs with watch()
  if (net != nullptr) {
    const char* cause = "";
    for (const fatal_signal& s : fatal_signals)
      if (s.number == number) cause = s.cause;
    char line[256];
    std::size_t length = 0;
    for (const char* text : {static_cast<const char*>(prefix_of_process), cause})
      for (; *text != '\0' && length < sizeof line; ++text) line[length++] = *text;
    if (write(STDERR_FILENO, line, length) > 0 && net->memory() != nullptr) net->memory()->say_goodbye();
  }
  for (const fatal_signal& s : fatal_signals)
    if (s.number == number) sigaction(number, &s.before, nullptr);
  raise(number);  // is delivered when this handler returns
  errno = error_before;
}

[[noreturn]] void tell_exception() {
  transport* net = net_of_process.exchange(nullptr, std::memory_order_acquire);  // acquire: pairs with watch()
  if (net != nullptr) {
    std::string cause = "std::terminate";
    if (const std::exception_ptr thrown = std::current_exception()) {
      try {
        std::rethrow_exception(thrown);
      } catch (const std::bad_alloc&) {
        cause = "cannot allocate memory";
      } catch (const std::exception& e) {
        cause = e.what();
      } catch (...) {
        cause = "an exception of a type that is no std::exception";
      }
    }
    // The line of an error that ended the job already names a rank.
    net->abort(cause.starts_with("callisto: rank ") ? cause : prefix_of_process + cause);
  }
  std::abort();
}

void tell_exit() {
  transport* net = net_of_process.exchange(nullptr, std::memory_order_acquire);  // acquire: pairs with watch()
  if (net != nullptr) net->abort(std::string(prefix_of_process) + "the program called exit() before its session ended");
}

}  // namespace

watch::watch(message_engine& engine, std::function<std::string()> report, options how)
    : engine_(engine),
      report_(std::move(report)),
      how_(how),
      rank_(engine.net().rank()),
      before_((rank_ + engine.net().ranks() - 1) % engine.net().ranks()),
      next_((rank_ + 1) % engine.net().ranks()),
      end_(eventfd(0, EFD_CLOEXEC)) {
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
    std::set_terminate(tell_exception);
    static const int registered = std::atexit(tell_exit);
    static_cast<void>(registered);
    for (fatal_signal& of : fatal_signals) {
      struct sigaction action = {};
      action.sa_handler = tell_signal;
      action.sa_flags = SA_ONSTACK;
      sigaction(of.number, &action, &of.before);
    }
    struct sigaction action = {};
    action.sa_handler = want_report;
    action.sa_flags = SA_RESTART;
    sigaction(SIGUSR1, &action, nullptr);
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
      // The whole job, or this rank alone, may have been stopped: silence of the others counts from now on.
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

void watch::await_next() {
  pollfd ends[2] = {{end_.get(), POLLIN, 0}, {neighbour_.get(), POLLIN, 0}};
  // A neighbour that has ended is looked at once; later it stays readable.
  const bool is_watched = neighbour_.get() >= 0 && !neighbour_has_ended_;
  if (poll(ends, is_watched ? 2 : 1, static_cast<int>(how_.beat.count())) > 0 && is_watched && ends[1].revents != 0)
    neighbour_has_ended_ = true;
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
