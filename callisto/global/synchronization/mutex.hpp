// A mutex and a condition variable for workers of all ranks.
#pragma once

#include <callisto/export.hpp>
#include <callisto/global/memory/answer.hpp>
#include <callisto/global/memory/global_address.hpp>
#include <callisto/global/synchronization/waiting_line.hpp>

#include <source_location>

namespace callisto::global {

/// A mutex that lies at one rank and is locked by its address. Its owner hands it on in the order of arrival, and a
/// worker that waits is suspended. At the own rank a free mutex costs no message; elsewhere locking costs two and
/// unlocking one.
class CALLISTO_API mutex {
 public:
  mutex() noexcept = default;

 private:
  friend void lock(global_address<mutex>, std::source_location);
  friend bool try_lock(global_address<mutex>, std::source_location);
  friend void unlock(global_address<mutex>, std::source_location);
  friend struct mutex_access;

  bool held_ = false;
  waiting_line<arrival_address> waiters_;
};

/// Waits until the caller holds the mutex.
CALLISTO_API void lock(global_address<mutex> m, std::source_location where = std::source_location::current());
/// True if the mutex was free and the caller now holds it.
CALLISTO_API bool try_lock(global_address<mutex> m, std::source_location where = std::source_location::current());
/// Gives the mutex up. Does not wait; what the holder did by operations that have ended is visible to the next holder.
/// If the mutex is not locked, the phase throws usage_error in main of all ranks.
CALLISTO_API void unlock(global_address<mutex> m, std::source_location where = std::source_location::current());

/// Holds a mutex for a scope.
class scoped_lock {
 public:
  explicit scoped_lock(global_address<mutex> m, std::source_location where = std::source_location::current())
      : mutex_(m) {
    lock(m, where);
  }
  ~scoped_lock() { unlock(mutex_); }
  scoped_lock(const scoped_lock&) = delete;
  scoped_lock& operator=(const scoped_lock&) = delete;

 private:
  global_address<mutex> mutex_;
};

/// Workers of any rank wait at a condition variable until another one notifies them.
class CALLISTO_API condition_variable {
 public:
  condition_variable() noexcept = default;

 private:
  friend struct condition_access;
  waiting_line<arrival_address> waiters_;
};

/// Gives `m` up, waits for a notification, and locks `m` again. Every wait ends by a notification, never early; look at
/// the condition again all the same, as another worker may come first.
CALLISTO_API void wait(global_address<condition_variable> c, global_address<mutex> m,
                       std::source_location where = std::source_location::current());
/// Ends the wait of the worker that came first, or of all. Does not wait.
CALLISTO_API void notify_one(global_address<condition_variable> c);
CALLISTO_API void notify_all(global_address<condition_variable> c);

}  // namespace callisto::global
