// UTS-Mem (Grappa, section 6): a tree of UTS in global memory, traversed without knowledge of its shape.
//
// The tree is made first, by tasks of all ranks; this is not timed. Vertices lie in blocks of 64 bytes that are dealt
// to the ranks, as in the paper's global heap. The traversal reads each vertex to find its children, and visits these
// by tasks of the ranks that have them. Use: uts_mem [T1|T3] [RUNS]
#include "program.hpp"
#include "uts_tree.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <string_view>

namespace {

using namespace callisto;

/// A vertex knows its children, which stand behind each other.
struct alignas(8) vertex {
  std::uint32_t first_child;
  std::uint32_t children;
};

/// The numbers of vertices that a rank may give to children. A rank takes many at once from rank 0.
struct numbers {
  std::uint32_t next = 0;
  std::uint32_t end = 0;
  bool is_asking = false;  ///< a task of this rank waits for rank 0's answer
};
constexpr std::uint32_t numbers_at_once = 8192;
constexpr std::uint32_t ask = ~0U;
constexpr std::uint32_t wait = ~1U;

/// Vertices of a block, which one rank has. Siblings share a block if they fit.
constexpr std::uint32_t block = 8;

/// Returns the first of `n` numbers that follow each other.
std::uint32_t take_numbers(global::array<numbers> own, std::uint32_t n, global::global_address<std::uint32_t> counter) {
  for (;;) {
    const std::uint32_t got = global::call(own[0], [n](numbers& mine) {
      if (n <= block && mine.next % block + n > block) mine.next += block - mine.next % block;
      if (mine.next + n <= mine.end) return std::exchange(mine.next, mine.next + n);
      return std::exchange(mine.is_asking, true) ? wait : ask;
    });
    if (got == wait) {
      global::yield();
    } else if (got == ask) {
      const std::uint32_t first = global::fetch_add(counter, numbers_at_once);
      global::call(own[0], [first](numbers& mine) { mine = {first, first + numbers_at_once}; });
    } else {
      return got;
    }
  }
}

/// Makes the vertex `number` and everything below it.
struct maker {
  global::array<vertex> vertices;
  global::array<numbers> own;
  global::global_address<std::uint32_t> counter;
  lab::uts_state state;
  std::uint32_t number;
  std::uint32_t height;
  bool is_binomial;

  void operator()() const {
    const lab::uts_tree tree = is_binomial ? lab::uts_tree::t3() : lab::uts_tree::t1();
    const std::uint32_t n = tree.children(state, height);
    const std::uint32_t first = n == 0 ? 0 : take_numbers(own, n, counter);
    global::post_write(vertices[number], vertex{first, n});
    for (std::uint32_t child = 0; child < n; ++child) {
      global::spawn_public(
          maker{vertices, own, counter, lab::uts_tree::child(state, child), first + child, height + 1, is_binomial});
    }
  }
};

/// A counter of each core, on a line of its own: cores of a rank would wait for each other's.
constexpr std::uint64_t most_cores = 1024;
constexpr std::uint64_t counters_of_core = 8;
global::array<std::uint64_t> make_counters() {
  return global::make_array<std::uint64_t>(most_cores * counters_of_core, global::symmetric);
}
std::uint64_t counter_here() { return global::this_core().number() % most_cores * counters_of_core; }

/// Visits vertices at their rank: counts them, and spawns visits of their children at the ranks that have these.
struct visitor {
  global::array<vertex> vertices;
  global::array<std::uint64_t> visited;

  void operator()(std::span<vertex> here) const {
    global::post_add(visited[counter_here()], std::uint64_t{here.size()});
    for (const vertex v : here) {
      if (v.children != 0) global::spawn_where(vertices, v.first_child, v.first_child + v.children, *this);
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "T1";
  const int runs = argc > 2 ? std::atoi(argv[2]) : 5;
  if ((name != "T1" && name != "T3") || runs < 1 || argc > 3) {
    std::fprintf(stderr, "uts_mem: expected T1 or T3, and a number of runs of at least 1\n");
    return 2;
  }
  global::session s(argc, argv);
  const lab::uts_tree tree = name == "T1" ? lab::uts_tree::t1() : lab::uts_tree::t3();

  // Room for what ranks take and do not use.
  const std::uint64_t room = tree.vertices + tree.vertices / 2 + std::uint64_t{4 * numbers_at_once} * 64;
  auto vertices = global::make_array<vertex>(room, global::cyclic(block));
  auto own = global::make_array<numbers>(1, global::symmetric);
  auto counter = global::make_array<std::uint32_t>(1);  // of rank 0
  auto visited = make_counters();
  if (s.rank() == 0) counter.local()[0] = block;  // the root has number 0
  s.run_phase([&] {
    if (s.rank() == 0) {
      global::spawn_public(maker{vertices, own, counter[0], tree.root(), 0, 0, tree.is_binomial});
    }
  });

  std::vector<double> seconds;
  bool right = true;
  for (int run = 0; run < runs; ++run) {
    std::ranges::fill(visited.local(), 0);
    seconds.push_back(lab::timed([&] {
      s.run_phase([&] {
        if (s.rank() == 0) global::spawn_where(vertices, 0, 1, visitor{vertices, visited});
      });
    }));
    const auto mine = std::reduce(visited.local().begin(), visited.local().end());
    right = right && global::reduce_all(mine) == tree.vertices;
  }
  return lab::report("uts_mem", std::string(name), "vertices", tree.vertices, seconds, right);
}
