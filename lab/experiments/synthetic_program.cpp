// Implements the programs, and computes what their results must be.
#include <lab/experiments/synthetic_program.hpp>

#include <callisto/callisto.hpp>
#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/construction/generate.hpp>
#include <callisto/graph/triggered/triggered.hpp>
#include <callisto/graph/verify/verify.hpp>
#include <callisto/machine/system/page_array.hpp>
#include <callisto/waiting/spin_lock.hpp>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <variant>
#include <vector>

namespace callisto::lab {
namespace {

using clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

// Work is steps of a linear congruential generator (Knuth, MMIX). Each step needs the one before and takes about 1.2
// ns. Many steps can be skipped at once, so a loop's expected result is known without the work.
constexpr std::uint64_t factor = 6364136223846793005u;
constexpr std::uint64_t increment = 1442695040888963407u;
constexpr std::uint64_t microsecond = 800;  ///< about this many steps

std::uint64_t work(std::uint64_t x, std::uint64_t steps) {
  for (std::uint64_t i = 0; i < steps; ++i) {
    x = x * factor + increment;
    asm volatile("" : "+r"(x));  // keeps the compiler from skipping steps
  }
  return x;
}

/// Returns what work() returns, without the work: a step is an affine map, which is squared repeatedly.
std::uint64_t skip(std::uint64_t x, std::uint64_t steps) {
  std::uint64_t a = factor;
  std::uint64_t c = increment;
  for (; steps != 0; steps >>= 1) {
    if (steps & 1) x = x * a + c;
    c *= a + 1;
    a *= a;
  }
  return x;
}

void require(bool right, const char* name) {
  if (!right) throw graph::wrong_result(std::string(name) + ": a loop has not done what it should");
}

std::uint64_t barriers(std::uint64_t amount) {
  constexpr std::size_t parts = 64;
  constexpr std::uint64_t steps = microsecond * 3 / 2;
  std::vector<std::uint64_t> from(parts);
  std::vector<std::uint64_t> to(parts);
  for (std::size_t i = 0; i < parts; ++i) from[i] = i;
  for (std::uint64_t phase = 0; phase < amount; ++phase) {
    // Reads the neighbour's value: a thread that begins before the others have ended their phase reads a wrong one.
    parallel_for(std::size_t{0}, parts, [&](std::size_t i) { to[i] = work(from[(i + 1) % parts], steps); });
    std::swap(from, to);
  }
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < parts; ++i) {
    require(from[i] == skip((i + amount) % parts, amount * steps), "barriers");
    sum += from[i];
  }
  return sum;
}

/// Returns the steps of iteration i of an uneven loop: one in 64 is sixteen times as long.
std::uint64_t steps_of(std::uint64_t i) {
  return microsecond + i % 7 * microsecond / 8 + (i % 64 == 0 ? 20 * microsecond : 0);
}

std::uint64_t dynamic(std::uint64_t amount) {
  constexpr std::uint64_t iterations = 2000;
  std::uint64_t expected = 0;
  for (std::uint64_t i = 0; i < iterations; ++i) expected += skip(i, steps_of(i));
  std::uint64_t sum = 0;
  for (std::uint64_t loop = 0; loop < amount; ++loop) {
    const std::uint64_t found = parallel_reduce(std::uint64_t{0}, iterations, std::uint64_t{0},
                                                [](std::uint64_t i) { return work(i, steps_of(i)); });
    require(found == expected, "dynamic");
    sum += found;
  }
  return sum;
}

/// Not inlined, so that the loop has one machine code, whether one thread or several run it. The place of a copy
/// changes its speed by a fifth (on Zen 5, if the loop crosses a cache line).
template <std::uint64_t Times>
[[gnu::noinline]] void add_times(std::uint64_t* to, const std::uint64_t* from, const std::uint64_t* what,
                                 std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) to[i] = from[i] + Times * what[i];
}

std::uint64_t memory(std::uint64_t amount) {
  constexpr std::size_t size = std::size_t{1} << 22;  // for three arrays of 32 MiB
  machine::page_array<std::uint64_t> a(size);
  machine::page_array<std::uint64_t> b(size);
  machine::page_array<std::uint64_t> c(size);
  parallel_for(std::size_t{0}, size, [&](std::size_t i) {
    b[i] = i;
    c[i] = 1;
  });
  for (std::uint64_t loop = 0; loop < amount; ++loop) {
    parallel_for(std::size_t{0}, size,
                 [&](std::size_t first, std::size_t last) { add_times<3>(a.data(), b.data(), c.data(), first, last); });
    parallel_for(std::size_t{0}, size, [&](std::size_t first, std::size_t last) {
      add_times<static_cast<std::uint64_t>(-2)>(b.data(), a.data(), c.data(), first, last);
    });
  }
  const std::uint64_t sum =
      parallel_reduce(std::size_t{0}, size, std::uint64_t{0}, [&](std::size_t i) { return b[i]; });
  require(sum == size * (size - 1) / 2 + size * amount, "memory");
  return sum;
}

/// Runs a loop with about `microseconds` of work.
std::uint64_t parallel_work(std::uint64_t microseconds) {
  constexpr std::uint64_t steps = 20 * microsecond;
  const std::uint64_t iterations = microseconds / 20;
  const std::uint64_t sum =
      parallel_reduce(std::uint64_t{0}, iterations, std::uint64_t{0}, [](std::uint64_t i) { return work(i, steps); });
  std::uint64_t expected = 0;
  for (std::uint64_t i = 0; i < iterations; ++i) expected += skip(i, steps);
  require(sum == expected, "a loop");
  return sum;
}

std::uint64_t bursty(std::uint64_t amount) {
  std::uint64_t sum = 0;
  for (std::uint64_t burst = 0; burst < amount; ++burst)
    sum += work(burst, 40'000 * microsecond) + parallel_work(40'000);
  return sum;
}

std::uint64_t loading(std::uint64_t amount) {
  std::uint64_t sum = 0;
  for (std::uint64_t burst = 0; burst < amount; ++burst) {
    std::this_thread::sleep_for(150ms);
    sum += parallel_work(150'000);
  }
  return sum;
}

/// Like loading() with the waiting last: while one of the two waits, the other works.
std::uint64_t storing(std::uint64_t amount) {
  std::uint64_t sum = 0;
  for (std::uint64_t burst = 0; burst < amount; ++burst) {
    sum += parallel_work(150'000);
    std::this_thread::sleep_for(150ms);
  }
  return sum;
}

std::uint64_t spinlock(std::uint64_t amount) {
  constexpr std::uint64_t iterations = 2000;
  waiting::spin_lock<machine::native> lock;
  std::uint64_t shared = 0;
  std::uint64_t outside = 0;
  for (std::uint64_t loop = 0; loop < amount; ++loop) {
    outside += parallel_reduce(std::uint64_t{0}, iterations, std::uint64_t{0}, [&](std::uint64_t i) {
      const std::uint64_t mine = work(i, 3 * microsecond);
      const std::scoped_lock held(lock);
      shared = work(shared, microsecond);
      return mine;
    });
  }
  std::uint64_t expected = 0;
  for (std::uint64_t i = 0; i < iterations; ++i) expected += skip(i, 3 * microsecond);
  require(shared == skip(0, amount * iterations * microsecond) && outside == amount * expected, "spinlock");
  return shared + outside;
}

/// The paper's dom_bc (EuroSys 2014, section 4) from `sources` vertices of the Kronecker graph of scale 14.
std::uint64_t dom_bc(std::uint64_t sources) {
  graph::kronecker_options shape;
  shape.scale = 14;
  const graph::any_graph any = graph::build_graph(graph::generate_kronecker(shape), {.undirected = true});
  return std::visit(
      [&](const auto& g) {
        std::vector<std::uint64_t> from(sources);
        // The shares of the shortest paths from s to t that lead through other vertices add up to their arcs less one.
        std::uint64_t expected = 0;
        for (std::uint64_t i = 0; i < sources; ++i) {
          from[i] = i * 7919 % g.vertices();
          if (i >= g.vertices()) continue;
          for (const std::uint32_t d : graph::triggered::bfs(g, from[i])) {
            if (d != 0 && d != graph::triggered::unreached_level) expected += d - 1;
          }
        }
        double sum = 0;
        for (const double of_vertex : graph::triggered::dependencies(g, from)) sum += of_vertex;
        const auto found = static_cast<std::uint64_t>(std::llround(sum));
        require(sources > g.vertices() || found == expected, "dom_bc");
        return found;
      },
      any);
}

}  // namespace

std::span<const synthetic_program> synthetic_programs() {
  static constexpr synthetic_program all[] = {
      {"barriers", "a barrier after every 100 us of work", 1000},
      {"dynamic", "loops of unequal iterations", 25},
      {"memory", "arrays that no cache holds", 10},
      {"bursty", "half of the time sequential, in sections of 40 ms", 2},
      {"loading", "half of the time waiting, for 150 ms, first of all", 1},
      {"storing", "half of the time waiting, for 150 ms, last of all", 1},
      {"spinlock", "a quarter of the work under a spin lock", 12},
      {"dom_bc", "betweenness by tasks that writes trigger", 2},
  };
  return all;
}

std::uint64_t run_synthetic(const char* name, std::uint64_t amount) {
  // Becomes a job at once, like the paper's programs: some work for long before their first loop.
  static_cast<void>(threads());
  const std::string_view which = name;
  if (which == "barriers") return barriers(amount);
  if (which == "dynamic") return dynamic(amount);
  if (which == "memory") return memory(amount);
  if (which == "bursty") return bursty(amount);
  if (which == "loading") return loading(amount);
  if (which == "storing") return storing(amount);
  if (which == "spinlock") return spinlock(amount);
  if (which == "dom_bc") return dom_bc(amount);
  throw usage_error("bench program: there is none of this name");
}

void run_background(unsigned duty) {
  constexpr auto window = 100ms;
  for (auto begin = clock::now();; begin += window) {
    const auto end = begin + window * duty / 100;
    while (clock::now() < end) {
      parallel_for(0u, 8 * threads(), [end](unsigned i) {
        if (clock::now() < end) static_cast<void>(work(i, 100 * microsecond));
      });
    }
    std::this_thread::sleep_until(begin + window);
    // If the program was kept from running for long, it does not make up for that.
    if (clock::now() > begin + 2 * window) begin = clock::now() - window;
  }
}

}  // namespace callisto::lab
