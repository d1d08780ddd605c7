// A spreadsheet: a cell that changes makes the formulas that use it compute again, each of them once.
//
// The rank of a formula is its height: one more than the highest cell that it uses. So a formula never sees an old
// value beside a new one.
#include <callisto/domino.hpp>

#include <cstdint>
#include <cstdio>
#include <functional>

namespace domino = callisto::domino;

int main() {
  // Row 0 has numbers; cell i of row r is the sum of cells i and i + 1 of the row above, around the edge.
  constexpr std::uint64_t columns = 1'000;
  constexpr std::uint64_t rows = 11;
  domino::computation c;
  domino::cells<std::int64_t> sheet(c, rows * columns, 0);
  const auto right = [](std::uint64_t cell) { return cell % columns + 1 < columns ? cell + 1 : cell + 1 - columns; };
  const auto left = [](std::uint64_t cell) { return cell % columns != 0 ? cell - 1 : cell - 1 + columns; };

  auto& by_height = c.group(domino::strict);
  auto& formula = c.task(by_height, rows * columns, [&](domino::here& at, std::uint64_t cell) {
    const std::uint64_t above = cell - columns;
    sheet.set(at, cell, sheet.get(above) + sheet.get(right(above)));
  });
  const auto dependents = [&](std::uint64_t cell, const std::function<void(std::uint64_t)>& f) {
    if (cell + columns >= rows * columns) return;
    f(cell + columns);
    f(left(cell) + columns);
  };
  sheet.on_change(formula, domino::rank_of([](std::int64_t, std::uint64_t cell) { return cell / columns; }),
                  dependents);

  const auto last_row = [&] {
    std::int64_t sum = 0;
    for (std::uint64_t i = 0; i < columns; ++i) sum += sheet.get((rows - 1) * columns + i);
    return sum;
  };
  for (std::uint64_t i = 0; i < columns; ++i) sheet.set(c.outside(), i, 1);
  c.run();
  std::printf("all cells set: last row %lld, formulas computed %llu\n", static_cast<long long>(last_row()),
              static_cast<unsigned long long>(c.statistics().tasks));

  const std::uint64_t before = c.statistics().tasks;
  sheet.set(c.outside(), 500, 3);
  c.run();
  std::printf("one cell changed: last row %lld, formulas computed %llu\n", static_cast<long long>(last_row()),
              static_cast<unsigned long long>(c.statistics().tasks - before));
}
