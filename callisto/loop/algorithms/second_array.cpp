#include <callisto/loop/algorithms/second_array.hpp>
#include <callisto/machine/system/page_array.hpp>

#include <cstddef>

namespace callisto::loop {

void* map_second_array(std::size_t bytes) { return machine::map_pages(bytes, machine::page_kind::used); }

void unmap_second_array(void* address, std::size_t bytes) noexcept {
  machine::unmap_pages(address, bytes, machine::page_kind::used);
}

}  // namespace callisto::loop
