#include <callisto/global/messages/messages.hpp>
#include <callisto/global/session/session.hpp>
#include <callisto/global/synchronization/collectives.hpp>
#include <callisto/global/synchronization/main_waits.hpp>
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

struct to_parent {
  std::uint64_t number;
  std::uint64_t which;
  std::int64_t child;
  told_collective at;
  void operator()(std::span<const std::byte> value) const {
    session::hear_of(static_cast<int>(child), at);
    meetings& here = rank_local<meetings>();
    const std::lock_guard guard(here.lock);
    meeting& m = here.all[number];
    m.from_children[which].assign(value.begin(), value.end());
    ++m.children_arrived;
    wake(m.waiter);
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
    wake(m.waiter);
  }
};

void require_same_size(std::size_t own, std::size_t other, int rank, const std::source_location& where) {
  if (own == other) return;
  throw usage_error(place_of_call(where) + "rank " + std::to_string(here().rank) +
                    " is in a collective operation over " + std::to_string(own) + " bytes, rank " +
                    std::to_string(rank) + " in one over " + std::to_string(other) +
                    "; expected the same operations in the same order at all ranks");
}

}  // namespace

void reduce_bytes(std::span<std::byte> value, const combine_bytes& combine, const std::source_location& where) {
  require_main("a collective operation", where);
  const int rank = here().rank;
  const int ranks = here().ranks;
  const told_collective at = session::here().enter(collective{.kind = collective::kinds::reduction, .where = where});
  meetings& all = rank_local<meetings>();
  std::uint64_t number;
  meeting* m;
  {
    const std::lock_guard guard(all.lock);
    number = all.next++;
    m = &all.all[number];
  }
  constexpr const char* what = "a reduction or barrier";
  const int first_child = 2 * rank + 1;
  const int children = std::clamp(ranks - first_child, 0, 2);
  wait_until(all.lock, m->waiter, what, where, [&] { return m->children_arrived == children; });
  for (int child = 0; child < children; ++child) {
    const auto& theirs = m->from_children[static_cast<std::size_t>(child)];
    require_same_size(value.size(), theirs.size(), first_child + child, where);
    combine(value, theirs);
  }
  if (rank != 0) {
    const int parent = (rank - 1) / 2;
    send(parent, to_parent{number, static_cast<std::uint64_t>((rank - 1) % 2), rank, at}, value);
    wait_until(all.lock, m->waiter, what, where, [&] { return m->has_parent_arrived; });
    require_same_size(value.size(), m->from_parent.size(), parent, where);
    std::copy(m->from_parent.begin(), m->from_parent.end(), value.begin());
  }
  for (int child = 0; child < children; ++child) send(first_child + child, to_child{number}, value);
  flush();  // main may be about to work for long
  const std::lock_guard guard(all.lock);
  all.all.erase(number);
}

}  // namespace callisto::global::detail
