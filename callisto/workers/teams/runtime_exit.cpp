// The end of followers: before new followers start, at exit, and when the library is unloaded.
#include <callisto/workers/teams/process_runtime.hpp>

#include <cerrno>
#include <ctime>
#include <utility>

#include <pthread.h>
#include <sched.h>

namespace callisto::workers {

using machine::native;
using machine::order;

void runtime::end_followers() {
  if (tree_ == nullptr) return;
  tree_->root().finish();
  for (const auto& f : followers_) {
    while (!has_ended(*f)) {
    }
  }
  followers_.clear();
  tree_->root().restart();
}

bool runtime::has_ended(const follower& f) {
  if (sharing_ != nullptr) {
    const int here = sched_getcpu();
    if (f.os_index && here >= 0 && !sharing_->alone()) machine::pin(f.thread, static_cast<unsigned>(here));
    sharing_->wake_waiters();
  }
  timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += 2'000'000;
  until.tv_sec += until.tv_nsec / 1'000'000'000;
  until.tv_nsec %= 1'000'000'000;
  return pthread_timedjoin_np(f.thread, nullptr, &until) != ETIMEDOUT;
}

void runtime::end() {
  const std::scoped_lock held(mutex_);
  ended_ = true;
  root_.store(&one_thread(), order::release);
  if (tree_ != nullptr) tree_->root().finish();
  // exit() from a loop body: the followers wait for this thread, so it does not wait for them. Elsewhere they end at
  // once, unless another thread's loop still runs, which must not hold up the exit.
  int patience = own_member != nullptr ? 0 : 500;
  for (auto& f : followers_) {
    bool ended = false;
    while (!ended && patience-- > 0) ended = has_ended(*f);
    if (!ended) {
      pthread_detach(f->thread);
      abandoned_.push_back(std::move(f));  // its thread still reads it
    }
  }
  followers_.clear();
  sharing_now_.store(nullptr, order::release);
  if (sharing_ != nullptr) sharing_->leave();
}

}  // namespace callisto::workers
