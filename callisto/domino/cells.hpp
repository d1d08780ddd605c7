// Cells: an array of values; a change of one triggers tasks.
//
// A value of at most 4 bytes, or a double that is not negative, shares a word with the marks of one triggered type of
// tasks: one read-modify-write changes the value and marks the task. Another value has a word of its own, and the marks
// are the type's own (marks.hpp), changed after the value.
#pragma once

#include <callisto/domino/atomic_array.hpp>
#include <callisto/domino/computation.hpp>
#include <callisto/machine/native.hpp>

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace callisto::domino {

/// When a triggered task runs: in the phase of the write, in the next one, or at a rank.
struct run_now {};
struct run_later {};
inline constexpr run_now now{};
inline constexpr run_later later{};
/// At the rank f(value), or f(value, index of the task), where `value` is what was written.
template <class F>
struct ranked {
  F f;
};
template <class F>
ranked<F> rank_of(F f) {
  return {std::move(f)};
}

/// A double that is not negative, which has a bit less: so a cell has room for the mark of a task of a group with
/// ranks.
struct non_negative {
  double value;
  constexpr operator double() const noexcept { return value; }
};

/// An array of triggered values of a type that can be copied byte by byte, of at most 8 bytes. Each operation on a cell
/// is atomic; operations on several cells are not. What precedes a write happens-before the task that it triggers, also
/// if that was pending already. A write that does not change the value triggers nothing. `at` is the task's place, or
/// computation::outside() between runs.
template <class T>
class cells {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8, "a cell is one word");
  using native = machine::native;
  using order = machine::order;
  using words = atomic_array<native::atomic<std::uint64_t>>;
  static constexpr bool has_bit = std::is_same_v<T, non_negative>;
  static constexpr unsigned mark_bits = sizeof(T) <= 4 ? 2 : has_bit ? 1 : 0;

 public:
  /// n cells with the value `initial`. Throws std::bad_alloc.
  cells(computation&, std::uint64_t n, T initial = T{}) : n_(n), words_(n, pack(initial, 0)) {}

  std::uint64_t size() const noexcept { return n_; }

  /// Says which changes trigger: a function of the old and the new value, and of the cell's index if it takes one.
  /// None: all changes do.
  class filter {
   public:
    filter() = default;
    template <class F>
      requires std::predicate<F&, T, T> || std::predicate<F&, T, T, std::uint64_t>
    filter(F f) {
      if constexpr (std::predicate<F&, T, T>) {
        holds_ = [f = std::move(f)](T old, T value, std::uint64_t) { return f(old, value); };
      } else {
        holds_ = std::move(f);
      }
    }
    bool lets_pass(T old, T value, std::uint64_t i) const { return !holds_ || holds_(old, value, i); }

   private:
    std::function<bool(T, T, std::uint64_t)> holds_;
  };

  /// A change of cell i triggers task i. `when`: now, later, or rank_of(f). A filter narrows the changes.
  template <class When>
  cells& on_change(merged_task& task, When when, filter which = {}) {
    require_size(task);
    return add(task, std::move(when), std::move(which), nullptr);
  }
  /// A change of cell i triggers the tasks for which targets(i, f) calls f(index).
  template <class When>
  cells& on_change(merged_task& task, When when,
                   std::function<void(std::uint64_t, const std::function<void(std::uint64_t)>&)> targets,
                   filter which = {}) {
    return add(task, std::move(when), std::move(which), std::move(targets));
  }

  T get(std::uint64_t i) const noexcept {
    return value_of(words_[i].load(order::acquire));  // acquire: pairs with change()
  }

  /// Brings cell i into the cache, for a task that is about to write it. A hint.
  void prefetch(std::uint64_t i) const noexcept { __builtin_prefetch(&words_[i]); }

  /// Keeps values as they were when a phase of `group` began, from now on: for as_of_phase(). Between runs. Only tasks
  /// of `group`, or of groups before or after it, write these cells then. Throws std::bad_alloc. It takes 16 bytes a
  /// cell.
  cells& keep_as_of_phase(const task_group& group) {
    phases_ = &group;
    saved_ = words(n_, std::uint64_t{0});
    saved_in_ = words(n_, std::uint64_t{0});
    return *this;
  }
  /// Returns the value of cell i when the phase began, whatever tasks write: so what tasks read does not depend on
  /// their order. In a task of the group that was given to keep_as_of_phase().
  T as_of_phase(std::uint64_t i) const noexcept {
    const std::uint64_t word = words_[i].load(order::acquire);  // acquire: a new value comes with what save() wrote
    // acquire: pairs with save().
    if (saved_in_[i].load(order::acquire) != phases_->phases() + 1) return value_of(word);
    return value_of(saved_[i].load(order::relaxed));
  }

  /// Each returns whether the value changed.
  bool set(here& at, std::uint64_t i, T value) {
    return change(at, i, [value](T) { return value; });
  }
  /// Writes `value` if it is better than the old one: less, or better(value, old).
  template <class Better = std::less<>>
  bool improve(here& at, std::uint64_t i, T value, Better better = {}) {
    return change(at, i, [&](T old) { return better(value, old) ? value : old; });
  }
  bool add(here& at, std::uint64_t i, T more) {
    return change(at, i, [more](T old) { return static_cast<T>(old + more); });
  }
  /// Writes f(old). f may be called several times.
  template <std::invocable<T> F>
  bool update(here& at, std::uint64_t i, F f) {
    return change(at, i, f);
  }
  /// Writes `value` and returns the old one.
  T exchange(here& at, std::uint64_t i, T value) {
    T before{};
    change(at, i, [&](T old) {
      before = old;
      return value;
    });
    return before;
  }
  /// Writes without triggering.
  void put(std::uint64_t i, T value) noexcept {
    if constexpr (mark_bits == 0) return words_[i].store(pack(value, 0), order::release);  // release: as in change()
    std::uint64_t word = words_[i].load(order::relaxed);
    // release: as in change().
    while (!words_[i].compare_exchange(word, pack(value, marks_of(word)), order::release)) {
    }
  }

 private:
  struct trigger {
    merged_task* task;
    enum { at_once, next_phase, at_rank } when;
    std::function<std::uint64_t(T, std::uint64_t)> rank;
    filter which;
    std::function<void(std::uint64_t, const std::function<void(std::uint64_t)>&)> targets;

    here::due due(const here& at, T value, std::uint64_t index) const {
      switch (when) {
        case at_once:
          return at.now(task->in());
        case next_phase:
          return at.later(task->in());
        case at_rank:
          break;
      }
      return at.at_rank(task->in(), rank(value, index));
    }
  };

  static std::uint64_t pack(T value, std::uint64_t marks) noexcept {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits << mark_bits | marks;
  }
  static T value_of(std::uint64_t word) noexcept {
    const std::uint64_t bits = word >> mark_bits;
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  static std::uint64_t marks_of(std::uint64_t word) noexcept { return word & ((1U << mark_bits) - 1); }

  void require_size(const merged_task& task) const {
    if (task.indices() < n_)
      throw usage_error("domino: on_change(): the type of tasks has fewer indices than there are cells");
  }

  template <class When>
  cells& add(merged_task& task, When when, filter which,
             std::function<void(std::uint64_t, const std::function<void(std::uint64_t)>&)> targets) {
    trigger made{&task, trigger::at_once, {}, std::move(which), std::move(targets)};
    if constexpr (std::is_same_v<When, run_later>) {
      made.when = trigger::next_phase;
    } else if constexpr (!std::is_same_v<When, run_now>) {
      if (!task.in().has_ranks())
        throw usage_error("domino: rank_of() for tasks of a group without ranks: make it by group(strict) or loose()");
      made.when = trigger::at_rank;
      if constexpr (std::invocable<decltype(when.f)&, T, std::uint64_t>) {
        made.rank = std::move(when.f);
      } else {
        made.rank = [f = std::move(when.f)](T value, std::uint64_t) { return f(value); };
      }
    }
    const bool fits = mark_bits == 2 || (mark_bits == 1 && task.in().has_ranks());
    if (fits && !first_in_words_ && !made.targets && task.keep_marks_in(words_.get())) {
      triggers_.insert(triggers_.begin(), std::move(made));
      first_in_words_ = true;
    } else {
      task.keep_marks();
      triggers_.push_back(std::move(made));
    }
    return *this;
  }

  template <class F>
  bool change(here& at, std::uint64_t i, F f) {
    auto& cell = words_[i];
    // relaxed: the exchange below must find the same word.
    std::uint64_t word = cell.load(order::relaxed);
    for (;;) {
      const T old = value_of(word);
      const T value = f(old);
      if (std::memcmp(&old, &value, sizeof old) == 0) return false;
      if (phases_ != nullptr) [[unlikely]]
        save(at, i);
      if (first_in_words_) [[likely]] {
        const trigger& first = triggers_.front();
        if (first.which.lets_pass(old, value, i)) {
          const here::due due = first.due(at, value, i);
          const std::uint8_t mark = first.task->mark_of(due);
          // release: publishes the value, and what precedes the write, to get() and to the task that takes the mark.
          if (!cell.compare_exchange(word, pack(value, marks_of(word) | mark), order::release)) continue;
          push_marked(at, i, first, due, old, (marks_of(word) & mark) != 0);
          if (triggers_.size() > 1) fire(at, i, old, value, 1);
          return true;
        }
      }
      if (!cell.compare_exchange(word, pack(value, marks_of(word)), order::release)) continue;  // release: as above
      fire(at, i, old, value, first_in_words_ ? 1 : 0);
      return true;
    }
  }

  /// Saves the value with which cell i began the phase, before the first write. Threads that do so at the same time
  /// save the same: a value that was written in this phase comes with saved_in_.
  void save(const here& at, std::uint64_t i) {
    if (at.is_between_phases()) return;
    const std::uint64_t phase = phases_->phases() + 1;
    const std::uint64_t word = words_[i].load(order::acquire);  // acquire: pairs with change()
    if (saved_in_[i].load(order::relaxed) == phase) return;
    saved_[i].store(word, order::relaxed);
    saved_in_[i].store(phase, order::release);  // release: publishes the saved value to as_of_phase()
  }

  /// Spawns the instance that was marked, unless one is pending that is due no later.
  static void push_marked(here& at, std::uint64_t i, const trigger& by, here::due due, T old, bool was_marked) {
    if (was_marked && (by.when != trigger::at_rank || due.rank >= at.at_rank(by.task->in(), by.rank(old, i)).rank)) {
      ++at.counts().merged;
      return;
    }
    by.task->push(at, i, due);
  }

  void fire(here& at, std::uint64_t i, T old, T value, std::size_t from) {
    for (std::size_t k = from; k < triggers_.size(); ++k) {
      const trigger& by = triggers_[k];
      if (!by.which.lets_pass(old, value, i)) continue;
      const auto one = [&](std::uint64_t index) {
        const here::due due = by.due(at, value, index);
        const bool was_marked = !by.task->set(index, by.task->mark_of(due));
        if (by.targets) {
          if (!was_marked) return by.task->push(at, index, due);
          ++at.counts().merged;
        } else {
          push_marked(at, index, by, due, old, was_marked);
        }
      };
      if (by.targets) {
        by.targets(i, one);
      } else {
        one(i);
      }
    }
  }

  const std::uint64_t n_;
  const words words_;
  std::vector<trigger> triggers_;
  bool first_in_words_ = false;         ///< the first trigger's marks are in the words
  const task_group* phases_ = nullptr;  ///< of as_of_phase()
  words saved_;
  words saved_in_;  ///< by cell, the phase, plus 1, in which it was saved
};

}  // namespace callisto::domino
