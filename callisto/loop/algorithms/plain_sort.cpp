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

/// True if the elements were in order, or the other way round. They are in order then.
template <class Keys>
bool puts_ordered(typename Keys::element* data, std::uint64_t n, const Keys& keys, const std::source_location& where) {
  const auto key = [&](std::uint64_t i) { return keys.key(keys.begin(data[i])); };
  if (all_in_order(n, [&](std::uint64_t i) { return key(i - 1) <= key(i); }, where)) return true;
  if (!all_in_order(n, [&](std::uint64_t i) { return key(i) < key(i - 1); }, where)) return false;
  static_cast<void>(
      parallel_for(std::uint64_t{0}, n / 2, [&](std::uint64_t i) { std::swap(data[i], data[n - 1 - i]); }, {}, where));
  return true;
}

template <class Keys>
void sort_elements(void* first, std::uint64_t n, const plain_order& order, const std::source_location& where) {
  using element = typename Keys::element;
  auto* const data = static_cast<element*>(first);
  const Keys keys(order);
  constexpr std::size_t few_bytes = 2048;
  if (n <= few_bytes / sizeof(element)) {
    std::array<element, few_bytes / sizeof(element)> room;
    return plain_sorter<Keys>(keys, 1, where).sort_few(data, room.data(), n);
  }
  const unsigned threads = n < plain_sorter<Keys>::worth_while ? 1 : workers::loop_team_here().where.threads();
  if (puts_ordered(data, n, keys, where)) return;
  const raw_elements<element> room(n);
  const plain_sorter<Keys> sorter(keys, threads, where);
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

}  // namespace

void sort_plain(void* first, std::uint64_t n, const plain_order& order, const std::source_location& where) {
  if (order.element_bytes == order.key_bytes) {
    switch (order.key_bytes) {
      case 1:
        return sort_elements<bare_keys<std::uint8_t>>(first, n, order, where);
      case 2:
        return sort_elements<bare_keys<std::uint16_t>>(first, n, order, where);
      case 4:
        sort_elements<bare_keys<std::uint32_t>>(first, n, order, where);
        if (order.kind == plain_kind::real) bring_nans_behind<float>(first, n);
        return;
      default:
        sort_elements<bare_keys<std::uint64_t>>(first, n, order, where);
        if (order.kind == plain_kind::real) bring_nans_behind<double>(first, n);
        return;
    }
  }
  switch (order.element_bytes) {
    case 8:
      return sort_elements<keyed_records<8>>(first, n, order, where);
    case 16:
      return sort_elements<keyed_records<16>>(first, n, order, where);
    case 24:
      return sort_elements<keyed_records<24>>(first, n, order, where);
    default:
      return sort_elements<keyed_records<32>>(first, n, order, where);
  }
}

}  // namespace callisto::loop
