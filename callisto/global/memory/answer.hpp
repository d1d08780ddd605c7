// Answers: a worker waits for an answer that another rank, or another thread, sends.
#pragma once

#include <callisto/export.hpp>
#include <callisto/global/memory/global_address.hpp>
#include <callisto/global/messages/messages.hpp>
#include <callisto/global/tasks/core.hpp>
#include <callisto/global/tasks/wait_note.hpp>

#include <atomic>
#include <exception>
#include <source_location>
#include <string>

namespace callisto::global {

namespace detail {

/// Returns "FILE:LINE: ", with which messages about a call begin.
CALLISTO_API std::string place_of_call(const std::source_location& where);

/// Throws usage_error that names the place of a call that would block in a delegate.
[[noreturn]] CALLISTO_API void blocks_in_delegate(const std::source_location& where);
/// Throws usage_error that names the place of a call that would block outside of a worker.
[[noreturn]] CALLISTO_API void blocks_without_worker(const std::source_location& where);

/// Throws usage_error that names the place of an operation on the address 0.
[[noreturn]] CALLISTO_API void null_address(const std::source_location& where);

/// True while the calling thread runs a delegate, here or for another rank.
inline bool in_delegate() noexcept { return of_thread::in_local_delegate || in_handler(); }

}  // namespace detail

/// Throws usage_error if a call at `where` must not block: inside a delegate, or on a thread without workers.
inline void require_may_block(const std::source_location& where) {
  if (detail::in_delegate()) [[unlikely]]
    detail::blocks_in_delegate(where);
  if (core::here() == nullptr || detail::of_thread::in_plain_loop) [[unlikely]]
    detail::blocks_without_worker(where);
}

/// A flag that one worker waits for. It lies on the worker's stack, so waiting allocates nothing. The thread that sets
/// it touches it no more afterwards.
class arrival {
 public:
  /// True if set() was called. Writes before set() are visible then.
  bool is_set() const noexcept { return set_.load(std::memory_order_acquire); }  // acquire: pairs with set()'s release

  /// Suspends the worker until set(). The worker that waits is the one that called prepare(). `what` follows "waits
  /// for" in reports.
  void wait(const char* what, const std::source_location& where) {
    if (is_set()) return;
    const noted_wait note(what, where);
    while (!is_set()) suspend();
  }
  /// Names the calling worker as the one that waits, before the flag's address is given away.
  void prepare() noexcept { waiter_ = &this_worker(); }

  /// Sets the flag and wakes the worker. Any thread of the rank.
  void set() noexcept {
    worker* const waiter = waiter_;
    // release: publishes what was awaited to is_set()'s acquire. The flag may be gone afterwards.
    set_.store(true, std::memory_order_release);
    wake(*waiter);
  }
  void clear() noexcept { set_.store(false, std::memory_order_relaxed); }  // relaxed: no other thread knows the flag

 private:
  worker* waiter_ = nullptr;
  std::atomic<bool> set_{false};
};

/// A flag of any rank, in 8 bytes.
using arrival_address = global_address<arrival>;

/// Sets a flag of any rank, by a message if it is another one. Any thread; also in handlers.
CALLISTO_API void set_arrival(arrival_address flag);

/// A flag with what the operation threw, if it did.
struct answer_or_failure : arrival {
  std::exception_ptr failure;

  /// Throws what the operation threw.
  void rethrow_failure() const {
    if (failure != nullptr) [[unlikely]]
      std::rethrow_exception(failure);
  }
};

/// A flag with a value of type T.
template <class T>
struct answer : answer_or_failure {
  T value;
};
template <>
struct answer<void> : answer_or_failure {};

namespace detail {

/// Returns what the caller of a delegate gets for what its function threw at `rank`, wherever that is: types of the
/// standard library and Callisto's own as themselves, other types as remote_error. Called while the exception is
/// handled.
CALLISTO_API std::exception_ptr failure_of_delegate(int rank);
/// Lets `to`, which is at `rank`, throw what is handled now, instead of an answer.
CALLISTO_API void reply_failure(int rank, answer_or_failure* to);
/// Lets the phase throw what is handled now: a posted operation has no caller.
CALLISTO_API void note_failure_of_post();

}  // namespace detail

}  // namespace callisto::global
