// A computation: groups of tasks, and run(), which returns when nothing is left to do. The native machine's, compiled
// once; the scheduler under it is a template (scheduler.hpp).
#pragma once

#include <callisto/domino/exclusive.hpp>
#include <callisto/domino/group.hpp>
#include <callisto/domino/lane.hpp>
#include <callisto/domino/marks.hpp>
#include <callisto/domino/sanitizer.hpp>
#include <callisto/domino/scheduler.hpp>
#include <callisto/export.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/exceptions.hpp>

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace callisto::domino {

class computation;

/// The place where a task runs: passed to each body, and by it to what writes cells or spawns tasks.
using here = lane<machine::native>;

/// How the tasks of a group follow each other.
struct ranking {
  unsigned buckets = 2;
  std::uint64_t width = 1;
};
/// Tasks run now, or in the next phase.
inline constexpr ranking phases{};
/// Tasks have ranks, and those of a lower rank end before one of a higher begins. 0 to 2^64 - 2.
inline constexpr ranking strict{64, 1};
/// Tasks have ranks, and a task may begin while tasks of up to `s` ranks less are left.
constexpr ranking loose(std::uint64_t s) noexcept { return {64, s == no_rank ? s : s + 1}; }

/// Throws usage_error if run() works: what a computation consists of changes between runs.
inline void refuse_while_running(const scheduler<machine::native>& of) {
  if (of.is_running())
    machine::throw_usage_error("domino: tasks, triggers and groups are declared between runs; run() works at present");
}
[[noreturn]] CALLISTO_API void refuse_index(std::uint64_t index, std::uint64_t size);

/// A group of tasks. Belongs to its computation; declared before the first run. Not thread-safe.
class task_group {
 public:
  /// No task of this group begins before `earlier` is quiet. Throws usage_error if that closes a circle, and while
  /// run() works.
  void after(task_group& earlier) {
    refuse_while_running(of_);
    of_.set_after(group_, earlier.group_);
  }

  /// Calls f(at) after each phase, while no task of the group runs. Tasks that f spawns run in the next phase. Throws
  /// usage_error while run() works.
  void between_phases(std::function<void(here&)> f) {
    refuse_while_running(of_);
#if defined(CALLISTO_TOLD_TSAN)
    group_.between = [&g = group_, f = std::move(f)](here& at) {
      const between_phases_seen now(at, g);
      f(at);
    };
#else
    group_.between = std::move(f);
#endif
  }

  /// Phases that have ended, in all runs. Between runs, or in between_phases().
  std::uint64_t phases() const noexcept { return group_.phases; }
  /// The rank of the tasks that run, divided by the width of loose ranks. In a task, or in between_phases().
  std::uint64_t rank() const noexcept { return group_.rank; }

 private:
  friend class computation;
  friend class task_base;
  task_group(scheduler<machine::native>& of, group<machine::native>& g) noexcept : of_(of), group_(g) {}
  scheduler<machine::native>& of_;
  group<machine::native>& group_;
};

/// A type of tasks: a body, in a group. Belongs to its computation.
class CALLISTO_API task_base : public task_type<machine::native> {
  using native = machine::native;

 public:
  task_base(const task_base&) = delete;
  task_base& operator=(const task_base&) = delete;
  virtual ~task_base() = default;

  /// Tasks of one key never run at once; tasks of different keys do. key(index) is below `keys`: a task with another
  /// key throws usage_error. Before the first run. A task that finds its key taken is left with the task that has it;
  /// no thread waits.
  void exclusive(std::uint64_t keys, std::function<std::uint64_t(std::uint64_t)> key) {
    refuse_while_running(home_);
    keys_ = std::make_unique<exclusive_keys<native>>(keys);
    key_ = std::move(key);
  }

  /// The group as the scheduler has it.
  group<native>& in() const noexcept { return *of; }
  /// The scheduler of its computation.
  const scheduler<native>& home() const noexcept { return home_; }

 protected:
  task_base(body does, task_group& g) noexcept : task_type(does, g.group_), home_(g.of_) {}

  const scheduler<native>& home_;
  std::unique_ptr<exclusive_keys<native>> keys_;
  std::function<std::uint64_t(std::uint64_t)> key_;
};

/// A type of merged tasks: at most one instance of an index is pending, and a spawn that finds one adds nothing.
class CALLISTO_API merged_task : public task_base {
  using native = machine::native;

 public:
  using due = here::due;

  /// Spawns the instance of `index`: in this phase, in the next, or at a rank. From another group than its own, or
  /// between runs through at = c.outside(): in the next phase of its group. May throw std::bad_alloc. Throws
  /// usage_error for an index beyond the last, a place of another computation, outside() while run() works, and a group
  /// that is not after the task's own; then nothing is spawned.
  void spawn(here& at, std::uint64_t index) { spawn_due(at, index, at.now(in())); }
  void spawn_later(here& at, std::uint64_t index) { spawn_due(at, index, at.later(in())); }
  void spawn_at(here& at, std::uint64_t index, std::uint64_t rank) { spawn_due(at, index, at.at_rank(in(), rank)); }

  std::uint64_t indices() const noexcept { return indices_; }

  /// The index of the task of this type that the place begins after `k` other tasks, if it knows: a hint, to have
  /// memory ready by then.
  std::optional<std::uint64_t> upcoming(const here& at, unsigned k) const noexcept {
    const auto word = at.upcoming(k);
    if (!word) return std::nullopt;
    task next;
    next.head = *word;
    if (next.type() != number || next.index() >= indices_) return std::nullopt;  // it may be a record's
    return next.index();
  }

  // For cells:

  /// The mark of an instance that is due then: one of two, by phase; with ranks there is one.
  std::uint8_t mark_of(due when) const noexcept {
    return static_cast<std::uint8_t>(in().has_ranks() ? 1U : 1U << (when.rank & 1));
  }
  void spawn_due(here& at, std::uint64_t index, due when) {
    if (index >= indices_) [[unlikely]]
      refuse_index(index, indices_);
    if (!set(index, mark_of(when))) {
      ++at.counts().merged;
      return;
    }
    push(at, index, when);
  }
  /// Spawns an instance with a mark that is set.
  void push(here& at, std::uint64_t index, due when) {
    if (!when.open && may_walk_) [[unlikely]] {
      // relaxed: a lane that reads an old value queues an instance that the walk runs.
      auto& dense = dense_[when.rank & 1];
      if (dense.load(machine::order::relaxed) != 0) return;
      if (at.waiting(in(), when) >= many_) dense.store(1, machine::order::relaxed);
    }
    at.spawn(in(), when, task::of(number, index));
  }

  /// Keeps the marks in the low bits of these words, one an index, from now on. False if they are kept elsewhere. The
  /// words stay as long as the tasks do.
  template <class Word>
  bool keep_marks_in(native::atomic<Word>* words, std::shared_ptr<const void> owner) noexcept {
    auto& mine = std::get<native::atomic<Word>*>(words_);
    const bool elsewhere = bytes_ != nullptr || std::get<0>(words_) != nullptr || std::get<1>(words_) != nullptr;
    if (!elsewhere) {
      mine = words;
      words_owner_ = std::move(owner);
    }
    return mine == words;
  }
  void keep_marks() {
    if (!has_words() && bytes_ == nullptr) bytes_ = std::make_unique<marks<native>>(indices_);
  }
  bool set(std::uint64_t index, std::uint8_t mark) {
    // release: as in marks.hpp.
    if (has_words())
      return in_words(index, [&](auto& word) { return (word.fetch_or(mark, machine::order::release) & mark) == 0; });
    if (bytes_ == nullptr) [[unlikely]]
      keep_marks();  // between runs; a run begins with marks
    return bytes_->set(index, mark);
  }

 protected:
  merged_task(body does, body walks, task_group& g, std::uint64_t indices) noexcept
      : task_base(does, g), indices_(indices), walk_(walks, *this) {}

  /// The tasks of a dense phase: a task for each 64 indices, which runs the instances that are marked.
  struct walk : task_type<native> {
    walk(body does, merged_task& by) noexcept : task_type(does, by.in()), owner(by) { before_phase = &lay_out; }
    static void lay_out(task_type& self, here& at);
    merged_task& owner;
  };
  static constexpr std::uint64_t walked_at_once = 64;

  /// Whether an instance is marked in this phase: a hint.
  bool is_marked(std::uint64_t index) const noexcept {
    const std::uint8_t mark = mark_of({in().rank, true});
    if (!has_words()) return bytes_->has(index, mark);
    return in_words(index, [&](auto& word) { return (word.load(machine::order::relaxed) & mark) != 0; });
  }

  bool take_mark(const here& at, std::uint64_t index) noexcept {
    const std::uint8_t mark = mark_of({in().rank, true});
    if (!has_words()) return bytes_->take(index, mark);
    return in_words(index, [&]<class Word>(native::atomic<Word>& word) {
      const auto others = static_cast<Word>(~Word{mark});
      // relaxed: the entry in the ring came after its mark, so another entry has run the instance.
      const Word seen = word.load(machine::order::relaxed);
      if ((seen & mark) == 0) return false;
      if (!at.is_alone()) return (word.fetch_and(others, machine::order::acquire) & mark) != 0;  // as in marks.hpp
      word.store(seen & others, machine::order::relaxed);  // relaxed: one thread does all
      return true;
    });
  }

 private:
  friend class computation;

  bool has_words() const noexcept { return std::get<0>(words_) != nullptr || std::get<1>(words_) != nullptr; }
  /// Calls f with the word that has the marks of an index; has_words().
  template <class F>
  bool in_words(std::uint64_t index, F f) const {
    if (std::get<1>(words_) != nullptr) return f(std::get<1>(words_)[index]);
    return f(std::get<0>(words_)[index]);
  }

  const std::uint64_t indices_;
  std::tuple<native::atomic<std::uint64_t>*, native::atomic<std::uint32_t>*> words_{};  ///< one at most is not null
  std::shared_ptr<const void> words_owner_;
  std::unique_ptr<marks<native>> bytes_;
  walk walk_;
  bool may_walk_ = false;
  std::uint64_t many_ = 0;                   ///< instances of one lane that make the next phase dense
  native::atomic<std::uint8_t> dense_[2]{};  ///< by phase, even or odd: instances are marked and not queued
};

inline void merged_task::walk::lay_out(task_type& self, here& at) {
  merged_task& type = static_cast<walk&>(self).owner;
  auto& dense = type.dense_[type.in().rank & 1];
  if (dense.load(machine::order::relaxed) == 0) return;  // relaxed: the caller is alone in the group
  dense.store(0, machine::order::relaxed);
  ++at.counts().dense;
  for (std::uint64_t i = 0; i * walked_at_once < type.indices_; ++i) at.put_due(type.in(), task::of(self.number, i));
}

template <class F>
class merged_body final : public merged_task {
 public:
  merged_body(task_group& g, std::uint64_t indices, F f)
      : merged_task(&run_one, &run_marked, g, indices), f_(std::move(f)) {}

 private:
  static void run_one(task_type& type, here& at, const task& t) {
    auto& self = static_cast<merged_body&>(type);
    const task_seen now(at, self.in(), self.home(), t);
    if (self.keys_ == nullptr) [[likely]]
      return self.begin(at, t);
    self.begin_with_key(at, t);
  }
  [[gnu::noinline]] void begin_with_key(here& at, const task& t) {
    this->keys_->run(this->key_(t.index()), at, t, [&](const task& one) { begin(at, one); });
  }
  static void run_marked(task_type& type, here& at, const task& t) {
    auto& self = static_cast<merged_body&>(static_cast<walk&>(type).owner);
    const task_seen now(at, self.in(), self.home(), t);
    ++at.counts().outdated;  // it is no instance itself
    const std::uint64_t first = t.index() * walked_at_once;
    const std::uint64_t last = std::min(first + walked_at_once, self.indices());
    struct rest_of_marked {
      here& at;
      const task& t;
      bool left = true;
      ~rest_of_marked() {
        if (left) at.keep_rest(t);
      }
    } rest{at, t};  // also if a task throws
    for (std::uint64_t i = first; i < last; ++i) {
      if (!self.is_marked(i)) continue;
      if (at.should_stop()) return;
      ++at.counts().tasks;
      run_one(self, at, task::of(self.number, i));
    }
    rest.left = false;
  }
  void begin(here& at, const task& t) {
    if (take_mark(at, t.index())) [[likely]]
      return f_(at, t.index());
    ++at.counts().outdated;
  }
  F f_;
};

/// A type of counted tasks: each spawn runs, with a record of at most 24 bytes, or 16 in a group with ranks. A record
/// of at most 6 bytes stands in the place of the index, and costs nothing.
template <class Record>
class counted_task : public task_base {
  static_assert(std::is_trivially_copyable_v<Record> && sizeof(Record) <= 24,
                "a record is copied, and has at most 24 bytes");

 public:
  void spawn(here& at, const Record& record) { spawn_due(at, record, at.now(in())); }
  void spawn_later(here& at, const Record& record) { spawn_due(at, record, at.later(in())); }
  void spawn_at(here& at, const Record& record, std::uint64_t rank) { spawn_due(at, record, at.at_rank(in(), rank)); }

 protected:
  static constexpr bool is_small = sizeof(Record) <= 6 && std::endian::native == std::endian::little;
  using task_base::task_base;
  /// The first word of the record.
  static std::uint64_t first_word_of(const task& t) noexcept { return is_small ? t.index() : t.record[0]; }
  static Record record_of(const task& t) noexcept {
    const std::uint64_t first = first_word_of(t);
    Record record;
    if constexpr (sizeof record <= sizeof first) {
      std::memcpy(&record, &first, sizeof record);
    } else {
      std::memcpy(&record, t.record, sizeof record);
    }
    return record;
  }

 private:
  void spawn_due(here& at, const Record& record, here::due when) {
    std::uint64_t copy[(sizeof record + 7) / 8] = {};
    std::memcpy(copy, &record, sizeof record);
    task t = task::of(number, is_small ? copy[0] : 0);
    if constexpr (!is_small) {
      for (const std::uint64_t word : copy) t.push(word);
    }
    show_spawned(home_, t);
    at.spawn(in(), when, t);
  }
};

template <class Record, class F>
class counted_body final : public counted_task<Record> {
 public:
  counted_body(task_group& g, F f) : counted_task<Record>(&run_one, g), f_(std::move(f)) {}

 private:
  static void run_one(task_type<machine::native>& type, here& at, const task& t) {
    auto& self = static_cast<counted_body&>(type);
    const task_seen now(at, self.in(), self.home(), t);
    if (self.keys_ == nullptr) [[likely]]
      return self.begin(at, t);
    self.begin_with_key(at, t);
  }
  [[gnu::noinline]] void begin_with_key(here& at, const task& t) {
    this->keys_->run(this->key_(this->first_word_of(t)), at, t, [&](const task& one) { begin(at, one); });
  }
  void begin(here& at, const task& t) { f_(at, counted_task<Record>::record_of(t)); }
  F f_;
};

/// Options of a computation.
struct options {
  /// Contexts that it uses at most, up to 4096; 0: as many as a loop has threads.
  unsigned contexts = 0;
  /// If it is not 0, run() uses the calling thread alone, and runs tasks in an order that this number chooses among all
  /// that are allowed: for tests that results do not depend on it.
  std::uint64_t order_seed = 0;
};

/// Counts of all runs together.
struct statistics {
  std::uint64_t tasks = 0;     ///< instances that ran
  std::uint64_t merged = 0;    ///< spawns that found an instance pending
  std::uint64_t outdated = 0;  ///< entries of instances that had run already, at a lower rank
  std::uint64_t phases = 0;    ///< phases that ended, in all groups
  std::uint64_t steals = 0;    ///< times that a thread took tasks of another lane
  std::uint64_t forced = 0;    ///< times that it took them by force
  std::uint64_t sleeps = 0;    ///< times that a thread slept for want of work
  std::uint64_t dense = 0;     ///< phases in which a type of tasks was walked over by marks, since much had changed
};

/// A computation. One thread at a time makes groups and tasks, writes cells between runs, and calls run(). The
/// destructor waits until its threads have left it.
class CALLISTO_API computation {
 public:
  /// Takes about a microsecond. Threads start in the first run that takes more than some 20 us.
  explicit computation(const options& how = {});
  ~computation();
  computation(const computation&) = delete;
  computation& operator=(const computation&) = delete;

  /// Makes a group. Throws usage_error after the first run, and for buckets that are no power of two from 2 to 64, or a
  /// width of 0.
  task_group& group(ranking how = phases);
  /// The group of tasks that name none.
  task_group& main_group();

  /// Makes a type of merged tasks with indices [0, indices): body(at, index). Throws usage_error while run() works, and
  /// for a group of another computation.
  template <std::invocable<here&, std::uint64_t> F>
  merged_task& task(task_group& in, std::uint64_t indices, F body) {
    require_own(in);
    require_indices(indices);
    return add_merged(std::make_unique<merged_body<F>>(in, indices, std::move(body)));
  }
  template <std::invocable<here&, std::uint64_t> F>
  merged_task& task(std::uint64_t indices, F body) {
    return task(main_group(), indices, std::move(body));
  }
  /// Makes a type of counted tasks: body(at, record). Throws usage_error if a record is too large for its group.
  template <class Record, std::invocable<here&, const Record&> F>
  counted_task<Record>& counted(task_group& in, F body) {
    require_own(in);
    if (sizeof(Record) > 16) refuse_large_record(in);
    auto made = std::make_unique<counted_body<Record, F>>(in, std::move(body));
    auto& type = *made;
    add(std::unique_ptr<task_base>(std::move(made)));
    return type;
  }
  template <class Record, std::invocable<here&, const Record&> F>
  counted_task<Record>& counted(F body) {
    return counted<Record>(main_group(), std::move(body));
  }

  /// The place of the calling thread between runs: what it spawns there runs in the next run. Throws usage_error while
  /// run() works; so do writes and spawns through a place that was got before.
  here& outside();
  /// Returns the scheduler of the computation; for cells.
  const scheduler<machine::native>& schedules() const noexcept;

  /// Runs tasks until none is left: true. After a request to stop no task begins any more, and it returns false; the
  /// next run() goes on. An exception of a task stops it, too, and is rethrown. All that tasks did is visible
  /// afterwards. Throws usage_error if it is called inside a task. A run of one task takes less than a microsecond.
  bool run(std::stop_token stop = {}) {
    const run_seen now(schedules());
    return run_tasks(std::move(stop));
  }

  /// Between runs.
  domino::statistics statistics() const;
  /// Threads that may work, which is one more than the highest number of a lane in a task.
  unsigned lanes() const noexcept;

 private:
  friend struct helper;
  struct state;
  bool run_tasks(std::stop_token stop);
  void add(std::unique_ptr<task_base> made);
  merged_task& add_merged(std::unique_ptr<merged_task> made);
  void require_own(const task_group& in) const;
  static void require_indices(std::uint64_t indices);
  static void refuse_large_record(task_group& in);
  std::unique_ptr<state> state_;
};

/// A T for each lane, combined between phases or runs: sums, minima, and what else each task adds to. `zero` is the
/// neutral element of what combines them, since each lane begins with it.
template <class T>
class reducer {
 public:
  explicit reducer(const computation& of, T zero = T{}) : zero_(zero), each_(of.lanes() + 1, slot{zero}) {}
  /// The T of the lane that the task runs on.
  T& at(const here& place) noexcept { return each_[place.number()].value; }
  /// Combines all and begins anew from zero. Between phases or runs. Throws usage_error if `zero` is a number that
  /// changes when it is combined with itself: it would count once a lane.
  template <class F>
  T take(F combine) {
    T all = zero_;
    if constexpr (std::is_arithmetic_v<T>) {
      if (static_cast<T>(combine(T{zero_}, T{zero_})) != zero_ && zero_ == zero_)
        machine::throw_usage_error("domino: reducer: `zero` is not the neutral element of what combines the lanes");
    }
    for (slot& s : each_) all = combine(std::move(all), std::exchange(s.value, zero_));
    return all;
  }
  T sum() {
    return take([](T a, T b) { return a + b; });
  }

 private:
  struct alignas(machine::native::line_size) slot {
    T value;
  };
  T zero_;
  std::vector<slot> each_;
};

}  // namespace callisto::domino
