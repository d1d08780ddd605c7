#include <callisto/graph/changing/changing_cores.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace callisto::graph {
namespace {

/// States of vertices in a search for risers.
enum : char { unseen, met, fell };

/// If more than 1 / share_for_peeling of all edges change, peeling costs less than to follow them one by one.
constexpr std::uint64_t share_for_peeling = 256;

void put(std::vector<std::uint32_t>& row, std::uint32_t v) {
  row.insert(std::lower_bound(row.begin(), row.end(), v), v);
}
void take(std::vector<std::uint32_t>& row, std::uint32_t v) { row.erase(std::lower_bound(row.begin(), row.end(), v)); }
bool has(const std::vector<std::uint32_t>& row, std::uint32_t v) {
  return std::binary_search(row.begin(), row.end(), v);
}

}  // namespace

changing_cores::changing_cores(const changing_graph& graph, const run_control& control) : graph_(&graph) {
  add_vertices();
  for (std::uint32_t v = 0; v < graph.vertices(); ++v) {
    if (v % 4096 == 0) control.check();
    auto& row = rows_[v];
    for (const auto& a : graph.out(v)) row.push_back(a.to);
    if (graph.directed()) {
      for (const auto& a : graph.in(v)) row.push_back(a.to);
      std::sort(row.begin(), row.end());
      row.erase(std::unique(row.begin(), row.end()), row.end());
    }
    std::erase(row, v);
    edges_ += row.size();
  }
  edges_ /= 2;
  peel(control);
  noted_.clear();
}

std::uint32_t changing_cores::degeneracy() const noexcept {
  const auto most = std::max_element(core_.begin(), core_.end());
  return most == core_.end() ? 0 : *most;
}

void changing_cores::add_vertices() {
  const std::uint32_t n = graph_->vertices();
  rows_.resize(n);
  core_.resize(n);
  support_.resize(n);
  left_.resize(n);
  state_.resize(n, unseen);
}

void changing_cores::note(std::uint32_t v) { noted_.emplace_back(v, core_[v]); }

/// Peels all vertices (Batagelj and Zaversnik 2003): those with the fewest neighbours left first.
void changing_cores::peel(const run_control& control) {
  ++peelings_;
  const auto n = static_cast<std::uint32_t>(rows_.size());
  std::size_t most = 0;
  for (const auto& row : rows_) most = std::max(most, row.size());
  std::vector<std::uint32_t> begin(most + 2);  // by number of neighbours left: where its vertices begin in `order`
  for (const auto& row : rows_) ++begin[row.size() + 1];
  for (std::size_t d = 1; d < begin.size(); ++d) begin[d] += begin[d - 1];
  std::vector<std::uint32_t> order(n);
  std::vector<std::uint32_t> place(n);
  std::vector<std::uint32_t> degree(n);
  {
    std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
    for (std::uint32_t v = 0; v < n; ++v) {
      degree[v] = static_cast<std::uint32_t>(rows_[v].size());
      place[v] = next[degree[v]]++;
      order[place[v]] = v;
    }
  }
  for (std::uint32_t i = 0; i < n; ++i) {
    if (i % 4096 == 0) control.check();
    const std::uint32_t v = order[i];
    for (const std::uint32_t w : rows_[v]) {
      if (degree[w] <= degree[v]) continue;
      // w goes to the front of its vertices, and these begin behind it.
      const std::uint32_t front = std::max(begin[degree[w]], i + 1);
      const std::uint32_t other = order[front];
      std::swap(order[place[w]], order[front]);
      std::swap(place[w], place[other]);
      begin[degree[w]] = front + 1;
      --degree[w];
    }
  }
  for (std::uint32_t v = 0; v < n; ++v) {
    if (core_[v] == degree[v]) continue;
    note(v);
    core_[v] = degree[v];
  }
  for (std::uint32_t v = 0; v < n; ++v) support_[v] = support_of(v);
}

std::uint32_t changing_cores::support_of(std::uint32_t v) const noexcept {
  return static_cast<std::uint32_t>(
      std::count_if(rows_[v].begin(), rows_[v].end(), [&](std::uint32_t w) { return core_[w] >= core_[v]; }));
}

/// Returns how many neighbours of v are in the next core, or may come to be.
std::uint32_t changing_cores::hope_of(std::uint32_t v) const noexcept {
  const std::uint32_t k = core_[v];
  return static_cast<std::uint32_t>(std::count_if(rows_[v].begin(), rows_[v].end(), [&](std::uint32_t w) {
    return core_[w] > k || (core_[w] == k && support_[w] > k);
  }));
}

void changing_cores::join(std::uint32_t u, std::uint32_t v) {
  put(rows_[u], v);
  put(rows_[v], u);
  ++edges_;
  if (core_[v] >= core_[u]) ++support_[u];
  if (core_[u] >= core_[v]) ++support_[v];
  const std::uint32_t root = core_[u] <= core_[v] ? u : v;
  const std::uint32_t k = core_[root];
  if (support_[root] <= k) return;

  std::vector<std::uint32_t> seen{root};
  std::vector<std::uint32_t> waiting{root};
  std::vector<std::uint32_t> falling;
  std::vector<std::uint32_t> counted;  // with a number in left_
  const auto meet = [&](std::uint32_t w) {
    state_[w] = met;
    left_[w] += hope_of(w);
    counted.push_back(w);
  };
  meet(root);
  while (!waiting.empty()) {
    const std::uint32_t w = waiting.back();
    waiting.pop_back();
    if (state_[w] == fell) continue;
    if (left_[w] > k) {
      for (const std::uint32_t x : rows_[w]) {
        if (core_[x] != k || support_[x] <= k || state_[x] != unseen) continue;
        meet(x);
        seen.push_back(x);
        waiting.push_back(x);
      }
      continue;
    }
    state_[w] = fell;
    falling.assign(1, w);
    while (!falling.empty()) {
      const std::uint32_t y = falling.back();
      falling.pop_back();
      for (const std::uint32_t x : rows_[y]) {
        if (core_[x] != k) continue;
        --left_[x];
        counted.push_back(x);
        if (left_[x] != k || state_[x] != met) continue;
        state_[x] = fell;
        falling.push_back(x);
      }
    }
  }
  std::vector<std::uint32_t> risen;
  for (const std::uint32_t w : seen) {
    if (state_[w] == met) risen.push_back(w);
    state_[w] = unseen;
  }
  for (const std::uint32_t w : counted) left_[w] = 0;
  for (const std::uint32_t w : risen) {
    note(w);
    core_[w] = k + 1;
    state_[w] = met;
  }
  for (const std::uint32_t w : risen) {
    support_[w] = support_of(w);
    for (const std::uint32_t x : rows_[w]) {
      if (core_[x] == k + 1 && state_[x] == unseen) ++support_[x];
    }
  }
  for (const std::uint32_t w : risen) state_[w] = unseen;
}

void changing_cores::part(std::uint32_t u, std::uint32_t v) {
  take(rows_[u], v);
  take(rows_[v], u);
  --edges_;
  if (core_[v] >= core_[u]) --support_[u];
  if (core_[u] >= core_[v]) --support_[v];
  const std::uint32_t k = std::min(core_[u], core_[v]);
  std::vector<std::uint32_t> fallen;
  const auto look_at = [&](std::uint32_t w) {
    if (core_[w] != k || support_[w] >= k) return;
    note(w);
    core_[w] = k - 1;
    fallen.push_back(w);
  };
  look_at(u);
  look_at(v);
  for (std::size_t i = 0; i < fallen.size(); ++i) {
    for (const std::uint32_t x : rows_[fallen[i]]) {
      if (core_[x] != k) continue;
      --support_[x];
      look_at(x);
    }
  }
  for (const std::uint32_t w : fallen) support_[w] = support_of(w);
}

std::vector<std::uint32_t> changing_cores::update(std::span<const changing_graph::change> changes) {
  noted_.clear();
  add_vertices();
  const bool many = changes.size() > 16 + edges_ / share_for_peeling;
  // The graph has all changes already. A pair may change more than once: what it has come to counts.
  for (const auto& c : changes) {
    if (c.from == c.to) continue;
    const bool there =
        graph_->weight(c.from, c.to).has_value() || (graph_->directed() && graph_->weight(c.to, c.from).has_value());
    if (there == has(rows_[c.from], c.to)) continue;
    if (many) {
      (there ? put : take)(rows_[c.from], c.to);
      (there ? put : take)(rows_[c.to], c.from);
      there ? ++edges_ : --edges_;
    } else if (there) {
      join(c.from, c.to);
    } else {
      part(c.from, c.to);
    }
  }
  if (many) peel({});
  // The first note of a vertex tells what it had before.
  std::stable_sort(noted_.begin(), noted_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  noted_.erase(
      std::unique(noted_.begin(), noted_.end(), [](const auto& a, const auto& b) { return a.first == b.first; }),
      noted_.end());
  std::vector<std::uint32_t> changed;
  for (const auto& [v, before] : noted_) {
    if (core_[v] != before) changed.push_back(v);
  }
  return changed;
}

}  // namespace callisto::graph
