#include <callisto/loop/algorithms/in_order.hpp>
#include <callisto/loop/algorithms/plain_order.hpp>
#include <callisto/loop/algorithms/plain_sort.hpp>
#include <callisto/loop/algorithms/sort_alone.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace callisto::loop {

namespace {

/// Whether a sort may use loops, and under which name these are in statistics.
struct helpers {
  bool none;
  std::source_location where;
};

/// True if in_order(i) for each i of [1, n).
template <class F>
bool all_ordered(std::uint64_t n, const F& in_order, const helpers& with) {
  if (!with.none) return all_in_order(n, in_order, with.where);
  for (std::uint64_t i = 1; i < n; ++i) {
    if (!in_order(i)) return false;
  }
  return true;
}

/// True if the elements were in order, or the other way round. They are in order then.
template <class Keys>
bool puts_ordered(typename Keys::element* data, std::uint64_t n, const Keys& keys, const helpers& with) {
  const auto key = [&](std::uint64_t i) { return keys.key(keys.begin(data[i])); };
  if (all_ordered(n, [&](std::uint64_t i) { return key(i - 1) <= key(i); }, with)) return true;
  if (!all_ordered(n, [&](std::uint64_t i) { return key(i) < key(i - 1); }, with)) return false;
  if (with.none) {
    std::reverse(data, data + n);
  } else {
    static_cast<void>(parallel_for(
        std::uint64_t{0}, n / 2, [&](std::uint64_t i) { std::swap(data[i], data[n - 1 - i]); }, {}, with.where));
  }
  return true;
}

template <class Keys>
void sort_elements(void* first, std::uint64_t n, const plain_order& order, const helpers& with) {
  using element = typename Keys::element;
  auto* const data = static_cast<element*>(first);
  const Keys keys(order);
  constexpr std::size_t few_bytes = 2048;
  if (n <= few_bytes / sizeof(element)) {
    std::array<element, few_bytes / sizeof(element)> room;
    return plain_sorter<Keys>(keys, 1, with.where).sort_few(data, room.data(), n);
  }
  const bool alone = with.none || n < plain_sorter<Keys>::worth_while;
  const unsigned threads = alone ? 1 : workers::loop_team_here().where.threads();
  if (puts_ordered(data, n, keys, with)) return;
  const raw_elements<element> room(n);
  const plain_sorter<Keys> sorter(keys, threads, with.where);
  if (n < plain_sorter<Keys>::worth_while) return sorter.sort_few(data, room.data(), n);
  sorter.sort(data, room.data(), n);
}

/// Moves NaNs, which the bits of some bring to the front, to the end.
template <class Real>
void bring_nans_behind(void* first, std::uint64_t n) {
  auto* const data = static_cast<Real*>(first);
  if (n == 0 || !std::isnan(data[0])) return;
  Real* const end = std::find_if(data, data + n, [](Real x) { return !std::isnan(x); });
  std::rotate(data, end, data + n);
}

void sort_by_size(void* first, std::uint64_t n, const plain_order& order, const helpers& with) {
  if (order.element_bytes == order.key_bytes) {
    switch (order.key_bytes) {
      case 1:
        return sort_elements<bare_keys<std::uint8_t>>(first, n, order, with);
      case 2:
        return sort_elements<bare_keys<std::uint16_t>>(first, n, order, with);
      case 4:
        sort_elements<bare_keys<std::uint32_t>>(first, n, order, with);
        if (order.kind == plain_kind::real) bring_nans_behind<float>(first, n);
        return;
      default:
        sort_elements<bare_keys<std::uint64_t>>(first, n, order, with);
        if (order.kind == plain_kind::real) bring_nans_behind<double>(first, n);
        return;
    }
  }
  switch (order.element_bytes) {
    case 8:
      return sort_elements<keyed_records<8>>(first, n, order, with);
    case 16:
      return sort_elements<keyed_records<16>>(first, n, order, with);
    case 24:
      return sort_elements<keyed_records<24>>(first, n, order, with);
    default:
      return sort_elements<keyed_records<32>>(first, n, order, with);
  }
}

}  // namespace

void sort_plain(void* first, std::uint64_t n, const plain_order& order, const std::source_location& where) {
  sort_by_size(first, n, order, {false, where});
}

void sort_plain_here(void* first, std::uint64_t n, const plain_order& order) {
  sort_by_size(first, n, order, {true, std::source_location::current()});
}

}  // namespace callisto::loop
