// Bulk operations on contiguous data, which the mains of all ranks call together: each rank sends to each rank.
//
// exchange() is MPI's all-to-all of counted pieces, share_parts() its gathering by all, replicate() its broadcast. A
// rank's bytes for another rank leave once that one has room for them, and go to their place from the packets that
// carried them. At most a window is under way to each rank (messages/window.hpp), whatever the size. Workers of all
// cores run meanwhile.
#pragma once

#include <callisto/export.hpp>
#include <callisto/global/memory/answer.hpp>
#include <callisto/global/transport/here.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <source_location>
#include <span>
#include <type_traits>
#include <vector>

namespace callisto::global {

namespace detail {

/// Copies out[r] to rank r. There the span with the number of this rank has as many bytes. A rank's piece for itself is
/// copied, unless it is in its place already.
CALLISTO_API void exchange_bytes(const std::vector<std::span<const std::byte>>& out,
                                 const std::vector<std::span<std::byte>>& in, const std::source_location& where);
/// Sends counts[r] to rank r, and returns what each rank has sent to this one. Throws usage_error if the counts are not
/// one a rank, or their sum is not `elements`.
CALLISTO_API std::vector<std::uint64_t> exchange_counts(std::span<const std::uint64_t> counts, std::uint64_t elements,
                                                        const std::source_location& where);
/// Throws usage_error unless there is a part for each rank, they follow each other, and the last one ends at `size`.
CALLISTO_API void require_bounds(std::span<const std::uint64_t> bounds, std::uint64_t size,
                                 const std::source_location& where);

/// Returns the pieces of `values`: `counts[r]` elements for rank r, in order of ranks.
template <class Byte, class T>
std::vector<std::span<Byte>> pieces_of(std::span<T> values, std::span<const std::uint64_t> counts) {
  std::vector<std::span<Byte>> pieces;
  for (std::uint64_t at = 0; const std::uint64_t n : counts) {
    pieces.push_back({reinterpret_cast<Byte*>(values.data() + at), n * sizeof(T)});
    at += n;
  }
  return pieces;
}

/// Returns the parts [bounds[r], bounds[r + 1]) of `all`, by rank. Throws usage_error as require_bounds().
template <class T>
std::vector<std::span<std::byte>> parts_of(std::span<T> all, std::span<const std::uint64_t> bounds,
                                           const std::source_location& where) {
  require_bounds(bounds, all.size(), where);
  std::vector<std::span<std::byte>> parts;
  for (std::size_t r = 0; r + 1 != bounds.size(); ++r) {
    parts.push_back(std::as_writable_bytes(all.subspan(bounds[r], bounds[r + 1] - bounds[r])));
  }
  return parts;
}

}  // namespace detail

/// Sends `counts[r]` elements of `from` to each rank r: first those for rank 0, then those for rank 1, and so on. Makes
/// `into` what all ranks have sent to this one, by rank, and returns how many came from each. `into` keeps its memory
/// from call to call. Called by main of all ranks. Throws usage_error if the counts do not fit.
template <class T>
  requires std::is_trivially_copyable_v<T>
std::vector<std::uint64_t> exchange(std::span<const T> from, std::span<const std::uint64_t> counts,
                                    std::vector<T>& into,
                                    std::source_location where = std::source_location::current()) {
  std::vector<std::uint64_t> came = detail::exchange_counts(counts, from.size(), where);
  into.resize(std::accumulate(came.begin(), came.end(), std::uint64_t{0}));
  detail::exchange_bytes(detail::pieces_of<const std::byte>(from, counts),
                         detail::pieces_of<std::byte>(std::span<T>(into), came), where);
  return came;
}

/// Elements that ranks have sent: those of rank 0 first.
template <class T>
struct exchanged {
  std::vector<T> values;
  std::vector<std::uint64_t> counts;  ///< by rank: how many came from it
};

/// Exchanges as above, into new memory.
template <class T>
  requires std::is_trivially_copyable_v<T>
exchanged<T> exchange(std::span<const T> from, std::span<const std::uint64_t> counts,
                      std::source_location where = std::source_location::current()) {
  exchanged<T> made;
  made.counts = exchange(from, counts, made.values, where);
  return made;
}

/// Copies each rank's part of `all`, the elements [bounds[rank], bounds[rank + 1]), to the same place at all ranks.
/// `bounds` are the same at all ranks. Called by main of all ranks.
template <class T>
  requires std::is_trivially_copyable_v<T>
void share_parts(std::span<T> all, std::span<const std::uint64_t> bounds,
                 std::source_location where = std::source_location::current()) {
  const std::vector<std::span<std::byte>> parts = detail::parts_of(all, bounds, where);
  detail::exchange_bytes(
      std::vector<std::span<const std::byte>>(parts.size(), parts[static_cast<std::size_t>(here().rank)]), parts,
      where);
}

/// Copies each rank's part of `all`, as above, to rank `root` alone.
template <class T>
  requires std::is_trivially_copyable_v<T>
void collect_parts(std::span<T> all, std::span<const std::uint64_t> bounds, int root = 0,
                   std::source_location where = std::source_location::current()) {
  const std::vector<std::span<std::byte>> parts = detail::parts_of(all, bounds, where);
  std::vector<std::span<const std::byte>> out(parts.size());
  out[static_cast<std::size_t>(root)] = parts[static_cast<std::size_t>(here().rank)];
  detail::exchange_bytes(out, here().rank == root ? parts : std::vector<std::span<std::byte>>(parts.size()), where);
}

/// Copies the parts of `all` that rank `root` has, as above, each to its rank: the opposite of collect_parts().
template <class T>
  requires std::is_trivially_copyable_v<T>
void deal_parts(std::span<T> all, std::span<const std::uint64_t> bounds, int root = 0,
                std::source_location where = std::source_location::current()) {
  const std::vector<std::span<std::byte>> parts = detail::parts_of(all, bounds, where);
  std::vector<std::span<const std::byte>> out(parts.size());
  if (here().rank == root) out.assign(parts.begin(), parts.end());
  std::vector<std::span<std::byte>> in(parts.size());
  in[static_cast<std::size_t>(root)] = parts[static_cast<std::size_t>(here().rank)];
  detail::exchange_bytes(out, in, where);
}

/// Copies `values` of rank `root` to all ranks, which all have room for as many. Called by main of all ranks.
template <class T>
  requires std::is_trivially_copyable_v<T>
void replicate(std::span<T> values, int root = 0, std::source_location where = std::source_location::current()) {
  std::vector<std::span<const std::byte>> out(static_cast<std::size_t>(here().ranks));
  if (here().rank == root) out.assign(out.size(), std::as_bytes(values));
  std::vector<std::span<std::byte>> in(out.size());
  in[static_cast<std::size_t>(root)] = std::as_writable_bytes(values);
  detail::exchange_bytes(out, in, where);
}

}  // namespace callisto::global
