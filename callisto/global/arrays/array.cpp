#include <callisto/global/arrays/array.hpp>
#include <callisto/machine/system/error.hpp>

#include <new>
#include <string>

namespace callisto::global::detail {

namespace {

std::uint64_t part_size(std::uint64_t n, distribution how, int ranks) {
  const auto all = static_cast<std::uint64_t>(ranks);
  const std::uint64_t part = how.kind == distribution::kinds::symmetric ? n : n / all + (n % all != 0 ? 1 : 0);
  return std::max<std::uint64_t>(part, 1);
}

}  // namespace

array_record::array_record(std::uint64_t n, std::size_t element_bytes, distribution how, int ranks)
    : n_(n),
      how_(how),
      part_(part_size(n, how, ranks)),
      dealt_(std::max<std::uint64_t>(how.block_size, 1), static_cast<std::uint64_t>(ranks)) {
  const std::uint64_t count = count_at(static_cast<std::uint64_t>(here().rank));
  if (count > (std::uint64_t{1} << 47) / element_bytes) throw std::bad_alloc();
  own_ = machine::page_array<std::byte>(count * element_bytes);
}

array_table::entry& array_table::entry_of(std::uint32_t number) noexcept {
  if (number < chunk) return first_[number];
  return chunks_[number / chunk].load(std::memory_order_relaxed)[number % chunk];  // relaxed: the caller holds the lock
}

array_record* array_table::find(std::uint32_t number) noexcept {
  const std::lock_guard guard(lock_);
  return number < count_ ? entry_of(number).load(std::memory_order_relaxed) : nullptr;  // relaxed: under the lock
}

std::uint32_t array_table::add(std::unique_ptr<array_record> record) {
  const std::lock_guard guard(lock_);
  if (count_ == most_arrays) {
    throw error("a program makes at most " + std::to_string(most_arrays) + " global arrays");
  }
  const std::uint32_t number = count_++;
  std::atomic<entry*>& of = chunks_[number / chunk];
  // relaxed: under the lock. release: publishes the chunk to operator[]'s acquire.
  if (number >= chunk && of.load(std::memory_order_relaxed) == nullptr) {
    of.store(new entry[chunk]{}, std::memory_order_release);
  }
  entry_of(number).store(record.release(),
                         std::memory_order_relaxed);  // relaxed: what hands the handle on publishes it
  return number;
}

void array_table::remove(std::uint32_t number) noexcept {
  const std::lock_guard guard(lock_);
  delete entry_of(number).exchange(nullptr, std::memory_order_relaxed);  // relaxed: under the lock
}

array_table::~array_table() {
  for (std::uint32_t number = 0; number < count_; ++number) remove(number);
  // relaxed: no thread uses the table while it is destroyed.
  for (auto& of : chunks_) delete[] of.load(std::memory_order_relaxed);
}

void no_element(std::uint32_t number, std::uint64_t i, std::uint64_t size, const std::source_location& where) {
  // A negative index is rather told as negative.
  const std::string index =
      static_cast<std::int64_t>(i) < 0 ? std::to_string(static_cast<std::int64_t>(i)) : std::to_string(i);
  throw usage_error(
      place_of_call(where) + "index " + index + " of array number " + std::to_string(number) + ", which has " +
      std::to_string(size) + " elements; expected " +
      (size == 0 ? "none: no array that make_array() returned, or an empty one" : "0 to " + std::to_string(size - 1)));
}

void no_element_of_rank(std::uint32_t number, int rank, std::uint64_t i, const std::source_location& where) {
  const array_record& record = array_of(number);
  const int ranks = here().ranks;
  const std::string array = " of array number " + std::to_string(number);
  if (rank < 0 || rank >= ranks)
    throw usage_error(place_of_call(where) + "the part of rank " + std::to_string(rank) + array +
                      "; expected rank 0 to " + std::to_string(ranks - 1));
  throw usage_error(place_of_call(where) + "index " + std::to_string(i) + " in the part of rank " +
                    std::to_string(rank) + array + ", which has " +
                    std::to_string(record.count_at(static_cast<std::uint64_t>(rank))) + " elements there");
}

std::uint32_t make_array(std::uint64_t n, std::size_t element_bytes, distribution how,
                         const std::source_location& where) {
  if (how.kind == distribution::kinds::block_cyclic && how.block_size == 0) {
    throw usage_error(place_of_call(where) + "a block of 0 elements; expected cyclic(1) or more");
  }
  const rank_context& me = here();
  std::unique_ptr<array_record> record;
  try {
    record = std::make_unique<array_record>(n, element_bytes, how, me.ranks);
  } catch (const std::bad_alloc&) {
    throw error(place_of_call(where) + "rank " + std::to_string(me.rank) +
                " has no memory for its part of an array of " + std::to_string(n) + " elements of " +
                std::to_string(element_bytes) + " bytes");
  }
  array_record& made = *record;
  const std::uint32_t number = rank_local<array_table>().add(std::move(record));
  struct part {
    std::uint64_t size;
    std::byte* begin;
    std::uint32_t number;
    std::uint32_t element_bytes;
  };
  const std::vector<part> all =
      gather_all(part{n, made.own().data(), number, static_cast<std::uint32_t>(element_bytes)}, where);
  std::vector<std::byte*> parts;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].size != n || all[rank].number != number || all[rank].element_bytes != element_bytes) {
      throw usage_error(place_of_call(where) + "rank " + std::to_string(me.rank) + " makes an array of " +
                        std::to_string(n) + " elements, rank " + std::to_string(rank) + " one of " +
                        std::to_string(all[rank].size) + "; expected the same arrays in the same order at all ranks");
    }
    parts.push_back(all[rank].begin);
  }
  made.set_parts(std::move(parts));
  return number;
}

void free_array(std::uint32_t number, const std::source_location& where) {
  array_table& table = rank_local<array_table>();
  if (table.find(number) == nullptr) {
    throw usage_error(place_of_call(where) + "free of an array that does not exist, or was freed before");
  }
  barrier(where);  // no rank frees its part while another one still works
  table.remove(number);
}

}  // namespace callisto::global::detail
