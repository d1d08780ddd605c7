// Mapping and unmapping the pages of page_array.
#include <callisto/machine/page_array.hpp>

#include <cstdint>
#include <new>

#include <sys/mman.h>
#include <unistd.h>

namespace callisto::machine {
namespace {

std::size_t page_size() noexcept { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

std::size_t whole_pages(std::size_t bytes) noexcept { return (bytes + page_size() - 1) / page_size() * page_size(); }

constexpr std::size_t huge_page = std::size_t{2} << 20;

}  // namespace

void* map_pages(std::size_t bytes, page_kind kind) {
  const std::size_t length = whole_pages(bytes);
  // A huge page needs an aligned 2 MiB range: take one more and give the ends back.
  const std::size_t slack = kind == page_kind::huge && length >= huge_page ? huge_page : 0;
  void* raw = mmap(nullptr, length + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) throw std::bad_alloc();
  if (slack == 0) return raw;
  char* const first = static_cast<char*>(raw);
  const std::size_t offset = (huge_page - reinterpret_cast<std::uintptr_t>(first) % huge_page) % huge_page;
  if (offset != 0) munmap(first, offset);
  if (offset != slack) munmap(first + offset + length, slack - offset);
  madvise(first + offset, length, MADV_HUGEPAGE);  // advice: without it everything works, slower
  return first + offset;
}

void unmap_pages(void* address, std::size_t bytes) noexcept { munmap(address, whole_pages(bytes)); }

void discard_pages(void* first, void* last) noexcept {
  const auto begin = whole_pages(reinterpret_cast<std::uintptr_t>(first));
  const auto end = reinterpret_cast<std::uintptr_t>(last) / page_size() * page_size();
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

std::size_t trim_pages(void* address, std::size_t bytes, std::size_t keep) noexcept {
  const std::size_t mapped = whole_pages(bytes);
  const std::size_t kept = whole_pages(keep);
  if (kept < mapped) munmap(static_cast<char*>(address) + kept, mapped - kept);
  return keep;
}

}  // namespace callisto::machine
