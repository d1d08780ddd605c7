#include <callisto/graph/changing/changing_components.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

namespace callisto::graph {

template <class F>
void changing_components::for_each_neighbour(std::uint32_t v, F f) const {
  for (const auto& a : graph_->out(v)) f(a.to);
  if (graph_->directed()) {
    for (const auto& a : graph_->in(v)) f(a.to);
  }
}

changing_components::changing_components(const changing_graph& graph, const run_control& control) : graph_(&graph) {
  constexpr std::uint32_t none = ~0U;
  name_.assign(graph.vertices(), none);
  std::vector<std::uint32_t> seen;
  for (std::uint32_t v = 0; v < graph.vertices(); ++v) {
    if (name_[v] != none) continue;
    const std::uint32_t name = next_name_++;
    seen.assign(1, v);
    name_[v] = name;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (i % 4096 == 0) control.check();
      for_each_neighbour(seen[i], [&](std::uint32_t u) {
        if (name_[u] != none) return;
        name_[u] = name;
        seen.push_back(u);
      });
    }
    parts_[name] = {seen.size(), v};
  }
}

std::uint32_t changing_components::operator[](std::uint32_t v) const noexcept {
  return v < name_.size() ? parts_.at(name_[v]).smallest : v;
}
std::uint64_t changing_components::size(std::uint32_t v) const noexcept {
  return v < name_.size() ? parts_.at(name_[v]).size : 1;
}

void changing_components::add_vertices() {
  while (name_.size() < graph_->vertices()) {
    const auto v = static_cast<std::uint32_t>(name_.size());
    moved_.push_back(v);
    parts_[next_name_] = {1, v};
    name_.push_back(next_name_++);
  }
}

void changing_components::move(const std::vector<std::uint32_t>& vertices, std::uint32_t to) {
  for (const std::uint32_t v : vertices) name_[v] = to;
  moved_.insert(moved_.end(), vertices.begin(), vertices.end());
}

// Among vertices of v's name only: edges to vertices of other names are about to join.
std::vector<std::uint32_t> changing_components::component_of(std::uint32_t v) const {
  std::vector<std::uint32_t> seen{v};
  std::unordered_set<std::uint32_t> known{v};
  for (std::size_t i = 0; i < seen.size(); ++i) {
    for_each_neighbour(seen[i], [&](std::uint32_t u) {
      if (name_[u] == name_[v] && known.insert(u).second) seen.push_back(u);
    });
  }
  return seen;
}

void changing_components::join(std::uint32_t u, std::uint32_t v) {
  if (name_[u] == name_[v]) return;
  if (parts_.at(name_[u]).size < parts_.at(name_[v]).size) std::swap(u, v);
  part& larger = parts_.at(name_[u]);
  const part smaller = parts_.at(name_[v]);
  const std::uint32_t gone = name_[v];
  move(component_of(v), name_[u]);
  larger.size += smaller.size;
  larger.smallest = std::min(larger.smallest, smaller.smallest);
  parts_.erase(gone);
}

void changing_components::part_ways(std::uint32_t name, const std::vector<std::uint32_t>& ends) {
  // Searches from all ends take turns, a vertex each. Searches that meet go on as one. A search that has seen all that
  // it can reach is a new component; the last search keeps the name.
  struct search {
    std::vector<std::uint32_t> seen;
    std::size_t next = 0;
  };
  std::vector<search> searches(ends.size());
  std::vector<std::size_t> joined(ends.size());  // which search goes on for it
  std::iota(joined.begin(), joined.end(), std::size_t{0});
  const auto now = [&](std::size_t i) {
    while (joined[i] != i) i = joined[i];
    return i;
  };
  std::unordered_map<std::uint32_t, std::size_t> seen_by;
  std::vector<std::size_t> active;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (!seen_by.emplace(ends[i], i).second) continue;
    searches[i].seen.push_back(ends[i]);
    active.push_back(i);
  }
  bool smallest_left = false;
  for (std::size_t turn = 0; active.size() > 1;) {
    turn %= active.size();
    const std::size_t me = active[turn];
    search& mine = searches[me];
    if (mine.next == mine.seen.size()) {
      part& rest = parts_.at(name);
      const part made{mine.seen.size(), *std::min_element(mine.seen.begin(), mine.seen.end())};
      smallest_left = smallest_left || made.smallest == rest.smallest;
      rest.size -= made.size;
      move(mine.seen, next_name_);
      parts_[next_name_++] = made;
      active.erase(active.begin() + static_cast<std::ptrdiff_t>(turn));
      continue;
    }
    std::vector<std::size_t> met;
    for_each_neighbour(mine.seen[mine.next++], [&](std::uint32_t w) {
      if (name_[w] != name) return;
      const auto [at, is_new] = seen_by.emplace(w, me);
      if (is_new) {
        mine.seen.push_back(w);
      } else if (now(at->second) != me) {
        met.push_back(now(at->second));
      }
    });
    std::sort(met.begin(), met.end());
    met.erase(std::unique(met.begin(), met.end()), met.end());
    for (const std::size_t other : met) {
      // Vertices that the other search has looked at go in front of vertices that are still to be looked at.
      search& theirs = searches[other];
      mine.seen.insert(mine.seen.begin() + static_cast<std::ptrdiff_t>(mine.next), theirs.seen.begin(),
                       theirs.seen.begin() + static_cast<std::ptrdiff_t>(theirs.next));
      mine.next += theirs.next;
      mine.seen.insert(mine.seen.end(), theirs.seen.begin() + static_cast<std::ptrdiff_t>(theirs.next),
                       theirs.seen.end());
      theirs = {};
      joined[other] = me;
      active.erase(std::find(active.begin(), active.end(), other));
    }
    ++turn;
  }
  if (smallest_left) {
    const std::vector<std::uint32_t> left = component_of(searches[active.front()].seen.front());
    parts_.at(name).smallest = *std::min_element(left.begin(), left.end());
  }
}

std::vector<std::uint32_t> changing_components::update(std::span<const changing_graph::change> changes) {
  moved_.clear();
  add_vertices();
  // The graph has all changes already. First the edges that went: among vertices of one name, edges that came since
  // count, too. Then the edges between names join them; each name's vertices are connected by then.
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> ends;  // of edges that went, by component
  for (const auto& c : changes) {
    if (!c.before || graph_->weight(c.from, c.to)) continue;
    ends[name_[c.from]].push_back(c.from);
    ends[name_[c.to]].push_back(c.to);
  }
  for (const auto& [name, of] : ends) part_ways(name, of);
  for (const auto& c : changes) {
    if (c.after && graph_->weight(c.from, c.to)) join(c.from, c.to);
  }
  std::sort(moved_.begin(), moved_.end());
  moved_.erase(std::unique(moved_.begin(), moved_.end()), moved_.end());
  return moved_;
}

}  // namespace callisto::graph
