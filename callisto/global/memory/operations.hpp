// Operations of delegates on one object at its owner: on words by one instruction, on all else under the owner's lock.
//
// Two guarantees, which hold wherever the object is and whichever thread of its owner does the work:
//  - Operations on words (at most 8 bytes, aligned to their size) are atomic among each other.
//  - Functions, and reads and writes of larger objects, are atomic among each other on the same object.
// A word that functions change is read and written by functions too: call(), not read().
#pragma once

#include <callisto/global/memory/answer.hpp>
#include <callisto/global/memory/owner_locks.hpp>
#include <callisto/global/transport/here.hpp>

#include <atomic>
#include <concepts>
#include <mutex>
#include <type_traits>
#include <utility>

namespace callisto::global {

/// True if one instruction reads or writes a T.
template <class T>
concept word = std::is_trivially_copyable_v<T> &&
               (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8) && alignof(T) >= sizeof(T);

/// True if a T can be copied to another rank as bytes.
template <class T>
concept transferable = std::is_trivially_copyable_v<T>;

/// True if an F is a function on a T, in place, and its result can travel.
template <class F, class T>
concept function_on = trivially_copyable_function<F> && small_function<F> && std::is_invocable_v<F&, T&> &&
                      (std::is_void_v<std::invoke_result_t<F&, T&>> || transferable<std::invoke_result_t<F&, T&>>);

namespace detail {

/// Marks the calling thread as inside a delegate.
class local_delegate {
 public:
  local_delegate() noexcept : before_(std::exchange(of_thread::in_local_delegate, true)) {}
  ~local_delegate() { of_thread::in_local_delegate = before_; }
  local_delegate(const local_delegate&) = delete;
  local_delegate& operator=(const local_delegate&) = delete;

 private:
  bool before_;
};

/// Calls f() as the only function on `object`.
template <class F>
decltype(auto) alone_on(const void* object, bool is_only_thread, F&& f) {
  if (is_only_thread) [[likely]]
    return std::forward<F>(f)();
  const std::lock_guard turn(rank_local<owner_locks>().of(object));
  return std::forward<F>(f)();
}

// Each operation has apply(T&, is_only_thread), which does it as the memory model promises: plainly if only one thread
// touches the memory of this rank. seq_cst: blocking operations of all threads of a rank are in one order.

struct read_operation {
  template <transferable T>
  T apply(T& object, [[maybe_unused]] bool is_only_thread) const {
    if constexpr (word<T>) {
      if (is_only_thread) [[likely]]
        return object;
      return std::atomic_ref<T>(object).load(std::memory_order_seq_cst);
    } else {
      return alone_on(&object, is_only_thread, [&] { return object; });
    }
  }
};

template <transferable V>
struct write_operation {
  V value;
  template <class T>
  void apply(T& object, [[maybe_unused]] bool is_only_thread) const {
    if constexpr (word<T>) {
      if (is_only_thread) [[likely]] {
        object = value;
      } else {
        std::atomic_ref<T>(object).store(value, std::memory_order_seq_cst);
      }
    } else {
      alone_on(&object, is_only_thread, [&] { object = value; });
    }
  }
};

template <class V>
struct add_operation {
  V value;
  template <word T>
    requires std::integral<T> || std::floating_point<T>
  T apply(T& object, [[maybe_unused]] bool is_only_thread) const {
    if (is_only_thread) [[likely]]
      return std::exchange(object, static_cast<T>(object + value));
    return std::atomic_ref<T>(object).fetch_add(value, std::memory_order_seq_cst);
  }
};

template <class V>
struct xor_operation {
  V value;
  template <word T>
    requires std::integral<T>
  T apply(T& object, [[maybe_unused]] bool is_only_thread) const {
    if (is_only_thread) [[likely]]
      return std::exchange(object, static_cast<T>(object ^ value));
    return std::atomic_ref<T>(object).fetch_xor(value, std::memory_order_seq_cst);
  }
};

template <class V>
struct or_operation {
  V value;
  template <word T>
    requires std::integral<T>
  T apply(T& object, [[maybe_unused]] bool is_only_thread) const {
    if (is_only_thread) [[likely]]
      return std::exchange(object, static_cast<T>(object | value));
    return std::atomic_ref<T>(object).fetch_or(value, std::memory_order_seq_cst);
  }
};

template <class V>
struct and_operation {
  V value;
  template <word T>
    requires std::integral<T>
  T apply(T& object, [[maybe_unused]] bool is_only_thread) const {
    if (is_only_thread) [[likely]]
      return std::exchange(object, static_cast<T>(object & value));
    return std::atomic_ref<T>(object).fetch_and(value, std::memory_order_seq_cst);
  }
};

template <class V>
struct exchange_operation {
  V value;
  template <word T>
  T apply(T& object, [[maybe_unused]] bool is_only_thread) const {
    if (is_only_thread) [[likely]]
      return std::exchange(object, value);
    return std::atomic_ref<T>(object).exchange(value, std::memory_order_seq_cst);
  }
};

template <class V>
struct compare_operation {
  V expected;
  V desired;
  template <word T>
  bool apply(T& object, [[maybe_unused]] bool is_only_thread) const {
    if (is_only_thread) [[likely]] {
      if (!(object == expected)) return false;
      object = desired;
      return true;
    }
    T found = expected;
    return std::atomic_ref<T>(object).compare_exchange_strong(found, desired, std::memory_order_seq_cst);
  }
};

template <class F>
struct function_operation {
  F function;
  template <class T>
    requires function_on<F, T>
  decltype(auto) apply(T& object, [[maybe_unused]] bool is_only_thread) const {
    return alone_on(&object, is_only_thread, [&] {
      const local_delegate inside;
      F f = function;
      return f(object);
    });
  }
};

/// True if Op must not run inside a delegate on local memory while other threads run: it would take a second lock.
template <class Op>
inline constexpr bool takes_lock = false;
template <class F>
inline constexpr bool takes_lock<function_operation<F>> = true;

/// True if Op calls a function of the program, which may throw.
template <class Op>
inline constexpr bool may_throw = false;
template <class F>
inline constexpr bool may_throw<function_operation<F>> = true;

/// Does a posted operation, which has no caller that it could throw to.
template <class Op, class T>
void apply_posted(const Op& operation, T& object, bool is_only_thread) {
  if constexpr (may_throw<Op>) {
    try {
      operation.apply(object, is_only_thread);
    } catch (...) {
      note_failure_of_post();
    }
  } else {
    operation.apply(object, is_only_thread);
  }
}

template <class Op, class T>
using result_of = decltype(std::declval<const Op&>().apply(std::declval<T&>(), true));

}  // namespace detail

}  // namespace callisto::global
