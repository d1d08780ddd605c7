// Delegates: operations on memory of any rank, done by its owner (Grappa, section 4).
//
// Each comes in three forms:
//  - read(a), write(a, v), ...: blocks; the worker is suspended while another rank does the work.
//  - read_async(a), ...: returns a promise; its get() blocks.
//  - post_write(a, v), ...: returns at once, and has no result. The operation has ended when the loop or phase has, or
//    when all that was posted to the completion event given first has. Until then it may happen at any time.
// An operation on memory of the own rank is done by the caller, with the same guarantees (operations.hpp).
#pragma once

#include <callisto/global/memory/answer.hpp>
#include <callisto/global/memory/delayed_posts.hpp>
#include <callisto/global/memory/global_heap.hpp>
#include <callisto/global/memory/operations.hpp>
#include <callisto/global/messages/messages.hpp>
#include <callisto/global/tasks/captures.hpp>
#include <callisto/global/transport/here.hpp>

#include <concepts>
#include <cstdint>
#include <exception>
#include <source_location>
#include <type_traits>
#include <utility>

namespace callisto::global {

namespace detail {

/// Carries a result back to the worker that waits.
template <class R>
struct reply {
  answer<R>* to;
  R value;
  void operator()() const {
    to->value = value;
    to->set();
  }
  const void* prefetch() const { return to; }
};
template <>
struct reply<void> {
  answer<void>* to;
  void operator()() const { to->set(); }
  const void* prefetch() const { return to; }
};

/// Asks the owner of an object for an operation with an answer.
template <class T, class Op>
struct request {
  using result = result_of<Op, T>;

  owned_place place;
  answer<result>* to;
  [[no_unique_address]] Op operation;

  void operator()() const {
    if constexpr (may_throw<Op>) {
      try {
        answer_it();
      } catch (const job_failed&) {
        throw;
      } catch (...) {
        reply_failure(place.asker(), to);
      }
    } else {
      answer_it();
    }
  }
  const void* prefetch() const { return place.object<T>(); }

 private:
  void answer_it() const {
    if constexpr (std::is_void_v<result>) {
      operation.apply(*place.object<T>(), here().threads == 1);
      send(place.asker(), reply<void>{to});
    } else {
      send(place.asker(), reply<result>{to, operation.apply(*place.object<T>(), here().threads == 1)});
    }
  }
};

/// Asks the owner of an object for an operation without an answer.
template <class T, class Op>
struct posted {
  owned_place place;
  [[no_unique_address]] Op operation;

  void operator()() const { apply_posted(operation, *place.object<T>(), here().threads == 1); }
  const void* prefetch() const { return place.object<T>(); }
};

/// Asks the owner of an object for an operation, and tells a completion event.
template <class T, class Op, class Ticket>
struct posted_for {
  owned_place place;
  Ticket ticket;
  [[no_unique_address]] Op operation;

  void operator()() const {
    // Arrives first: what the operation posts to the event itself is counted by this rank.
    ticket.arrive(place.asker());
    apply_posted(operation, *place.object<T>(), here().threads == 1);
    ticket.settle();
  }
  const void* prefetch() const { return place.object<T>(); }
};

/// Returns the object if this rank owns it and may work on it at once, else null.
template <class Op, class T>
T* own_object(const located& l, const rank_context& me) {
  if (l.owner != me.rank) return nullptr;
  if (takes_lock<Op> && me.threads > 1 && in_delegate()) [[unlikely]]
    return nullptr;
  return l.place.object<T>();
}

/// Returns the object if `a` is an address of this rank and the caller may work on it at once, else null: the short
/// path that is compiled where it is used.
template <class Op, class T>
[[gnu::always_inline]] inline T* near_object(global_address<T> a, const rank_context& me) {
  if (a.is_linear() || a.rank() != me.rank || (takes_lock<Op> && me.threads != 1)) return nullptr;
  return a.pointer();
}

template <class T, class Op>
[[gnu::noinline]] result_of<Op, T> operate_far(global_address<T> a, const Op& operation,
                                               const std::source_location& where) {
  if (!a) [[unlikely]]
    null_address(where);
  const rank_context& me = here();
  const located l = locate(a, me.rank);
  if (T* const own = own_object<Op, T>(l, me)) return operation.apply(*own, me.threads == 1);
  require_may_block(where);
  answer<result_of<Op, T>> got;
  got.prepare();
  send(l.owner, request<T, Op>{l.place, &got, operation});
  got.wait("an operation of another rank", where);
  if constexpr (may_throw<Op>) got.rethrow_failure();
  if constexpr (!std::is_void_v<result_of<Op, T>>) return got.value;
}

template <class T, class Op>
[[gnu::always_inline]] inline result_of<Op, T> operate(global_address<T> a, const Op& operation,
                                                       const std::source_location& where) {
  const rank_context& me = here();
  if (T* const own = near_object<Op>(a, me)) [[likely]]
    return operation.apply(*own, me.threads == 1);
  return operate_far(a, operation, where);
}

template <class T, class Op>
[[gnu::noinline]] void post_far(global_address<T> a, const Op& operation) {
  const rank_context& me = here();
  const located l = locate(a, me.rank);
  if (T* const own = own_object<Op, T>(l, me)) {
    apply_posted(operation, *own, me.threads == 1);
  } else {
    send(l.owner, posted<T, Op>{l.place, operation});
  }
}

template <class T, class Op>
[[gnu::always_inline]] inline void post(global_address<T> a, const Op& operation) {
  const rank_context& me = here();
  T* const own = near_object<Op>(a, me);
  if (own == nullptr) {
    post_far(a, operation);
    return;
  }
  if constexpr (word<T> && sizeof(Op) <= sizeof(std::uint64_t) && !takes_lock<Op>) {
    if (of_thread::posts != nullptr) {
      of_thread::posts->keep(operation, own, me.threads == 1);
      return;
    }
  }
  apply_posted(operation, *own, me.threads == 1);
}

}  // namespace detail

/// True if operations can be enrolled in an E (synchronization/completion_event.hpp).
template <class E>
concept completion = requires(E& event) {
  event.enroll();
  event.ticket().arrive(0);
  event.ticket().settle();
};

namespace detail {

template <completion E, class T, class Op>
void post(E& event, global_address<T> a, const Op& operation) {
  const rank_context& me = here();
  const located l = locate(a, me.rank);
  if (T* const own = own_object<Op, T>(l, me)) {
    apply_posted(operation, *own, me.threads == 1);
  } else {
    event.enroll();
    send(l.owner, posted_for<T, Op, decltype(event.ticket())>{l.place, event.ticket(), operation});
  }
}

}  // namespace detail

/// The result of an operation that another rank does meanwhile. It lies where it was made: the answer comes there.
/// Used by the task that made it. The destructor waits for the answer.
template <class T>
class promise {
 public:
  promise() noexcept = default;
  promise(const promise&) = delete;
  promise& operator=(const promise&) = delete;
  ~promise() {
    if (pending_) slot_.wait("an operation of another rank", where_);
  }

  /// True if get() does not block.
  bool is_ready() const noexcept { return !pending_ || slot_.is_set(); }

  /// Waits for the result and returns it. May be called again.
  T get(std::source_location where = std::source_location::current()) {
    if (pending_) {
      if (!slot_.is_set()) {
        require_may_block(where);
        slot_.wait("an operation of another rank", where);
      }
      pending_ = false;
    }
    slot_.rethrow_failure();
    if constexpr (!std::is_void_v<T>) return slot_.value;
  }

  /// Starts `operation` on the object at `a`, and waits first for what was started before. For the functions below.
  template <class Object, class Op>
  void start(global_address<Object> a, const Op& operation, const std::source_location& where) {
    if (pending_) get(where);
    if (!a) detail::null_address(where);
    slot_.failure = nullptr;
    where_ = where;
    const rank_context& me = here();
    const located l = locate(a, me.rank);
    if (Object* const own = detail::own_object<Op, Object>(l, me)) {
      if constexpr (detail::may_throw<Op>) {
        try {
          do_at_once(*own, operation, me);
        } catch (...) {
          slot_.failure = detail::failure_of_delegate(me.rank);  // get() throws it, as that of another rank
        }
      } else {
        do_at_once(*own, operation, me);
      }
      return;
    }
    require_may_block(where);
    slot_.clear();
    slot_.prepare();
    pending_ = true;
    send(l.owner, detail::request<Object, Op>{l.place, &slot_, operation});
  }

  template <class Object, class Op>
  promise(global_address<Object> a, const Op& operation, const std::source_location& where) {
    start(a, operation, where);
  }

 private:
  template <class Object, class Op>
  void do_at_once(Object& own, const Op& operation, const rank_context& me) {
    if constexpr (std::is_void_v<T>) {
      operation.apply(own, me.threads == 1);
    } else {
      slot_.value = operation.apply(own, me.threads == 1);
    }
  }

  answer<T> slot_;
  bool pending_ = false;
  std::source_location where_ = std::source_location::current();  ///< of the call that started it
};

// Blocking.

/// Returns the object at `a`.
template <transferable T>
[[gnu::always_inline]] inline std::remove_const_t<T> read(
    global_address<T> a, std::source_location where = std::source_location::current()) {
  return detail::operate(a.template as<std::remove_const_t<T>>(), detail::read_operation{}, where);
}

/// Replaces the object at `a`, and returns when that has happened.
template <transferable T>
void write(global_address<T> a, const std::type_identity_t<T>& value,
           std::source_location where = std::source_location::current()) {
  detail::operate(a, detail::write_operation<T>{value}, where);
}

/// Replaces the word at `a` by `desired` if it is `expected`. True if it was.
template <word T>
bool compare_and_swap(global_address<T> a, std::type_identity_t<T> expected, std::type_identity_t<T> desired,
                      std::source_location where = std::source_location::current()) {
  return detail::operate(a, detail::compare_operation<T>{expected, desired}, where);
}

/// Adds to the number at `a` and returns what it was.
template <word T>
T fetch_add(global_address<T> a, std::type_identity_t<T> value,
            std::source_location where = std::source_location::current()) {
  return detail::operate(a, detail::add_operation<T>{value}, where);
}

/// Adds to the number at `a`, and returns when that has happened.
template <word T>
void increment(global_address<T> a, std::type_identity_t<T> value = 1,
               std::source_location where = std::source_location::current()) {
  detail::operate(a, detail::add_operation<T>{value}, where);
}

/// Replaces the word at `a` and returns what it was.
template <word T>
T exchange(global_address<T> a, std::type_identity_t<T> value,
           std::source_location where = std::source_location::current()) {
  return detail::operate(a, detail::exchange_operation<T>{value}, where);
}

/// Returns f(object at `a`), which the owner calls. `f` must not block; it may post. Copied to the owner as bytes.
/// Throws what `f` throws, with its text: types of the standard library and Callisto's own as themselves, other types
/// as remote_error, wherever the object is. Throws usage_error if `f` has captured an address of the caller's stack
/// (NDEBUG: it may not).
template <class T, function_on<T> F>
std::invoke_result_t<F&, T&> call(global_address<T> a, F f,
                                  std::source_location where = std::source_location::current()) {
  detail::require_no_references_if_debugging(f, where);
  try {
    return detail::operate(a, detail::function_operation<F>{std::move(f)}, where);
  } catch (...) {
    std::rethrow_exception(detail::failure_of_delegate(owner(a)));
  }
}

/// Returns f(), which `rank` calls. Functions without an object are not atomic among each other. Throws as call().
template <portable F>
std::invoke_result_t<F&> call_at(int rank, F f, std::source_location where = std::source_location::current()) {
  using result = std::invoke_result_t<F&>;
  rank_context& me = here();
  detail::require_no_references_if_debugging(f, where);
  if (rank == me.rank) {
    try {
      const detail::local_delegate inside;
      return f();
    } catch (...) {
      std::rethrow_exception(detail::failure_of_delegate(rank));
    }
  }
  require_may_block(where);
  answer<result> got;
  got.prepare();
  send(rank, [f, to = &got, asker = me.rank]() mutable {
    try {
      if constexpr (std::is_void_v<result>) {
        f();
        send(asker, detail::reply<void>{to});
      } else {
        send(asker, detail::reply<result>{to, f()});
      }
    } catch (const job_failed&) {
      throw;
    } catch (...) {
      detail::reply_failure(asker, to);
    }
  });
  got.wait("a function of another rank", where);
  got.rethrow_failure();
  if constexpr (!std::is_void_v<result>) return got.value;
}

// Asynchronous, with a promise.

/// Starts to read the object at `a`.
template <transferable T>
promise<T> read_async(global_address<T> a, std::source_location where = std::source_location::current()) {
  return promise<T>(a, detail::read_operation{}, where);
}
/// Starts to read the object at `a` into a promise that can be used again, for windows of many.
template <transferable T>
void read_async(promise<T>& into, global_address<T> a, std::source_location where = std::source_location::current()) {
  into.start(a, detail::read_operation{}, where);
}
/// Starts to write the object at `a`.
template <transferable T>
promise<void> write_async(global_address<T> a, const std::type_identity_t<T>& value,
                          std::source_location where = std::source_location::current()) {
  return promise<void>(a, detail::write_operation<T>{value}, where);
}
/// Starts fetch_add().
template <word T>
promise<T> fetch_add_async(global_address<T> a, std::type_identity_t<T> value,
                           std::source_location where = std::source_location::current()) {
  return promise<T>(a, detail::add_operation<T>{value}, where);
}
/// Starts compare_and_swap().
template <word T>
promise<bool> compare_and_swap_async(global_address<T> a, std::type_identity_t<T> expected,
                                     std::type_identity_t<T> desired,
                                     std::source_location where = std::source_location::current()) {
  return promise<bool>(a, detail::compare_operation<T>{expected, desired}, where);
}
/// Starts call().
template <class T, function_on<T> F>
promise<std::invoke_result_t<F&, T&>> call_async(global_address<T> a, F f,
                                                 std::source_location where = std::source_location::current()) {
  detail::require_no_references_if_debugging(f, where);
  return promise<std::invoke_result_t<F&, T&>>(a, detail::function_operation<F>{std::move(f)}, where);
}

// Posted: no result, enrolled in the phase, or in the completion event that is named first. Callable in delegates.

/// Posts a write of the object at `a`.
template <transferable T>
[[gnu::always_inline]] inline void post_write(global_address<T> a, const std::type_identity_t<T>& value) {
  detail::post(a, detail::write_operation<T>{value});
}
template <completion E, transferable T>
void post_write(E& event, global_address<T> a, const std::type_identity_t<T>& value) {
  detail::post(event, a, detail::write_operation<T>{value});
}

/// Posts an addition to the number at `a`.
template <word T>
[[gnu::always_inline]] inline void post_add(global_address<T> a, std::type_identity_t<T> value) {
  detail::post(a, detail::add_operation<T>{value});
}
template <completion E, word T>
void post_add(E& event, global_address<T> a, std::type_identity_t<T> value) {
  detail::post(event, a, detail::add_operation<T>{value});
}

/// Posts an increment of the number at `a` by one.
template <word T>
[[gnu::always_inline]] inline void post_increment(global_address<T> a) {
  detail::post(a, detail::add_operation<T>{T{1}});
}
template <completion E, word T>
void post_increment(E& event, global_address<T> a) {
  detail::post(event, a, detail::add_operation<T>{T{1}});
}

/// Posts an exclusive or of the word at `a`.
template <word T>
[[gnu::always_inline]] inline void post_xor(global_address<T> a, std::type_identity_t<T> value) {
  detail::post(a, detail::xor_operation<T>{value});
}
template <completion E, word T>
void post_xor(E& event, global_address<T> a, std::type_identity_t<T> value) {
  detail::post(event, a, detail::xor_operation<T>{value});
}

/// Posts an inclusive or of the word at `a`.
template <word T>
void post_or(global_address<T> a, std::type_identity_t<T> value) {
  detail::post(a, detail::or_operation<T>{value});
}
/// Posts an and of the word at `a`.
template <word T>
void post_and(global_address<T> a, std::type_identity_t<T> value) {
  detail::post(a, detail::and_operation<T>{value});
}

/// Posts f(object at `a`). `f` must not block; it may post. Its result is dropped. If it throws, the phase that runs
/// throws it in main of all ranks, or the next one. Captures as call().
template <class T, function_on<T> F>
void post_call(global_address<T> a, F f, std::source_location where = std::source_location::current()) {
  detail::require_no_references_if_debugging(f, where);
  detail::post(a, detail::function_operation<F>{std::move(f)});
}
template <completion E, class T, function_on<T> F>
void post_call(E& event, global_address<T> a, F f, std::source_location where = std::source_location::current()) {
  detail::require_no_references_if_debugging(f, where);
  detail::post(event, a, detail::function_operation<F>{std::move(f)});
}

/// Posts f() to `rank`; always a message, also to the own rank. Captures and throws as post_call().
template <portable F>
void post_call_at(int rank, F f, std::source_location where = std::source_location::current()) {
  detail::require_no_references_if_debugging(f, where);
  send(rank, [f]() mutable {
    try {
      f();
    } catch (const job_failed&) {
      throw;
    } catch (...) {
      detail::note_failure_of_post();
    }
  });
}

}  // namespace callisto::global
