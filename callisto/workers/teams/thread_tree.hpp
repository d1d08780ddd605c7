// The thread tree: the nodes of a machine, made from the seats of threads and the levels of loops (ATC 2015, section
// 2.2).
#pragma once

#include <callisto/distributor/layout.hpp>
#include <callisto/distributor/schedule.hpp>
#include <callisto/workers/teams/nesting.hpp>
#include <callisto/workers/teams/parts.hpp>
#include <callisto/workers/teams/tree_node.hpp>

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace callisto::workers {

/// The nodes of one process. A node exists only where it is of use. A level at which a node has one part, such as
/// sockets on a machine with one, needs none: its loops run on the leader. Nor does a level at which each part is one
/// thread, such as cores of one thread: its loops are flat.
template <machine::policy M>
class thread_tree {
 public:
  /// Makes the tree of threads of which thread t sits at seats[t]; at least one. Thread 0 leads them all. `how` is for
  /// loops that name no schedule.
  thread_tree(std::span<const distributor::seat> seats, const nesting& levels, const schedule& how)
      : seats_(seats.begin(), seats.end()), levels_(levels), how_(how), where_(seats), members_(seats.size()) {
    std::vector<unsigned> all(seats.size());
    for (unsigned t = 0; t < all.size(); ++t) all[t] = t;
    for (unsigned t = 0; t < all.size(); ++t) members_[t].value.number = t;
    root_ = &node_of(all);
  }

  tree_node<M>& root() noexcept { return *root_; }

  /// Returns the member of a follower, or of thread 0 if that one uses this tree. Only that thread may use it.
  member<M>& member_of(unsigned thread) noexcept { return members_[thread].value; }

  const distributor::layout& where() const noexcept { return where_; }
  const nesting& levels() const noexcept { return levels_; }
  const schedule& how() const noexcept { return how_; }

  /// Forgets all other threads; called in the child of a fork. Loops may go on in the tree, but none start at its root.
  void forget_others() noexcept {
    for (auto& [threads, s] : tree_nodes_) s->team_.forget_others();
    for (auto& [threads, s] : tree_nodes_) {
      for (auto& c : s->others_) {
        for (std::size_t g = 0; g < c->gates_; ++g) c->running_[g].forget_followers();
      }
    }
  }

 private:
  struct alignas(M::line_size) own_line {
    member<M> value;
  };

  /// Returns the node of these threads, which ascend; makes it at the first call.
  tree_node<M>& node_of(const std::vector<unsigned>& threads) {
    auto& made = tree_nodes_[threads];
    if (made) return *made;
    std::vector<member<M>*> members;
    for (const unsigned t : threads) members.push_back(&members_[t].value);
    made.reset(new tree_node<M>(std::move(members), layout_of(threads), how_));
    tree_node<M>& s = *made;
    s.by_level_.push_back(&s.flat_);
    // One level more than are named: the machine, which is one part of every node.
    for (unsigned l = 1; l <= levels_.highest() + 1; ++l) s.by_level_.push_back(&team_for(s, threads, levels_.unit(l)));
    s.top_ = s.by_level_.size() - 1;
    return s;
  }

  node_team<M>& team_for(tree_node<M>& s, const std::vector<unsigned>& threads, distributor::level unit) {
    const auto parts = parts_of(where_, threads, unit);
    if (parts.size() == threads.size()) return s.flat_;
    std::vector<unsigned> leaders;
    for (const auto& part : parts) leaders.push_back(part.front());
    s.others_.push_back(std::make_unique<node_team<M>>(layout_of(leaders), how_, s));
    node_team<M>& made = *s.others_.back();
    if (parts.size() == 1) return made;
    made.outer = true;
    made.roles.resize(threads.size());
    for (unsigned p = 0; p < parts.size(); ++p) {
      made.parts.push_back(&node_of(parts[p]));
      for (unsigned i = 0; i < parts[p].size(); ++i) {
        const auto at = std::lower_bound(threads.begin(), threads.end(), parts[p][i]) - threads.begin();
        made.roles[static_cast<std::size_t>(at)] = {made.parts.back(), p, i};
      }
    }
    made.gates_ = (parts.size() + node_team<M>::parts_per_gate - 1) / node_team<M>::parts_per_gate;
    made.running_ = std::make_unique<entry_gate<M>[]>(made.gates_);
    return made;
  }

  distributor::layout layout_of(const std::vector<unsigned>& threads) const {
    std::vector<distributor::seat> seats;
    for (const unsigned t : threads) seats.push_back(seats_[t]);
    return distributor::layout(seats);
  }

  const std::vector<distributor::seat> seats_;
  const nesting levels_;
  const schedule how_;
  const distributor::layout where_;
  std::vector<own_line> members_;
  std::map<std::vector<unsigned>, std::unique_ptr<tree_node<M>>> tree_nodes_;
  tree_node<M>* root_;
};

}  // namespace callisto::workers
