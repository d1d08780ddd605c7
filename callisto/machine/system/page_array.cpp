// Mapping and unmapping the pages of page_array, and keeping those that were used for the next array.
#include <callisto/machine/system/kept_pages.hpp>
#include <callisto/machine/system/page_array.hpp>

#include <callisto/machine/system/sanitizers.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <new>

#if defined(CALLISTO_UNDER_ASAN)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes) static_cast<void>(0)
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes) static_cast<void>(0)
#endif

#include <sys/mman.h>
#include <unistd.h>

namespace callisto::machine {
namespace {

std::size_t page_size() noexcept {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

std::size_t whole_pages(std::size_t bytes) noexcept { return (bytes + page_size() - 1) / page_size() * page_size(); }

constexpr std::size_t huge_page = std::size_t{2} << 20;

/// Arrays up to here take the pages of dead ones, and zero them: the system needs microseconds for a page, and small
/// graphs are built of some ten such arrays.
constexpr std::size_t most_small_pages = std::size_t{64} << 10;

/// Keeps the pages of dead arrays, the latest last. A thread that finds another one using it does without. So a child
/// of fork(), in which that thread does not live, never waits for it.
class kept_pages {
 public:
  /// Keeps at most `most` bytes.
  constexpr explicit kept_pages(std::size_t most) noexcept : most_(most) {}

  /// Returns pages of this length, or null.
  void* take(std::size_t length) noexcept {
    const std::unique_lock held(mutex_, std::try_to_lock);
    if (!held) return nullptr;
    for (std::size_t i = count_; i-- > 0;) {
      if (stretches_[i].length != length) continue;
      void* const address = stretches_[i].address;
      drop(i);
      ASAN_UNPOISON_MEMORY_REGION(address, length);
      return address;
    }
    return nullptr;
  }

  /// True if it keeps these pages; it unmaps older ones if it must.
  bool keep(void* address, std::size_t length) noexcept {
    const std::unique_lock held(mutex_, std::try_to_lock);
    if (!held || length > most_) return false;
    while (count_ == stretches_.size() || bytes_ + length > most_) unmap_first();
    ASAN_POISON_MEMORY_REGION(address, length);
    stretches_[count_++] = {address, length};
    bytes_ += length;
    return true;
  }

  void unmap_all() noexcept {
    const std::unique_lock held(mutex_, std::try_to_lock);
    while (held && count_ != 0) unmap_first();
  }

  void set_most(std::size_t most) noexcept {
    const std::lock_guard held(mutex_);
    most_ = most;
    while (bytes_ > most_) unmap_first();
  }

 private:
  struct stretch {
    void* address;
    std::size_t length;
  };

  void unmap_first() noexcept {
    const stretch first = stretches_.front();
    drop(0);
    ASAN_UNPOISON_MEMORY_REGION(first.address, first.length);
    munmap(first.address, first.length);
  }
  void drop(std::size_t i) noexcept {
    bytes_ -= stretches_[i].length;
    std::move(stretches_.begin() + static_cast<std::ptrdiff_t>(i) + 1,
              stretches_.begin() + static_cast<std::ptrdiff_t>(count_),
              stretches_.begin() + static_cast<std::ptrdiff_t>(i));
    --count_;
  }

  std::mutex mutex_;  // guards the members below
  std::size_t most_;
  std::array<stretch, 32> stretches_{};
  std::size_t count_ = 0;
  std::size_t bytes_ = 0;
};

/// Constant-initialised and without a destructor that does anything: arrays may live as long as the process.
constinit kept_pages kept{most_kept_pages};
constinit kept_pages kept_small{std::size_t{1} << 20};

/// Returns where such pages are kept; null: they are not.
kept_pages* keeper_of(std::size_t length, page_kind kind) noexcept {
  if (length <= most_small_pages) return &kept_small;
  return kind == page_kind::used ? &kept : nullptr;
}

}  // namespace

void keep_pages(std::size_t most) noexcept { kept.set_most(most); }

void* map_pages(std::size_t bytes, page_kind kind) {
  const std::size_t length = whole_pages(bytes);
  if (kept_pages* const keeper = keeper_of(length, kind); keeper != nullptr) {
    if (void* const address = keeper->take(length); address != nullptr)
      return kind == page_kind::used ? address : std::memset(address, 0, bytes);
  }
  // A huge page needs an aligned 2 MiB range: take one more and give the ends back.
  const std::size_t slack = kind != page_kind::small && length >= huge_page ? huge_page : 0;
  const auto map = [&] {
    return mmap(nullptr, length + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  };
  void* raw = map();
  if (raw == MAP_FAILED) {
    kept.unmap_all();
    raw = map();
  }
  if (raw == MAP_FAILED) throw std::bad_alloc();
  if (slack == 0) return raw;
  char* const first = static_cast<char*>(raw);
  const std::size_t offset = (huge_page - reinterpret_cast<std::uintptr_t>(first) % huge_page) % huge_page;
  if (offset != 0) munmap(first, offset);
  if (offset != slack) munmap(first + offset + length, slack - offset);
  madvise(first + offset, length, MADV_HUGEPAGE);  // advice: without it everything works, slower
  return first + offset;
}

void unmap_pages(void* address, std::size_t bytes, page_kind kind) noexcept {
  const std::size_t length = whole_pages(bytes);
  kept_pages* const keeper = keeper_of(length, kind);
  if (keeper == nullptr || !keeper->keep(address, length)) munmap(address, length);
}

void discard_pages(void* first, void* last) noexcept {
  const auto begin = whole_pages(reinterpret_cast<std::uintptr_t>(first));
  const auto end = reinterpret_cast<std::uintptr_t>(last) / page_size() * page_size();
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

std::size_t trim_pages(void* address, std::size_t bytes, std::size_t keep) noexcept {
  const std::size_t mapped = whole_pages(bytes);
  const std::size_t rest = whole_pages(keep);
  if (rest < mapped) munmap(static_cast<char*>(address) + rest, mapped - rest);
  return keep;
}

}  // namespace callisto::machine
