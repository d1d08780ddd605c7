// omp_*_lock and omp_*_nest_lock, for C and Fortran, in the two versions that libgomp has. A nestable lock belongs to a
// task (OMP_3.0, which programs are linked with since GCC 4.4) or to a thread (OMP_1.0).
#include <callisto/openmp/abi/abi.hpp>
#include <callisto/openmp/locks/word_lock.hpp>
#include <callisto/openmp/region/tool.hpp>

#include <cstdint>
#include <new>

namespace callisto::openmp {
namespace {

/// omp_nest_lock_t of OMP_3.0. Fortran's type holds a pointer to one.
class task_nest_lock {
 public:
  /// Returns how often the caller holds the lock now.
  std::int32_t lock() noexcept {
    if (!is_mine()) {
      lock_.lock();
      own(this_thread().at.current);
    }
    return ++count_;
  }

  /// Returns how often the caller holds the lock now; 0: another task holds it.
  std::int32_t try_lock() noexcept {
    if (!is_mine()) {
      if (!lock_.try_lock()) return 0;
      own(this_thread().at.current);
    }
    return ++count_;
  }

  /// Returns how often the caller still holds the lock.
  std::int32_t unlock() noexcept {
    const std::int32_t left = --count_;
    if (left != 0) return left;
    own(nullptr);
    lock_.unlock();
    return 0;
  }

 private:
  // relaxed: equals the caller's task only if that task wrote it and holds the lock.
  bool is_mine() const noexcept { return owner_.load(order::relaxed) == this_thread().at.current; }
  void own(const task* by) noexcept { owner_.store(by, order::relaxed); }

  word_lock lock_;
  std::int32_t count_ = 0;
  atomic<const task*> owner_{nullptr};
};
static_assert(sizeof(task_nest_lock) == 16);

/// omp_nest_lock_t of OMP_1.0.
class thread_nest_lock {
 public:
  void lock() noexcept {
    omp_thread& self = this_thread();
    while (!take(self.id)) {
      // relaxed, here and below: an estimate; take() orders.
      if (spin_until(*self.self, [this] { return owner_.load(order::relaxed) == 0; })) continue;
      wait_at(this, *self.self, [this] { return owner_.load(order::relaxed) != 0; });
    }
    ++count_;
  }

  std::int32_t try_lock() noexcept { return take(this_thread().id) ? ++count_ : 0; }

  void unlock() noexcept {
    if (--count_ != 0) return;
    owner_.store(0, order::release);  // release: publishes the section to take()'s acquire
    wake(this, 1);
  }

 private:
  bool take(std::uint32_t self) noexcept {
    if (owner_.load(order::relaxed) == self) return true;
    std::uint32_t found = 0;
    // acquire: pairs with unlock()'s release. A weak exchange can fail on a free lock, so it is repeated.
    while (found == 0)
      if (owner_.compare_exchange(found, self, order::acquire)) return true;
    return false;
  }

  atomic<std::uint32_t> owner_{0};
  std::int32_t count_ = 0;
};
static_assert(sizeof(thread_nest_lock) == 8);

// With a tool.

using tool::mutex_kind;

/// Calls take(), which returns how often the caller holds a nestable lock: 1, it has just taken it; 0, it has not.
template <class Take>
[[gnu::noinline, gnu::cold]] std::int32_t take_nested_and_tell(mutex_kind kind, const void* lock, const void* from,
                                                               Take take) {
  tool::mutex_acquires(kind, lock, from);
  const std::int32_t times = take();
  if (times == 1) {
    tool::mutex_acquired(kind, lock, from);
  } else {
    tool::mutex_not_acquired();
    if (times > 1) tool::nests(tool::endpoint::begin, lock, from);
  }
  return times;
}
template <class Take>
[[gnu::always_inline]] inline std::int32_t take_nested(mutex_kind kind, const void* lock, const void* from, Take take) {
  if (tool::watched()) [[unlikely]]
    return take_nested_and_tell(kind, lock, from, take);
  return take();
}

/// Calls give(), which returns how often the caller still holds the lock.
template <class Give>
[[gnu::noinline, gnu::cold]] void give_nested_and_tell(mutex_kind kind, const void* lock, const void* from, Give give) {
  if (give() == 0) {
    tool::mutex_released(kind, lock, from);
  } else {
    tool::nests(tool::endpoint::end, lock, from);
  }
}
template <class Give>
[[gnu::always_inline]] inline void give_nested(mutex_kind kind, const void* lock, const void* from, Give give) {
  if (tool::watched()) [[unlikely]]
    return give_nested_and_tell(kind, lock, from, give);
  give();
}

[[gnu::always_inline]] inline void tell_life(mutex_kind kind, const void* lock, const void* from, bool begins) {
  // The first call of the library in some programs: a tool starts here.
  if (begins) static_cast<void>(this_thread());
  if (!tool::watched()) [[likely]]
    return;
  begins ? tool::lock_begins(kind, lock, from) : tool::lock_ends(kind, lock, from);
}

}  // namespace

#define CALLISTO_VERSIONED(function, symbol) asm(".symver " #function "," symbol)
/// Exports a function under C's and Fortran's names.
#define CALLISTO_BOTH_NAMES(function, name, version) \
  CALLISTO_VERSIONED(function, "omp_" name version); \
  CALLISTO_VERSIONED(function, "omp_" name "_" version)

// Simple locks: the same in both versions and in Fortran.
CALLISTO_OPENMP_ABI void callisto_init_lock(word_lock* l) {
  new (l) word_lock;
  tell_life(mutex_kind::lock, l, CALLISTO_CALLER, true);
}
CALLISTO_OPENMP_ABI void callisto_destroy_lock(word_lock* l) { tell_life(mutex_kind::lock, l, CALLISTO_CALLER, false); }
CALLISTO_OPENMP_ABI void callisto_set_lock(word_lock* l) {
  tool::taking(mutex_kind::lock, l, CALLISTO_CALLER, [l] { l->lock(); });
}
CALLISTO_OPENMP_ABI void callisto_unset_lock(word_lock* l) {
  tool::giving(mutex_kind::lock, l, CALLISTO_CALLER, [l] { l->unlock(); });
}
CALLISTO_OPENMP_ABI std::int32_t callisto_test_lock(word_lock* l) {
  return take_nested(mutex_kind::test_lock, l, CALLISTO_CALLER, [l] { return l->try_lock() ? 1 : 0; });
}
#define CALLISTO_SIMPLE_LOCK(verb)                                         \
  CALLISTO_BOTH_NAMES(callisto_##verb##_lock, #verb "_lock", "@@OMP_3.0"); \
  CALLISTO_BOTH_NAMES(callisto_##verb##_lock, #verb "_lock", "@OMP_1.0")
CALLISTO_SIMPLE_LOCK(init);
CALLISTO_SIMPLE_LOCK(destroy);
CALLISTO_SIMPLE_LOCK(set);
CALLISTO_SIMPLE_LOCK(unset);
CALLISTO_SIMPLE_LOCK(test);

// Nestable locks of OMP_3.0. Fortran's have 8 bytes, which hold a pointer.
CALLISTO_OPENMP_ABI void callisto_init_nest_lock(task_nest_lock* l) {
  new (l) task_nest_lock;
  tell_life(mutex_kind::nest_lock, l, CALLISTO_CALLER, true);
}
CALLISTO_OPENMP_ABI void callisto_destroy_nest_lock(task_nest_lock* l) {
  tell_life(mutex_kind::nest_lock, l, CALLISTO_CALLER, false);
}
CALLISTO_OPENMP_ABI void callisto_set_nest_lock(task_nest_lock* l) {
  take_nested(mutex_kind::nest_lock, l, CALLISTO_CALLER, [l] { return l->lock(); });
}
CALLISTO_OPENMP_ABI void callisto_unset_nest_lock(task_nest_lock* l) {
  give_nested(mutex_kind::nest_lock, l, CALLISTO_CALLER, [l] { return l->unlock(); });
}
CALLISTO_OPENMP_ABI std::int32_t callisto_test_nest_lock(task_nest_lock* l) {
  return take_nested(mutex_kind::test_nest_lock, l, CALLISTO_CALLER, [l] { return l->try_lock(); });
}
CALLISTO_OPENMP_ABI void callisto_init_nest_lock_f(task_nest_lock** l) {
  *l = new task_nest_lock;
  tell_life(mutex_kind::nest_lock, *l, CALLISTO_CALLER, true);
}
CALLISTO_OPENMP_ABI void callisto_destroy_nest_lock_f(task_nest_lock** l) {
  tell_life(mutex_kind::nest_lock, *l, CALLISTO_CALLER, false);
  delete *l;
  *l = nullptr;
}
CALLISTO_OPENMP_ABI void callisto_set_nest_lock_f(task_nest_lock** l) {
  take_nested(mutex_kind::nest_lock, *l, CALLISTO_CALLER, [l] { return (*l)->lock(); });
}
CALLISTO_OPENMP_ABI void callisto_unset_nest_lock_f(task_nest_lock** l) {
  give_nested(mutex_kind::nest_lock, *l, CALLISTO_CALLER, [l] { return (*l)->unlock(); });
}
CALLISTO_OPENMP_ABI std::int32_t callisto_test_nest_lock_f(task_nest_lock** l) {
  return take_nested(mutex_kind::test_nest_lock, *l, CALLISTO_CALLER, [l] { return (*l)->try_lock(); });
}

// Nestable locks of OMP_1.0: 8 bytes in both languages.
CALLISTO_OPENMP_ABI void callisto_init_nest_lock_1(thread_nest_lock* l) { new (l) thread_nest_lock; }
CALLISTO_OPENMP_ABI void callisto_destroy_nest_lock_1(thread_nest_lock* /*l*/) {}
CALLISTO_OPENMP_ABI void callisto_set_nest_lock_1(thread_nest_lock* l) { l->lock(); }
CALLISTO_OPENMP_ABI void callisto_unset_nest_lock_1(thread_nest_lock* l) { l->unlock(); }
CALLISTO_OPENMP_ABI std::int32_t callisto_test_nest_lock_1(thread_nest_lock* l) { return l->try_lock(); }
#define CALLISTO_NEST_LOCK(verb)                                                          \
  CALLISTO_VERSIONED(callisto_##verb##_nest_lock, "omp_" #verb "_nest_lock@@OMP_3.0");    \
  CALLISTO_VERSIONED(callisto_##verb##_nest_lock_f, "omp_" #verb "_nest_lock_@@OMP_3.0"); \
  CALLISTO_BOTH_NAMES(callisto_##verb##_nest_lock_1, #verb "_nest_lock", "@OMP_1.0")
CALLISTO_NEST_LOCK(init);
CALLISTO_NEST_LOCK(destroy);
CALLISTO_NEST_LOCK(set);
CALLISTO_NEST_LOCK(unset);
CALLISTO_NEST_LOCK(test);

}  // namespace callisto::openmp
