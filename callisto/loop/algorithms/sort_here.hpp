// Sorting on the calling thread, where loops are not to be: in ranks, which have no threads of loops unless they ask.
#pragma once

#include <callisto/loop/algorithms/plain_order.hpp>
#include <callisto/loop/algorithms/sort_alone.hpp>

#include <cstddef>
#include <functional>
#include <type_traits>

namespace callisto::loop {

/// Sorts n elements by `less` of what `projection` returns for them, and keeps the order of equal ones: by bits, as
/// stable_sort(), if keys are plain. Starts no threads and no loop. Throws std::bad_alloc.
template <class T, class Less = std::less<>, class Projection = std::identity>
void stable_sort_here(T* first, std::size_t n, const Less& less = {}, const Projection& projection = {}) {
  // Bare real numbers: a stable sort tells -0.0 from 0.0 by their places.
  if constexpr (sorts_plainly<T, Less, Projection>() && !std::is_floating_point_v<T>) {
    if (n > 1) sort_plain_here(first, n, plain_order_of<Less>(*first, projection));
  } else {
    const auto by_key = [&](const T& a, const T& b) {
      return static_cast<bool>(std::invoke(less, std::invoke(projection, a), std::invoke(projection, b)));
    };
    sort_alone<true>(first, first + n, by_key);
  }
}

}  // namespace callisto::loop
