// Makes contraction hierarchies, in rounds of independent vertices.
#include <callisto/graph/csr/counter_random.hpp>
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/graph/pair/arguments.hpp>
#include <callisto/graph/pair/routes.hpp>
#include <callisto/loop/parallel_for.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <source_location>
#include <span>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
/// A vertex with more neighbours than this stays in the core.
constexpr std::size_t most_neighbours = 128;
/// Arcs that a search for a witness looks at before it settles the last vertex, to choose the next vertex and to
/// replace it. Each missed witness leaves a shortcut there. Searches look at more where vertices have many neighbours:
/// otherwise grids grow dense late.
constexpr std::size_t looked_at_to_choose = 16;
constexpr std::size_t looked_at_to_replace = 512;
constexpr std::size_t neighbours_for_more = 4;

/// An arc of the graph that is left, or a shortcut in it.
template <class Vertex>
struct working_arc {
  double length;
  Vertex to;
  Vertex middle;
  std::uint32_t hops;  ///< arcs of the graph that it stands for
};

template <class Vertex>
using working_row = std::vector<working_arc<Vertex>>;

/// Puts an arc into a row, or makes the one to the same end shorter.
template <class Vertex>
void put_arc(working_row<Vertex>& row, const working_arc<Vertex>& arc) {
  for (auto& a : row) {
    if (a.to != arc.to) continue;
    if (arc.length < a.length) a = arc;
    return;
  }
  row.push_back(arc);
}

/// A search for witnesses: a thread's table of distances, and what waits. Empty again at the cost of a count.
template <class Vertex>
class near_search {
 public:
  struct end {
    working_arc<Vertex> arc;
    double last;  ///< length of the shortest arc to it
  };
  working_row<Vertex> begins;  ///< arcs to the vertex that goes
  std::vector<end> ends;       ///< and from it

  /// Forgets all vertices.
  void begin() {
    if (++round_ == 0) {
      std::fill(slots_.begin(), slots_.end(), slot{});
      round_ = 1;
    }
    used_ = 0;
    open_ = 0;
    waiting_.clear();
  }
  double distance(Vertex v) const noexcept {
    const slot& s = slots_[index(v)];
    return s.round == round_ ? s.distance : infinite;
  }
  /// Asks whether v is at most as far away as `distance`. Before the search, and once for each v.
  void ask(Vertex v, double distance) {
    slot& s = slots_[slot_for(v)];
    s.distance = infinite;
    s.asked = distance;
    ++open_;
  }
  /// Returns how many of those asked for have not been reached as near as asked.
  std::size_t open() const noexcept { return open_; }
  /// Makes v as near as `distance`, if it was farther away.
  void reach(Vertex v, double distance, bool goes_on) {
    slot& s = slots_[slot_for(v)];
    if (!(distance < s.distance)) return;
    s.distance = distance;
    if (distance <= s.asked) {
      s.asked = never;
      --open_;
    }
    if (!goes_on) return;
    waiting_.emplace_back(distance, v);
    std::push_heap(waiting_.begin(), waiting_.end(), std::greater<>());
  }
  /// Takes the nearest vertex that waits; none: false.
  bool take(std::pair<double, Vertex>& nearest) {
    while (!waiting_.empty()) {
      std::pop_heap(waiting_.begin(), waiting_.end(), std::greater<>());
      nearest = waiting_.back();
      waiting_.pop_back();
      if (nearest.first == distance(nearest.second)) return true;
    }
    return false;
  }

 private:
  static constexpr double never = -1;
  struct slot {
    double distance = infinite;
    double asked = never;  ///< what makes it near enough
    Vertex vertex = 0;
    std::uint32_t round = 0;
  };

  /// Returns the slot of v, taken for it if it had none.
  std::size_t slot_for(Vertex v) {
    std::size_t i = index(v);
    if (slots_[i].round == round_) return i;
    if (2 * ++used_ > slots_.size()) {
      grow();
      i = index(v);
    }
    slots_[i] = {infinite, never, v, round_};
    return i;
  }
  /// Returns the slot of v, or the free one for it.
  std::size_t index(Vertex v) const noexcept {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = static_cast<std::size_t>((std::uint64_t{v} * 0x9E3779B97F4A7C15) >> 32) & mask;;
         i = (i + 1) & mask) {
      if (slots_[i].round != round_ || slots_[i].vertex == v) return i;
    }
  }
  void grow() {
    std::vector<slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const slot& s : old) {
      if (s.round == round_) slots_[index(s.vertex)] = s;
    }
  }

  std::vector<slot> slots_ = std::vector<slot>(1024);
  std::vector<std::pair<double, Vertex>> waiting_;  ///< a heap
  std::size_t used_ = 0;
  std::size_t open_ = 0;
  std::uint32_t round_ = 0;
};

/// A loop with a search for each thread.
template <class Vertex, class Body>
struct searching_loop {
  using search = near_search<Vertex>;
  Body body;

  void fork(search&) noexcept {}
  void work(search& mine, std::uint64_t i) const { body(mine, i); }
  void join(search&) noexcept {}
};

template <class Vertex>
class contraction {
 public:
  contraction(const csr_graph<Vertex>& graph, bool weighted, const run_control& control)
      : n_(graph.vertices()),
        directed_(graph.directed()),
        control_(control),
        out_(n_),
        in_(directed_ ? n_ : 0),
        priority_(n_),
        depth_(n_),
        stale_(n_),
        number_(n_, Vertex{0}) {
    with_lengths(graph, weighted, [&](auto out, auto in) {
      over(n_, [&](std::uint64_t v) {
        fill(out_[v], graph.out(), out, v);
        if (directed_) fill(in_[v], graph.in(), in, v);
      });
    });
  }

  routes_of<Vertex> run(bool weighted) {
    if (control_.report != nullptr) control_.report->begin("contracting", n_, "vertices");
    std::vector<Vertex> left(n_);
    for (std::uint64_t v = 0; v < n_; ++v) left[v] = static_cast<Vertex>(v);
    look_at(left);
    std::vector<Vertex> order;
    order.reserve(n_);
    while (true) {
      control_.check();
      std::vector<Vertex> chosen = first_of(left);
      if (chosen.empty()) break;
      // Priorities change where neighbours have gone. A vertex gets a new one only if it comes first by its old one.
      std::vector<Vertex> changed;
      std::copy_if(chosen.begin(), chosen.end(), std::back_inserter(changed), [&](Vertex v) { return stale_[v] != 0; });
      if (!changed.empty()) {
        look_at(changed);
        chosen = first_of(chosen);
        if (chosen.empty()) continue;
      }
      for (std::size_t i = 0; i < chosen.size(); ++i) number_[chosen[i]] = static_cast<Vertex>(i + 1);
      contract(chosen);
      order.insert(order.end(), chosen.begin(), chosen.end());
      std::erase_if(left, [&](Vertex v) { return number_[v] != 0; });
      if (control_.report != nullptr) control_.report->advance(chosen.size());
    }
    order.insert(order.end(), left.begin(), left.end());
    return in_places(order, weighted);
  }

 private:
  struct shortcut {
    Vertex from;
    Vertex to;
    double length;
    std::uint32_t hops;
  };

  template <class F>
  void over(std::uint64_t count, F f, std::source_location where = std::source_location::current()) {
    if (!parallel_for(std::uint64_t{0}, count, f, {.stop = control_.stop}, where)) throw cancelled();
  }
  /// Calls f(search, i) for each i below `count`, in parallel.
  template <class F>
  void search_over(std::uint64_t count, F f, std::source_location where = std::source_location::current()) {
    using loop_type = searching_loop<Vertex, F>;
    loop_type loop{f};
    if (!parallel_for<loop_type, typename loop_type::search, std::uint64_t>(loop, 0, count, {.stop = control_.stop},
                                                                            where)) {
      throw cancelled();
    }
  }

  template <class Lengths>
  void fill(working_row<Vertex>& to, const adjacency<Vertex>& rows, Lengths lengths, std::uint64_t v) {
    for (std::uint64_t a = rows.offsets[v]; a != rows.offsets[v + 1]; ++a) {
      const Vertex w = rows.targets[a];
      const auto length = static_cast<double>(lengths[a]);
      if (w == v) continue;
      if (to.empty() || to.back().to != w) {
        to.push_back({length, w, no_middle<Vertex>, 1});
      } else if (length < to.back().length) {
        to.back().length = length;
      }
    }
  }

  bool has_many(Vertex v) { return std::max(in_row(v).size(), out_[v].size()) > most_neighbours; }
  working_row<Vertex>& in_row(std::uint64_t v) { return directed_ ? in_[v] : out_[v]; }

  /// Calls add(arc to the beginning, arc to the end) for each shortcut that is needed if v goes. A path between them
  /// that avoids v, and vertices that go before it in the same round, makes one needless. Searches find most of these;
  /// `limit`: arcs that one looks at if v has few neighbours.
  template <class Add>
  void for_each_shortcut(near_search<Vertex>& search, Vertex v, std::size_t limit, Add add) {
    limit *= std::max<std::size_t>(1, in_row(v).size() / neighbours_for_more);
    const auto gone = [&](Vertex w) { return w == v || (number_[w] != 0 && number_[w] < number_[v]); };
    auto& begins = search.begins;
    auto& ends = search.ends;
    begins.assign(in_row(v).begin(), in_row(v).end());
    // Without directions each pair counts once. Long arcs first: later searches are short.
    if (!directed_) {
      std::sort(begins.begin(), begins.end(),
                [](const auto& a, const auto& b) { return a.length != b.length ? a.length > b.length : a.to < b.to; });
    }
    ends.clear();
    for (const auto& b : directed_ ? out_[v] : begins) {
      double last = infinite;
      for (const auto& c : in_row(b.to)) last = gone(c.to) ? last : std::min(last, c.length);
      ends.push_back({b, last});
    }
    for (std::size_t i = 0; i < begins.size(); ++i) {
      const auto& a = begins[i];
      const auto asked = std::span(ends).subspan(directed_ ? 0 : i + 1);
      double most = -1;
      double before_last = -1;
      search.begin();
      for (const auto& [b, last] : asked) {
        if (b.to == a.to) continue;
        const double length = a.length + b.length;
        most = std::max(most, length);
        before_last = std::max(before_last, length - last);
        search.ask(b.to, length);
      }
      if (search.open() == 0) continue;
      search.reach(a.to, 0, true);
      std::pair<double, Vertex> at;
      for (std::size_t looked_at = 0; looked_at < limit && search.open() != 0 && search.take(at);) {
        looked_at += out_[at.second].size();
        for (const auto& b : out_[at.second]) {
          const double length = at.first + b.length;
          if (length <= most && !gone(b.to)) search.reach(b.to, length, length <= before_last);
        }
      }
      // The last arcs are looked at from the ends: searches are shorter by one arc.
      for (const auto& [b, last] : asked) {
        const double length = a.length + b.length;
        if (b.to == a.to || !(length < infinite) || search.distance(b.to) <= length) continue;
        const auto near = [&](const auto& c) { return !gone(c.to) && search.distance(c.to) + c.length <= length; };
        const auto& to_end = in_row(b.to);
        if (std::none_of(to_end.begin(), to_end.end(), near)) add(a, b);
      }
    }
  }

  /// Computes the priorities of vertices: the less, the earlier they go.
  void look_at(const std::vector<Vertex>& vertices) {
    search_over(vertices.size(), [&](near_search<Vertex>& search, std::uint64_t i) {
      const Vertex v = vertices[i];
      stale_[v] = 0;
      if (has_many(v)) {
        priority_[v] = infinite;
        return;
      }
      double removed = 0;
      double removed_hops = 0;
      const auto count = [&](const working_row<Vertex>& row) {
        removed += static_cast<double>(row.size());
        for (const auto& a : row) removed_hops += a.hops;
      };
      count(out_[v]);
      if (directed_) count(in_[v]);
      double added = 0;
      double added_hops = 0;
      for_each_shortcut(search, v, looked_at_to_choose, [&](const auto& a, const auto& b) {
        ++added;
        added_hops += a.hops + b.hops;
      });
      priority_[v] = removed == 0 ? 0 : depth_[v] + added / removed + added_hops / removed_hops;
    });
  }

  bool comes_before(Vertex u, Vertex v) const noexcept {
    if (priority_[u] != priority_[v]) return priority_[u] < priority_[v];
    return mix_bits(u) < mix_bits(v);  // a bijection: neighbours in rows and grids do not wait for each other in turn
  }

  /// Returns those of the vertices that come before all their neighbours.
  std::vector<Vertex> first_of(const std::vector<Vertex>& left) {
    std::vector<char> first(left.size());
    over(left.size(), [&](std::uint64_t i) {
      const Vertex v = left[i];
      const auto before = [&](const auto& a) { return comes_before(v, a.to); };
      first[i] = priority_[v] != infinite && std::all_of(out_[v].begin(), out_[v].end(), before) &&
                 (!directed_ || std::all_of(in_[v].begin(), in_[v].end(), before));
    });
    std::vector<Vertex> chosen;
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (first[i] != 0) chosen.push_back(left[i]);
    }
    return chosen;
  }

  /// Replaces the chosen vertices by shortcuts.
  void contract(const std::vector<Vertex>& chosen) {
    std::vector<std::vector<shortcut>> made(chosen.size());
    search_over(chosen.size(), [&](near_search<Vertex>& search, std::uint64_t i) {
      for_each_shortcut(search, chosen[i], looked_at_to_replace, [&](const auto& a, const auto& b) {
        made[i].push_back({a.to, b.to, a.length + b.length, a.hops + b.hops});
      });
    });
    std::vector<Vertex> touched;
    for (const Vertex v : chosen) {
      for (const auto& a : out_[v]) touched.push_back(a.to);
      if (!directed_) continue;
      for (const auto& a : in_[v]) touched.push_back(a.to);
    }
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    over(touched.size(), [&](std::uint64_t i) {
      const Vertex x = touched[i];
      stale_[x] = 1;
      std::vector<Vertex> gone;
      const auto take_out = [&](working_row<Vertex>& row) {
        std::erase_if(row, [&](const auto& a) {
          if (number_[a.to] == 0) return false;
          gone.push_back(a.to);
          return true;
        });
      };
      take_out(out_[x]);
      if (directed_) take_out(in_[x]);
      std::sort(gone.begin(), gone.end());
      gone.erase(std::unique(gone.begin(), gone.end()), gone.end());
      for (const Vertex v : gone) {
        depth_[x] = std::max(depth_[x], depth_[v] + 1);
        for (const shortcut& s : made[number_[v] - 1]) {
          if (s.from == x) put_arc(out_[x], {s.length, s.to, v, s.hops});
          if (s.to == x) put_arc(in_row(x), {s.length, s.from, v, s.hops});
        }
      }
      if (priority_[x] == infinite && !has_many(x)) priority_[x] = depth_[x];  // no more than its new one
    });
  }

  route_rows<Vertex> rows_in_places(std::vector<working_row<Vertex>>& rows, const std::vector<Vertex>& order,
                                    const machine::page_array<Vertex>& places) {
    route_rows<Vertex> made;
    made.offsets = machine::page_array<std::uint64_t>(n_ + 1);
    for (std::uint64_t p = 0; p < n_; ++p) made.offsets[p + 1] = made.offsets[p] + rows[order[p]].size();
    made.arcs = machine::page_array<route_arc<Vertex>>(made.offsets[n_]);
    over(n_, [&](std::uint64_t p) {
      auto& row = rows[order[p]];
      route_arc<Vertex>* const first = made.arcs.data() + made.offsets[p];
      route_arc<Vertex>* to = first;
      for (const auto& a : row) {
        *to++ = {a.length, places[a.to], a.middle == no_middle<Vertex> ? a.middle : places[a.middle]};
      }
      std::sort(first, to, [](const auto& a, const auto& b) { return a.to < b.to; });
      row = {};
    });
    return made;
  }

  routes_of<Vertex> in_places(const std::vector<Vertex>& order, bool weighted) {
    routes_of<Vertex> made;
    made.weighted = weighted;
    made.directed = directed_;
    made.places = machine::page_array<Vertex>(2 * n_);
    for (std::uint64_t p = 0; p < n_; ++p) {
      made.places[order[p]] = static_cast<Vertex>(p);
      made.places[n_ + p] = order[p];
    }
    made.up = rows_in_places(out_, order, made.places);
    if (directed_) made.down = rows_in_places(in_, order, made.places);
    return made;
  }

  const std::uint64_t n_;
  const bool directed_;
  const run_control& control_;
  std::vector<working_row<Vertex>> out_;  ///< of a vertex that has gone: its arcs to vertices that went later
  std::vector<working_row<Vertex>> in_;   ///< of a directed graph
  std::vector<double> priority_;
  std::vector<std::uint32_t> depth_;
  std::vector<char> stale_;     ///< the priority is that of an earlier round
  std::vector<Vertex> number_;  ///< of a vertex that has gone: its number in its round, from 1; else 0
};

}  // namespace

template <class Vertex>
routes_of<Vertex> make_routes(const csr_graph<Vertex>& graph, const pair_options& options, const run_control& control) {
  if (graph.vertices() != 0) check_pair(graph, 0, 0, options, control);
  const bool weighted = options.weighted && graph.arcs() != 0;
  return contraction<Vertex>(graph, weighted, control).run(options.weighted);
}

template CALLISTO_API routes_of<std::uint32_t> make_routes(const csr_graph<std::uint32_t>&, const pair_options&,
                                                           const run_control&);
template CALLISTO_API routes_of<std::uint64_t> make_routes(const csr_graph<std::uint64_t>&, const pair_options&,
                                                           const run_control&);

std::uint64_t needs::make_routes(const any_graph& graph) noexcept {
  const graph_size s = size_of(graph);
  // Rows of working arcs grow by doubling; roads get about as many shortcuts as they have arcs.
  const std::uint64_t sides = s.directed ? 2 : 1;
  const std::uint64_t arc = 16 + 2 * s.v;
  return s.n * (sides * (24 + 8) + 16 + 4 * s.v) + sides * s.m * (2 * arc + arc);
}

}  // namespace callisto::graph
