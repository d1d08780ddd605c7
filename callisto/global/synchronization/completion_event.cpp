#include <callisto/global/messages/messages.hpp>
#include <callisto/global/synchronization/completion_event.hpp>

#include <memory>
#include <mutex>
#include <unordered_map>

namespace callisto::global {

namespace {

using native_counts = completion_counts<machine::native>;

/// How many operations of which ranks have ended, and were not told yet. Most come from one rank at a time.
class ended_operations {
 public:
  void add(int rank) {
    if (rank != latest_) [[unlikely]] {
      if (latest_count_ != 0) others_[latest_] += latest_count_;
      latest_ = rank;
      latest_count_ = 0;
    }
    ++latest_count_;
  }
  /// Calls tell(rank, n) for each rank.
  template <class Tell>
  void tell(Tell tell) const {
    if (latest_count_ != 0) tell(latest_, latest_count_);
    for (const auto& [rank, n] : others_) tell(rank, n);
  }

 private:
  int latest_ = -1;
  std::uint64_t latest_count_ = 0;
  std::unordered_map<int, std::uint64_t> others_;
};

/// Counts of a rank for an event that has its home at another rank, and the ended operations that it still has to tell
/// other ranks of.
struct away_counts {
  native_counts counts;
  std::uint64_t event = 0;
  waiting::spin_lock<machine::native> lock;  ///< of the two below
  ended_operations ended;
  bool is_telling = false;  ///< a task is queued that tells of them
};

/// Counts of a rank for the events of other ranks. An entry stays: the same event often comes again.
class away_table {
 public:
  away_counts& of(std::uint64_t event) {
    const std::lock_guard guard(lock_);
    if (last_ != nullptr && last_->event == event) return *last_;
    std::unique_ptr<away_counts>& entry = entries_[event];
    if (entry == nullptr) {
      entry = std::make_unique<away_counts>();
      entry->event = event;
    }
    last_ = entry.get();
    return *last_;
  }

 private:
  waiting::spin_lock<machine::native> lock_;
  away_counts* last_ = nullptr;
  std::unordered_map<std::uint64_t, std::unique_ptr<away_counts>> entries_;
};

completion_ticket ticket_of(std::uint64_t event) {
  return completion_ticket(global_address<completion_event>::from_bits(event));
}

void tell_all(away_counts& a) {
  ended_operations ended;
  {
    const std::lock_guard guard(a.lock);
    std::swap(ended, a.ended);
    a.is_telling = false;
  }
  ended.tell([event = a.event](int rank, std::uint64_t n) { send(rank, [event, n] { ticket_of(event).settle(n); }); });
}

/// Notes that `rank` is to be told of the end of an operation. One message tells of all that end before the task runs.
void note_end(away_counts& a, int rank) {
  bool is_first;
  {
    const std::lock_guard guard(a.lock);
    a.ended.add(rank);
    is_first = !std::exchange(a.is_telling, true);
  }
  if (is_first) spawn([&a] { tell_all(a); });
}

}  // namespace

void completion_ticket::enroll(std::uint64_t n) const {
  if (event_.rank() == here().rank) {
    event_.pointer()->enroll(n);
  } else {
    rank_local<away_table>().of(event_.bits()).counts.enroll(n);
  }
}

void completion_ticket::settle(std::uint64_t n) const {
  if (event_.rank() == here().rank) {
    event_.pointer()->settle(n);
    return;
  }
  away_counts& a = rank_local<away_table>().of(event_.bits());
  const native_counts::outcome o = a.counts.settle(n);
  if (o.is_last) note_end(a, o.parent);
}

void completion_ticket::arrive(int from) const {
  const int me = here().rank;
  if (from == me) return;  // counted by enroll()
  if (event_.rank() == me) {
    // The home is the root, which is always in the tree.
    event_.pointer()->counts_.enroll(1);
    note_end(rank_local<away_table>().of(event_.bits()), from);
    return;
  }
  away_counts& a = rank_local<away_table>().of(event_.bits());
  if (a.counts.arrive(from)) note_end(a, from);
}

completion_event::completion_event() : home_(here().rank), counts_(home_) {}

void completion_event::finish(const counts::outcome& o) {
  if (!o.is_last || !o.is_awaited) return;
  std::vector<arrival*> waiters;
  {
    const std::lock_guard guard(lock_);
    counts_.stop_awaiting();
    waiters.swap(waiters_);
  }
  // The event may be gone once the last of them is woken.
  for (arrival* waiter : waiters) waiter->set();
}

void completion_event::wait(std::source_location where) {
  while (!counts_.is_done()) {
    require_may_block(where);
    arrival all_ended;
    all_ended.prepare();
    {
      const std::lock_guard guard(lock_);
      if (counts_.is_done_or_await()) {
        if (waiters_.empty()) counts_.stop_awaiting();
        return;
      }
      waiters_.push_back(&all_ended);
    }
    // Another worker may have enrolled more between the last end and this wake, so look again.
    all_ended.wait("a completion event", where);
  }
}

}  // namespace callisto::global
