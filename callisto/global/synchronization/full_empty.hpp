// Full-empty variables: a value that readers wait for and writers wait to place (Grappa, section 4; Tera MTA).
#pragma once

#include <callisto/global/memory/answer.hpp>
#include <callisto/global/memory/delegates.hpp>
#include <callisto/global/synchronization/full_empty_word.hpp>
#include <callisto/global/synchronization/waiting_line.hpp>
#include <callisto/machine/native.hpp>

#include <source_location>
#include <type_traits>

namespace callisto::global {

/// A variable that is empty or full. It lies at one rank and is used by its address. Workers that wait for it are
/// suspended; those of one kind go on in the order in which they came. A T of up to 192 bytes.
template <transferable T>
class full_empty {
  static_assert(sizeof(T) <= 192, "a full-empty value travels in one message: at most 192 bytes");

 public:
  using value_type = T;

  /// Makes an empty variable.
  full_empty() noexcept = default;

 private:
  template <class U>
  friend struct full_empty_access;

  struct reader {
    global_address<answer<T>> to;
    bool takes;
  };
  struct writer {
    arrival_address to;
    T value;
  };

  full_empty_word<machine::native> word_;
  T value_{};
  waiting_line<reader> readers_;
  waiting_line<writer> writers_;
};

/// Operations of the owner of a full-empty variable.
template <class T>
struct full_empty_access {
  using variable = full_empty<T>;

  /// Gives the value to a reader of any rank.
  static void deliver(global_address<answer<T>> to, const T& value) {
    if (to.rank() == here().rank) {
      detail::reply<T>{to.pointer(), value}();
    } else {
      send(to.rank(), detail::reply<T>{to.pointer(), value});
    }
  }

  /// Lets waiters go on, as far as the state allows. Returns the state; the caller holds the word.
  static bool serve(variable& v, bool is_full) {
    for (;;) {
      if (is_full && !v.readers_.empty()) {
        const auto next = v.readers_.pop();
        deliver(next.to, v.value_);
        if (next.takes) is_full = false;
      } else if (!is_full && !v.writers_.empty()) {
        const auto next = v.writers_.pop();
        v.value_ = next.value;
        is_full = true;
        set_arrival(next.to);
      } else {
        return is_full;
      }
    }
  }

  static void read(variable& v, global_address<answer<T>> to, bool takes) {
    const bool is_full = v.word_.hold();
    v.readers_.push({to, takes});
    v.word_.release(serve(v, is_full));
  }
  static void write_if_empty(variable& v, arrival_address to, const T& value) {
    const bool is_full = v.word_.hold();
    v.writers_.push({to, value});
    v.word_.release(serve(v, is_full));
  }
  static void overwrite(variable& v, const T& value) {
    v.word_.hold();
    v.value_ = value;
    v.word_.release(serve(v, true));
  }
  static void empty(variable& v) {
    v.word_.hold();
    v.word_.release(serve(v, false));
  }

  /// True if the value was there: no need to wait.
  static bool try_read(variable& v, bool takes, T& into) {
    if (!v.word_.try_hold(true)) return false;
    into = v.value_;
    v.word_.release(serve(v, !takes));
    return true;
  }
  /// True if the variable was empty and takes the value.
  static bool try_write(variable& v, const T& value) {
    if (!v.word_.try_hold(false)) return false;
    v.value_ = value;
    v.word_.release(serve(v, true));
    return true;
  }
};

namespace detail {

/// Returns the variable if this rank owns it, else null.
template <class T>
full_empty<T>* own_variable(global_address<full_empty<T>> a) {
  const located l = locate(a, here().rank);
  return l.owner == here().rank ? l.place.object<full_empty<T>>() : nullptr;
}

/// Calls f(variable) at its owner. A variable has its own lock, so this is no function delegate.
template <class T, class F>
void at_variable(global_address<full_empty<T>> a, F f) {
  const located l = locate(a, here().rank);
  if (l.owner == here().rank) {
    f(*l.place.object<full_empty<T>>());
  } else {
    send(l.owner, [place = l.place, f] { f(*place.object<full_empty<T>>()); });
  }
}

template <class T>
T read_when_full(global_address<full_empty<T>> a, bool takes, const std::source_location& where) {
  if (full_empty<T>* const own = own_variable(a)) {
    T value;
    if (full_empty_access<T>::try_read(*own, takes, value)) return value;
  }
  require_may_block(where);
  answer<T> got;
  got.prepare();
  const auto to = global_address<answer<T>>::at(here().rank, &got);
  at_variable(a, [to, takes](full_empty<T>& v) { full_empty_access<T>::read(v, to, takes); });
  got.wait("a full variable", where);
  return got.value;
}

}  // namespace detail

/// Waits until the variable is full, and returns its value.
template <class T>
T read_when_full(global_address<full_empty<T>> a, std::source_location where = std::source_location::current()) {
  return detail::read_when_full(a, false, where);
}

/// Waits until the variable is full, returns its value, and leaves it empty. One reader gets each value.
template <class T>
T take_when_full(global_address<full_empty<T>> a, std::source_location where = std::source_location::current()) {
  return detail::read_when_full(a, true, where);
}

/// Waits until the variable is empty, and fills it.
template <class T>
void write_when_empty(global_address<full_empty<T>> a, const std::type_identity_t<T>& value,
                      std::source_location where = std::source_location::current()) {
  if (full_empty<T>* const own = detail::own_variable(a)) {
    if (full_empty_access<T>::try_write(*own, value)) return;
  }
  require_may_block(where);
  arrival written;
  written.prepare();
  const auto to = arrival_address::at(here().rank, &written);
  detail::at_variable(a, [to, value](full_empty<T>& v) { full_empty_access<T>::write_if_empty(v, to, value); });
  written.wait("an empty variable", where);
}

/// Fills the variable, whatever it is. Does not wait.
template <class T>
void post_fill(global_address<full_empty<T>> a, const std::type_identity_t<T>& value) {
  detail::at_variable(a, [value](full_empty<T>& v) { full_empty_access<T>::overwrite(v, value); });
}

/// Empties the variable, whatever it is. Does not wait.
template <class T>
void post_empty(global_address<full_empty<T>> a) {
  detail::at_variable(a, [](full_empty<T>& v) { full_empty_access<T>::empty(v); });
}

}  // namespace callisto::global
