// The rank that a thread works for: no process-wide singleton, since many ranks can share a process.
#pragma once

#include <callisto/machine/system/error.hpp>

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace callisto::global {

class message_engine;
class transport;

/// Objects that upper floors keep for each rank, found by the number of their type. Any thread of the rank may call.
class rank_slots {
 public:
  /// Returns the rank's object of type T; makes it by T() at the first call.
  template <class T>
  T& get() {
    const std::size_t number = number_of<T>();
    const std::lock_guard guard(lock_);
    if (number >= objects_.size()) objects_.resize(number + 1);
    if (objects_[number] == nullptr) {
      std::shared_ptr<void> made = std::make_shared<T>();
      objects_[number] = std::move(made);
    }
    return *static_cast<T*>(objects_[number].get());
  }
  /// Destroys all objects, the latest types first.
  void clear() noexcept {
    while (!objects_.empty()) objects_.pop_back();
  }
  ~rank_slots() { clear(); }

 private:
  static std::size_t next_number() noexcept;
  template <class T>
  static std::size_t number_of() noexcept {
    static const std::size_t number = next_number();
    return number;
  }

  std::recursive_mutex lock_;  // T() may ask for another object
  std::vector<std::shared_ptr<void>> objects_;
};

/// What the threads of one rank share.
struct rank_context {
  int rank = 0;
  int ranks = 1;
  int threads = 1;  ///< threads of this rank that run a core
  message_engine* messages = nullptr;
  transport* net = nullptr;
  rank_slots slots;
};

namespace detail {
inline constinit thread_local rank_context* here_of_thread = nullptr;
[[noreturn]] void no_session();
}  // namespace detail

/// Returns the rank that the calling thread works for; null outside of a session.
inline rank_context* here_or_null() noexcept { return detail::here_of_thread; }
/// Returns the rank that the calling thread works for. Throws usage_error outside of a session.
inline rank_context& here() {
  if (detail::here_of_thread == nullptr) detail::no_session();
  return *detail::here_of_thread;
}
/// Makes the calling thread work for `rank`; null takes it out of its rank, which it must do before it ends.
void set_here(rank_context* rank) noexcept;

/// Returns the rank's one object of type T, made at the first call, destroyed with the rank.
template <class T>
T& rank_local() {
  return here().slots.get<T>();
}

}  // namespace callisto::global
