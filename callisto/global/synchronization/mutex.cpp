#include <callisto/global/memory/delegates.hpp>
#include <callisto/global/session/collective.hpp>
#include <callisto/global/synchronization/mutex.hpp>
#include <callisto/machine/system/error.hpp>

namespace callisto::global {

/// Operations of the owner of a mutex.
struct mutex_access {
  /// True if the mutex was free and is held now; else the worker of `waiter` will be woken as its holder.
  static bool take_or_queue(mutex& m, arrival_address waiter) {
    if (!m.held_) {
      m.held_ = true;
      return true;
    }
    m.waiters_.push(waiter);
    return false;
  }
  static bool take(mutex& m) {
    if (m.held_) return false;
    m.held_ = true;
    return true;
  }
  static void give_up(mutex& m, const portable_place& where) {
    if (!m.held_)
      throw usage_error(where.text() + ": unlock of a mutex that is not locked; expected one unlock for each lock");
    if (m.waiters_.empty()) {
      m.held_ = false;
    } else {
      set_arrival(m.waiters_.pop());  // still held, by the worker that waited
    }
  }
};

void lock(global_address<mutex> m, std::source_location where) {
  require_may_block(where);
  arrival held;
  held.prepare();
  const arrival_address mine = arrival_address::at(here().rank, &held);
  if (m.rank() == here().rank && !m.is_linear()) {
    if (!call(m, [mine](mutex& object) { return mutex_access::take_or_queue(object, mine); }, where))
      held.wait("a mutex", where);
    return;
  }
  // The owner answers once, when the caller holds the mutex.
  post_call(m, [mine](mutex& object) {
    if (mutex_access::take_or_queue(object, mine)) set_arrival(mine);
  });
  held.wait("a mutex", where);
}

bool try_lock(global_address<mutex> m, std::source_location where) {
  return call(m, [](mutex& object) { return mutex_access::take(object); }, where);
}

void unlock(global_address<mutex> m, std::source_location where) {
  post_call(m, [from = portable_place(where)](mutex& object) { mutex_access::give_up(object, from); });
}

/// Operations of the owner of a condition variable.
struct condition_access {
  static void queue(condition_variable& c, arrival_address waiter) { c.waiters_.push(waiter); }
  static void wake_one(condition_variable& c) {
    if (!c.waiters_.empty()) set_arrival(c.waiters_.pop());
  }
  static void wake_all(condition_variable& c) {
    while (!c.waiters_.empty()) set_arrival(c.waiters_.pop());
  }
};

void wait(global_address<condition_variable> c, global_address<mutex> m, std::source_location where) {
  require_may_block(where);
  arrival notified;
  notified.prepare();
  const arrival_address mine = arrival_address::at(here().rank, &notified);
  // The caller stands in the line before it gives the mutex up, so no notification of a later holder is lost.
  call(c, [mine](condition_variable& object) { condition_access::queue(object, mine); }, where);
  unlock(m, where);
  notified.wait("a notification", where);
  lock(m, where);
}

void notify_one(global_address<condition_variable> c) {
  post_call(c, [](condition_variable& object) { condition_access::wake_one(object); });
}

void notify_all(global_address<condition_variable> c) {
  post_call(c, [](condition_variable& object) { condition_access::wake_all(object); });
}

}  // namespace callisto::global
