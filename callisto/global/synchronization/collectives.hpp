// Operations that all ranks call together, from main: reductions, gathering, broadcast, barrier.
//
// Ranks form a binary tree with rank 0 on top. Values go up to rank 0, each rank adding its own, and the result comes
// down again: 2 log2(ranks) messages in sequence. Ranks call the same operations in the same order: one that does not,
// and one that has left main, ends the job with one line.
#pragma once

#include <callisto/export.hpp>
#include <callisto/global/memory/answer.hpp>
#include <callisto/global/messages/wire.hpp>
#include <callisto/global/transport/here.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <functional>
#include <source_location>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace callisto::global {

namespace detail {

/// Adds the bytes of a child's value to those of the own.
using combine_bytes = std::function<void(std::span<std::byte> own, std::span<const std::byte> other)>;
/// Replaces `value` by what all ranks' values combine to, in every rank. At most most_payload bytes.
CALLISTO_API void reduce_bytes(std::span<std::byte> value, const combine_bytes& combine,
                               const std::source_location& where);

}  // namespace detail

/// Replaces each element by what all ranks' elements at its place combine to: op(a, b) is associative. All ranks give
/// the same number of elements and get the same bits. Called by main of all ranks. Throws usage_error elsewhere.
template <class T, class Op>
  requires std::is_trivially_copyable_v<T>
void reduce_all(std::span<T> values, Op op, std::source_location where = std::source_location::current()) {
  if (here().ranks == 1) return;
  constexpr std::size_t most = std::max<std::size_t>(1, most_payload / sizeof(T));
  static_assert(sizeof(T) <= most_payload);
  for (std::size_t from = 0; from < values.size(); from += most) {
    const std::span<T> part = values.subspan(from, std::min(most, values.size() - from));
    detail::reduce_bytes(
        std::as_writable_bytes(part),
        [&op](std::span<std::byte> own, std::span<const std::byte> other) {
          for (std::size_t at = 0; at < own.size(); at += sizeof(T)) {
            std::array<std::byte, sizeof(T)> a;
            std::array<std::byte, sizeof(T)> b;
            std::memcpy(a.data(), own.data() + at, sizeof(T));
            std::memcpy(b.data(), other.data() + at, sizeof(T));
            const T both = op(std::bit_cast<T>(a), std::bit_cast<T>(b));
            std::memcpy(own.data() + at, &both, sizeof(T));
          }
        },
        where);
  }
}

/// Returns what all ranks' values combine to.
template <class T, class Op = std::plus<>>
  requires std::is_trivially_copyable_v<T>
T reduce_all(T value, Op op = {}, std::source_location where = std::source_location::current()) {
  reduce_all(std::span<T>(&value, 1), op, where);
  return value;
}

/// Returns once all ranks have called it. Operations that ended before the call, at any rank, have happened then.
inline void barrier(std::source_location where = std::source_location::current()) {
  reduce_all(std::byte{0}, [](std::byte a, std::byte) { return a; }, where);
}

/// Returns every rank's value, by rank.
template <class T>
  requires std::is_trivially_copyable_v<T>
std::vector<T> gather_all(const T& value, std::source_location where = std::source_location::current()) {
  const auto ranks = static_cast<std::size_t>(here().ranks);
  std::vector<std::byte> bytes(ranks * sizeof(T), std::byte{0});
  std::memcpy(bytes.data() + static_cast<std::size_t>(here().rank) * sizeof(T), &value, sizeof(T));
  reduce_all(std::span(bytes), std::bit_or<>(), where);
  std::vector<T> all(ranks);
  std::memcpy(all.data(), bytes.data(), bytes.size());
  return all;
}

/// Returns the value of rank `root`.
template <class T>
  requires std::is_trivially_copyable_v<T>
T broadcast(const T& value, int root = 0, std::source_location where = std::source_location::current()) {
  return gather_all(value, where)[static_cast<std::size_t>(root)];
}

}  // namespace callisto::global
