// Slabs of stacks.
#include <callisto/global/tasks/stack_store.hpp>

#include <callisto/global/transport/limits.hpp>
#include <callisto/machine/system/sanitizers.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <functional>
#include <new>

#include <sys/mman.h>
#include <unistd.h>
#if defined(CALLISTO_UNDER_ASAN)
#include <sanitizer/asan_interface.h>
#endif

namespace callisto::global {
namespace {

std::size_t page_bytes() noexcept {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

std::atomic<std::size_t> guards_in_process{0};

}  // namespace

stack_store::stack_store(std::size_t bytes, std::size_t guards) noexcept
    : bytes_(std::bit_ceil(std::max({bytes, std::size_t{16} << 10, 4 * page_bytes()}))), guards_left_(guards) {}

stack_store::~stack_store() {
  guards_in_process.fetch_sub(guards_, std::memory_order_relaxed);  // relaxed: only the number matters
  for (const slab& s : slabs_) {
#if defined(CALLISTO_UNDER_ASAN)
    __asan_unpoison_memory_region(s.mapping, s.mapping_bytes);  // what is mapped there next has no frames
#endif
    munmap(s.mapping, s.mapping_bytes);
  }
}

void stack_store::map_slab() {
  // A core with one worker takes little, one with half a million takes few mappings.
  const std::size_t stacks =
      std::clamp<std::size_t>(made_, 32, std::max<std::size_t>((std::size_t{256} << 20) / bytes_, 32));
  const std::size_t bytes = (stacks + 1) * bytes_;  // one more, to align
  void* const mapping =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  // A huge page would give each stack all of its memory at once.
  madvise(mapping, bytes, MADV_NOHUGEPAGE);
  const auto start = reinterpret_cast<std::uintptr_t>(mapping);
  // A page at least lies below the first stack, and faults.
  const std::size_t below = (start + page_bytes() + bytes_ - 1) / bytes_ * bytes_ - start;
  mprotect(mapping, below, PROT_NONE);
  auto* const first = static_cast<std::byte*>(mapping) + below;
  slabs_.push_back({static_cast<std::byte*>(mapping), bytes, first, stacks, 0});
  left_in_slab_ = stacks;
}

std::byte* stack_store::take() {
  if (!warm_.empty() || !cold_.empty()) {
    std::vector<std::byte*>& from = warm_.empty() ? cold_ : warm_;
    std::byte* const stack = from.back();
    from.pop_back();
    return stack;
  }
  if (left_in_slab_ == 0) map_slab();
  slab& s = slabs_.back();
  std::byte* const stack = s.first + (s.stacks - left_in_slab_) * bytes_;
  if (guards_left_ != 0) {
    // relaxed: only the number matters
    const bool room = guards_in_process.fetch_add(1, std::memory_order_relaxed) < rank_limits::most_guards;
    if (room && mprotect(stack, page_bytes(), PROT_NONE) == 0) {
      --guards_left_;
      ++s.guarded;
      ++guards_;
    } else {
      guards_in_process.fetch_sub(1, std::memory_order_relaxed);  // relaxed: as above
      guards_left_ = 0;
    }
  }
  --left_in_slab_;
  ++made_;
  return stack;
}

void stack_store::trim(std::size_t keep) {
  if (warm_.size() <= keep) return;
  // The latest are the warmest.
  const auto first_kept = warm_.end() - static_cast<std::ptrdiff_t>(keep);
  std::sort(warm_.begin(), first_kept);
  for (auto run = warm_.begin(); run != first_kept;) {
    auto end = run + 1;
    while (end != first_kept && *end == *(end - 1) + bytes_) ++end;
    madvise(*run, static_cast<std::size_t>(end - run) * bytes_, MADV_DONTNEED);
    run = end;
  }
  cold_.insert(cold_.end(), warm_.begin(), first_kept);
  warm_.erase(warm_.begin(), first_kept);
}

bool stack_store::is_guard(const void* address) const noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (at % bytes_ < page_bytes() && has_guard(reinterpret_cast<const std::byte*>(at / bytes_ * bytes_))) return true;
  const auto* const byte = static_cast<const std::byte*>(address);
  return std::any_of(slabs_.begin(), slabs_.end(), [byte](const slab& s) {
    return std::less_equal<>()(s.mapping, byte) && std::less<>()(byte, s.first);
  });
}

bool stack_store::has_guard(const std::byte* stack) const noexcept {
  return std::any_of(slabs_.begin(), slabs_.end(), [&](const slab& s) {
    return std::less_equal<>()(s.first, stack) && std::less<>()(stack, s.first + s.guarded * bytes_);
  });
}

}  // namespace callisto::global
