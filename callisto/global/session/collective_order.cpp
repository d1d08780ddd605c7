#include <callisto/global/session/collective_order.hpp>

#include <mutex>
#include <string>
#include <utility>

namespace callisto::global {

void collective_order::require_agreement(int child) {
  told_collective of_child;
  told_collective own;
  {
    const std::scoped_lock guard(rank_.lock);
    told_collective& waiting_child = at_of_children_[static_cast<std::size_t>(child + 1) % 2];
    if (waiting_child.number == 0 || waiting_child.number != at_.number) return;
    of_child = std::exchange(waiting_child, {});
    own = at_;
  }
  if (of_child.agrees_with(own)) return;
  rank_.end_job(rank_.net->name_of(child) + ": main " + of_child.text() + "; main of rank " +
                std::to_string(rank_.context.rank) + " " + own.text() +
                "; expected the same collective operations in the same order at all ranks");
}

told_collective collective_order::enter(const collective& what) {
  told_collective now;
  {
    const std::scoped_lock guard(rank_.lock);
    now = at_ = told_collective(at_.number + 1, what);
  }
  rank_.tree.for_children([this](int child) { require_agreement(child); });
  return now;
}

void collective_order::hear_of(int child, const told_collective& told) {
  {
    const std::scoped_lock guard(rank_.lock);
    at_of_children_[static_cast<std::size_t>(child + 1) % 2] = told;
  }
  require_agreement(child);
}

}  // namespace callisto::global
