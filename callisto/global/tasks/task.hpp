// Tasks: closures that wait for a worker.
#pragma once

#include <callisto/global/messages/messages.hpp>
#include <callisto/global/messages/portable.hpp>

#include <concepts>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace callisto::global {

class task;
namespace detail {
/// Queues a task that came from another rank, as a public task of the calling core.
void take_in(const task& t);
}  // namespace detail

/// The body of a task: a callable without arguments.
template <class F>
concept task_body = std::invocable<F&> && std::move_constructible<F>;

/// A closure of one line: up to 56 bytes stand in it, larger ones on the heap. Moves as bytes; run(), drop() or
/// travel() ends it.
class task {
 public:
  static constexpr std::size_t room = 56;

  /// Makes a task without a body, to be assigned.
  task() noexcept = default;

  /// Makes a task of this rank. Throws what the closure's constructor throws, and std::bad_alloc if it is large.
  template <task_body F>
  explicit task(F body) {
    store(std::move(body));
    end_ = [](std::byte* data, int what) { end_here<F>(data, what); };
  }

  /// Makes a task that may travel to other ranks.
  template <portable F>
  static task that_travels(const F& body) {
    task t;
    t.store(F(body));
    t.end_ = [](std::byte* data, int what) {
      if (what < 0) return end_here<F>(data, what);
      // A function object that arrives queues its task.
      send(what, arrival<F>{*reached<F>(data)});
      end_here<F>(data, dropped);
    };
    return t;
  }

  /// Calls the closure and destroys it.
  void run() { end_(data_, ran); }
  /// Destroys the closure without a call.
  void drop() noexcept { end_(data_, dropped); }
  /// Sends the task, made by that_travels(), to another rank.
  void travel(int rank) { end_(data_, rank); }

 private:
  static constexpr int ran = -1;
  static constexpr int dropped = -2;

  // Queues move tasks by copying their bytes, which a closure that is trivially copyable allows.
  template <class F>
  static constexpr bool inside = std::is_trivially_copyable_v<F> && sizeof(F) <= room && alignof(F) <= 8;

  template <class F>
  struct arrival {
    F body;
    void operator()() const { detail::take_in(that_travels(body)); }
  };

  template <class F>
  void store(F body) {
    if constexpr (inside<F>) {
      ::new (static_cast<void*>(data_)) F(std::move(body));
    } else {
      F* const boxed = new F(std::move(body));
      std::memcpy(data_, &boxed, sizeof boxed);
    }
  }
  template <class F>
  static F* reached(std::byte* data) {
    if constexpr (inside<F>) return std::launder(reinterpret_cast<F*>(data));
    F* boxed = nullptr;
    std::memcpy(&boxed, data, sizeof boxed);
    return boxed;
  }
  template <class F>
  static void end_here(std::byte* data, int what) {
    if constexpr (inside<F>) {
      if (what == ran) (*reached<F>(data))();
    } else {
      const std::unique_ptr<F> owner(reached<F>(data));
      if (what == ran) (*owner)();
    }
  }

  void (*end_)(std::byte*, int what) = nullptr;
  alignas(8) std::byte data_[room];
};
static_assert(sizeof(task) == 64 && std::is_trivially_copyable_v<task>);

}  // namespace callisto::global
