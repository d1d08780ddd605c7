// Scopes: which threads run which loops when loops nest (ATC'15 section 2.2).
//
// A scope is a node of the thread tree: the machine, or a part of it at a level, with the threads that run there.
// Thread 0 of a scope leads loops in it, and a team of the scope's own brings the others:
//
//   a loop on all threads of a scope is announced to its team and joined as any other; loops inside it run alone;
//   an outer loop, at a level at which the scope has several parts, is announced on the same board and brings all of
//   them, too. The first thread of each part runs iterations and meanwhile leads loops in the scope of its part; the
//   part's other threads follow that scope's team, and so does the first one when no iteration is left. The leader,
//   when the last of them has run its iterations, finishes the parts' teams, which is how everybody gets out of the
//   loop; a loop at a level at which the scope has one part runs on its leader, and changes nothing.
//
// So a thread joins loops of the closest thread above it that leads, never those of one further up, and idles if there
// are none: on purpose (ATC'15: non-work-conserving). What a flat loop costs is not changed by any of this.
//
// One outer loop at a time has the parts of a scope: with two, a part's threads could follow one while its first thread
// is in the other. Other application threads' outer loops run on all threads of the machine meanwhile.
#pragma once

#include <callisto/machine/policy.hpp>
#include <callisto/workers/teams/loop_team_choice.hpp>
#include <callisto/workers/waiting/entry_gate.hpp>
#include <callisto/workers/teams/team.hpp>
#include <callisto/workers/teams/work_item.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace callisto::workers {

template <machine::policy M>
class tree_node;
template <machine::policy M>
class thread_tree;

/// Where a thread stands. Its own: no other thread reads or writes it.
template <machine::policy M>
struct member {
  tree_node<M>* here = nullptr;   ///< where it leads the loops that it meets; null: it runs them alone
  unsigned number = 0;        ///< in the loop that it runs
  context_lease<M>* on = nullptr;  ///< its context, if other jobs may want that
};

/// The threads of a scope for loops at one level. As a work item, what an outer loop announces: it brings the scope's
/// threads together, whereof some run the loop itself.
template <machine::policy M>
class node_team final : public loop_team_choice, public work_item<M> {
  using publication = typename work_item<M>::publication;

 public:
  /// One thread of the scope, in an outer loop.
  struct role {
    tree_node<M>* part;
    unsigned part_number;  ///< the part's first thread has this number in the loop
    unsigned number;       ///< in the part
  };

  node_team(distributor::layout threads, const schedule& usual, tree_node<M>& of)
      : loop_team_choice{std::move(threads), usual}, in(of) {}

  /// Threads that are away, by position; null: that is not known, as it is for loops on all threads only.
  const distributor::absent_threads<M>* absent() const noexcept { return this == &in.flat_ ? &in.team_.absent() : nullptr; }

  tree_node<M>& in;
  // Of an outer loop:
  std::vector<role> roles;  ///< by the scope's threads
  std::vector<tree_node<M>*> parts;

 private:
  friend class tree_node<M>;
  friend class thread_tree<M>;

  static constexpr unsigned parts_per_gate = team<M>::threads_per_gate;

  void run(unsigned thread, publication* published, context_lease<M>* on) noexcept override {
    if (thread == 0) {
      lead(published, on);
    } else {
      follow(thread, on);
    }
  }

  void lead(publication* published, context_lease<M>* on) noexcept {
    // No notice for this to take off: it is there for all threads of the parts as long as iterations run.
    static_cast<work_item<M>*>(iterations_)->run(0, nullptr, on);
    for (std::size_t g = 0; g < gates_; ++g) running_[g].close_and_drain();
    if (published != nullptr) published->withdraw();
    for (tree_node<M>* part : parts) part->team_.finish();
  }

  void follow(unsigned thread, context_lease<M>* on) noexcept {
    const role& mine = roles[thread];
    member<M>& me = *in.members_[thread];
    const member<M> outside = me;
    if (mine.number == 0) {
      entry_gate<M>& entry = running_[mine.part_number / parts_per_gate];
      while (entry.try_enter()) {
        me = {mine.part, mine.part_number, on};
        static_cast<work_item<M>*>(iterations_)->run(mine.part_number, nullptr, on);
        entry.leave();
        if (on == nullptr || !on->away()) break;
        // Another job has the context for now: back for what is left then.
        if (!on->come([&entry] { return !entry.is_open(); })) break;
      }
    }
    me = {nullptr, mine.number, on};
    if (on != nullptr) on->set_nested(true);
    mine.part->follow(mine.number);
    if (on != nullptr) on->set_nested(false);
    me = outside;
  }

  std::size_t gates_ = 0;
  std::unique_ptr<entry_gate<M>[]> running_;  ///< who runs iterations; one for some parts, as in a team
  machine::plain_of<M, work_item<M>*> iterations_{nullptr};
};

template <machine::policy M>
class tree_node {
  using order = machine::order;

 public:
  /// The threads for a loop at `level` that is led here.
  node_team<M>& at(unsigned level) noexcept { return *by_level_[std::min<std::size_t>(level, top_)]; }
  unsigned threads() const noexcept { return static_cast<unsigned>(members_.size()); }

  /// The parts, for one outer loop: true if no other has them; give_back() them afterwards.
  bool claim() noexcept {
    // acquire: pairs with give_back(); who led the last outer loop is done with the teams of the parts.
    return claimed_.load(order::relaxed) == 0 && claimed_.exchange(1, order::acquire) == 0;
  }
  void give_back() noexcept { claimed_.store(0, order::release); }

  /// Runs `item` as its leader with the threads of `with`, which is at() some level here, has several threads, and is
  /// claimed if it is outer. `me`: the calling thread's. Returns when every iteration has ended.
  void lead(work_item<M>& item, node_team<M>& with, member<M>& me) noexcept {
    const member<M> before = me;
    if (with.outer) {
      me = {with.parts[0], 0, me.on};
      with.iterations_ = &item;
      for (std::size_t g = 0; g < with.gates_; ++g) with.running_[g].open();
      team_.lead(with, me.on);
      for (tree_node* part : with.parts) part->team_.restart();
    } else {
      me = {nullptr, 0, me.on};
      team_.lead(item, me.on);
    }
    me = before;
  }

  /// The life of the scope's thread number `thread`: returns after finish().
  void follow(unsigned thread) noexcept { team_.follow(thread, flat_.where.position(thread), members_[thread]->on); }

  /// As team's; of the root.
  void finish() noexcept { team_.finish(); }
  void restart() noexcept { team_.restart(); }

 private:
  friend class node_team<M>;
  friend class thread_tree<M>;

  /// Of the threads whose members these are, with the layout of them all.
  tree_node(std::vector<member<M>*> members, distributor::layout where, const schedule& how)
      : members_(std::move(members)), flat_(std::move(where), how, *this), team_(threads()) {}

  std::vector<member<M>*> members_;  ///< by number
  node_team<M> flat_;
  std::vector<std::unique_ptr<node_team<M>>> others_;
  std::vector<node_team<M>*> by_level_;  ///< the last one for all levels above, too
  std::size_t top_ = 0;
  machine::atomic_of<M, std::uint32_t> claimed_{0};
  team<M> team_;
};

}  // namespace callisto::workers
