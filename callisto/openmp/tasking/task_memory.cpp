// The depot: magazines that the threads of the process share.
#include <callisto/openmp/tasking/task_memory.hpp>

#include <callisto/openmp/region/omp_thread.hpp>
#include <callisto/waiting/spin_lock.hpp>

namespace callisto::openmp {

struct task_memory::depot {
  /// Most magazines of each size; further ones are freed.
  static constexpr unsigned most = 32;

  struct shelf {
    block* first = nullptr;
    unsigned magazines = 0;
  };
  waiting::spin_lock<native> lock;
  std::array<shelf, sizes> shelves{};
};

constinit task_memory::depot task_memory::shared;

task_memory::block* task_memory::fetch(unsigned size) noexcept {
  depot::shelf& of = shared.shelves[size];
  const locked held(shared.lock);
  block* const found = of.first;
  if (found == nullptr) return nullptr;
  of.first = found->next_magazine;
  --of.magazines;
  return found;
}

void task_memory::put_away(block* magazine, unsigned size) noexcept {
  depot::shelf& of = shared.shelves[size];
  {
    const locked held(shared.lock);
    if (of.magazines < depot::most) {
      magazine->next_magazine = std::exchange(of.first, magazine);
      ++of.magazines;
      return;
    }
  }
  free(magazine);
}

void task_memory::begin_anew_in_child() noexcept { new (&shared) depot; }

}  // namespace callisto::openmp
