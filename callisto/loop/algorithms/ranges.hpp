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
#include <optional>
#include <ranges>
#include <source_location>
#include <type_traits>
#include <utility>
#include <vector>

namespace callisto {

/// Returns the range first, first + step, ... of the numbers below `last`, for a loop over it. Throws usage_error if
/// `step` is not above 0.
template <loop::index I>
auto stepped(I first, std::type_identity_t<I> last, std::type_identity_t<I> step) {
  if (!(step > 0)) machine::throw_usage_error("stepped: expected a step above 0");
  const auto by = static_cast<std::uint64_t>(step);
  const std::uint64_t n = loop::distance(first, last);
  return std::views::iota(std::uint64_t{0}, n / by + (n % by != 0 ? 1 : 0)) |
         std::views::transform([first, by](std::uint64_t k) { return loop::advance(first, k * by); });
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
/// usage_error if a tile is empty.
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
  const std::size_t across = tiles(over.columns, wide);
  return parallel_for(
      std::size_t{0}, tiles(over.rows, tall) * across,
      [&](std::size_t tile) {
        const std::size_t row = tile / across * tall;
        const std::size_t column = tile % across * wide;
        const std::size_t rows_end = std::min(over.rows, row + tall);
        const std::size_t columns_end = std::min(over.columns, column + wide);
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
