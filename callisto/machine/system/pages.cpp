// Pages by mmap.
#include <callisto/machine/system/pages.hpp>

#include <cstddef>
#include <new>

#include <sys/mman.h>

namespace callisto::machine {
namespace {

class page_resource final : public std::pmr::memory_resource {
  // A page's alignment is more than any caller asks for.
  void* do_allocate(std::size_t bytes, std::size_t) override {
    void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    return at;
  }
  void do_deallocate(void* at, std::size_t bytes, std::size_t) override { munmap(at, bytes); }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

}  // namespace

std::pmr::memory_resource& pages() noexcept {
  // Never destroyed: threads go on while the process ends.
  static page_resource& all = *new page_resource;
  return all;
}

}  // namespace callisto::machine
