// A search that counts any number of shortest paths: Brandes' algorithm (2001) in its plain form, one source at a time.
#include <callisto/graph/betweenness_search.hpp>
#include <callisto/graph/wide_count.hpp>

#include <cstdint>

namespace callisto::graph {
namespace {

using id = betweenness_core::id;

/// What a search knows of a vertex that it has reached.
struct wide_vertex {
  wide_count paths;       ///< shortest ones from the source
  double dependency = 0;  ///< of the source on it, for targets behind it
  std::uint64_t level = 0;
};
static_assert(sizeof(wide_vertex) <= sizeof(lane_values));

/// One search, in the memory of a state for eight: its vertices lie where the shares of eight lanes would.
class wide_search {
 public:
  explicit wide_search(search_state& state)
      : s_(state), vertices_(reinterpret_cast<wide_vertex*>(state.shares.data())) {}

  search_end run(const core_source& source, const std::stop_token& stop) {
    search_end end = search_end::complete;
    reach(source.vertex, {{1, 0}, 0, 0});
    for (std::uint64_t i = 0; i < size_ && end == search_end::complete; ++i) {
      follow(s_.list[i]);
      if (i % 4096 == 0 && stop.stop_requested()) end = search_end::stopped;
    }
    if (end == search_end::complete) {
      double targets = 0;
      for (std::uint64_t i = size_; i-- > 1;) {
        const id v = s_.list[i];
        targets += s_.core.targets[v];
        s_.scores[v] += source.weight() * (depend(v) + (s_.core.targets[v] - 1));
      }
      count_folded(s_, source, targets);
    }
    for (std::uint64_t i = 0; i < size_; ++i) s_.reached[s_.list[i]] = 0;
    return end;
  }

 private:
  void reach(id v, const wide_vertex& as) noexcept {
    vertices_[v] = as;
    s_.reached[v] = 1;
    s_.list[size_++] = v;
  }

  /// Adds the paths to u to those of the vertices behind it.
  void follow(id u) noexcept {
    const wide_vertex here = vertices_[u];
    for (const id w : s_.core.out.row(u)) {
      if (s_.reached[w] == 0) {
        reach(w, {here.paths, 0, here.level + 1});
      } else if (vertices_[w].level == here.level + 1) {
        vertices_[w].paths += here.paths;
      }
    }
  }

  /// The dependency on v, when that on the vertices behind it is known.
  double depend(id v) noexcept {
    wide_vertex& here = vertices_[v];
    for (const id w : s_.core.out.row(v)) {
      const wide_vertex& behind = vertices_[w];
      if (behind.level != here.level + 1) continue;
      here.dependency += ratio(here.paths, behind.paths) * (behind.dependency + s_.core.targets[w]);
    }
    return here.dependency;
  }

  search_state& s_;
  wide_vertex* vertices_;
  std::uint64_t size_ = 0;
};

}  // namespace

search_end search_wide(search_state& state, const core_source& source, const std::stop_token& stop) {
  return wide_search(state).run(source, stop);
}

}  // namespace callisto::graph
