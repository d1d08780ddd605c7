// The checked machine: the policy of machine/policy.hpp under a checker of interleavings and of weak memory.
//
// Inside a subject that checking::explore runs, every access is an event of the explored execution, and reads return
// any value that C++20 allows. Elsewhere the objects are ordinary data of one thread.
#pragma once

#include <callisto/machine/checked/explore.hpp>
#include <callisto/machine/checked/objects.hpp>
#include <callisto/machine/policy.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace callisto::machine {

/// The machine policy that the checker explores. Stateless; the execution is the one that runs on this OS thread.
struct checked {
  template <class T>
  class atomic;
  template <class T>
  class plain;

  /// Small, because packing costs nothing here and small objects make executions short to set up.
  static constexpr std::size_t line_size = 16;

  /// Returns 1,000 times the caller's number of calls, so that every batch looks short. The result depends only on the
  /// thread's own actions, as everything that steers a thread must.
  static std::uint64_t ticks() noexcept { return checking::do_ticks(); }
  static std::uint64_t ticks_per_second() noexcept { return 1'000'000'000; }

  /// Waits while `keep` holds for the word. The checker schedules the waiter when it can read a value that ends the
  /// wait, or for a bounded number of early returns (explore.hpp).
  template <class T, class Keep>
  static T wait_while(const atomic<T>& word, Keep keep, patience grade,
                      checking::place where = checking::place::current());

  static void park(const atomic<std::uint64_t>& word, std::uint32_t low,
                   checking::place where = checking::place::current());
  static void unpark(atomic<std::uint64_t>& word, unsigned count, checking::place where = checking::place::current());

  static void light_fence(checking::place where = checking::place::current()) {
    if (checking::running()) checking::do_light_fence(where);
  }
  static void heavy_fence(checking::place where = checking::place::current()) {
    if (checking::running()) checking::do_heavy_fence(where);
  }
  static bool has_heavy_fence() noexcept { return true; }

  static std::byte* take_room(std::size_t bytes) {
    return static_cast<std::byte*>(::operator new(bytes, std::align_val_t{line_size}));
  }
  static void give_room(std::byte* room) noexcept { ::operator delete(room, std::align_val_t{line_size}); }
};

namespace checking {

template <class T>
std::uint64_t to_word(T value) noexcept {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(std::uint64_t));
  std::uint64_t word = 0;
  std::memcpy(&word, &value, sizeof value);
  return word;
}

template <class T>
T from_word(std::uint64_t word) noexcept {
  T value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

/// A value to write into plain data, with the source place of the write.
template <class T>
struct located {
  template <class U>
    requires std::convertible_to<U, T>
  located(U&& u, place p = place::current()) : value(static_cast<T>(std::forward<U>(u))), where(p) {}
  T value;
  place where;
};

}  // namespace checking

/// An atomic with the interface of native::atomic. Each operation records its source place; callers leave that argument
/// out.
template <class T>
class checked::atomic {
  using place = checking::place;

 public:
  // Neither constexpr nor defaulted: the checker records where and when an atomic begins.
  //
  // The default constructor records no place: elements of an array have none, and clang 19 rejects current() there.
  atomic() noexcept : atomic(T{}, place()) {}
  explicit atomic(T value, place where = place::current()) noexcept : value_(value) {
    if (checking::running()) number_ = checking::begin_atomic(this, checking::to_word(value), where);
  }
  ~atomic() {
    if (checking::running()) checking::end_object(self());
  }
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  T load(order o, place where = place::current()) const noexcept {
    if (!checking::running()) return value_;
    return checking::from_word<T>(checking::do_load(self(), o, where));
  }
  void store(T value, order o, place where = place::current()) noexcept {
    if (checking::running()) checking::do_store(self(), checking::to_word(value), o, where);
    value_ = value;
  }
  T exchange(T value, order o, place where = place::current()) noexcept {
    return modify(checking::operation::exchange, value, o, where, [](T, T v) { return v; });
  }
  T fetch_add(T value, order o, place where = place::current()) noexcept {
    return modify(checking::operation::fetch_add, value, o, where, [](T a, T b) { return static_cast<T>(a + b); });
  }
  T fetch_sub(T value, order o, place where = place::current()) noexcept {
    return modify(checking::operation::fetch_sub, value, o, where, [](T a, T b) { return static_cast<T>(a - b); });
  }
  T fetch_and(T value, order o, place where = place::current()) noexcept {
    return modify(checking::operation::fetch_and, value, o, where, [](T a, T b) { return static_cast<T>(a & b); });
  }
  T fetch_or(T value, order o, place where = place::current()) noexcept {
    return modify(checking::operation::fetch_or, value, o, where, [](T a, T b) { return static_cast<T>(a | b); });
  }
  bool compare_exchange(T& expected, T desired, order o, place where = place::current()) noexcept {
    bool done;
    if (checking::running()) {
      std::uint64_t word = checking::to_word(expected);
      done = checking::do_compare_exchange(self(), word, checking::to_word(desired), o, where);
      expected = checking::from_word<T>(word);
    } else {
      done = checking::to_word(value_) == checking::to_word(expected);
      if (!done) expected = value_;
    }
    if (done) value_ = desired;
    return done;
  }

 private:
  friend struct checked;

  /// Reads the number even if the object has ended, so that the execution can report that.
  __attribute__((no_sanitize("address"))) checking::object self() const noexcept { return {number_, this}; }

  template <class Apply>
  T modify(checking::operation what, T operand, order o, place where, Apply apply) noexcept {
    T before = value_;
    if (checking::running()) {
      constexpr std::uint64_t mask = ~std::uint64_t{0} >> (64 - 8 * sizeof(T));
      before = checking::from_word<T>(checking::do_modify(self(), what, checking::to_word(operand), mask, o, where));
    }
    value_ = apply(before, operand);
    return before;
  }

  T value_;  ///< the newest value; the execution holds the older ones
  checking::object_number number_ = 0;
};

/// A T. The checker reports a race between any two of its accesses.
template <class T>
class checked::plain {
  using place = checking::place;

 public:
  plain() : value_() { begin(place()); }
  explicit plain(T value, place where = place::current()) : value_(std::move(value)) { begin(where); }
  plain(const plain& other, place where = place::current()) : value_(other.read()) { begin(where); }
  ~plain() {
    if (checking::running()) checking::end_object(self());
  }

  plain& operator=(const plain& other) { return *this = checking::located<T>(other.read()); }
  plain& operator=(checking::located<T> in) {
    write(&in.where) = std::move(in.value);
    return *this;
  }

  operator const T&() const { return read(); }
  const T& operator->() const
    requires std::is_pointer_v<T>
  {
    return read();
  }

  template <class U>
  plain& operator+=(const U& u) {
    read();
    write(nullptr) += u;
    return *this;
  }
  template <class U>
  plain& operator-=(const U& u) {
    read();
    write(nullptr) -= u;
    return *this;
  }
  plain& operator++() { return *this += 1; }
  plain& operator--() { return *this -= 1; }

 private:
  void begin(const place& where) {
    if (checking::running()) number_ = checking::begin_plain(this, where);
  }
  __attribute__((no_sanitize("address"))) checking::object self() const noexcept { return {number_, this}; }
  const T& read() const {
    if (checking::running()) checking::do_plain_read(self());
    return value_;
  }
  T& write(const place* where) {
    if (checking::running()) checking::do_plain_write(self(), where);
    return value_;
  }

  T value_;
  checking::object_number number_ = 0;
};

template <class T, class Keep>
T checked::wait_while(const atomic<T>& word, Keep keep, patience, checking::place where) {
  if (!checking::running()) return word.value_;
  const checking::awaited what{[](const void* context, std::uint64_t w) -> bool {
                                 return (*static_cast<const Keep*>(context))(checking::from_word<T>(w));
                               },
                               &keep};
  return checking::from_word<T>(checking::do_wait(word.self(), what, where));
}

inline void checked::park(const atomic<std::uint64_t>& word, std::uint32_t low, checking::place where) {
  if (checking::running()) checking::do_park(word.self(), low, where);
}

inline void checked::unpark(atomic<std::uint64_t>& word, unsigned count, checking::place where) {
  if (checking::running()) checking::do_unpark(word.self(), count, where);
}

}  // namespace callisto::machine
