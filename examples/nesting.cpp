// Nested loops: an outer loop over rows, and inside its body a loop over the columns of the row.
//
// The level counts the loops inside: outer_parallel_for(1, ...) encloses one level of parallel loops. Its body runs on
// one thread of each core. The inner loop runs on the threads of that core, and only these meet at its end.
// CALLISTO_LEVELS, or set_levels(), gives a level to another part of the machine, such as a socket.
#include <callisto/callisto.hpp>

#include <cstdio>
#include <vector>

int main() {
  constexpr std::size_t rows = 200;
  constexpr std::size_t columns = 3'000;
  std::vector<double> sums(rows);

  callisto::outer_parallel_for(1, 0, rows, [&](std::size_t row) {
    std::vector<double> values(columns);
    callisto::parallel_for(0, columns, [&](std::size_t c) { values[c] = double(row) + double(c); });
    sums[row] = callisto::parallel_reduce(0, columns, 0.0, [&](std::size_t c) { return values[c]; });
  });
  std::printf("row 0: %.0f, row 199: %.0f\n", sums[0], sums[199]);

  // A loop inside of a parallel_for runs, as a rule, on the thread that meets it, alone.
  std::vector<double> inner_sums(8);
  callisto::parallel_for(0, inner_sums.size(), [&](std::size_t i) {
    inner_sums[i] = callisto::parallel_reduce(0, 100, 0.0, [](int k) { return double(k); });
  });
  std::printf("inner sums: %.0f to %.0f\n", inner_sums.front(), inner_sums.back());
}
