// The global heap: memory of all ranks under linear addresses, dealt to the ranks in blocks (Grappa, section 4).
#pragma once

#include <callisto/export.hpp>
#include <callisto/global/memory/block_cyclic.hpp>
#include <callisto/global/memory/global_address.hpp>
#include <callisto/global/memory/growing_memory.hpp>
#include <callisto/global/memory/space_allocator.hpp>
#include <callisto/global/transport/here.hpp>

#include <cstdint>
#include <map>
#include <mutex>
#include <source_location>

namespace callisto::global {

/// One rank's share of the global heap. Rank 0 also keeps the book of what is allocated.
class CALLISTO_API global_heap {
 public:
  /// Takes ranks from here(), and the block from CALLISTO_GLOBAL_BLOCK: a power of two of bytes from 8 to 1 MiB, 64 by
  /// default. Throws usage_error.
  global_heap();

  /// How bytes of the heap are dealt to ranks.
  const block_cyclic& dealt() const noexcept { return dealt_; }
  growing_memory& memory() noexcept { return memory_; }

  /// Returns the begin of `bytes` bytes, from rank 0's book; 0 if there is no room. Any thread.
  std::uint64_t take_space(std::uint64_t bytes);
  /// Takes a range out of the book and returns its length; 0 if no range begins there. Any thread.
  std::uint64_t take_back(std::uint64_t begin);
  /// Makes a range free for later requests.
  void make_free(std::uint64_t begin, std::uint64_t bytes);
  /// Says that one rank has discarded its part of a range; true if it is the last.
  bool is_last_to_discard(std::uint64_t begin);
  /// Returns the bytes in allocated ranges, in rank 0.
  std::uint64_t allocated();

 private:
  block_cyclic dealt_;
  growing_memory memory_;
  std::mutex book_lock_;
  space_allocator book_;
  std::map<std::uint64_t, int> discarded_;  ///< begin -> ranks that have discarded
};

namespace detail {
CALLISTO_API std::uint64_t allocate_bytes(std::uint64_t count, std::size_t size, const std::source_location& where);
CALLISTO_API void free_bytes(std::uint64_t offset, const std::source_location& where);
}  // namespace detail

/// Allocates `n` objects of type T in the global heap; their content is not specified. Rank 0 keeps the book, so other
/// ranks' workers wait for one answer. Any task may call. Throws callisto::error if the heap is full, and usage_error
/// if a T does not fill a block of the heap in whole numbers.
template <class T>
global_address<T> global_allocate(std::uint64_t n, std::source_location where = std::source_location::current()) {
  return global_address<T>::linear(detail::allocate_bytes(n, sizeof(T), where));
}

/// Frees what global_allocate() returned; null is ignored. Parts of 1 MiB and more go back to the system. Any task may
/// call, after all operations on the memory have ended. Throws usage_error if no allocation begins there.
template <class T>
void global_free(global_address<T> a, std::source_location where = std::source_location::current()) {
  if (a) detail::free_bytes(a.bits(), where);
}

/// Returns the rank that owns the object at `a`.
template <class T>
int owner(global_address<T> a) {
  if (!a.is_linear()) return a.rank();
  return static_cast<int>(rank_local<global_heap>().dealt().rank_of(a.offset()));
}

/// Returns the address of an object of this rank, for other ranks: on a stack, in a heap, anywhere.
template <class T>
global_address<T> export_address(T* object) {
  return global_address<T>::at(here().rank, object);
}

/// The place of an object, as its owner needs it, with the rank that asks: what travels in a delegate's message.
class owned_place {
 public:
  static constexpr std::uint64_t heap_mark = std::uint64_t{1} << 63;

  owned_place() noexcept = default;
  owned_place(int asker, std::uint64_t low, bool in_heap) noexcept
      : bits_((in_heap ? heap_mark : 0) | (static_cast<std::uint64_t>(asker) << 48) | low) {}

  /// Returns the rank that asks.
  int asker() const noexcept { return static_cast<int>((bits_ & ~heap_mark) >> 48); }
  /// Returns the object, at its owner.
  template <class T>
  T* object() const {
    if ((bits_ & heap_mark) != 0) [[unlikely]] {
      constexpr std::uint64_t low = (std::uint64_t{1} << 48) - 1;
      return reinterpret_cast<T*>(rank_local<global_heap>().memory().at(bits_ & low));
    }
    return reinterpret_cast<T*>(static_cast<std::int64_t>(bits_ << 16) >> 16);
  }

 private:
  std::uint64_t bits_;
};

/// An address that has been looked up: its owner, and its place there.
struct located {
  int owner;
  owned_place place;
};

/// Looks up an address for the rank `asker`.
template <class T>
[[gnu::always_inline]] inline located locate(global_address<T> a, int asker) {
  if (!a.is_linear()) [[likely]] {
    return {a.rank(), owned_place(asker, a.bits() & global_address<T>::pointer_mask, false)};
  }
  const dealt_place p = rank_local<global_heap>().dealt().place(a.offset());
  return {static_cast<int>(p.rank), owned_place(asker, p.local, true)};
}

}  // namespace callisto::global
