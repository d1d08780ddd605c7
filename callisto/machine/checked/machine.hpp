// The checked machine: the policy of machine/policy.hpp under a checker of interleavings and of weak memory.
//
// Inside a subject that checking::explore runs, every access is an event of the execution that is being explored, and
// reads return any value that C++20 allows. Elsewhere the objects are ordinary data for one thread.
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

struct checked {
  template <class T>
  class atomic;
  template <class T>
  class plain;

  /// Packing costs nothing here; small objects make executions short to set up.
  static constexpr std::size_t line_size = 16;

  /// The caller's number of calls so far, in units that make every batch look short: a function of what the thread
  /// did, as all that steers a thread has to be.
  static std::uint64_t ticks() noexcept { return checking::do_ticks(); }
  static std::uint64_t ticks_per_second() noexcept { return 1'000'000'000; }

  /// A thread that waits is not scheduled until a value that ends the wait can be read, but for a bounded number of
  /// early returns (explore.hpp).
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

/// A value on its way into plain data, with the place that it comes from.
template <class T>
struct located {
  template <class U>
    requires std::convertible_to<U, T>
  located(U&& u, place p = place::current()) : value(static_cast<T>(std::forward<U>(u))), where(p) {}
  T value;
  place where;
};

}  // namespace checking

/// As native::atomic; each operation may take the place that it stands at, which nobody passes.
template <class T>
class checked::atomic {
  using place = checking::place;

 public:
  // Not constexpr, and not defaulted: where and when an atomic begins matters.
  // Without a place: the elements of an array have none, and clang 19 does not take current() there.
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

  /// The number is read even where the object has ended, to find out that it has.
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

  T value_;  ///< the newest one; what else can be read the execution knows
  checking::object_number number_ = 0;
};

/// A T whose every access is checked for races.
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
