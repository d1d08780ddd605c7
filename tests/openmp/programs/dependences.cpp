// Loops with cross-iteration dependences (doacross), with every schedule, one and two loops deep, up and down.
// Iterations find what their predecessors left, as if they ran one after the other.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <omp.h>
#include <sys/resource.h>

#include "check.hpp"

namespace {

/// Changes if the order differs or a term is missing.
std::uint64_t next(std::uint64_t before, std::uint64_t i) { return before * 6364136223846793005U + i + 1; }

/// Three chains side by side.
void chains(long count, const char* what) {
  std::vector<std::uint64_t> values(static_cast<std::size_t>(count + 3), 7);
  std::vector<std::uint64_t> expected = values;
  for (long i = 3; i < count + 3; ++i) expected[i] = next(expected[i - 3], i);
#pragma omp parallel for ordered(1) schedule(runtime)
  for (long i = 3; i < count + 3; ++i) {
#pragma omp ordered depend(sink : i - 3)
    values[i] = next(values[i - 3], i);
#pragma omp ordered depend(source)
  }
  check(values == expected, what);
}

void chain_down(long count, const char* what) {
  std::vector<std::uint64_t> values(static_cast<std::size_t>(count + 1), 7);
  std::vector<std::uint64_t> expected = values;
  for (long n = 1; n <= count; ++n) expected[n] = next(expected[n - 1], n);
#pragma omp parallel for ordered(1) schedule(runtime)
  for (long i = 0; i > -3 * count; i -= 3) {
    const long n = -i / 3 + 1;
#pragma omp ordered depend(sink : i + 3)
    values[n] = next(values[n - 1], n);
#pragma omp ordered depend(source)
  }
  check(values == expected, what);
}

/// Bounds near the largest numbers.
void chain_unsigned(unsigned long count, const char* what) {
  std::vector<std::uint64_t> values(count + 1, 7);
  std::vector<std::uint64_t> expected = values;
  for (unsigned long n = 1; n <= count; ++n) expected[n] = next(expected[n - 1], n);
  const unsigned long first = ~0UL - 2 * count - 2;
#pragma omp parallel for ordered(1) schedule(runtime)
  for (unsigned long i = first; i < first + 2 * count; i += 2) {
    const unsigned long n = (i - first) / 2 + 1;
#pragma omp ordered depend(sink : i - 2)
    values[n] = next(values[n - 1], n);
#pragma omp ordered depend(source)
  }
  check(values == expected, what);
}

/// A wavefront: each iteration depends on those above, to the left, and both.
void wavefront(int rows, int columns, const char* what) {
  const auto width = static_cast<std::size_t>(columns) + 1;
  std::vector<std::uint64_t> values((rows + 1) * width, 7);
  const auto one = [width](std::vector<std::uint64_t>& of, int i, int j) {
    std::uint64_t* const at = &of[i * width + j];
    *at = next(at[-1], i) + next(at[-static_cast<std::ptrdiff_t>(width)], j) +
          at[-static_cast<std::ptrdiff_t>(width) - 1];
  };
  std::vector<std::uint64_t> expected = values;
  for (int i = 1; i <= rows; ++i)
    for (int j = 1; j <= columns; ++j) one(expected, i, j);
#pragma omp parallel for ordered(2) schedule(runtime)
  for (int i = 1; i <= rows; ++i) {
    for (int j = 1; j <= columns; ++j) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1) depend(sink : i - 1, j - 1)
      one(values, i, j);
#pragma omp ordered depend(source)
    }
  }
  check(values == expected, what);
}

long largest_kib() {
  rusage used;
  getrusage(RUSAGE_SELF, &used);
  return used.ru_maxrss;
}

void long_loop() {
  const long before = largest_kib();
  std::uint64_t value = 7;
#pragma omp parallel for ordered(1) schedule(static)
  for (long i = 0; i < 5'000'000; ++i) {
#pragma omp ordered depend(sink : i - 1)
    value = value * 3 + 1;
#pragma omp ordered depend(source)
  }
  std::uint64_t expected = 7;
  for (long i = 0; i < 5'000'000; ++i) expected = expected * 3 + 1;
  check(value == expected, "a long loop");
  check(largest_kib() - before < 20'000, "memory for a long loop does not grow with its iterations");
}

}  // namespace

int main(int count, char** arguments) {
  omp_set_num_threads(count > 1 ? std::atoi(arguments[1]) : 4);
  struct {
    omp_sched_t kind;
    int chunk;
    const char* name;
  } const schedules[] = {{omp_sched_static, 0, "static"},     {omp_sched_static, 1, "static,1"},
                         {omp_sched_static, 7, "static,7"},   {omp_sched_dynamic, 1, "dynamic"},
                         {omp_sched_dynamic, 5, "dynamic,5"}, {omp_sched_guided, 1, "guided"},
                         {omp_sched_guided, 4, "guided,4"}};
  for (const auto& schedule : schedules) {
    omp_set_schedule(schedule.kind, schedule.chunk);
    for (const long iterations : {0L, 1L, 3L, 500L}) {
      chains(iterations, schedule.name);
      chain_down(iterations, schedule.name);
      chain_unsigned(static_cast<unsigned long>(iterations), schedule.name);
    }
    wavefront(37, 23, schedule.name);
    wavefront(3, 200, schedule.name);
  }
  long_loop();
  return verdict();
}
