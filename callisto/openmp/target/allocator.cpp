// Allocators (OpenMP 5.1, sections 2.13 and 3.13). Memory comes from malloc(), or from own pages if it is pinned. Of
// the traits, alignment, pool size and fallback have an effect. Memory spaces that this machine does not distinguish
// are the default one.
#include <callisto/openmp/abi/abi.hpp>
#include <callisto/openmp/abi/omp.hpp>
#include <callisto/openmp/region/omp_thread.hpp>
#include <callisto/openmp/settings/diagnostics.hpp>
#include <callisto/waiting/spin_lock.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <unordered_set>

#include <sys/mman.h>

namespace callisto::openmp {
namespace {

// omp.h's numbers.
constexpr std::uintptr_t null_allocator = 0;
constexpr std::uintptr_t default_allocator = 1;
constexpr std::uintptr_t last_predefined = 0xfff;  // larger handles are addresses
constexpr std::uintptr_t pinned_allocator = 200;   // ompx_gnu_pinned_mem_alloc, since GCC 15
constexpr std::uintptr_t last_space = 4;
constexpr std::uintptr_t managed_space = 200;  // ompx_gnu_managed_mem_space, since GCC 16
constexpr std::uintptr_t by_default = ~std::uintptr_t{0};

/// The result of omp_init_allocator(); its address is the handle.
struct custom_allocator {
  std::uintptr_t alignment = 1;
  std::uintptr_t pool_size = by_default;  ///< by_default: unlimited
  std::uintptr_t fallback = allocator_value::default_fallback;
  std::uintptr_t fallback_allocator = null_allocator;
  bool pinned = false;  ///< its memory is never paged out
  atomic<std::uintptr_t> used{0};

  bool bounded() const noexcept { return pool_size != by_default; }

  /// Takes `bytes` from the pool. relaxed, here and below: only the sum matters.
  bool take(std::uintptr_t bytes) noexcept {
    if (!bounded()) return true;
    std::uintptr_t before = used.load(order::relaxed);
    for (;;) {
      if (bytes > pool_size || before > pool_size - bytes) return false;
      if (used.compare_exchange(before, before + bytes, order::relaxed)) return true;
    }
  }
  void give(std::uintptr_t bytes) noexcept {
    if (bounded()) used.fetch_sub(bytes, order::relaxed);
  }
};

custom_allocator* as_custom(std::uintptr_t handle) noexcept {
  return handle > last_predefined ? reinterpret_cast<custom_allocator*>(handle) : nullptr;
}

/// Precedes each piece of memory. Its size counts in pools, as in libgomp; programs rely on that.
struct header {
  void* block;        ///< the result of malloc()
  std::size_t bytes;  ///< size of the block
  std::uintptr_t allocator;
  std::size_t usable;  ///< bytes from the piece on
};
static_assert(sizeof(header) == 32);

/// Returns zeroed, pinned memory; null: there is none within RLIMIT_MEMLOCK.
void* allocate_pinned(std::size_t bytes) noexcept {
  void* const block = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) return nullptr;
  if (mlock(block, bytes) == 0) return block;
  munmap(block, bytes);
  return nullptr;
}

bool is_pinned(std::uintptr_t allocator) noexcept {
  const custom_allocator* const custom = as_custom(allocator);
  return custom != nullptr ? custom->pinned : allocator == pinned_allocator;
}

header& header_of(void* piece) noexcept { return static_cast<header*>(piece)[-1]; }

std::uintptr_t or_default(std::uintptr_t allocator) noexcept {
  return allocator != null_allocator ? allocator : omp_get_default_allocator();
}

/// Allocates from `allocator` itself; null: it has no memory left.
void* allocate_from(std::uintptr_t allocator, std::size_t alignment, std::size_t size, bool zeroed) noexcept {
  custom_allocator* const custom = as_custom(allocator);
  alignment = std::max(alignment, sizeof(void*));
  if (custom != nullptr) alignment = std::max<std::size_t>(alignment, custom->alignment);
  std::size_t bytes = 0;
  if (__builtin_add_overflow(size, sizeof(header) + (alignment - sizeof(void*)), &bytes)) return nullptr;
  if (custom != nullptr && !custom->take(bytes)) return nullptr;
  void* const block = is_pinned(allocator) ? allocate_pinned(bytes)
                      : zeroed             ? std::calloc(1, bytes)
                                           : std::malloc(bytes);
  if (block == nullptr) {
    if (custom != nullptr) custom->give(bytes);
    return nullptr;
  }
  const auto begin = reinterpret_cast<std::uintptr_t>(block);
  const std::uintptr_t piece = (begin + sizeof(header) + alignment - 1) & ~(alignment - 1);
  void* const result = reinterpret_cast<void*>(piece);
  header_of(result) = {.block = block, .bytes = bytes, .allocator = allocator, .usable = begin + bytes - piece};
  return result;
}

/// Allocates from `allocator` or from its fallback.
void* allocate(std::uintptr_t allocator, std::size_t alignment, std::size_t size, bool zeroed) noexcept {
  if (size == 0) return nullptr;
  for (allocator = or_default(allocator);;) {
    if (void* const piece = allocate_from(allocator, alignment, size, zeroed)) return piece;
    const custom_allocator* const custom = as_custom(allocator);
    if (custom == nullptr) return nullptr;
    switch (custom->fallback) {
      case allocator_value::null_fallback:
        return nullptr;
      case allocator_value::abort_fallback:
        report_and_exit("Out of memory allocating %lu bytes", static_cast<unsigned long>(size));
      case allocator_value::allocator_fallback:
        allocator = or_default(custom->fallback_allocator);
        break;
      default:
        allocator = default_allocator;
    }
  }
}

void release(void* piece) noexcept {
  if (piece == nullptr) return;
  const header& of = header_of(piece);
  if (custom_allocator* const custom = as_custom(of.allocator)) custom->give(of.bytes);
  if (is_pinned(of.allocator)) {
    munmap(of.block, of.bytes);
  } else {
    std::free(of.block);
  }
}

/// Sets one trait. Returns false if its value is invalid.
bool keep(custom_allocator& into, const omp_alloctrait& t) noexcept {
  const auto between = [&t](std::uintptr_t first, std::uintptr_t last) { return t.value >= first && t.value <= last; };
  const bool is_default = t.value == by_default;
  switch (t.key) {
    case allocator_trait::sync_hint:
      return is_default || between(allocator_value::contended, allocator_value::private_);
    case allocator_trait::access:
      return is_default || between(allocator_value::all, allocator_value::cgroup);
    case allocator_trait::partition:
      return is_default || between(allocator_value::environment, allocator_value::interleaved);
    case allocator_trait::pinned:
      into.pinned = t.value == allocator_value::yes;
      return is_default || t.value == allocator_value::no || t.value == allocator_value::yes;
    case allocator_trait::alignment:
      if (!is_default) into.alignment = t.value;
      return is_default || std::has_single_bit(t.value);
    case allocator_trait::pool_size:
      into.pool_size = t.value;
      return true;
    case allocator_trait::fallback:
      into.fallback = is_default ? std::uintptr_t{allocator_value::default_fallback} : t.value;
      return is_default || between(allocator_value::default_fallback, allocator_value::allocator_fallback);
    case allocator_trait::fallback_data:
      into.fallback_allocator = t.value;
      return true;
    default:
      return false;
  }
}

}  // namespace
}  // namespace callisto::openmp

using namespace callisto::openmp;

CALLISTO_OPENMP_ABI std::uintptr_t omp_init_allocator(std::uintptr_t space, int traits, const omp_alloctrait* which) {
  if (space > last_space && space != managed_space) return null_allocator;
  auto* const made = new custom_allocator;
  if (!std::all_of(which, which + std::max(traits, 0), [made](const omp_alloctrait& t) { return keep(*made, t); })) {
    delete made;
    return null_allocator;
  }
  return reinterpret_cast<std::uintptr_t>(made);
}
CALLISTO_OPENMP_ABI void omp_destroy_allocator(std::uintptr_t allocator) { delete as_custom(allocator); }

CALLISTO_OPENMP_ABI void omp_set_default_allocator(std::uintptr_t allocator) {
  this_thread().icv().allocator = allocator != null_allocator ? allocator : default_allocator;
}
CALLISTO_OPENMP_ABI std::uintptr_t omp_get_default_allocator() { return this_thread().icv().allocator; }

CALLISTO_OPENMP_ABI void* omp_aligned_alloc(std::size_t alignment, std::size_t size, std::uintptr_t allocator) {
  return allocate(allocator, alignment, size, false);
}
CALLISTO_OPENMP_ABI void* omp_alloc(std::size_t size, std::uintptr_t allocator) {
  return allocate(allocator, 1, size, false);
}
CALLISTO_OPENMP_ABI void* omp_aligned_calloc(std::size_t alignment, std::size_t count, std::size_t size,
                                             std::uintptr_t allocator) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) bytes = SIZE_MAX;  // more than any allocator has
  return allocate(allocator, alignment, bytes, true);
}
CALLISTO_OPENMP_ABI void* omp_calloc(std::size_t count, std::size_t size, std::uintptr_t allocator) {
  return omp_aligned_calloc(1, count, size, allocator);
}
CALLISTO_OPENMP_ABI void omp_free(void* piece, std::uintptr_t /*allocator*/) { release(piece); }

CALLISTO_OPENMP_ABI void* omp_realloc(void* piece, std::size_t size, std::uintptr_t allocator,
                                      std::uintptr_t /*free_allocator*/) {
  if (piece == nullptr) return allocate(allocator, 1, size, false);
  if (size == 0) {
    release(piece);
    return nullptr;
  }
  if (allocator == null_allocator) allocator = header_of(piece).allocator;
  // If the allocator stays the same, the old piece's bytes return to the pool for the attempt, so the new piece can
  // take their place.
  custom_allocator* const same = header_of(piece).allocator == allocator ? as_custom(allocator) : nullptr;
  const std::size_t old_bytes = header_of(piece).bytes;
  if (same != nullptr) same->give(old_bytes);
  void* const moved = allocate_from(allocator, 1, size, false);
  if (same != nullptr && same->bounded()) same->used.fetch_add(old_bytes, order::relaxed);  // relaxed: as above
  void* const result = moved != nullptr ? moved : allocate(allocator, 1, size, false);
  if (result == nullptr) return nullptr;
  std::memcpy(result, piece, std::min(size, header_of(piece).usable));
  release(piece);
  return result;
}

/// Implements the allocate clause, which cannot report a failure: the program ends.
CALLISTO_OPENMP_ABI void* GOMP_alloc(std::size_t alignment, std::size_t size, std::uintptr_t allocator) {
  void* const piece = allocate(allocator, alignment, size, false);
  if (piece == nullptr && size != 0)
    report_and_exit("Out of memory allocating %lu bytes", static_cast<unsigned long>(size));
  return piece;
}
CALLISTO_OPENMP_ABI void GOMP_free(void* piece, std::uintptr_t /*allocator*/) { release(piece); }

// Since GCC 14: which of Fortran's pieces an allocator made.
namespace {
struct registered_pieces {
  callisto::waiting::spin_lock<callisto::machine::native> lock;
  std::unordered_set<const void*> pieces;
};
/// Never destroyed: threads continue while the process ends.
registered_pieces& all_registered() {
  static registered_pieces& all = *new registered_pieces;
  return all;
}
}  // namespace
CALLISTO_OPENMP_ABI void GOMP_add_alloc(void* piece) {
  if (piece == nullptr) return;
  registered_pieces& registered = all_registered();
  const std::scoped_lock held(registered.lock);
  registered.pieces.insert(piece);
}
/// Returns true if an allocator made the piece, and forgets the piece.
CALLISTO_OPENMP_ABI bool GOMP_is_alloc(void* piece) {
  registered_pieces& registered = all_registered();
  const std::scoped_lock held(registered.lock);
  return registered.pieces.erase(piece) != 0;
}
