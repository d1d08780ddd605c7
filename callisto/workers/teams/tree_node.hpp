// Tree nodes: which threads run which loops when loops nest (ATC 2015, section 2.2).
//
// A node of the thread tree is the machine, or a part of it at a level, with the threads that run there. Thread 0 of a
// node leads loops in it. A team of the node's own brings the other threads.
//
// 1. A loop on all threads of a node is announced to its team and joined like any other. Loops inside it run alone.
// 2. An outer loop, at a level at which the node has several parts, is announced by the same work signal and brings all
//    threads, too. The first thread of each part runs iterations, and leads loops in the part's node meanwhile.
// 3. The other threads of the part follow the part's team. So does the first thread when no iteration is left.
// 4. When the last first thread has run its iterations, the leader finishes the parts' teams. All threads thereby leave
//    the outer loop.
// 5. A loop at a level at which the node has one part runs on its leader and changes nothing.
//
// So a thread joins loops of the closest thread above it that leads, never loops further up, and idles if there are
// none. This is on purpose (ATC 2015: non-work-conserving). A flat loop costs what it costs without nesting.
//
// One outer loop at a time has the parts of a node: with two, a part's threads could follow one outer loop while its
// first thread is in the second outer loop. Other application threads' outer loops meanwhile run on all threads of the
// machine.
#pragma once

#include <callisto/machine/policy.hpp>
#include <callisto/waiting/entry_gate.hpp>
#include <callisto/workers/teams/loop_team_choice.hpp>
#include <callisto/workers/teams/standing_item.hpp>
#include <callisto/workers/teams/team.hpp>
#include <callisto/workers/teams/work_item.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace callisto::workers {

using waiting::entry_gate;

template <machine::policy M>
class tree_node;
template <machine::policy M>
class thread_tree;

/// The place of a thread in the tree. Only the thread itself reads and writes it.
template <machine::policy M>
struct member {
  tree_node<M>* here = nullptr;    ///< the node in which it leads the loops that it meets; null: it runs them alone
  unsigned number = 0;             ///< its number in the loop that it runs
  context_lease<M>* on = nullptr;  ///< the lease of its context, if other jobs may want the context
};

/// The threads of a node for loops at one level. As a work item it is what an outer loop announces: it brings the
/// node's threads together, some of which run the loop itself.
template <machine::policy M>
class node_team final : public loop_team_choice, public work_item<M> {
  using publication = typename work_item<M>::publication;

 public:
  /// One thread of the node, in an outer loop.
  struct role {
    tree_node<M>* part;
    unsigned part_number;  ///< the part's first thread has this number in the loop
    unsigned number;       ///< the thread's number in the part
  };

  node_team(distributor::layout threads, const schedule& usual, tree_node<M>& of)
      : loop_team_choice{std::move(threads), usual}, in(of) {}

  /// Returns the threads that are away, by position; null if unknown. It is known for loops on all threads only.
  const distributor::absent_threads<M>* absent() const noexcept {
    return this == &in.flat_ ? &in.team_.absent() : nullptr;
  }

  /// Returns all positions but the leader's; for loops that begin with their leader alone. Null: not known.
  const distributor::absent_threads<M>* all_but_leader() const noexcept { return others_.get(); }

  tree_node<M>& in;
  // For an outer loop:
  std::vector<role> roles;  ///< by the node's threads
  std::vector<tree_node<M>*> parts;

 private:
  friend class tree_node<M>;
  friend class thread_tree<M>;

  std::unique_ptr<distributor::absent_threads<M>> others_;  ///< of a team on all threads of its node

  static constexpr unsigned parts_per_gate = team<M>::threads_per_gate;

  void run(unsigned thread, publication* published, context_lease<M>* on) noexcept override {
    if (thread == 0) {
      lead(published, on);
    } else {
      follow(thread, on);
    }
  }

  void lead(publication* published, context_lease<M>* on) noexcept {
    // The iterations get no publication to withdraw: the slot stays announced for all threads of the parts as long as
    // iterations run.
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
        // Another job has the context for now; then the thread comes back for what is left.
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
  std::unique_ptr<entry_gate<M>[]>
      running_;  ///< gates for the threads that run iterations, one for some parts, as in a team
  machine::plain_of<M, work_item<M>*> iterations_{nullptr};
};

template <machine::policy M>
class tree_node {
  using order = machine::order;

 public:
  /// Returns the threads for a loop at `level` that is led here.
  node_team<M>& at(unsigned level) noexcept { return *by_level_[std::min<std::size_t>(level, top_)]; }
  unsigned threads() const noexcept { return static_cast<unsigned>(members_.size()); }

  /// Claims the parts for one outer loop: true if no other loop has them. give_back() ends the claim.
  bool claim() noexcept {
    // acquire: pairs with give_back(), so the last outer loop is done with the parts' teams.
    return claimed_.load(order::relaxed) == 0 && claimed_.exchange(1, order::acquire) == 0;
  }
  void give_back() noexcept { claimed_.store(0, order::release); }

  /// Runs `item` as its leader with the threads of `with`, which is at() some level here and has several threads; it is
  /// claimed if it is outer. `me` is the calling thread's. Returns when every iteration has ended.
  void lead(work_item<M>& item, node_team<M>& with, member<M>& me) noexcept {
    const member<M> before = me;
    if (with.outer) {
      me = {with.parts[0], 0, me.on};
      with.iterations_ = &item;
      for (std::size_t g = 0; g < with.gates_; ++g) with.running_[g].open();
      team_.lead(with, me.on);
      for (tree_node* part : with.parts) part->team_.restart();
    } else {
      // A follower that leads a loop inside of another one has the number by which it is known in there.
      me = {nullptr, me.here == this ? 0 : me.number, me.on};
      team_.lead(item, me.on);
    }
    me = before;
  }

  /// Runs the node's thread number `thread` as a follower; returns after finish().
  void follow(unsigned thread) noexcept { team_.follow(thread, flat_.where.position(thread), members_[thread]->on); }

  /// Returns the place of `item` in the root's team; the first call publishes it there. One item for all time; the
  /// caller sees to it that one thread at a time calls this.
  standing_place<M>& stand(standing_item<M>& item) noexcept {
    if (!stands_) {
      standing_ = team_.stand(item);
      stands_ = true;
    }
    return standing_;
  }

  /// True if some follower of the root sleeps for want of work; a hint.
  bool some_sleep() const noexcept { return team_.some_sleep(); }

  /// Ends or restarts the followers of the root, as team does.
  void finish() noexcept { team_.finish(); }
  void restart() noexcept { team_.restart(); }

 private:
  friend class node_team<M>;
  friend class thread_tree<M>;

  /// Makes a node of the threads with these members, and the layout of all of them.
  tree_node(std::vector<member<M>*> members, distributor::layout where, const schedule& how)
      : members_(std::move(members)), flat_(std::move(where), how, *this), team_(threads()) {
    flat_.others_ = std::make_unique<distributor::absent_threads<M>>(threads());
    for (unsigned t = 1; t < threads(); ++t) flat_.others_->set(flat_.where.position(t), true);
  }

  std::vector<member<M>*> members_;  ///< by number
  node_team<M> flat_;
  std::vector<std::unique_ptr<node_team<M>>> others_;
  std::vector<node_team<M>*> by_level_;  ///< the last one also serves all levels above
  std::size_t top_ = 0;
  machine::atomic_of<M, std::uint32_t> claimed_{0};
  bool stands_ = false;  ///< the standing item has been published here, at
  standing_place<M> standing_;
  team<M> team_;
};

}  // namespace callisto::workers
