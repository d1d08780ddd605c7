// The queues of a team's tasks, and the list of threads that wait for tasks.
#include <callisto/openmp/tasking/task_pool.hpp>

namespace callisto::openmp {

/// The unfinished `t` keeps all its ancestors in memory.
bool task_pool::is_descendant(const task& t, const task& within) noexcept {
  for (const task* above = t.parent;; above = above->parent) {
    if (above == &within) return true;
    if (above->depth <= within.depth) return false;
  }
}

task_pool::task_pool(unsigned threads, task_pool* smaller)
    : threads_(threads), smaller_(smaller), queues_(std::make_unique<queue[]>(threads)) {}

task* task_pool::queue::take_oldest(const task* within) noexcept {
  for (task* t = oldest; t != nullptr; t = t->newer) {
    if (!may_run(*t, within)) continue;
    remove(*t);
    return t;
  }
  return nullptr;
}

void task_pool::put(task& t, unsigned number) noexcept {
  team& in = *t.in;
  // relaxed: a hint. If it is wrong, the waiting threads are found below.
  if (sleeping_.load(order::relaxed) != 0) {
    // Wakes one thread that can run the task. A thread that is not in the list yet will find the task.
    wake([&t](const sleeper& s) { return is_descendant(t, *s.within); }, 1, [&] { enqueue(t, number); });
    if (in.has_waiting_threads()) in.ask_for_help();
  } else {
    enqueue(t, number);
    notify_of_task(in);
  }
}

void task_pool::wake_all() noexcept {
  wake([](const sleeper&) { return true; }, threads_, [] {});
}

void task_pool::enqueue(task& t, unsigned number) noexcept {
  queue& into = t.priority > 0 || number == shared_queue ? shared_ : queues_[number];
  const locked held(into.lock);
  into.put(t);
}

bool task_pool::looks_empty() const noexcept {
  // relaxed: an estimate.
  if (shared_.size.load(order::relaxed) != 0) return false;
  for (unsigned n = 0; n < threads_; ++n)
    if (queues_[n].size.load(order::relaxed) != 0) return false;
  return true;
}

task* task_pool::search(const omp_thread& self, const task* within, bool surely) noexcept {
  const unsigned number = self.at.number;
  // relaxed: a hint.
  const auto passed_over = [surely](const queue& q) { return !surely && q.size.load(order::relaxed) == 0; };
  if (!passed_over(shared_)) {
    const locked held(shared_.lock, self);
    if (task* const t = shared_.take_oldest(within)) return t;
  }
  if (queue& own = queues_[number]; !passed_over(own)) {
    const locked held(own.lock, self);
    if (task* const t = own.take_newest(within)) return t;
  }
  for (unsigned n = 1; n < threads_; ++n) {
    queue& other = queues_[(number + n) % threads_];
    if (passed_over(other)) continue;
    const locked held(other.lock, self);
    if (task* const t = other.take_oldest(within)) return t;
  }
  return nullptr;
}

void task_pool::list(sleeper& s) noexcept {
  const locked held(sleepers_lock_);
  s.next = sleepers_;
  sleepers_ = &s;
  // relaxed: ordered by the locks of the queues, or by what done() reads.
  sleeping_.store(sleeping_.load(order::relaxed) + 1, order::relaxed);
}

bool task_pool::unlist(sleeper& s) noexcept {
  const locked held(sleepers_lock_);
  if (!s.listed) return false;
  sleeper** at = &sleepers_;
  while (*at != &s) at = &(*at)->next;
  *at = s.next;
  sleeping_.store(sleeping_.load(order::relaxed) - 1, order::relaxed);
  return true;
}

template <class Chosen, class Then>
void task_pool::wake(Chosen chosen, unsigned most, Then then) noexcept {
  sleeper* woken = nullptr;
  {
    const locked held(sleepers_lock_);
    for (sleeper** at = &sleepers_; *at != nullptr && most != 0;) {
      sleeper& s = **at;
      if (!chosen(s)) {
        at = &s.next;
        continue;
      }
      *at = s.next;
      s.listed = false;
      s.next = woken;
      woken = &s;
      --most;
      sleeping_.store(sleeping_.load(order::relaxed) - 1, order::relaxed);
    }
    then();
  }
  const suspendable::shielded shield(*this_thread().self);
  // A sleeper's memory is gone once its thread continues.
  while (woken != nullptr) std::exchange(woken, woken->next)->thread->resume();
}

void task_pool::notify(const void* what) noexcept {
  // relaxed: the event was a locked instruction on the word that done() reads by another one; see wait().
  if (sleeping_.load(order::relaxed) != 0) wake([what](const sleeper& s) { return s.what == what; }, threads_, [] {});
}

}  // namespace callisto::openmp
