#include "networkx_order.hpp"

#include <algorithm>
#include <numeric>
#include <queue>
#include <tuple>

namespace callisto::python::networkx {

namespace {

/// Polls for a stop once in 65,536 steps.
class ticker {
 public:
  explicit ticker(const control& control) : control_(control) {}
  void operator()() {
    if ((++steps_ & 0xffff) == 0) control_.check();
  }

 private:
  const control& control_;
  std::uint64_t steps_ = 0;
};

/// Union by size with path halving.
class sets {
 public:
  explicit sets(vertex n) : parent_(n), size_(n, 1) { std::iota(parent_.begin(), parent_.end(), vertex{0}); }
  vertex find(vertex v) {
    while (parent_[v] != v) v = parent_[v] = parent_[parent_[v]];
    return v;
  }
  bool join(vertex a, vertex b) {
    a = find(a), b = find(b);
    if (a == b) return false;
    if (size_[a] < size_[b]) std::swap(a, b);
    parent_[b] = a;
    size_[a] += size_[b];
    return true;
  }

 private:
  std::vector<vertex> parent_;
  std::vector<vertex> size_;
};

}  // namespace

search breadth_first(const ordered_rows& rows, const ordered_rows* also, std::span<const vertex> sources,
                     std::uint64_t depth, vertex target, const control& control) {
  search s;
  ticker tick(control);
  std::vector<char> seen(rows.vertices());
  s.levels.push_back(0);
  for (const vertex v : sources) {
    if (seen[v]) continue;
    seen[v] = 1;
    s.order.push_back(v);
    s.parents.push_back(no_vertex);
    if (v == target) s.found = true;
  }
  std::size_t begin = 0;
  for (std::uint64_t d = 0; !s.found && begin < s.order.size(); ++d) {
    s.levels.push_back(s.order.size());
    if (d == depth) return s;
    const std::size_t end = s.order.size();
    for (; begin < end && !s.found; ++begin) {
      const vertex v = s.order[begin];
      for (const ordered_rows* r : {&rows, also}) {
        if (r == nullptr) continue;
        for (const vertex u : r->row(v)) {
          tick();
          if (seen[u]) continue;
          seen[u] = 1;
          s.order.push_back(u);
          s.parents.push_back(v);
          if (u == target) {
            s.found = true;
            break;
          }
        }
      }
    }
  }
  if (s.levels.back() != s.order.size()) s.levels.push_back(s.order.size());
  return s;
}

search all_components(const ordered_rows& rows, const ordered_rows* also, const control& control) {
  search s;
  ticker tick(control);
  std::vector<char> seen(rows.vertices());
  s.order.reserve(rows.vertices());
  for (vertex root = 0; root < rows.vertices(); ++root) {
    if (seen[root]) continue;
    seen[root] = 1;
    s.levels.push_back(s.order.size());
    s.order.push_back(root);
    for (std::size_t i = s.levels.back(); i < s.order.size(); ++i) {
      for (const ordered_rows* r : {&rows, also}) {
        if (r == nullptr) continue;
        for (const vertex u : r->row(s.order[i])) {
          tick();
          if (seen[u]) continue;
          seen[u] = 1;
          s.order.push_back(u);
        }
      }
    }
  }
  s.levels.push_back(s.order.size());
  return s;
}

std::vector<vertex> bidirectional(const ordered_rows& out, const ordered_rows& in, vertex source, vertex target,
                                  const control& control) {
  if (source == target) return {source};
  ticker tick(control);
  constexpr vertex end = no_vertex - 1;  // before the source, behind the target
  std::vector<vertex> before(out.vertices(), no_vertex);
  std::vector<vertex> behind(out.vertices(), no_vertex);
  before[source] = end;
  behind[target] = end;
  std::vector<vertex> forward{source};
  std::vector<vertex> backward{target};
  std::vector<vertex> next;
  vertex meeting = no_vertex;
  while (meeting == no_vertex && !forward.empty() && !backward.empty()) {
    const bool ahead = forward.size() <= backward.size();
    std::vector<vertex>& fringe = ahead ? forward : backward;
    std::vector<vertex>& mine = ahead ? before : behind;
    const std::vector<vertex>& others = ahead ? behind : before;
    next.clear();
    for (const vertex v : fringe) {
      for (const vertex w : (ahead ? out : in).row(v)) {
        tick();
        if (mine[w] == no_vertex) {
          mine[w] = v;
          next.push_back(w);
        }
        if (others[w] != no_vertex) {
          meeting = w;
          break;
        }
      }
      if (meeting != no_vertex) break;
    }
    fringe.swap(next);
  }
  if (meeting == no_vertex) return {};
  std::vector<vertex> path;
  for (vertex v = meeting; v != end; v = before[v]) path.push_back(v);
  std::reverse(path.begin(), path.end());
  for (vertex v = behind[meeting]; v != end; v = behind[v]) path.push_back(v);
  return path;
}

search strong_components_in_order(const ordered_rows& rows, const control& control) {
  search s;
  ticker tick(control);
  const vertex n = rows.vertices();
  std::vector<vertex> preorder(n, 0);  // 0: not found
  std::vector<vertex> lowest(n, 0);
  std::vector<char> done(n);
  std::vector<std::uint64_t> at(rows.offsets.begin(), rows.offsets.end() - 1);
  std::vector<vertex> path;
  std::vector<vertex> waiting;
  vertex found = 0;
  for (vertex source = 0; source < n; ++source) {
    if (done[source]) continue;
    path.assign(1, source);
    while (!path.empty()) {
      const vertex v = path.back();
      if (preorder[v] == 0) preorder[v] = ++found;
      bool left = true;
      while (at[v] < rows.offsets[v + std::size_t{1}]) {
        tick();
        const vertex w = rows.targets[at[v]++];
        if (preorder[w] == 0) {
          path.push_back(w);
          left = false;
          break;
        }
      }
      if (!left) continue;
      lowest[v] = preorder[v];
      for (const vertex w : rows.row(v)) {
        if (done[w]) continue;
        lowest[v] = std::min(lowest[v], preorder[w] > preorder[v] ? lowest[w] : preorder[w]);
      }
      path.pop_back();
      if (lowest[v] != preorder[v]) {
        waiting.push_back(v);
        continue;
      }
      s.levels.push_back(s.order.size());
      s.order.push_back(v);
      done[v] = 1;
      while (!waiting.empty() && preorder[waiting.back()] > preorder[v]) {
        s.order.push_back(waiting.back());
        done[waiting.back()] = 1;
        waiting.pop_back();
      }
    }
  }
  s.levels.push_back(s.order.size());
  return s;
}

weighted_search dijkstra(const ordered_rows& rows, std::span<const double> values, std::span<const vertex> sources,
                         const weighted_options& options, const control& control) {
  using entry = std::tuple<double, std::uint64_t, vertex>;
  weighted_search s;
  ticker tick(control);
  const vertex n = rows.vertices();
  constexpr double far = std::numeric_limits<double>::infinity();
  std::vector<double> nearest(n, far);
  std::vector<char> final(n);
  s.parents.assign(n, no_vertex);
  struct other {
    vertex of;
    vertex parent;
    double length;
  };
  std::vector<other> others;
  std::priority_queue<entry, std::vector<entry>, std::greater<>> fringe;
  std::uint64_t count = 0;
  for (const vertex v : sources) {
    nearest[v] = 0;
    fringe.emplace(0, count++, v);
    s.reached.push_back(v);
  }
  while (!fringe.empty()) {
    const auto [distance, order, v] = fringe.top();
    fringe.pop();
    if (final[v]) continue;
    final[v] = 1;
    s.order.push_back(v);
    s.distances.push_back(distance);
    if (v == options.target) break;
    for (std::uint64_t i = rows.offsets[v]; i < rows.offsets[v + std::size_t{1}]; ++i) {
      tick();
      const vertex u = rows.targets[i];
      const double length = distance + (values.empty() ? 1 : values[i]);
      if (length > options.cutoff) continue;
      if (final[u]) {
        if (options.all_parents && length == nearest[u]) others.push_back({u, v, length});
      } else if (length < nearest[u]) {
        if (nearest[u] == far) s.reached.push_back(u);
        nearest[u] = length;
        fringe.emplace(length, count++, u);
        s.parents[u] = v;
      } else if (options.all_parents && length == nearest[u]) {
        others.push_back({u, v, length});
      }
    }
  }
  for (const other& o : others) {
    if (o.length == nearest[o.of]) s.more.emplace_back(o.of, o.parent);
  }
  return s;
}

met_path bidirectional_dijkstra(const ordered_rows& out, const ordered_rows& in, std::span<const double> values,
                                vertex source, vertex target, const control& control) {
  using entry = std::tuple<double, std::uint64_t, vertex>;
  constexpr double far = std::numeric_limits<double>::infinity();
  struct side {
    const ordered_rows* rows;
    std::vector<double> nearest;
    std::vector<char> final;
    std::vector<vertex> parents;
    std::priority_queue<entry, std::vector<entry>, std::greater<>> fringe;
  };
  ticker tick(control);
  const vertex n = out.vertices();
  side sides[2];
  std::uint64_t count = 0;
  for (const int s : {0, 1}) {
    sides[s].rows = s == 0 ? &out : &in;
    sides[s].nearest.assign(n, far);
    sides[s].final.assign(n, 0);
    sides[s].parents.assign(n, no_vertex);
    const vertex v = s == 0 ? source : target;
    sides[s].nearest[v] = 0;
    sides[s].fringe.emplace(0, count++, v);
  }
  met_path made;
  made.length = far;
  vertex meeting = no_vertex;
  int now = 1;
  while (!sides[0].fringe.empty() && !sides[1].fringe.empty()) {
    now = 1 - now;
    side& mine = sides[now];
    const side& other = sides[1 - now];
    const auto [distance, order, v] = mine.fringe.top();
    mine.fringe.pop();
    if (mine.final[v]) continue;
    mine.final[v] = 1;
    if (other.final[v]) {
      for (vertex u = meeting; u != no_vertex; u = sides[0].parents[u]) made.path.push_back(u);
      std::reverse(made.path.begin(), made.path.end());
      for (vertex u = sides[1].parents[meeting]; u != no_vertex; u = sides[1].parents[u]) made.path.push_back(u);
      return made;
    }
    for (std::uint64_t i = mine.rows->offsets[v]; i < mine.rows->offsets[v + std::size_t{1}]; ++i) {
      tick();
      const vertex w = mine.rows->targets[i];
      const double length = distance + (values.empty() ? 1 : values[i]);
      if (!mine.final[w] && length < mine.nearest[w]) {
        mine.nearest[w] = length;
        mine.fringe.emplace(length, count++, w);
        mine.parents[w] = v;
        if (other.nearest[w] != far && length + other.nearest[w] < made.length) {
          made.length = length + other.nearest[w];
          meeting = w;
        }
      }
    }
  }
  return made;
}

std::vector<std::pair<vertex, std::uint64_t>> kruskal(const ordered_rows& rows, std::span<const double> values,
                                                      bool heaviest, const control& control) {
  struct candidate {
    double value;
    vertex from;
    std::uint64_t arc;
  };
  ticker tick(control);
  std::vector<candidate> candidates;
  for (vertex v = 0; v < rows.vertices(); ++v) {
    for (std::uint64_t i = rows.offsets[v]; i < rows.offsets[v + std::size_t{1}]; ++i) {
      if (rows.targets[i] > v) candidates.push_back({values.empty() ? 1 : values[i], v, i});
    }
  }
  std::stable_sort(candidates.begin(), candidates.end(), [&](const candidate& a, const candidate& b) {
    tick();
    return heaviest ? a.value > b.value : a.value < b.value;
  });
  sets trees(rows.vertices());
  std::vector<std::pair<vertex, std::uint64_t>> taken;
  for (const candidate& c : candidates) {
    if (trees.join(c.from, rows.targets[c.arc])) taken.emplace_back(c.from, c.arc);
  }
  return taken;
}

std::vector<std::pair<vertex, vertex>> greedy_matching(const ordered_rows& rows, const control& control) {
  ticker tick(control);
  std::vector<char> taken(rows.vertices());
  std::vector<std::pair<vertex, vertex>> matching;
  for (vertex v = 0; v < rows.vertices(); ++v) {
    tick();
    if (taken[v]) continue;
    for (const vertex u : rows.row(v)) {
      if (u <= v || taken[u]) continue;
      taken[v] = taken[u] = 1;
      matching.emplace_back(v, u);
      break;
    }
  }
  return matching;
}

colouring largest_first(const ordered_rows& rows, std::span<const std::uint64_t> degrees, const control& control) {
  ticker tick(control);
  colouring made;
  const vertex n = rows.vertices();
  made.order.resize(n);
  std::iota(made.order.begin(), made.order.end(), vertex{0});
  std::stable_sort(made.order.begin(), made.order.end(), [&](vertex a, vertex b) { return degrees[a] > degrees[b]; });
  constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  made.colours.assign(n, none);
  std::vector<vertex> taken_by(n + std::size_t{1}, no_vertex);  // by colour: the vertex that may not have it
  for (const vertex v : made.order) {
    for (const vertex u : rows.row(v)) {
      tick();
      if (made.colours[u] != none) taken_by[made.colours[u]] = v;
    }
    std::uint32_t colour = 0;
    while (taken_by[colour] == v) ++colour;
    made.colours[v] = colour;
  }
  return made;
}

std::vector<vertex> propagate_labels(const ordered_rows& rows, const colouring& colours, const control& control) {
  ticker tick(control);
  const vertex n = rows.vertices();
  std::vector<vertex> label(n);
  std::iota(label.begin(), label.end(), vertex{0});
  std::vector<vertex> count(n);
  // Calls f(most, own, best): how often the most frequent label is met, the vertex's own, and the largest of the most.
  const auto look = [&](vertex v, auto&& f) {
    vertex most = 0;
    for (const vertex u : rows.row(v)) {
      tick();
      most = std::max(most, ++count[label[u]]);
    }
    vertex best = 0;
    for (const vertex u : rows.row(v)) {
      if (count[label[u]] == most && most != 0) best = std::max(best, label[u]);
    }
    const bool own = count[label[v]] == most;
    for (const vertex u : rows.row(v)) count[label[u]] = 0;
    f(own, best);
  };
  std::vector<std::vector<vertex>> classes;
  for (const vertex v : colours.order) {
    if (colours.colours[v] >= classes.size()) classes.resize(colours.colours[v] + std::size_t{1});
    classes[colours.colours[v]].push_back(v);
  }
  const auto complete = [&] {
    for (vertex v = 0; v < n; ++v) {
      bool good = true;
      if (!rows.row(v).empty()) look(v, [&](bool own, vertex) { good = own; });
      if (!good) return false;
    }
    return true;
  };
  while (!complete()) {
    control.check();
    for (const auto& one : classes) {
      for (const vertex v : one) {
        if (rows.row(v).empty()) continue;
        look(v, [&](bool own, vertex best) {
          if (!own) label[v] = best;
        });
      }
    }
  }
  return label;
}

search topological(const ordered_rows& rows, std::span<const double> copies, const control& control) {
  search s;
  ticker tick(control);
  std::vector<std::uint64_t> missing(rows.vertices());
  const auto times = [&](std::uint64_t i) { return copies.empty() ? 1 : static_cast<std::uint64_t>(copies[i]); };
  for (std::uint64_t i = 0; i < rows.arcs(); ++i) missing[rows.targets[i]] += times(i);
  for (vertex v = 0; v < rows.vertices(); ++v) {
    if (missing[v] == 0) s.order.push_back(v);
  }
  s.levels.push_back(0);
  for (std::size_t at = 0; at < s.order.size();) {
    s.levels.push_back(s.order.size());
    for (const std::size_t end = s.order.size(); at < end; ++at) {
      const vertex v = s.order[at];
      for (std::uint64_t i = rows.offsets[v]; i < rows.offsets[v + std::size_t{1}]; ++i) {
        tick();
        if ((missing[rows.targets[i]] -= times(i)) == 0) s.order.push_back(rows.targets[i]);
      }
    }
  }
  return s;
}

depth_search depth_first(const ordered_rows& rows, vertex source, std::uint64_t depth, const control& control) {
  depth_search s;
  ticker tick(control);
  std::vector<char> seen(rows.vertices());
  struct step {
    vertex at;
    std::uint64_t next;
  };
  std::vector<step> path;
  const auto enter = [&](vertex v, vertex from) {
    seen[v] = 1;
    s.preorder.push_back(v);
    s.parents.push_back(from);
  };
  for (vertex root = source == no_vertex ? 0 : source; root < rows.vertices(); ++root) {
    if (!seen[root]) {
      enter(root, no_vertex);
      path.assign(1, {root, rows.offsets[root]});
      while (!path.empty()) {
        step& top = path.back();
        bool deeper = false;
        while (path.size() <= depth && top.next < rows.offsets[top.at + std::size_t{1}]) {
          tick();
          const vertex u = rows.targets[top.next++];
          if (seen[u]) continue;
          enter(u, top.at);
          path.push_back({u, rows.offsets[u]});
          deeper = true;
          break;
        }
        if (deeper) continue;
        s.postorder.push_back(path.back().at);
        path.pop_back();
      }
    }
    if (source != no_vertex) break;
  }
  return s;
}

std::pair<bool, std::vector<char>> two_colours(const ordered_rows& out, const ordered_rows* in,
                                               const control& control) {
  ticker tick(control);
  std::vector<char> colour(out.vertices(), 2);
  std::vector<vertex> queue;
  for (vertex root = 0; root < out.vertices(); ++root) {
    if (colour[root] != 2) continue;
    colour[root] = 1;
    queue.assign(1, root);
    while (!queue.empty()) {
      const vertex v = queue.back();
      queue.pop_back();
      for (const ordered_rows* rows : {&out, in}) {
        if (rows == nullptr) continue;
        for (const vertex u : rows->row(v)) {
          tick();
          if (colour[u] == 2) {
            colour[u] = static_cast<char>(1 - colour[v]);
            queue.push_back(u);
          } else if (colour[u] == colour[v]) {
            return {false, {}};
          }
        }
      }
    }
  }
  return {true, std::move(colour)};
}

}  // namespace callisto::python::networkx
