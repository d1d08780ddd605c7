// Starts the attendants, and wakes them.
#include <callisto/broker/attendants.hpp>

#include <callisto/machine/system/error.hpp>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <stop_token>
#include <string>
#include <system_error>

#include <pthread.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace callisto::broker {
namespace {

constexpr int nudge_key = -1;

/// The kernel's struct sched_attr, as far as it is used. glibc has it from 2.41 on.
struct scheduling {
  std::uint32_t size;
  std::uint32_t policy;
  std::uint64_t flags;
  std::int32_t nice;
  std::uint32_t priority;
  std::uint64_t runtime;
  std::uint64_t deadline;
  std::uint64_t period;
};

}  // namespace

void come_first() noexcept {
  ::prctl(PR_SET_TIMERSLACK, 1000UL);
  ::setpriority(PRIO_PROCESS, 0, -15);
  scheduling its{};
  if (::syscall(SYS_sched_getattr, 0, &its, sizeof its, 0) != 0) return;
  its.runtime = 100'000;  // nanoseconds
  ::syscall(SYS_sched_setattr, 0, &its, 0);
}

attendants::attendants(unsigned contexts) : contexts_(contexts) {
  for (unsigned a = 0; a < attendants_of(contexts); ++a) {
    all_.push_back(std::make_unique<one>());
    one& its = *all_.back();
    its.nudged = machine::descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (its.nudged.get() < 0 || !its.queue.add(its.nudged.get(), nudge_key)) {
      throw error(std::string("a bell of the broker's own: ") + std::strerror(errno));
    }
  }
}

void attendants::start(const service& serve) {
  // Signals are the first thread's.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const auto attend = [this, &serve](const std::stop_token& stop, unsigned attendant) {
    one& its = *all_[attendant];
    std::uint64_t due = 0;
    while (!stop.stop_requested()) {
      std::span<const int> keys = its.queue.wait(due);
      if (std::ranges::find(keys, nudge_key) != keys.end()) {
        std::uint64_t count = 0;
        if (::read(its.nudged.get(), &count, sizeof count) < 0) count = 0;  // EAGAIN: one nudge, reported twice
      }
      due = serve(attendant, keys);
    }
  };
  try {
    for (unsigned a = 0; a < all_.size(); ++a) {
      all_[a]->thread = std::jthread(attend, a);
      bind(a);
    }
  } catch (const std::system_error& e) {
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    end();
    throw error(std::string("a thread of the broker: ") + e.what());
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void attendants::end() noexcept {
  for (unsigned a = 0; a < all_.size(); ++a) {
    all_[a]->thread.request_stop();
    nudge(a);
  }
  for (const std::unique_ptr<one>& its : all_) {
    if (its->thread.joinable()) its->thread.join();
  }
}

void attendants::nudge(unsigned attendant) const noexcept {
  const std::uint64_t one_more = 1;
  // EAGAIN: it is nudged already.
  if (::write(all_[attendant]->nudged.get(), &one_more, sizeof one_more) < 0) return;
}

void attendants::bind_again() noexcept {
  for (unsigned a = 0; a < all_.size(); ++a) bind(a);
}

/// Refused in a cpuset without these contexts: then it runs anywhere.
void attendants::bind(unsigned attendant) noexcept {
  if (!all_[attendant]->thread.joinable()) return;
  const stretch its = contexts_of_attendant(attendant, contexts_);
  cpu_set_t set;
  CPU_ZERO(&set);
  for (unsigned c = its.first; c < its.last; ++c) CPU_SET(c, &set);
  ::pthread_setaffinity_np(all_[attendant]->thread.native_handle(), sizeof set, &set);
}

}  // namespace callisto::broker
