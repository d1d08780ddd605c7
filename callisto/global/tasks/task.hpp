// Tasks: closures that wait for a worker.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace callisto::global {

/// What a task runs: a callable without arguments.
template <class F>
concept task_body = std::invocable<F&> && std::move_constructible<F>;

/// A closure of one line: up to 56 bytes stand in it, larger ones on the heap. Moves as bytes; run() or drop() ends it.
class task {
 public:
  static constexpr std::size_t room = 56;

  /// Makes a task without a body: neither run() nor drop() may be called.
  task() noexcept = default;

  /// Throws what the closure's constructor throws, and std::bad_alloc if it is large.
  template <task_body F>
  explicit task(F body) {
    // A queue moves tasks by copying their bytes, which a closure that is trivially copyable allows.
    if constexpr (std::is_trivially_copyable_v<F> && sizeof(F) <= room && alignof(F) <= 8) {
      ::new (static_cast<void*>(data_)) F(std::move(body));
      end_ = [](std::byte* data, bool run) {
        if (run) (*std::launder(reinterpret_cast<F*>(data)))();
      };
    } else {
      F* const boxed = new F(std::move(body));
      std::memcpy(data_, &boxed, sizeof boxed);
      end_ = [](std::byte* data, bool run) {
        F* of = nullptr;
        std::memcpy(&of, data, sizeof of);
        const std::unique_ptr<F> owner(of);
        if (run) (*owner)();
      };
    }
  }

  /// Calls the closure and destroys it; once.
  void run() { end_(data_, true); }
  /// Destroys the closure without a call.
  void drop() noexcept { end_(data_, false); }

 private:
  void (*end_)(std::byte*, bool run) = nullptr;
  alignas(8) std::byte data_[room];
};
static_assert(sizeof(task) == 64 && std::is_trivially_copyable_v<task>);

}  // namespace callisto::global
