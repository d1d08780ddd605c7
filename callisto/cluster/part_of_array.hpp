// Arrays over all ranks of which a rank has its own part in memory.
#pragma once

#include <callisto/machine/system/page_array.hpp>

#include <cstdint>
#include <memory>
#include <utility>

namespace callisto::cluster {

/// Returns a read-only array of `size` elements of which only `own` is in memory, from place `first` on; the other
/// elements must not be read. So kernels find elements by their places among those of all ranks, and other ranks'
/// elements take no address space, which may be limited.
template <class T>
machine::page_array<T> as_part(machine::page_array<T> own, std::uint64_t first, std::uint64_t size) {
  const auto kept = std::make_shared<machine::page_array<T>>(std::move(own));
  const auto address = reinterpret_cast<std::uintptr_t>(kept->data()) - first * sizeof(T);
  return machine::page_array<T>::view({reinterpret_cast<const T*>(address), size}, kept);
}

}  // namespace callisto::cluster
