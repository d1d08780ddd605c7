// The idle activations of a set of workers: stacks that wait to be used again.
//
// A ticket promises up to `max_concurrency` activations, and there are stacks for all promises, so that starting one
// cannot fail. A worker may keep an idle activation for itself, so there are as many stacks more as workers. A certain
// number of idle stacks stay warm; all further idle stacks leave their memory to the system if that gets short
// (MADV_FREE), until trim() unmaps them.
#pragma once

#include <callisto/machine/policy.hpp>
#include <callisto/waiting/latch.hpp>
#include <callisto/workers/activations/activation.hpp>
#include <callisto/workers/activations/debugger.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

namespace callisto::workers {

using waiting::latch;

/// Owns all activations of the set, busy ones too, and lists them for debuggers.
template <machine::policy M>
class activation_pool {
  using act = activation<M>;

 public:
  /// `by` guards it.
  activation_pool(latch<M>& by, std::size_t stack_bytes, std::size_t warm_limit, std::size_t workers)
      : latch_(by), stack_bytes_(stack_bytes), warm_limit_(warm_limit), workers_(workers) {
    debugger::add(listing_);
  }
  /// No activation may run, or go on later.
  ~activation_pool() {
    debugger::remove(listing_);
    while (listing_.first != nullptr) {
      const auto* const a = static_cast<act*>(listing_.first->owner);
      listing_.first = listing_.first->next;
      delete a;
    }
  }
  activation_pool(const activation_pool&) = delete;
  activation_pool& operator=(const activation_pool&) = delete;

  // With the latch held:

  /// True if there are stacks for this number of further activations; if not, add() makes one.
  bool can_promise(unsigned activations) const noexcept { return promised_ + activations + workers_ <= stacks_; }
  void promise(unsigned activations) noexcept { promised_ += activations; }
  void take_back(unsigned activations) noexcept { promised_ -= activations; }

  /// Removes and returns an idle activation, a warm one if there is any; null: there is none, so it was not promised.
  act* take() noexcept {
    list& from = warm_ != nullptr ? warm_ : cold_;
    act* const a = from;
    if (a == nullptr) return nullptr;
    if (&from == &warm_) warm_count_ = warm_count_ - 1;
    from = static_cast<act*>(a->next_);
    return a;
  }

  /// True if the next activation to be put() may leave its memory to the system.
  bool is_warm_enough() const noexcept { return warm_count_ >= warm_limit_; }
  void put(act& a, bool cold) noexcept {
    push(cold ? cold_ : warm_, a);
    if (!cold) warm_count_ = warm_count_ + 1;
  }

  // Without the latch:

  /// Makes another one, cold. Shields `preemptible`, the caller, only after the allocation; null: the caller is
  /// shielded. Throws std::bad_alloc.
  void add(worker_set<M>& of, std::uint64_t spin_ticks, suspendable<M>* preemptible) {
    auto made = std::make_unique<act>(of, stack_bytes_, spin_ticks);
    of.provide_own_thread(*made);
    const typename suspendable<M>::shielded_if shield(preemptible);
    const std::scoped_lock held(latch_);
    debugger::activation_entry& entry = made->listing_;
    entry.number = ++made_;
    entry.next = listing_.first;
    if (entry.next != nullptr) entry.next->previous = &entry;
    listing_.first = &entry;
    push(cold_, *made.release());
    stacks_ += 1u;
  }

  /// Unmaps those that no ticket and no worker may need now; returns how many.
  std::size_t trim() noexcept {
    act* spare = nullptr;
    std::size_t count = 0;
    {
      const std::scoped_lock held(latch_);
      while (stacks_ > promised_ + workers_) {
        act* const a = take();
        if (a == nullptr) break;
        a->next_ = spare;
        spare = a;
        forget(*a);
        --stacks_;
        ++count;
      }
    }
    while (spare != nullptr) delete std::exchange(spare, static_cast<act*>(spare->next_));
    return count;
  }

  std::size_t stacks() noexcept {
    const std::scoped_lock held(latch_);
    return stacks_;
  }

 private:
  using list = machine::plain_of<M, act*>;

  void push(list& idle, act& a) noexcept {
    a.next_ = static_cast<act*>(idle);
    idle = &a;
  }

  /// Removes it from the debugger's list.
  void forget(act& a) noexcept {
    debugger::activation_entry& entry = a.listing_;
    (entry.previous != nullptr ? entry.previous->next : listing_.first) = entry.next;
    if (entry.next != nullptr) entry.next->previous = entry.previous;
  }

  latch<M>& latch_;
  const std::size_t stack_bytes_;
  const std::size_t warm_limit_;
  const std::size_t workers_;
  list warm_{nullptr};
  list cold_{nullptr};
  machine::plain_of<M, std::size_t> warm_count_{0};
  machine::plain_of<M, std::size_t> promised_{0};  ///< activations that tickets may have
  machine::plain_of<M, std::size_t> stacks_{0};
  std::uint64_t made_ = 0;
  debugger::set_entry listing_;
};

}  // namespace callisto::workers
