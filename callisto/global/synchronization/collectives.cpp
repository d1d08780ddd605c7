#include <callisto/global/messages/messages.hpp>
#include <callisto/global/synchronization/collectives.hpp>
#include <callisto/machine/system/error.hpp>

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace callisto::global::detail {

namespace {

/// One collective operation, at one rank.
struct meeting {
  std::array<std::vector<std::byte>, 2> from_children;
  int children_arrived = 0;
  std::vector<std::byte> from_parent;
  bool has_parent_arrived = false;
  arrival* waiter = nullptr;
};

/// The operations of a rank that are under way: a child may be ahead of its parent.
struct meetings {
  std::mutex lock;
  std::uint64_t next = 0;
  std::map<std::uint64_t, meeting> all;
};

void wake_waiter(meeting& m) {
  if (m.waiter != nullptr) std::exchange(m.waiter, nullptr)->set();
}

struct to_parent {
  std::uint64_t number;
  std::uint64_t which;
  void operator()(std::span<const std::byte> value) const {
    meetings& here = rank_local<meetings>();
    const std::lock_guard guard(here.lock);
    meeting& m = here.all[number];
    m.from_children[which].assign(value.begin(), value.end());
    ++m.children_arrived;
    wake_waiter(m);
  }
};

struct to_child {
  std::uint64_t number;
  void operator()(std::span<const std::byte> value) const {
    meetings& here = rank_local<meetings>();
    const std::lock_guard guard(here.lock);
    meeting& m = here.all[number];
    m.from_parent.assign(value.begin(), value.end());
    m.has_parent_arrived = true;
    wake_waiter(m);
  }
};

/// Suspends main until ready(meeting).
template <class Ready>
void wait_until(meetings& all, meeting& m, Ready ready) {
  for (;;) {
    arrival changed;
    changed.prepare();
    {
      const std::lock_guard guard(all.lock);
      if (ready(m)) return;
      m.waiter = &changed;
    }
    changed.wait();
  }
}

void require_same_size(std::size_t own, std::size_t other, int rank, const std::source_location& where) {
  if (own == other) return;
  throw usage_error(place_of_call(where) + "rank " + std::to_string(here().rank) +
                    " is in a collective operation over " + std::to_string(own) + " bytes, rank " +
                    std::to_string(rank) + " in one over " + std::to_string(other) +
                    "; expected the same operations in the same order at all ranks");
}

}  // namespace

void reduce_bytes(std::span<std::byte> value, const combine_bytes& combine, const std::source_location& where) {
  require_may_block(where);
  if (&this_worker() != &this_core().root()) {
    throw usage_error(place_of_call(where) +
                      "a collective operation in a task; expected it in main, where all ranks call it");
  }
  const int rank = here().rank;
  const int ranks = here().ranks;
  meetings& all = rank_local<meetings>();
  std::uint64_t number;
  meeting* m;
  {
    const std::lock_guard guard(all.lock);
    number = all.next++;
    m = &all.all[number];
  }
  const int first_child = 2 * rank + 1;
  const int children = std::clamp(ranks - first_child, 0, 2);
  wait_until(all, *m, [children](const meeting& at) { return at.children_arrived == children; });
  for (int child = 0; child < children; ++child) {
    const auto& theirs = m->from_children[static_cast<std::size_t>(child)];
    require_same_size(value.size(), theirs.size(), first_child + child, where);
    combine(value, theirs);
  }
  if (rank != 0) {
    const int parent = (rank - 1) / 2;
    send(parent, to_parent{number, static_cast<std::uint64_t>((rank - 1) % 2)}, value);
    wait_until(all, *m, [](const meeting& at) { return at.has_parent_arrived; });
    require_same_size(value.size(), m->from_parent.size(), parent, where);
    std::copy(m->from_parent.begin(), m->from_parent.end(), value.begin());
  }
  for (int child = 0; child < children; ++child) send(first_child + child, to_child{number}, value);
  const std::lock_guard guard(all.lock);
  all.all.erase(number);
}

}  // namespace callisto::global::detail
