// fork(): the child has one thread, and starts anew.
#include <callisto/workers/teams/process_runtime.hpp>

#include <cstdlib>
#include <utility>

#include <pthread.h>

namespace callisto::workers {

using machine::native;
using machine::order;

runtime::runtime() {
  pthread_atfork([] { instance().mutex_.lock(); }, [] { instance().mutex_.unlock(); },
                 [] {
                   instance().in_child();
                   instance().mutex_.unlock();
                 });
  std::atexit([] { instance().end(); });
}

void runtime::in_child() {
  // A follower that forks is the child's only thread, and has no context for itself any more.
  for (const auto& f : followers_) {
    if (pthread_equal(f->thread, pthread_self()) != 0) machine::unpin_this_thread();
  }
  for (auto& f : followers_) abandoned_.push_back(std::move(f));
  followers_.clear();
  // This thread may be in a loop of one of the trees, so new loops get new trees.
  for (auto& t : trees_) {
    t->forget_others();
    abandoned_trees_.push_back(std::move(t));
  }
  trees_.clear();
  tree_ = nullptr;
  starter_ = 0;
  if (standing_ != nullptr) standing_->stand_at(nullptr);
  if (sharing_ != nullptr) {
    sharing_->forget_this_leader();
    leads_on = nullptr;
    sharing_->abandon();
    parents_ = sharing_.release();
    sharing_now_.store(nullptr, order::release);
  }
  root_.store(ended_ ? &one_thread() : nullptr, order::release);
}

}  // namespace callisto::workers
