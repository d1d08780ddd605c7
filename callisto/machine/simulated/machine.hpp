// The simulated machine: the policy of machine/policy.hpp on an engine that charges virtual cycles for everything.
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

  /// As on the native machine, so that objects are laid out alike; how long lines are says the description.
  static constexpr std::size_t line_size = 128;

  /// Cycles since the simulation began.
  static std::uint64_t ticks() noexcept {
    const auto* const e = simulation::engine::running();
    return e == nullptr ? 0 : e->now();
  }
  static std::uint64_t ticks_per_second() noexcept {
    const auto* const e = simulation::engine::running();
    return e == nullptr ? 1'000'000'000 : static_cast<std::uint64_t>(e->machine().clock);
  }

  /// What a loop's body does: `cycles` of them on a core of its own, more where siblings want the pipelines.
  static void work(std::uint64_t cycles) noexcept {
    if (auto* const e = simulation::engine::running()) e->execute(cycles, simulation::activity::work);
  }

  template <class T, class Keep>
  static T wait_while(const atomic<T>& word, Keep keep, patience grade) noexcept;

  static void park(const atomic<std::uint64_t>& word, std::uint32_t low) noexcept;
  static void unpark(atomic<std::uint64_t>& word, unsigned count) noexcept;

  static void light_fence() noexcept {}
  /// membarrier: a system call and an interrupt for everybody (0.6 to 6 microseconds where we measured it).
  static void heavy_fence() noexcept {
    if (auto* const e = simulation::engine::running()) e->fence_all(5000);
  }
  static bool has_heavy_fence() noexcept { return true; }

  // Costs nothing: what its first loops pay once, a program does not pay again. A context gets back what it gave, as
  // threads do natively: by its address the engine knows who has had it.
  static std::byte* take_room(std::size_t bytes) {
    auto* const e = simulation::engine::running();
    return e == nullptr ? spare_room::take_new(bytes) : e->rooms().take(bytes);
  }
  static void give_room(std::byte* room) noexcept {
    auto* const e = simulation::engine::running();
    return e == nullptr ? spare_room::drop(room) : e->rooms().give(room);
  }
};

/// A word of simulated memory, of the size of its T and nothing more.
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

  /// Never fails without cause.
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

  /// Not part of the policy: fetch_add whose result nobody uses, as compilers make `stadd` of on machines that perform
  /// such operations far away: nobody waits for it. Elsewhere it is fetch_add.
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
