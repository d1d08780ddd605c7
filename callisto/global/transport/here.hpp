// The rank that a thread works for: no process-wide singleton, since many ranks can share a process.
#pragma once

#include <callisto/machine/system/error.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace callisto::global {

class core;
class message_engine;
class piece_set;
class simulated_rank;
class transport;

/// Objects that upper floors keep for each rank, found by the number of their type. Any thread of the rank may call.
class rank_slots {
 public:
  static constexpr std::size_t most = 64;  ///< types

  /// Returns the rank's object of type T; makes it by T() at the first call. About 1 ns if it is there.
  template <class T>
  T& get() {
    void* object = objects_[number_of<T>].load(std::memory_order_acquire);  // acquire: pairs with make()'s release
    if (object == nullptr) [[unlikely]]
      object = make(number_of<T>, [] { return std::shared_ptr<void>(std::make_shared<T>()); });
    return *static_cast<T*>(object);
  }
  /// Destroys all objects, the latest first.
  void clear() noexcept;
  ~rank_slots() { clear(); }

 private:
  /// Returns a number that no other type has. Ends the process if there are more than `most`.
  static std::size_t next_number() noexcept;
  template <class T>
  static inline const std::size_t number_of = next_number();

  template <class Make>
  [[gnu::noinline, gnu::cold]] void* make(std::size_t number, Make how) {
    const std::lock_guard guard(lock_);
    if (void* made = objects_[number].load(std::memory_order_relaxed)) return made;  // relaxed: under the lock
    std::shared_ptr<void> object = how();
    objects_[number].store(object.get(), std::memory_order_release);  // release: publishes the object to get()
    owned_.emplace_back(number, std::move(object));
    return owned_.back().second.get();
  }

  std::array<std::atomic<void*>, most> objects_{};
  std::recursive_mutex lock_;  // T() may ask for another object
  std::vector<std::pair<std::size_t, std::shared_ptr<void>>> owned_;
};

/// State that the threads of one rank share.
struct rank_context {
  int rank = 0;
  int ranks = 1;
  int threads = 1;  ///< threads of this rank that run a core
  message_engine* messages = nullptr;
  transport* net = nullptr;
  /// The tasks of the phase that runs are to end early; a hint that the session sets.
  std::atomic<bool> is_cancelled{false};
  /// The latest phase that has begun at some rank, as far as this rank has heard: a Lamport clock of phases, modulo
  /// 2^32.
  std::atomic<std::uint32_t> latest_phase{0};
  rank_slots slots;

  /// Takes note that a phase has begun somewhere; if it is a later one, it is not cancelled.
  void hear_of_phase(std::uint32_t phase) noexcept {
    // relaxed, all: what came with the packet is ordered by its hand-off; the session's lock orders the rest.
    std::uint32_t known = latest_phase.load(std::memory_order_relaxed);
    while (static_cast<std::int32_t>(phase - known) > 0) {
      if (!latest_phase.compare_exchange_weak(known, phase, std::memory_order_relaxed)) continue;
      is_cancelled.store(false, std::memory_order_relaxed);
      return;
    }
  }
};

namespace detail {
class delayed_posts;

/// The state that a thread has of its rank, for all floors above. Single variables: the address of a struct would be
/// fetched before each use.
namespace of_thread {
inline constinit thread_local rank_context* rank = nullptr;
/// Null: the rank runs on this machine, in its time (rank_clock.hpp).
inline constinit thread_local simulated_rank* simulated = nullptr;
inline constinit thread_local core* of_core = nullptr;
/// The messages that the thread has collected, of the engine with this number; 0: none.
inline constinit thread_local piece_set* pieces = nullptr;
inline constinit thread_local std::uint64_t engine = 0;
/// The ring of the thread while a batch of a loop runs on it.
inline constinit thread_local delayed_posts* posts = nullptr;
/// The thread runs a message's handler; a delegate's function on local memory; a loop that has no workers.
inline constinit thread_local bool in_handler = false;
inline constinit thread_local bool in_local_delegate = false;
inline constinit thread_local bool in_plain_loop = false;
}  // namespace of_thread

/// All of these variables: a simulation, which runs many ranks on one thread, exchanges them when another rank runs.
struct thread_of_rank {
  rank_context* rank = nullptr;
  simulated_rank* simulated = nullptr;
  core* of_core = nullptr;
  piece_set* pieces = nullptr;
  std::uint64_t engine = 0;
  delayed_posts* posts = nullptr;
  bool in_handler = false;
  bool in_local_delegate = false;
  bool in_plain_loop = false;

  static thread_of_rank of_this_thread() noexcept;
  void become_this_threads() const noexcept;
};

[[noreturn]] void no_session();
}  // namespace detail

/// Returns the rank that the calling thread works for; null outside of a session.
inline rank_context* here_or_null() noexcept { return detail::of_thread::rank; }
/// Returns the rank that the calling thread works for. Throws usage_error outside of a session.
inline rank_context& here() {
  if (detail::of_thread::rank == nullptr) detail::no_session();
  return *detail::of_thread::rank;
}
/// Makes the calling thread work for `rank`; null takes it out of its rank, which it must do before it ends.
void set_here(rank_context* rank) noexcept;

/// Returns the rank's one object of type T, made at the first call, destroyed with the rank.
template <class T>
T& rank_local() {
  return here().slots.get<T>();
}

}  // namespace callisto::global
