// Simulates the loops of a search, access by access.
#include <lab/simulate/search.hpp>

#include <callisto/graph/csr/progress.hpp>
#include <callisto/machine/system/error.hpp>

#include <array>
#include <cstddef>
#include <utility>

namespace callisto::lab {

using machine::simulation::activity;

namespace {

// Instructions per step, estimated by writing the loops down. A context that has its core to itself issues `ipc` of
// them per cycle.
constexpr unsigned vertex_instructions = 12;  // claim the vertex, load its row's bounds
constexpr unsigned arc_instructions = 6;      // load the arc's end, load its level, compare, branch
constexpr unsigned found_instructions = 10;   // write the level, append to the list
constexpr unsigned mark_instructions = 4;     // load the mark, branch
constexpr unsigned path_instructions = 5;     // load the arc's end, add
constexpr unsigned share_instructions = 12;   // load the arc's end, divide, multiply, add
constexpr unsigned fill_instructions = 4;     // per line

constexpr std::uint64_t chunk_cycles = 20'000;  // granularity at which the accesses of a core's contexts interleave

}  // namespace

search_pattern::search_pattern(const graph::csr_graph<std::uint32_t>& g, std::uint32_t source)
    : place(g.vertices()), level(g.vertices(), unreached) {
  order.push_back(source);
  level[source] = 0;
  levels = {0, 1};
  for (unsigned d = 0; levels[d] != levels[d + 1]; ++d) {
    if (d + 1 == unreached) throw usage_error("simulate: the graph is deeper than 254 levels");
    for (std::uint64_t i = levels[d]; i < levels[d + 1]; ++i) {
      found.push_back(static_cast<std::uint32_t>(order.size()));
      for (const std::uint32_t w : g.out().row(order[i])) {
        if (level[w] != unreached) continue;
        level[w] = static_cast<std::uint8_t>(d + 1);
        place[w] = static_cast<std::uint32_t>(order.size());
        order.push_back(w);
      }
    }
    levels.push_back(order.size());
  }
  levels.pop_back();
  found.push_back(static_cast<std::uint32_t>(order.size()));
}

/// Follows one thread through a batch of iterations: counts its instructions and accesses, and the time that they take.
class simulated_search::walk {
 public:
  walk(simulated_search& of, const state& s)
      : of_(of),
        engine_(of.program_.engine()),
        memory_(of.memory_),
        core_(engine_.machine().core_of(engine_.self())),
        atomic_(s.alone ? 0 : engine_.machine().atomic) {}
  walk(const walk&) = delete;
  walk& operator=(const walk&) = delete;

  void instructions(unsigned n) noexcept { cycles_ += n * of_.per_instruction_; }
  void load(std::uint64_t array, std::uint64_t index, unsigned bytes) { access(array + index * bytes, kind::load); }
  void store(std::uint64_t array, std::uint64_t index, unsigned bytes) { access(array + index * bytes, kind::store); }
  /// Updates a word, atomically if several threads search.
  void update(std::uint64_t array, std::uint64_t index, unsigned bytes) {
    access(array + index * bytes, atomic_ == 0 ? kind::store : kind::update);
    cycles_ += atomic_;
  }
  /// Loads consecutive elements. Only one load per line looks into the caches.
  void load_all(std::uint64_t array, std::uint64_t first, std::uint64_t count, unsigned bytes) {
    const unsigned line = engine_.machine().line;
    const std::uint64_t end = array + (first + count) * bytes;
    std::uint64_t lines = 0;
    for (std::uint64_t at = array + first * bytes; at < end; at = (at / line + 1) * line, ++lines) {
      access(at, kind::load);
    }
    memory_.load_again(count - lines);
  }
  /// Ends a vertex: lets the time pass if enough has accumulated.
  void step() {
    if (cycles_ >= chunk_cycles) settle();
  }
  /// Carries out the pending accesses, then lets the accumulated time pass on the engine.
  void settle() {
    if (of_.stop_.stop_requested()) throw graph::cancelled();
    carry_out();
    const std::uint64_t waits = memory_.settle(engine_.time());
    const auto whole = static_cast<std::uint64_t>(cycles_);
    cycles_ -= static_cast<double>(whole);
    engine_.execute(whole, activity::work);
    engine_.stall(waits);
  }

 private:
  enum class kind : std::uint8_t { load, store, update };

  void access(std::uint64_t address, kind what) {
    addresses_[count_] = address;
    kinds_[count_] = what;
    if (++count_ == addresses_.size()) carry_out();
  }
  /// Carries out the pending accesses in their order. Prefetches all of them first, so that the simulator waits for its
  /// own memory once per group.
  void carry_out() {
    for (std::size_t i = 0; i < count_; ++i) memory_.expect(core_, addresses_[i]);
    for (std::size_t i = 0; i < count_; ++i) {
      switch (kinds_[i]) {
        case kind::load:
          memory_.load(core_, addresses_[i]);
          break;
        case kind::store:
          memory_.store(core_, addresses_[i]);
          break;
        case kind::update:
          memory_.update(core_, addresses_[i]);
          break;
      }
    }
    count_ = 0;
  }

  simulated_search& of_;
  machine::simulation::engine& engine_;
  machine::simulation::caches& memory_;
  unsigned core_;
  double atomic_;
  double cycles_ = 0;
  std::size_t count_ = 0;  ///< number of pending accesses
  std::array<std::uint64_t, 64> addresses_;
  std::array<kind, 64> kinds_;
};

simulated_search::simulated_search(const graph::csr_graph<std::uint32_t>& g, nested_program& program,
                                   machine::simulation::caches& memory, std::stop_token stop)
    : graph_(g),
      program_(program),
      memory_(memory),
      stop_(std::move(stop)),
      per_instruction_(1 / program.engine().machine().ipc),
      offsets_(memory.allocate((g.vertices() + 1) * 8, {})),
      targets_(memory.allocate(g.arcs() * 4, {})),
      states_(program.threads()) {}

simulated_search::state& simulated_search::state_here() {
  state& s = states_[program_.thread()];
  if (s.levels != 0) return s;  // the arrays exist: address 0 belongs to the graph
  const machine::simulation::description& d = program_.engine().machine();
  const unsigned socket = d.socket_of(program_.engine().self());
  const std::uint64_t n = graph_.vertices();
  s.levels = memory_.allocate(n * 2, socket);
  s.paths = memory_.allocate(n * 4, socket);
  s.shares = memory_.allocate(n * 4, socket);
  s.scores = memory_.allocate(n * 4, socket);
  s.list = memory_.allocate(n * 4, socket);
  s.marks = memory_.allocate(graph_.arcs(), socket);
  s.alone = program_.threads_here() == 1;
  return s;
}

void simulated_search::run(const search_pattern& p) {
  const state& s = state_here();
  const auto& rows = graph_.out();
  const unsigned line = program_.engine().machine().line;
  const auto fill = [&](std::uint64_t array, std::uint64_t bytes) {
    program_.loop(0, (bytes + line - 1) / line, [&](std::uint64_t first, std::uint64_t last) {
      walk w(*this, s);
      for (; first < last; ++first) {
        w.store(array, first, line);
        w.instructions(fill_instructions);
        w.step();
      }
      w.settle();
    });
  };
  // Calls f(walk, vertex, index in the list) for the vertices of level d.
  const auto for_level = [&](std::size_t d, auto f) {
    const std::uint64_t begin = p.levels[d];
    program_.loop(0, p.levels[d + 1] - begin, [&, begin](std::uint64_t first, std::uint64_t last) {
      walk w(*this, s);
      for (std::uint64_t i = begin + first; i < begin + last; ++i) {
        w.load(s.list, i, 4);
        w.load_all(offsets_, p.order[i], 2, 8);
        w.instructions(vertex_instructions);
        f(w, p.order[i], i);
      }
      w.settle();
    });
  };
  const auto goes_down = [&](std::uint32_t v, std::uint32_t to) { return p.level[to] == p.level[v] + 1; };
  // Calls f(vertex) for the end of each marked arc of v. Requires that v's path count has been loaded.
  const auto follow_marks = [&](walk& w, std::uint32_t v, auto f) {
    const std::uint64_t row = rows.offsets[v];
    const auto ends = rows.row(v);
    w.load(s.paths, v, 4);
    w.load_all(s.marks, row, ends.size(), 1);
    for (std::uint64_t k = 0; k < ends.size(); ++k) {
      w.instructions(mark_instructions);
      w.step();
      if (!goes_down(v, ends[k])) continue;
      w.load(targets_, row + k, 4);
      w.load(s.paths, ends[k], 4);
      f(ends[k]);
    }
  };

  fill(s.levels, graph_.vertices() * 2);
  fill(s.paths, graph_.vertices() * 4);
  fill(s.marks, graph_.arcs());
  const std::size_t depth = p.levels.size() - 1;
  for (std::size_t d = 0; d < depth; ++d) {
    // Finds the next level, and marks the arcs that lead there.
    for_level(d, [&](walk& w, std::uint32_t v, std::uint64_t i) {
      const std::uint64_t row = rows.offsets[v];
      const auto ends = rows.row(v);
      w.load_all(targets_, row, ends.size(), 4);
      for (std::uint64_t k = 0; k < ends.size(); ++k) {
        const std::uint32_t to = ends[k];
        w.load(s.levels, to, 2);
        w.instructions(arc_instructions);
        w.step();
        if (!goes_down(v, to)) continue;
        w.store(s.marks, row + k, 1);
        if (p.place[to] < p.found[i] || p.place[to] >= p.found[i + 1]) continue;
        w.update(s.levels, to, 2);
        w.store(s.list, p.place[to], 4);
        w.instructions(found_instructions);
      }
    });
    // Adds a vertex's path count to those of its successors.
    for_level(d, [&](walk& w, std::uint32_t v, std::uint64_t) {
      follow_marks(w, v, [&](std::uint32_t to) {
        w.update(s.paths, to, 4);
        w.instructions(path_instructions);
      });
    });
  }
  for (std::size_t d = depth; d-- > 0;) {
    // Computes a vertex's dependency from its successors'.
    for_level(d, [&](walk& w, std::uint32_t v, std::uint64_t) {
      follow_marks(w, v, [&](std::uint32_t to) {
        w.load(s.shares, to, 4);
        w.instructions(share_instructions);
      });
      w.store(s.shares, v, 4);
      w.load(s.scores, v, 4);
      w.store(s.scores, v, 4);
    });
  }
}

}  // namespace callisto::lab
