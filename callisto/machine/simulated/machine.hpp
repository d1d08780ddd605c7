// The simulated machine: the policy of machine/policy.hpp on an engine that charges virtual cycles for every operation.
//
// Outside of a simulated context (constructors, tests) every operation acts on memory at once and costs nothing.
#pragma once

#include <callisto/machine/policy.hpp>
#include <callisto/machine/simulated/engine.hpp>
#include <callisto/machine/spare_room.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace callisto::machine {

/// The machine policy that runs on simulation::engine. Stateless; the engine is the one that runs on this thread.
struct simulated {
  template <class T>
  class atomic;
  template <class T>
  using plain = T;

  /// The native machine's value, so that objects have the same layout. The description gives the length of a simulated
  /// line.
  static constexpr std::size_t line_size = 128;

  /// Returns the cycles since the simulation began; 0 outside of a context.
  static std::uint64_t ticks() noexcept {
    const auto* const e = simulation::engine::running();
    return e == nullptr ? 0 : e->now();
  }
  static std::uint64_t ticks_per_second() noexcept {
    const auto* const e = simulation::engine::running();
    return e == nullptr ? 1'000'000'000 : static_cast<std::uint64_t>(e->machine().clock);
  }

  /// Executes `cycles` of a loop's body. They take longer if siblings want the core's pipelines.
  static void work(std::uint64_t cycles) noexcept {
    if (auto* const e = simulation::engine::running()) e->execute(cycles, simulation::activity::work);
  }

  template <class T, class Keep>
  static T wait_while(const atomic<T>& word, Keep keep, patience grade) noexcept;

  static void park(const atomic<std::uint64_t>& word, std::uint32_t low) noexcept;
  static void unpark(atomic<std::uint64_t>& word, unsigned count) noexcept;

  static void light_fence() noexcept {}
  /// Costs 5,000 cycles, as a system call and an interrupt of every context: membarrier takes 0.6 to 6 us where it was
  /// measured.
  static void heavy_fence() noexcept {
    if (auto* const e = simulation::engine::running()) e->fence_all(5000);
  }
  static bool has_heavy_fence() noexcept { return true; }

  // Memory of loops costs nothing: a native program pays for it only in its first loops. A context gets back the memory
  // that it gave, as native threads do: the engine identifies lines by address, and so knows which contexts have used
  // them.
  static std::byte* take_room(std::size_t bytes) {
    auto* const e = simulation::engine::running();
    return e == nullptr ? spare_room::take_new(bytes) : e->rooms().take(bytes);
  }
  static void give_room(std::byte* room) noexcept {
    auto* const e = simulation::engine::running();
    return e == nullptr ? spare_room::drop(room) : e->rooms().give(room);
  }
};

/// A word of simulated memory with the size of T.
template <class T>
class simulated::atomic {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);

 public:
  atomic() noexcept = default;
  constexpr explicit atomic(T value) noexcept : value_(value) {}
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  T load(order) const noexcept {
    auto* const e = simulation::engine::running();
    if (e == nullptr) return value_;
    std::uint64_t bits = 0;
    T value = value_;
    if (e->begin_load(&value_, bits)) {
      std::memcpy(&value, &bits, sizeof(T));
    } else {
      value = value_;
    }
    e->end_load();
    return value;
  }

  void store(T value, order) noexcept {
    auto* const e = simulation::engine::running();
    if (e == nullptr) {
      value_ = value;
      return;
    }
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    e->post(&value_, bits, sizeof(T), false);
  }

  T exchange(T value, order) noexcept {
    auto* const e = simulation::engine::running();
    if (e == nullptr) return std::exchange(value_, value);
    auto& line = e->begin_update(&value_);
    const T before = std::exchange(value_, value);
    e->end_update(line, false);
    return before;
  }

  /// Replaces `expected` by `desired`; fails only if the value differs.
  bool compare_exchange(T& expected, T desired, order) noexcept {
    auto* const e = simulation::engine::running();
    simulation::engine::line* line = nullptr;
    if (e != nullptr) line = &e->begin_update(&value_);
    const bool equal = value_ == expected;
    if (equal) {
      value_ = desired;
    } else {
      expected = value_;
    }
    if (e != nullptr) e->end_update(*line, !equal);
    return equal;
  }

  T fetch_add(T value, order o) noexcept {
    return fetch(o, [value](T old) { return static_cast<T>(old + value); });
  }
  T fetch_sub(T value, order o) noexcept {
    return fetch(o, [value](T old) { return static_cast<T>(old - value); });
  }
  T fetch_and(T value, order o) noexcept {
    return fetch(o, [value](T old) { return static_cast<T>(old & value); });
  }
  T fetch_or(T value, order o) noexcept {
    return fetch(o, [value](T old) { return static_cast<T>(old | value); });
  }

  /// Adds `value` without returning the old one; not part of the policy. If the machine performs fetch_add far away,
  /// the context does not wait, as with the `stadd` that compilers emit there. On other machines it is fetch_add.
  void post_add(T value) noexcept {
    auto* const e = simulation::engine::running();
    if (e == nullptr || e->machine().fetch_add != simulation::fetch_add_kind::far) {
      fetch_add(value, order::relaxed);
    } else {
      e->post(&value_, static_cast<std::uint64_t>(value), sizeof(T), true);
    }
  }

 private:
  template <class Change>
  T fetch(order o, Change change) noexcept {
    auto* const e = simulation::engine::running();
    if (e == nullptr) return std::exchange(value_, change(value_));
    if (e->fetches_in_a_loop()) {
      T before = load(order::relaxed);
      while (!compare_exchange(before, change(before), o)) {
      }
      return before;
    }
    auto& line = e->begin_fetch(&value_);
    const T before = std::exchange(value_, change(value_));
    e->end_fetch(line);
    return before;
  }

  T value_;
};

template <class T, class Keep>
T simulated::wait_while(const atomic<T>& word, Keep keep, patience grade) noexcept {
  auto* const e = simulation::engine::running();
  if (e == nullptr) return word.load(order::acquire);
  const bool lasting = grade == patience::lasting;
  const std::uint64_t begun = e->begin_wait();
  T value = word.load(order::acquire);
  while (grade != patience::none && keep(value) && e->wait(&word, lasting, begun)) value = word.load(order::acquire);
  e->end_wait();
  return value;
}

inline void simulated::park(const atomic<std::uint64_t>& word, std::uint32_t low) noexcept {
  auto* const e = simulation::engine::running();
  if (e == nullptr) return;
  std::uint64_t value = 0;
  e->begin_park(&word);
  std::memcpy(&value, static_cast<const void*>(&word), sizeof(value));
  e->end_park(&word, static_cast<std::uint32_t>(value) == low);
}

inline void simulated::unpark(atomic<std::uint64_t>& word, unsigned count) noexcept {
  if (auto* const e = simulation::engine::running()) e->unpark(&word, count);
}

}  // namespace callisto::machine
