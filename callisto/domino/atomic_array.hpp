// An array of atomics with random reads and writes: on huge pages if it is large, since small ones do not fit the TLB.
#pragma once

#include <callisto/machine/system/page_array.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace callisto::domino {

/// `Atomic` is an atomic of the machine. Thread-safety: as a plain array of them.
template <class Atomic>
class atomic_array {
 public:
  atomic_array() noexcept = default;
  /// Makes n atomics of `value`. Throws std::bad_alloc.
  template <class T>
  atomic_array(std::uint64_t n, T value) : first_(allocate(n), memory{n}) {
    for (std::uint64_t i = 0; i < n; ++i) ::new (static_cast<void*>(first_.get() + i)) Atomic(value);
  }

  Atomic& operator[](std::uint64_t i) const noexcept { return first_.get()[i]; }
  Atomic* get() const noexcept { return first_.get(); }

 private:
  static constexpr std::size_t least_mapped = std::size_t{1} << 20;

  static bool is_mapped(std::uint64_t n) noexcept { return n >= least_mapped / sizeof(Atomic); }
  static Atomic* allocate(std::uint64_t n) {
    // No room for half of all addresses: std::bad_alloc.
    const std::uint64_t bytes = n > SIZE_MAX / 2 / sizeof(Atomic) ? SIZE_MAX / 2 : n * sizeof(Atomic);
    // Used pages: the array is written at once.
    if (is_mapped(n)) return static_cast<Atomic*>(machine::map_pages(bytes, machine::page_kind::used));
    return static_cast<Atomic*>(::operator new(bytes, std::align_val_t{alignof(Atomic)}));
  }

  struct memory {
    std::uint64_t n = 0;
    void operator()(Atomic* first) const noexcept {
      std::destroy_n(first, n);
      if (is_mapped(n)) return machine::unmap_pages(first, n * sizeof(Atomic), machine::page_kind::used);
      ::operator delete(first, std::align_val_t{alignof(Atomic)});
    }
  };
  std::unique_ptr<Atomic, memory> first_;
};

}  // namespace callisto::domino
