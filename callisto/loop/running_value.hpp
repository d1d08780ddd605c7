// A value that a loop goes on changing, such as a sum: on the heap if it is large, since stacks are small.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace callisto::loop {

/// True if a loop keeps values of this type on the heap: loops run on stacks of 16 KiB, and a T may be a histogram.
template <class T>
inline constexpr bool is_large = sizeof(T) > 1024;

/// A T, or nothing yet. Not thread-safe.
template <class T>
class running_value {
 public:
  running_value() noexcept {}
  // Some compilers do not see that a value is begun before it is read.
  running_value() noexcept
    requires std::is_trivially_default_constructible_v<T>
      : value_() {}
  running_value(const running_value&) = delete;
  running_value& operator=(const running_value&) = delete;
  ~running_value() {
    if (has_) std::destroy_at(&value_);
  }

  bool has_value() const noexcept { return has_; }
  T& operator*() noexcept { return value_; }

  /// Becomes what make(), which returns a T, returns. There is no value yet.
  template <class Make>
  void begin(Make make) {
    ::new (static_cast<void*>(std::addressof(value_))) T(make());
    has_ = true;
  }
  /// Becomes what make() returns, which may be made of the value that there is.
  template <class Make>
  void replace(Make make) {
    value_ = make();
  }
  /// Takes another one's value, which has none then. There is no value yet.
  void take(running_value& from) {
    begin([&]() -> T { return std::move(from.value_); });
    from.clear();
  }
  void clear() noexcept {
    if (std::exchange(has_, false)) std::destroy_at(&value_);
  }

 private:
  union {
    T value_;
  };
  bool has_ = false;
};

/// A T on the heap, or nothing yet. The result of make() is made in its place there, and not on the stack first.
template <class T>
  requires is_large<T>
class running_value<T> {
 public:
  running_value() noexcept = default;
  running_value(const running_value&) = delete;
  running_value& operator=(const running_value&) = delete;
  ~running_value() { clear(); }

  bool has_value() const noexcept { return value_ != nullptr; }
  T& operator*() noexcept { return *value_; }

  template <class Make>
  void begin(Make make) {
    replace(std::move(make));
  }
  /// May throw std::bad_alloc.
  template <class Make>
  void replace(Make make) {
    if (spare_ == nullptr) spare_ = std::allocator<T>().allocate(1);
    ::new (static_cast<void*>(spare_)) T(make());
    if (value_ != nullptr) std::destroy_at(value_);
    std::swap(value_, spare_);
  }
  void take(running_value& from) noexcept {
    value_ = std::exchange(from.value_, nullptr);
    from.clear();
  }
  void clear() noexcept {
    if (value_ != nullptr) std::destroy_at(value_);
    for (T* const room : {std::exchange(value_, nullptr), std::exchange(spare_, nullptr)}) {
      if (room != nullptr) std::allocator<T>().deallocate(room, 1);
    }
  }

 private:
  T* value_ = nullptr;
  T* spare_ = nullptr;  ///< room without a value
};

/// A thread's state in a loop, default-initialized: on the thread's stack, or on the heap if it is large.
template <class T>
class thread_state {
 public:
  T& operator*() noexcept { return state_; }

 private:
  T state_;
};
template <class T>
  requires is_large<T>
class thread_state<T> {
 public:
  T& operator*() noexcept { return *state_; }

 private:
  std::unique_ptr<T> state_ = std::make_unique_for_overwrite<T>();
};

}  // namespace callisto::loop
