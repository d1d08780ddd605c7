// Exclusive keys: tasks of one key never run at once, and no thread waits for a key.
//
// A word a key: 0, free; 1, held; else held, with a list of tasks that were left with the holder.
// 1. A task that finds its key free takes it and runs.
// 2. A task that finds it held is put into the list, and its thread goes on with other tasks. It keeps its credit.
// 3. The holder gives the key up and takes the list in one exchange, and puts the tasks into its lane's ring.
#pragma once

#include <callisto/domino/lane.hpp>
#include <callisto/domino/task.hpp>
#include <callisto/machine/policy.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/exceptions.hpp>

#include <cstdint>
#include <memory>

namespace callisto::domino {

template <machine::policy M>
class exclusive_keys {
  using order = machine::order;

 public:
  explicit exclusive_keys(std::uint64_t keys)
      : keys_(keys), words_(std::make_unique<machine::atomic_of<M, std::uint64_t>[]>(keys)) {}

  /// Calls begin(t) with the key, or leaves t with the task that has it. May throw std::bad_alloc and what begin
  /// throws; throws usage_error for a key that there is not.
  template <class Begin>
  void run(std::uint64_t key, lane<M>& here, const task& t, Begin begin) {
    if (key >= keys_) [[unlikely]]
      machine::throw_usage_error("domino: exclusive(): key(index) is not below the number of keys");
    auto& word = words_[key];
    if (!take_or_leave(word, here, t)) return;
    struct at_end {
      machine::atomic_of<M, std::uint64_t>& word;
      lane<M>& here;
      ~at_end() { give_up(word, here); }
    } const end{word, here};
    begin(t);
  }

 private:
  static constexpr std::uint64_t unheld = 0;  ///< as words begin
  static constexpr std::uint64_t held = 1;

  struct left_task {
    task what;
    machine::plain_of<M, std::uint64_t> next{held};  ///< a word: `held`, or the next in the list
  };

  static bool take_or_leave(machine::atomic_of<M, std::uint64_t>& word, lane<M>& here, const task& t) {
    std::unique_ptr<left_task> left;
    std::uint64_t seen = word.load(order::relaxed);
    for (;;) {
      if (seen == unheld) {
        // acquire: pairs with give_up(), for what the last holder wrote.
        if (word.compare_exchange(seen, held, order::acquire)) {
          if (left != nullptr) here.take_credit_back();
          return true;
        }
        continue;
      }
      if (left == nullptr) {
        left = std::make_unique<left_task>();
        here.leave_open(*here.at());  // first: the holder may end the task as soon as it is in the list
      }
      left->what = t;
      left->next = seen;
      // release: publishes the task, and what spawned it, to give_up().
      if (word.compare_exchange(seen, reinterpret_cast<std::uint64_t>(left.get()), order::release)) break;
    }
    static_cast<void>(left.release());  // give_up() deletes it
    --here.counts().tasks;              // it counts as begun again when it runs
    return false;
  }

  static void give_up(machine::atomic_of<M, std::uint64_t>& word, lane<M>& here) noexcept {
    // release: publishes what this holder wrote to the next. acquire: pairs with take_or_leave().
    std::uint64_t list = word.exchange(unheld, order::acq_rel);
    while (list != held) {
      const std::unique_ptr<left_task> first(reinterpret_cast<left_task*>(list));
      list = first->next;
      here.put_again(first->what);
    }
  }

  const std::uint64_t keys_;
  const std::unique_ptr<machine::atomic_of<M, std::uint64_t>[]> words_;
};

}  // namespace callisto::domino
