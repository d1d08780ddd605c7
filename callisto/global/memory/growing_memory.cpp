#include <callisto/global/memory/growing_memory.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/page_array.hpp>

#include <algorithm>
#include <new>
#include <string>

namespace callisto::global {

namespace {

/// Segments of several huge pages get huge pages: random accesses then miss the TLB less.
machine::page_kind kind_of(std::uint64_t bytes) noexcept {
  return bytes >= (std::uint64_t{8} << 20) ? machine::page_kind::huge : machine::page_kind::small;
}

}  // namespace

growing_memory::~growing_memory() {
  for (unsigned segment = 0; segment < most_segments; ++segment) {
    // relaxed: no thread uses the memory while it is destroyed.
    std::byte* base = bases_[segment].load(std::memory_order_relaxed);
    if (base != nullptr) machine::unmap_pages(base, bytes_of(segment), kind_of(bytes_of(segment)));
  }
}

std::byte* growing_memory::map(unsigned segment) {
  std::byte* made = nullptr;
  try {
    made = static_cast<std::byte*>(machine::map_pages(bytes_of(segment), kind_of(bytes_of(segment))));
  } catch (const std::bad_alloc&) {
    throw error("global heap: the system has no " + std::to_string(bytes_of(segment) >> 20) +
                " MiB for the next segment; expected an address that global_allocate() returned, and enough memory");
  }
  std::byte* found = nullptr;
  // acq_rel: release publishes the mapping to at()'s acquire; acquire sees that of the thread that came first.
  if (bases_[segment].compare_exchange_strong(found, made, std::memory_order_acq_rel)) return made;
  machine::unmap_pages(made, bytes_of(segment), kind_of(bytes_of(segment)));
  return found;
}

void growing_memory::discard(std::uint64_t begin, std::uint64_t end) noexcept {
  while (begin < end) {
    const std::uint64_t stop = std::min(end, contiguous_end(begin));
    const unsigned segment = segment_of(begin);
    // acquire: sees the segment's mapping that map() released.
    std::byte* base = bases_[segment].load(std::memory_order_acquire);
    if (base != nullptr) machine::discard_pages(base + (begin - begin_of(segment)), base + (stop - begin_of(segment)));
    begin = stop;
  }
}

std::uint64_t growing_memory::mapped() const noexcept {
  std::uint64_t sum = 0;
  for (unsigned segment = 0; segment < most_segments; ++segment) {
    // relaxed: a count for reports.
    if (bases_[segment].load(std::memory_order_relaxed) != nullptr) sum += bytes_of(segment);
  }
  return sum;
}

}  // namespace callisto::global
