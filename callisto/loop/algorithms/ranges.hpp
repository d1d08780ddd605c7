// Loops over more than numbers and arrays: steps, rectangles, forward ranges.
#pragma once

#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <ranges>
#include <source_location>
#include <type_traits>
#include <utility>
#include <vector>

namespace callisto {

/// Returns the range first, first + step, ... of the numbers below `last`, for a loop over it. Throws usage_error if
/// `step` is not above 0, and if a bound does not fit the type that both have in common.
template <loop::index A, loop::index B, loop::index C>
auto stepped(A first, B last, C step) {
  using common = std::common_type_t<A, B>;
  const common begin = loop::bound<A, B>(first);
  if (!(step > 0)) machine::throw_usage_error("stepped: expected a step above 0");
  const auto by = static_cast<std::uint64_t>(step);
  const std::uint64_t n = loop::distance(begin, loop::bound<A, B>(last));
  return std::views::iota(std::uint64_t{0}, n / by + (n % by != 0 ? 1 : 0)) |
         std::views::transform([begin, by](std::uint64_t k) { return loop::advance(begin, k * by); });
}

/// A rectangle of indices that is handed out in tiles.
struct rectangle {
  std::size_t rows;
  std::size_t columns;
  // None: 64, or fewer if there were less than a thousand tiles.
  std::optional<std::size_t> tile_rows = std::nullopt;
  std::optional<std::size_t> tile_columns = std::nullopt;
};

/// Calls f(row, column) for every place of a rectangle, or f(row, rows_end, column, columns_end) for each tile. Tiles
/// go row by row of tiles, so that neighbours run at about the same time. Errors, result and `where` as parallel_for;
/// usage_error if a tile is empty, or if there are more than 2^64 - 1 tiles of the size that was asked for.
template <class F>
  requires std::invocable<F&, std::size_t, std::size_t> ||
           std::invocable<F&, std::size_t, std::size_t, std::size_t, std::size_t>
bool parallel_for(const rectangle& over, F&& f, const loop_options& options = {},
                  std::source_location where = std::source_location::current()) {
  if (over.tile_rows == 0 || over.tile_columns == 0) {
    machine::throw_usage_error("parallel_for: a rectangle with tiles of 0 rows or columns");
  }
  const auto tiles = [](std::size_t n, std::size_t by) { return n / by + (n % by != 0 ? 1 : 0); };
  std::size_t tall = over.tile_rows.value_or(64);
  std::size_t wide = over.tile_columns.value_or(64);
  const auto few = [&] {
    return tiles(over.rows, tall) < 1 + 1024 / std::max<std::size_t>(1, tiles(over.columns, wide));
  };
  while (!over.tile_rows && tall > 1 && few()) tall /= 2;
  while (!over.tile_columns && wide > 1 && few()) wide /= 2;
  const auto too_many = [&] {
    const std::size_t across = tiles(over.columns, wide);
    return across != 0 && tiles(over.rows, tall) > std::numeric_limits<std::size_t>::max() / across;
  };
  while (!over.tile_rows && too_many() && tall < over.rows / 2) tall *= 2;
  while (!over.tile_columns && too_many() && wide < over.columns / 2) wide *= 2;
  if (too_many()) {
    machine::throw_usage_error("parallel_for: a rectangle of more than 2^64 - 1 tiles; expected larger tiles");
  }
  const std::size_t across = tiles(over.columns, wide);
  if (over.rows != 0 && over.columns != 0) {
    constexpr std::size_t by_tile = std::invocable<F&, std::size_t, std::size_t, std::size_t, std::size_t> ? 1 : 0;
    const auto last_of = [](std::size_t n) { return n - (by_tile ? 0 : 1); };
    loop::require_fitting_parameter<F, 0>(std::size_t{0}, last_of(over.rows));
    loop::require_fitting_parameter<F, by_tile>(std::size_t{0}, last_of(over.rows));
    loop::require_fitting_parameter<F, 1 + by_tile>(std::size_t{0}, last_of(over.columns));
    loop::require_fitting_parameter<F, 1 + 2 * by_tile>(std::size_t{0}, last_of(over.columns));
  }
  return parallel_for(
      std::size_t{0}, tiles(over.rows, tall) * across,
      [&](std::size_t tile) {
        const std::size_t row = tile / across * tall;
        const std::size_t column = tile % across * wide;
        const std::size_t rows_end = row + std::min(tall, over.rows - row);
        const std::size_t columns_end = column + std::min(wide, over.columns - column);
        if constexpr (std::invocable<F&, std::size_t, std::size_t, std::size_t, std::size_t>) {
          std::invoke(f, row, rows_end, column, columns_end);
        } else {
          for (std::size_t r = row; r < rows_end; ++r) {
            for (std::size_t c = column; c < columns_end; ++c) std::invoke(f, r, c);
          }
        }
      },
      options, where);
}

/// Calls f(element) for every element of a range that can only be walked, such as a list, a set or a map. The calling
/// thread walks it once and notes where each stretch begins (one iterator for each 64 elements, in a short range for
/// fewer); then the threads take stretches. Pays where f takes longer than a step of the walk. The rest as
/// parallel_for.
template <std::ranges::forward_range Range, class F>
  requires(!std::ranges::random_access_range<Range>) && std::invocable<F&, std::ranges::range_reference_t<Range>>
bool parallel_for(Range&& range, F&& f, const loop_options& options = {},
                  std::source_location where = std::source_location::current()) {
  constexpr std::size_t enough = 2048;  // a few elements may take long
  std::size_t stretch = 1;
  std::vector<std::ranges::iterator_t<Range>> begins;
  std::size_t n = 0;
  const auto end = std::ranges::end(range);
  auto at = std::ranges::begin(range);
  for (; at != end; ++at, ++n) {
    if (n % stretch != 0) continue;
    if (begins.size() == enough && stretch < 64) {
      for (std::size_t i = 0; i < enough / 2; ++i) begins[i] = begins[2 * i];
      begins.resize(enough / 2);
      stretch *= 2;
    }
    begins.push_back(at);
  }
  return parallel_for(
      std::size_t{0}, begins.size(),
      [&](std::size_t i) {
        auto here = begins[i];
        const std::size_t count = std::min(stretch, n - i * stretch);
        for (std::size_t k = 0; k < count; ++k, ++here) std::invoke(f, *here);
      },
      options, where);
}

}  // namespace callisto
