#include <callisto/global/memory/delegates.hpp>
#include <callisto/global/memory/global_heap.hpp>
#include <callisto/global/transport/environment.hpp>
#include <callisto/global/transport/limits.hpp>
#include <callisto/machine/system/error.hpp>

#include <bit>
#include <string>

namespace callisto::global {

namespace {

/// The most bytes of the heap that one rank holds, as owned_place has 48 bits for them.
constexpr std::uint64_t most_of_a_rank = std::uint64_t{1} << 47;

std::uint64_t block_from_environment() {
  return number_from("CALLISTO_GLOBAL_BLOCK", 8, 1U << 20, 64,
                     {"the bytes of a block of the global heap, a power of two",
                      [](std::uint64_t bytes) noexcept { return std::has_single_bit(bytes); }});
}

/// Rank 0's answer to a request for space.
struct space_answer {
  std::uint64_t begin;
  std::uint64_t block;
};

space_answer take_at_book(std::uint64_t bytes) {
  auto& heap = rank_local<global_heap>();
  return {heap.take_space(bytes), heap.dealt().block()};
}

void discard_here(std::uint64_t begin, std::uint64_t end) {
  auto& heap = rank_local<global_heap>();
  const auto rank = static_cast<std::uint64_t>(here().rank);
  heap.memory().discard(heap.dealt().owned_before(begin, rank), heap.dealt().owned_before(end, rank));
}

/// Takes the range out of rank 0's book; returns its bytes, 0 if there is none.
std::uint64_t free_at_book(std::uint64_t begin) {
  auto& heap = rank_local<global_heap>();
  const std::uint64_t bytes = heap.take_back(begin);
  if (bytes == 0) return 0;
  const auto ranks = static_cast<std::uint64_t>(here().ranks);
  if (bytes / ranks < rank_limits::worth_discarding) {
    heap.make_free(begin, bytes);
    return bytes;
  }
  // No rank may get the range before all have discarded it: a late discard would empty what the next owner wrote.
  for (int rank = 0; rank < here().ranks; ++rank) {
    send(rank, [begin, bytes] {
      discard_here(begin, begin + bytes);
      send(0, [begin, bytes] {
        auto& book = rank_local<global_heap>();
        if (book.is_last_to_discard(begin)) book.make_free(begin, bytes);
      });
    });
  }
  return bytes;
}

}  // namespace

global_heap::global_heap()
    : dealt_(block_from_environment(), static_cast<std::uint64_t>(here().ranks)),
      // The first round of blocks stays free: address 0 is null.
      book_(dealt_.block() * dealt_.ranks(), most_of_a_rank * dealt_.ranks(), dealt_.block()) {}

std::uint64_t global_heap::take_space(std::uint64_t bytes) {
  const std::lock_guard guard(book_lock_);
  return book_.allocate(bytes).value_or(0);
}

std::uint64_t global_heap::take_back(std::uint64_t begin) {
  const std::lock_guard guard(book_lock_);
  return book_.take(begin).value_or(0);
}

void global_heap::make_free(std::uint64_t begin, std::uint64_t bytes) {
  const std::lock_guard guard(book_lock_);
  book_.give_back(begin, bytes);
}

bool global_heap::is_last_to_discard(std::uint64_t begin) {
  const std::lock_guard guard(book_lock_);
  if (++discarded_[begin] < static_cast<int>(dealt_.ranks())) return false;
  discarded_.erase(begin);
  return true;
}

std::uint64_t global_heap::allocated() {
  const std::lock_guard guard(book_lock_);
  return book_.allocated();
}

namespace detail {

std::uint64_t allocate_bytes(std::uint64_t count, std::size_t size, const std::source_location& where) {
  const std::uint64_t block = rank_local<global_heap>().dealt().block();
  if (block % size != 0) {
    throw usage_error(place_of_call(where) + "an object of " + std::to_string(size) +
                      " bytes does not divide a block of " + std::to_string(block) +
                      " bytes; expected a size that is a power of two up to the block" +
                      " (CALLISTO_GLOBAL_BLOCK sets it)");
  }
  const std::uint64_t most = most_of_a_rank / size;
  if (count > most) {
    throw usage_error(place_of_call(where) + std::to_string(count) + " objects of " + std::to_string(size) +
                      " bytes; expected at most " + std::to_string(most));
  }
  const std::uint64_t bytes = count == 0 ? 1 : count * size;
  const space_answer got = call_at(0, [bytes] { return take_at_book(bytes); }, where);
  if (got.block != block) {
    throw usage_error("CALLISTO_GLOBAL_BLOCK: rank 0 has blocks of " + std::to_string(got.block) + " bytes, rank " +
                      std::to_string(here().rank) + " of " + std::to_string(block) + "; expected one size");
  }
  if (got.begin == 0) {
    throw error(place_of_call(where) + "the global heap has no room for " + std::to_string(bytes) + " bytes");
  }
  return got.begin;
}

void free_bytes(std::uint64_t offset, const std::source_location& where) {
  const bool linear = global_address<std::byte>::from_bits(offset).is_linear();
  if (!linear || call_at(0, [offset] { return free_at_book(offset); }, where) == 0) {
    throw usage_error(place_of_call(where) +
                      "global_free of an address that global_allocate did not return, or was freed before");
  }
}

}  // namespace detail

}  // namespace callisto::global
