// A work item that stays published: followers come to it whenever it is announced, and go when it has nothing for them.
#pragma once

#include <callisto/machine/policy.hpp>
#include <callisto/waiting/work_signal.hpp>
#include <callisto/workers/teams/work_item.hpp>

namespace callisto::workers {

using waiting::work_signal;

/// Where a standing item is announced: a slot of a team's work signal. Its gates stay open, and the item lives on.
template <machine::policy M>
class standing_place {
 public:
  /// A place to which no follower comes.
  standing_place() = default;
  standing_place(work_signal<M>& notices, unsigned slot) noexcept : notices_(&notices), slot_(slot) {}

  /// True if followers are called. A caller that has published work by a read-modify-write with acquire looks here
  /// afterwards; its partner is task_board::leave().
  bool announced() const noexcept { return notices_ == nullptr || notices_->is_open(slot_); }
  /// Calls followers.
  void announce() noexcept {
    if (notices_ != nullptr) notices_->announce(slot_);
  }
  /// Calls no more followers. True if the caller ended the call, and not another thread before it.
  bool withdraw() noexcept { return notices_ != nullptr && notices_->withdraw(slot_); }
  /// True if followers must leave: they end, or a loop waits for them.
  bool wanted_elsewhere() const noexcept {
    return notices_ != nullptr && (notices_->is_finished() || notices_->is_open_beside(slot_));
  }
  /// True if followers must end.
  bool finished() const noexcept { return notices_ != nullptr && notices_->is_finished(); }

 private:
  work_signal<M>* notices_ = nullptr;
  unsigned slot_ = 0;
};

/// An item for standing places; it lives as long as the process. The runtime sets its place.
template <machine::policy M>
class standing_item : public work_item<M> {
 public:
  /// Returns where it is announced at the moment; null before the first threads, and in the child of a fork.
  standing_place<M>* place() const noexcept {
    // acquire: pairs with the release in stand_at(), so this thread sees the whole place.
    return place_.load(machine::order::acquire);
  }
  void stand_at(standing_place<M>* place) noexcept { place_.store(place, machine::order::release); }

 protected:
  ~standing_item() = default;

 private:
  machine::atomic_of<M, standing_place<M>*> place_{nullptr};
};

}  // namespace callisto::workers
