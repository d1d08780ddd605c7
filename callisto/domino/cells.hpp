// Cells: an array of values; a change of one triggers tasks.
//
// A value of at most 4 bytes, or a double that is not negative, shares a word with the marks of one triggered type of
// tasks: one read-modify-write changes the value and marks the task. Another value has a separate word, and the marks
// are the type's own (marks.hpp), changed after the value.
#pragma once

#include <callisto/domino/atomic_array.hpp>
#include <callisto/domino/computation.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/machine/system/exceptions.hpp>

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
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

/// A whole number below 2^31, which leaves room for that mark in a cell of 4 bytes.
struct whole {
  std::uint32_t value;
  constexpr operator std::uint32_t() const noexcept { return value; }
};

/// An array of triggered values of a type that can be copied byte by byte, of at most 8 bytes. Each operation on a cell
/// is atomic; operations on several cells are not. All that precedes a write happens-before the task that it triggers,
/// also if that was pending already. A write that does not change the value triggers nothing. `at` is the task's place,
/// or computation::outside() between runs. An operation throws usage_error, and writes nothing, for an index beyond the
/// last, for a place of another computation, and for outside() while run() works.
///
/// Cells are neither copied nor moved, since tasks refer to them: keep several in a std::deque. They may end before
/// their computation if no task uses them any more.
///
/// With a type `When`, as of rank_of(f), changes trigger one type of tasks, then. So compilers know what a write does.
template <class T, class When = void>
class cells {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8, "a cell is one word");
  using native = machine::native;
  using order = machine::order;
  static constexpr bool is_whole = std::is_same_v<T, whole>;
  static constexpr bool has_bit = is_whole || std::is_same_v<T, non_negative>;
  static constexpr unsigned mark_bits = has_bit ? 1 : sizeof(T) <= 4 ? 2 : 0;
  using bits = std::conditional_t<is_whole, std::uint32_t, std::uint64_t>;
  using words = atomic_array<native::atomic<bits>>;
  using phase_numbers = atomic_array<native::atomic<std::uint64_t>>;
  static constexpr bool is_list = std::is_void_v<When>;

 public:
  /// n cells with the value `initial`. Throws std::bad_alloc.
  cells(computation& of, std::uint64_t n, T initial = T{})
      : home_(&of.schedules()),
        n_(n),
        owner_(std::make_shared<const words>(n, pack(initial, 0))),
        words_(owner_->get()) {}
  cells(const cells&) = delete;
  cells& operator=(const cells&) = delete;

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

  /// A change of cell i triggers task i. `when`: now, later, or rank_of(f). A filter narrows the changes. Each
  /// on_change() throws usage_error for tasks of another computation, and while run() works.
  template <class Then>
    requires is_list
  cells& on_change(merged_task& task, Then when, filter which = {}) {
    require_size(task);
    return add(task, std::move(when), std::move(which), nullptr);
  }
  template <class Then>
    requires std::is_same_v<Then, When>
  cells& on_change(merged_task& task, Then when) {
    static_assert(mark_bits != 0, "these values leave no room for a mark: cells without a type When are for them");
    require_own(task);
    require_size(task);
    require_ranks<Then>(task);
    if (!fits(task) || !task.keep_marks_in(words_, owner_))
      machine::throw_usage_error("domino: on_change(): these cells have no room for the marks of this type of tasks");
    known_.emplace(known_trigger{&task, std::move(when)});
    return *this;
  }
  /// A change of cell i triggers the tasks for which targets(i, f) calls f(index).
  template <class Then>
    requires is_list
  cells& on_change(merged_task& task, Then when,
                   std::function<void(std::uint64_t, const std::function<void(std::uint64_t)>&)> targets,
                   filter which = {}) {
    return add(task, std::move(when), std::move(which), std::move(targets));
  }

  T get(std::uint64_t i) const {
    require_index(i);
    return value_of(words_[i].load(order::acquire));  // acquire: pairs with change()
  }

  /// Brings cell i into the cache, for a task that is about to write it. A hint.
  void prefetch(std::uint64_t i) const noexcept { __builtin_prefetch(&words_[i]); }

  /// Keeps values as they were when a phase of `group` began, from now on: for as_of_phase(). Between runs. Only tasks
  /// of `group`, or of groups before or after it, write these cells then. Throws std::bad_alloc. It takes 16 bytes a
  /// cell.
  cells& keep_as_of_phase(const task_group& group) {
    refuse_while_running(*home_);
    phases_ = &group;
    saved_ = words(n_, bits{0});
    saved_in_ = phase_numbers(n_, std::uint64_t{0});
    return *this;
  }
  /// Returns the value of cell i when the phase began, whatever tasks write: so what tasks read does not depend on
  /// their order. In a task of the group that was given to keep_as_of_phase().
  T as_of_phase(std::uint64_t i) const {
    require_index(i);
    const bits word = words_[i].load(order::acquire);  // acquire: a new value comes with what save() wrote
    // acquire: pairs with save().
    if (saved_in_[i].load(order::acquire) != phases_->phases() + 1) return value_of(word);
    return value_of(saved_[i].load(order::relaxed));
  }

  /// Each returns whether the value changed.
  bool set(here& at, std::uint64_t i, T value) {
    require_index(i);
    return change(at, i, [value](T) { return value; });
  }
  /// Writes `value` if it is better than the old one: less, or better(value, old).
  template <class Better = std::less<>>
  bool improve(here& at, std::uint64_t i, T value, Better better = {}) {
    require_index(i);
    // relaxed: change() looks again. Most values are no better, so this is all that is inlined.
    if (!better(value, value_of(words_[i].load(order::relaxed)))) return false;
    return change(at, i, [value, better](T old) { return better(value, old) ? value : old; });
  }
  bool add(here& at, std::uint64_t i, T more) {
    require_index(i);
    return change(at, i, [more](T old) { return static_cast<T>(old + more); });
  }
  /// Writes f(old). f may be called several times.
  template <std::invocable<T> F>
  bool update(here& at, std::uint64_t i, F f) {
    require_index(i);
    return change(at, i, f);
  }
  /// Writes `value` and returns the old one.
  T exchange(here& at, std::uint64_t i, T value) {
    require_index(i);
    T before{};
    change(at, i, [&](T old) {
      before = old;
      return value;
    });
    return before;
  }
  /// Writes without triggering.
  void put(std::uint64_t i, T value) {
    require_index(i);
    if constexpr (mark_bits == 0) return words_[i].store(pack(value, 0), order::release);  // release: as in change()
    bits word = words_[i].load(order::relaxed);
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

    bool has_rank() const noexcept { return when == at_rank; }
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

  static bits pack(T value, bits marks) noexcept {
    bits all = 0;
    std::memcpy(&all, &value, sizeof value);
    return all << mark_bits | marks;
  }
  static T value_of(bits word) noexcept {
    const bits all = word >> mark_bits;
    T value;
    std::memcpy(&value, &all, sizeof value);
    return value;
  }
  static bits marks_of(bits word) noexcept { return word & ((1U << mark_bits) - 1); }

  template <class>
  struct is_ranked : std::false_type {};
  template <class F>
  struct is_ranked<ranked<F>> : std::true_type {};
  template <class F>
  static std::uint64_t rank_by(F& f, T value, std::uint64_t index) {
    if constexpr (std::invocable<F&, T, std::uint64_t>) {
      return static_cast<std::uint64_t>(f(value, index));
    } else {
      return static_cast<std::uint64_t>(f(value));
    }
  }

  /// The trigger of cells with a type `When`.
  struct known_trigger {
    merged_task* task;
    When when;

    static constexpr bool has_rank() noexcept { return is_ranked<When>::value; }
    here::due due(const here& at, T value, std::uint64_t index) const {
      if constexpr (has_rank()) {
        return at.at_rank(task->in(), rank_by(when.f, value, index));
      } else if constexpr (std::is_same_v<When, run_later>) {
        return at.later(task->in());
      } else {
        return at.now(task->in());
      }
    }
  };

  void require_index(std::uint64_t i) const {
    if (i >= n_) [[unlikely]]
      refuse_index(i, n_);
  }
  void require_own(const merged_task& task) const {
    if (&task.home() != home_)
      machine::throw_usage_error("domino: on_change(): the cells and the tasks are of two computations");
    refuse_while_running(*home_);
  }
  void require_size(const merged_task& task) const {
    if (task.indices() < n_)
      machine::throw_usage_error("domino: on_change(): the type of tasks has fewer indices than there are cells");
  }

  template <class Then>
  static void require_ranks(const merged_task& task) {
    if (is_ranked<Then>::value && !task.in().has_ranks())
      machine::throw_usage_error(
          "domino: rank_of() for tasks of a group without ranks: make it by group(strict) or loose()");
  }
  /// Whether cells have room for the marks of a type of tasks.
  static bool fits(const merged_task& task) noexcept {
    return mark_bits == 2 || (mark_bits == 1 && task.in().has_ranks());
  }

  template <class Then>
  cells& add(merged_task& task, Then when, filter which,
             std::function<void(std::uint64_t, const std::function<void(std::uint64_t)>&)> targets) {
    require_own(task);
    trigger made{&task, trigger::at_once, {}, std::move(which), std::move(targets)};
    require_ranks<Then>(task);
    if constexpr (std::is_same_v<Then, run_later>) {
      made.when = trigger::next_phase;
    } else if constexpr (!std::is_same_v<Then, run_now>) {
      made.when = trigger::at_rank;
      made.rank = [f = std::move(when.f)](T value, std::uint64_t index) { return rank_by(f, value, index); };
    }
    if (fits(task) && !first_in_words_ && !made.targets && task.keep_marks_in(words_, owner_)) {
      triggers_.insert(triggers_.begin(), std::move(made));
      first_in_words_ = true;
    } else {
      task.keep_marks();
      triggers_.push_back(std::move(made));
    }
    return *this;
  }

  template <class F>
  [[gnu::noinline]] bool change(here& at, std::uint64_t i, F f) {
    if (!at.may_write(home_)) [[unlikely]]
      refuse_place(at);
    auto& cell = words_[i];
    // relaxed: the exchange below must find the same word.
    bits word = cell.load(order::relaxed);
    for (;;) {
      const T old = value_of(word);
      const T value = f(old);
      if (std::memcmp(&old, &value, sizeof old) == 0) return false;
      if (phases_ != nullptr) [[unlikely]]
        save(at, i);
      if constexpr (!is_list) {
        if (known_) {
          if (!change_marked(at, i, word, value, *known_)) continue;
          return true;
        }
      } else if (first_in_words_) {
        const trigger& first = triggers_.front();
        if (first.which.lets_pass(old, value, i)) {
          if (!change_marked(at, i, word, value, first)) continue;
          fire(at, i, old, value, 1);
          return true;
        }
      }
      if (!write(at, i, word, pack(value, marks_of(word)))) continue;
      fire(at, i, old, value, first_in_words_ ? 1 : 0);
      return true;
    }
  }

  [[noreturn, gnu::cold, gnu::noinline]] static void refuse_place(const here& at) {
    if (at.may_write(nullptr)) scheduler<native>::refuse_outside();
    machine::throw_usage_error("domino: a cell of one computation was written in another computation");
  }

  /// Writes `to` into cell i if it still has `word`; else updates `word`.
  bool write(const here& at, std::uint64_t i, bits& word, bits to) noexcept {
    // release: publishes the value, and what precedes the write, to get() and to the task that takes the mark.
    if (!at.is_alone()) return words_[i].compare_exchange(word, to, order::release);
    words_[i].store(to, order::release);
    return true;
  }

  /// Writes the value and the mark of the task that this triggers, if the cell still has `word`; else updates `word`.
  template <class By>
  bool change_marked(here& at, std::uint64_t i, bits& word, T value, const By& by) {
    const here::due due = by.due(at, value, i);
    const std::uint8_t mark = by.task->mark_of(due);
    if (!write(at, i, word, pack(value, marks_of(word) | mark))) return false;
    push_marked(at, i, by, due, value_of(word), (marks_of(word) & mark) != 0);
    return true;
  }

  /// Saves the value with which cell i began the phase, before the first write. Threads that do so at the same time
  /// save the same: a value that was written in this phase comes with saved_in_.
  void save(const here& at, std::uint64_t i) {
    if (at.is_between_phases()) return;
    const std::uint64_t phase = phases_->phases() + 1;
    const bits word = words_[i].load(order::acquire);  // acquire: pairs with change()
    if (saved_in_[i].load(order::relaxed) == phase) return;
    saved_[i].store(word, order::relaxed);
    saved_in_[i].store(phase, order::release);  // release: publishes the saved value to as_of_phase()
  }

  /// Spawns the instance that was marked, unless one is pending that is due no later.
  template <class By>
  static void push_marked(here& at, std::uint64_t i, const By& by, here::due due, T old, bool was_marked) {
    if (was_marked && (!by.has_rank() || due.rank >= by.due(at, old, i).rank)) {
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
        if (index >= by.task->indices()) [[unlikely]]
          refuse_index(index, by.task->indices());
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

  const scheduler<native>* const home_;
  const std::uint64_t n_;
  const std::shared_ptr<const words> owner_;  ///< tasks that keep marks in the words have a share
  native::atomic<bits>* const words_;
  struct no_trigger {
    explicit operator bool() const noexcept { return false; }
  };
  std::conditional_t<is_list, no_trigger, std::optional<known_trigger>> known_;
  std::vector<trigger> triggers_;
  bool first_in_words_ = false;         ///< the first trigger's marks are in the words
  const task_group* phases_ = nullptr;  ///< of as_of_phase()
  words saved_;
  phase_numbers saved_in_;  ///< by cell, the phase, plus 1, in which it was saved
};

}  // namespace callisto::domino
